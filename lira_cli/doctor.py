"""`lira doctor`: what is wrong, and what waits. Exit code 1 when something needs a person."""

from __future__ import annotations

import asyncio

import typer

from lira_core.doctor import examine
from lira_core.settings import load_settings

MARKS = {"ok": "ok    ", "notice": "note  ", "wrong": "WRONG "}


def run(*, revive: bool) -> int:
    findings = asyncio.run(examine(load_settings(), revive=revive))
    for finding in findings:
        typer.echo(f"{MARKS[finding.state]}{finding.what:<13}{finding.told}")
    return int(any(finding.state == "wrong" for finding in findings))
