"""The `lira` command: serve, chat, mcp, eval, bench, capacity, reindex, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lira_cli import capacity, evaluate
from lira_core.model_folder import ModelError
from lira_core.settings import SettingsError
from lira_core.stores import StoreError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help="LIRA: a chat service with an emotional memory.")
app.add_typer(evaluate.app, name="eval")
app.command(name="capacity")(capacity.command())

Port = Annotated[int | None, typer.Option(help="HTTP port (default: LIRA_PORT, 8000).", min=1, max=65535)]
Data = Annotated[Path | None, typer.Option("--data", help="Folder for the local profile's file (default: LIRA_DATA_DIR).")]


@app.command()
def serve(
    config: Annotated[Path | None, typer.Option(help="A Serve config file (default: the bundled cluster/local.yaml).")] = None,
    port: Port = None,
    data: Data = None,
) -> None:
    """Serve LIRA on this machine until Ctrl-C."""
    from lira_cli.serve import serve as run  # Ray takes a second to import, and only this command needs it

    raise typer.Exit(run(config, port, data))


@app.command()
def chat(
    url: Annotated[str | None, typer.Option(help="A running server; without it LIRA runs in this process.")] = None,
    user: Annotated[str, typer.Option(help="Who is talking.")] = "me",
    session: Annotated[str | None, typer.Option(help="The session (default: a new one).")] = None,
    data: Data = None,
) -> None:
    """Talk to LIRA in the terminal, and see what it felt, recalled and kept."""
    from lira_cli.chat import chat as run

    run(url=url, user=user, session=session, data=data)


@app.command()
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP on 127.0.0.1, at /mcp, instead of stdio.")] = False,
    port: Annotated[int, typer.Option(help="With --http: the port; 0 for any that is free.", min=0, max=65535)] = 8001,
    user: Annotated[str | None, typer.Option(help="Whose memories, for the whole server; without it each call names a user.")] = None,
    url: Annotated[str | None, typer.Option(help="A running server; without it LIRA runs in this process.")] = None,
    data: Data = None,
) -> None:
    """Memories for any MCP client (Claude Desktop, editors, agents): tools remember, search, list, forget, chat.

    Without --url it opens the stores that the settings name, as `lira serve` does.

    Both may run at once on one file; --url then spares loading the models a second time.
    """
    from lira_cli.mcp import run

    run(http=http, port=port, user=user, url=url, data=data)


bench_app = typer.Typer(invoke_without_command=True, help="Measure this machine. One JSON line per figure.")
app.add_typer(bench_app, name="bench")


@bench_app.command()
def models(
    seconds: Annotated[float, typer.Option(help="How long each figure is measured.", min=0.1)] = 3.0,
    threads: Annotated[int, typer.Option(help="Cores for torch; a bundled model takes one.", min=1)] = 1,
) -> None:
    """Texts a second of each model at batches of 1, 8, 32 and 128, against the plain transformers pipeline in the same run (the extra `gpu`)."""
    from lira_cli.bench_models import run

    run(seconds=seconds, threads=threads)


@bench_app.callback()
def bench(
    context: typer.Context,
    turns: Annotated[int, typer.Option(help="Turns per measurement.", min=1)] = 300,
    repeat: Annotated[int, typer.Option(help="Runs, of which the median is told.", min=1)] = 3,
) -> None:
    """Measure this machine: a turn in process and served, side by side. One JSON line per figure."""
    if context.invoked_subcommand is not None:
        return
    from lira_cli.bench import bench as run

    run(turns=turns, repeat=repeat)


@app.command()
def reindex(
    drop: Annotated[str | None, typer.Option(help="Instead, drop the index of another encoder (by the name that `lira doctor` tells).")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Empty the index first: after the record was restored from a backup.")] = False,
    facts: Annotated[
        bool, typer.Option("--facts", help="Instead, derive facts and terms anew of the memories that older rules read: `lira doctor` counts them.")
    ] = False,
) -> None:
    """Build the index by meaning anew from the record, while LIRA serves. Stopped, it goes on where it was."""
    from lira_cli.reindex import run

    run(drop_index=drop, clear=clear, facts=facts)


@app.command()
def doctor(revive: Annotated[bool, typer.Option("--revive", help="Try again what was given up on.")] = False) -> None:
    """Look at settings, models, stores and what waits. Exit code 1 when something needs a person."""
    from lira_cli.doctor import run

    raise typer.Exit(run(revive=revive))


def main() -> None:
    """The console script."""
    try:
        app()
    except (SettingsError, StoreError, ModelError) as error:
        typer.echo(f"lira: {error}", err=True)
        raise SystemExit(2) from None
