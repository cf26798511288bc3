"""What a person has to know of a LIRA: which parts answer, what waits, what was given up on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Literal

from lira_core import compose
from lira_core.memory.facts import VERSION
from lira_core.model_folder import ModelError, encoder_id
from lira_core.reconcile import outboxes
from lira_core.settings import Settings
from lira_core.stores import StoreError, Stores, StoreUnavailable

SHOWN = 20
"""Dead letters told by name, of each kind; the count is told whole."""
PING_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `wrong` needs a person, `notice` is worth knowing."""

    state: Literal["ok", "notice", "wrong"]
    what: str
    told: str


async def examine(settings: Settings, *, revive: bool = False) -> list[Finding]:
    """Looks at models, stores and what waits. With `revive` whatever was given up on is tried again."""
    findings = [_models(settings)]
    if findings[0].state == "wrong":
        return findings
    try:
        stores = await compose.open_settled_stores(settings)
    except StoreError as error:
        return [*findings, Finding("wrong", "stores", str(error))]
    try:
        for name, ping in (("short-term", stores.short_term.ping()), ("record", stores.record.ping()), ("vectors", stores.vectors.ping())):
            findings.append(await _answers(name, ping))
        if all(finding.state == "ok" for finding in findings):
            findings += [await _index(settings, stores), await _facts(stores), *await _waiting(stores, revive)]
    except StoreUnavailable as error:
        findings.append(Finding("wrong", "stores", str(error)))
    finally:
        await stores.close()
    return findings


def _models(settings: Settings) -> Finding:
    try:
        encoder = encoder_id(settings.embedding_model_dir)
    except ModelError as error:
        return Finding("wrong", "models", str(error))
    for name in ("emotion", "reader"):
        if not (folder := getattr(settings, f"{name}_model_dir")).is_dir():
            return Finding("wrong", "models", f"LIRA_{name.upper()}_MODEL_DIR={folder} is no folder")
    return Finding("ok", "models", f"encoder {encoder.name}")


async def _answers(name: str, ping: Awaitable[None]) -> Finding:
    try:
        async with asyncio.timeout(PING_WITHIN_S):
            await ping
    except (StoreError, TimeoutError) as error:
        return Finding("wrong", name, str(error) or f"no answer within {PING_WITHIN_S:g} s")
    return Finding("ok", name, "answers")


async def _index(settings: Settings, stores: Stores) -> Finding:
    plan, mine = await stores.record.index_plan(), encoder_id(settings.embedding_model_dir).name
    if plan.serving not in (None, mine):
        return Finding("wrong", "index", f"was made by {plan.serving}; run `lira reindex`")
    if plan.building is not None:
        return Finding("notice", "index", f"{plan.building} is being built; `lira reindex` goes on with it")
    return Finding("ok", "index", f"of {mine}, {await stores.record.count()} memories")


async def _facts(stores: Stores) -> Finding:
    if older := await stores.record.count(VERSION):
        told = f"{older} memories were read by older rules, or not in their time; `lira reindex --facts` derives their facts anew"
        return Finding("notice", "facts", told)
    return Finding("ok", "facts", f"of version {VERSION} of the rules")


async def _waiting(stores: Stores, revive: bool) -> list[Finding]:
    findings = []
    for name, outbox in outboxes(stores).items():
        if revive:
            await outbox.revive()
        backlog = await outbox.backlog()
        findings.append(Finding("notice" if backlog.waiting else "ok", name, f"{backlog.waiting} waiting"))
        if backlog.dead:
            findings.append(Finding("wrong", name, f"{backlog.dead} given up on; `lira doctor --revive` tries them again"))
            for letter in await outbox.dead(SHOWN):
                findings.append(Finding("wrong", name, f"{letter.id} of {letter.user_id}, {letter.attempts} attempts: {letter.reason}"))
    return findings
