"""`lira reindex`: the index by meaning anew, from the record, while LIRA serves."""

from __future__ import annotations

import asyncio

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lira_core import compose
from lira_core.model_folder import encoder_id
from lira_core.reindex import Progress as Done
from lira_core.reindex import drop, reindex
from lira_core.settings import load_settings


def run(*, drop_index: str | None, clear: bool) -> None:
    asyncio.run(_reindex(clear) if drop_index is None else _drop(drop_index))


async def _drop(name: str) -> None:
    await drop(load_settings(), name)
    typer.echo(f"The index of {name} is gone.")


async def _reindex(clear: bool) -> None:
    settings = load_settings()
    stores, embedder = await compose.open_settled_stores(settings), compose.open_embedder(settings)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns) as bar:
            task = bar.add_task("Indexing memories", total=None)
            done = await reindex(settings, stores, embedder, lambda now: _show(bar, task, now), clear=clear)
    finally:
        await embedder.close()
        await stores.close()
    name = encoder_id(settings.embedding_model_dir).name
    typer.echo(f"{done.total} memories are indexed by {name}, which is in use from now on; start LIRA again if it serves with another encoder.")


def _show(bar: Progress, task: object, now: Done) -> None:
    bar.update(task, total=now.total, completed=max(0, now.total - now.waiting - now.dead))  # type: ignore[arg-type]
