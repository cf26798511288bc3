"""`lira capacity`: the model of growth, with the reader's own numbers."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Annotated

import typer

from lira_core.capacity import About, Figures, Plan, option, plan

ABOUT: dict[str, About] = {one.name: one.metadata["about"] for one in fields(Figures)}
DEFAULT = Figures()
OFTEN = 1_000_000, 100_000_000
"""Users that docs/capacity.md shows side by side."""


def command() -> Callable[..., None]:
    """The command, with an option for each figure of the model."""

    def capacity(users: tuple[float, ...], as_json: bool, **given: float) -> None:
        try:
            plans = [(count, plan(Figures(users=count, **given))) for count in users]
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        if as_json:
            for count, one in plans:
                typer.echo(json.dumps({"users": count, **asdict(one), "cost_a_million_turns": one.cost_a_million_turns}))
            return
        changed = {name: value for name, value in given.items() if value != getattr(DEFAULT, name)}
        typer.echo(as_text(plans, changed))

    capacity.__doc__ = (
        "What a number of users takes: replicas, GPUs, memory and disks of the stores, and what a million turns cost. Formulas: docs/capacity.md."
    )
    many = Annotated[list[float], typer.Option("--users", help="People who have ever talked to LIRA; may be given several times.", min=0)]
    json_flag = Annotated[bool, typer.Option("--json", help="One JSON line for each number of users.")]
    shown = [
        inspect.Parameter("users", inspect.Parameter.KEYWORD_ONLY, default=list(OFTEN), annotation=many),
        inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=json_flag),
    ]
    for name, about in ABOUT.items():
        if name != "users":
            kind = Annotated[float, typer.Option(option(name), help=f"{about.unit}: {about.told} ({about.source}).")]
            shown.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(DEFAULT, name), annotation=kind))
    capacity.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    capacity.__annotations__ = {one.name: one.annotation for one in shown}
    return capacity


def as_text(plans: list[tuple[float, Plan]], changed: dict[str, float]) -> str:
    """A table, a column for each number of users; what was given otherwise than the default stands above it."""
    rows: list[tuple[str, list[str]]] = [("users", [_number(count) for count, _ in plans])]

    def row(name: str, value: Callable[[Plan], str]) -> None:
        rows.append((name, [value(one) for _, one in plans]))

    row("turns a second: mean, peak", lambda one: f"{_number(one.turns_a_second)}, {_number(one.peak_turns_a_second)}")
    row("memories kept", lambda one: _number(one.memories))
    for number, stage in enumerate(plans[0][1].stages):
        row(f"{stage.name}: replicas of a core", lambda one, n=number: _number(one.stages[n].replicas))  # type: ignore[misc]
    row("GPUs", lambda one: _number(one.gpus))
    for number, store in enumerate(plans[0][1].stores):
        row(f"{store.name}: GB of memory, GB of disk, nodes", lambda one, n=number: _store(one, n))  # type: ignore[misc]
    row("Weaviate: tenants (a shard each), awake", lambda one: f"{_number(one.tenants)}, {_number(one.active_tenants)}")
    for name in plans[0][1].month_costs:
        row(f"a month: {name}", lambda one, n=name: _number(one.month_costs[n]))  # type: ignore[misc]
    row("a million turns", lambda one: "nobody talks" if one.cost_a_million_turns is None else f"{one.cost_a_million_turns:.2f}")
    wide = max(len(name) for name, _ in rows)
    columns = [max(len(values[n]) for _, values in rows) for n in range(len(plans))]
    lines = [f"{name:<{wide}}  " + "  ".join(f"{value:>{columns[n]}}" for n, value in enumerate(values)) for name, values in rows]
    told = [f"{option(name)} {value:g}" for name, value in changed.items()]
    return "\n".join([*(["with " + " ".join(told)] if told else []), *lines])


def _store(one: Plan, number: int) -> str:
    store = one.stores[number]
    return f"{_number(store.memory_gb)}, {_number(store.disk_gb)}, {_number(store.nodes)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def figures_as_markdown() -> str:
    """The table of figures in docs/capacity.md."""
    rows = [f"| `{option(name)}` | {getattr(DEFAULT, name):,g} | {about.unit} | {about.source} | {about.told} |" for name, about in ABOUT.items()]
    return "\n".join(["| option | default | unit | source | what it is |", "|---|---|---|---|---|", *rows])


def example_as_markdown() -> str:
    """What the command prints by default, as docs/capacity.md shows it."""
    text = as_text([(float(count), plan(Figures(users=count))) for count in OFTEN], {})
    return "```\n" + re.sub(r" +$", "", text, flags=re.MULTILINE) + "\n```"
