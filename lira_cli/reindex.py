"""`lira reindex`: the index by meaning anew, or facts and terms, from the record, while LIRA serves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lira_core import compose, engines
from lira_core.encoder import encoder_of
from lira_core.memory.facts import VERSION
from lira_core.memory.understander import UnderstanderAway
from lira_core.reindex import Progress as Done
from lira_core.reindex import drop, rederive, reindex
from lira_core.settings import load_settings
from lira_core.stores import StoreUnavailable


def run(*, drop_index: str | None, clear: bool, facts: bool) -> None:
    if facts and (clear or drop_index is not None):
        raise typer.BadParameter("facts are in the record, not in the index: it goes with neither --drop nor --clear", param_hint="--facts")
    if facts:
        asyncio.run(_rederive())
    else:
        asyncio.run(_reindex(clear) if drop_index is None else _drop(drop_index))


async def _drop(name: str) -> None:
    await drop(load_settings(), name)
    typer.echo(f"The index of {name} is gone.")


async def _reindex(clear: bool) -> None:
    settings = load_settings()
    async with AsyncExitStack() as opened:
        stores = await compose.open_settled_stores(settings)
        opened.push_async_callback(stores.close)
        embedder = await opened.enter_async_context(engines.closing(engines.open_embedder(settings)))
        with _bar("Indexing memories") as show:
            done = await reindex(settings, stores, embedder, show, clear=clear)
    name = encoder_of(settings).name
    typer.echo(f"{done.total} memories are indexed by {name}, which is in use from now on; start LIRA again if it serves with another encoder.")


async def _rederive() -> None:
    settings = load_settings()
    record = await compose.open_record(settings)
    async with AsyncExitStack() as opened:
        opened.push_async_callback(record.close)
        extractor = compose.open_extractor(settings, record)
        if extractor is not None:
            opened.push_async_callback(extractor.close)
        try:
            with _bar("Deriving facts") as show:
                done = await rederive(record, show, extractor=extractor)
        except UnderstanderAway as error:
            raise StoreUnavailable(f"{error}; run this again when it answers, what was read is kept") from error
    by = "" if extractor is None else f" and of {settings.understander_model or settings.generator_model}"
    typer.echo(f"{done.total - done.left} of {done.total} memories hold the facts of version {VERSION} of the rules{by}.")
    if done.changed:
        typer.echo(f"{done.changed} of them have other facts or terms than before; LIRA makes their vectors anew while it serves.")
    if done.left:
        unread = "" if extractor is None else ", answered by the model with what is of no use (run this again, or ask another)"
        typer.echo(f"{done.left} do not: written meanwhile by a LIRA with older rules (run this again when it is stopped){unread}, or damaged.")


@contextmanager
def _bar(title: str) -> Iterator[Callable[[Done], None]]:
    """A bar on the terminal, and what moves it."""
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(title, total=None)

        def show(now: Done) -> None:
            bar.update(task, total=now.total, completed=max(0, now.total - now.waiting - now.dead))

        yield show
