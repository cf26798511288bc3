"""What a person has to know of a LIRA: which parts answer, what waits, what was given up on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lira_core import compose, engines
from lira_core.encoder import encoder_of
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorRejected, GeneratorUnavailable
from lira_core.generation.resilience import greeting
from lira_core.memory.derivation import MISREAD, READ, RULES, WAITING
from lira_core.memory.facts import VERSION
from lira_core.memory.understander import Misread, UnderstanderAway
from lira_core.model_folder import ModelError
from lira_core.model_settings import PREFIX
from lira_core.reconcile import outboxes
from lira_core.settings import Settings, SettingsError
from lira_core.stores import StoreError, Stores, StoreUnavailable

if TYPE_CHECKING:
    from lira_core.generation.openai import OpenAIGenerator

SHOWN = 20
"""Dead letters told by name, of each kind, and models; the count of letters is told whole."""
PING_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `wrong` needs a person, `notice` is worth knowing."""

    state: Literal["ok", "notice", "wrong"]
    what: str
    told: str


async def examine(settings: Settings, *, revive: bool = False) -> list[Finding]:
    """Looks at models, the generator, the understander, stores and what waits. With `revive` whatever was given up on is tried again."""
    findings, revived = [_models(settings)], False
    if findings[0].state == "ok":
        findings += [await _generator(settings), await _understander(settings)]
        kept, revived = await _stores(settings, revive)
        findings += kept
    if revive and not revived:
        findings.append(Finding("wrong", "revive", "not all that was given up on is tried again: mend what is wrong above, then run this once more"))
    return findings


async def _stores(settings: Settings, revive: bool) -> tuple[list[Finding], bool]:
    """What the stores say as far as they answer, and whether whatever was given up on is tried again."""
    try:
        stores = await compose.open_settled_stores(settings)
    except StoreError as error:
        return [Finding("wrong", "stores", str(error))], False
    pings = {"short-term": stores.short_term.ping, "record": stores.record.ping, "vectors": stores.vectors.ping}
    findings: list[Finding] = []
    try:
        findings += [await _answers(name, ping()) for name, ping in pings.items()]
        away = {finding.what for finding in findings if finding.state != "ok"}
        if "record" not in away:
            findings += [await _index(settings, stores), *await _facts(settings, stores)]
        if not away & {"short-term", "record"}:
            findings += await _waiting(stores, revive)
            return findings, True
    except StoreUnavailable as error:
        findings.append(Finding("wrong", "stores", str(error)))
    finally:
        await stores.close()
    return findings, False


def _models(settings: Settings) -> Finding:
    try:
        engines.check(settings)
        encoder = encoder_of(settings)
    except (ModelError, SettingsError) as error:
        return Finding("wrong", "models", str(error))
    return Finding("ok", "models", f"encoder {encoder.name}")


async def _generator(settings: Settings) -> Finding:
    """Asked for one word, as for a turn: some servers list their models to anybody, and some list none."""
    if settings.generator == "grounded":
        return Finding("ok", "generator", "composes answers from memories; no language model is asked")
    if settings.generator == "vllm":
        return Finding("ok", "generator", "runs in the graph; /readyz of a server that runs tells of it")
    engine = compose.open_openai(settings)
    try:
        async with asyncio.timeout(settings.generate_deadline_ms / 1000):
            async with aclosing(engine.generate(greeting())) as pieces:
                await anext(pieces)
        return Finding("ok", "generator", f"{engine.model} of {engine.url} answers")
    except GeneratorBusy as error:
        return Finding("notice", "generator", f"takes no more just now: {error}")
    except GeneratorRejected as error:
        return Finding("wrong", "generator", f"{error}{await _listed(engine)}")
    except GeneratorUnavailable as error:
        return Finding("wrong", "generator", str(error))
    except TimeoutError:
        return Finding("wrong", "generator", f"no word from {engine.url} within LIRA_GENERATE_DEADLINE_MS={settings.generate_deadline_ms}")
    finally:
        await engine.aclose()


async def _listed(engine: OpenAIGenerator) -> str:
    """What the API says that it has, where it says so and the model is not among it."""
    try:
        async with asyncio.timeout(PING_WITHIN_S):
            names = await engine.models()
    except (GeneratorError, TimeoutError):
        return ""
    return "" if engine.model in names or not names else f"; it lists {', '.join(names[:SHOWN])}"


async def _answers(name: str, ping: Awaitable[None]) -> Finding:
    try:
        async with asyncio.timeout(PING_WITHIN_S):
            await ping
    except (StoreError, TimeoutError) as error:
        return Finding("wrong", name, str(error) or f"no answer within {PING_WITHIN_S:g} s")
    return Finding("ok", name, "answers")


async def _index(settings: Settings, stores: Stores) -> Finding:
    plan, mine = await stores.record.index_plan(), encoder_of(settings).name
    if plan.serving not in (None, mine):
        return Finding("wrong", "index", f"was made by {plan.serving}; run `lira reindex`")
    if plan.building is not None:
        return Finding("notice", "index", f"{plan.building} is being built; `lira reindex` goes on with it")
    return Finding("ok", "index", f"of {mine}, {await stores.record.count()} memories")


async def _facts(settings: Settings, stores: Stores) -> list[Finding]:
    rules, waiting, misread, older, read = [await stores.record.count(before) for before in (RULES, WAITING, MISREAD, MISREAD + 1, READ)]
    asks = settings.understander == "openai"
    told = {
        "were read by older rules, or not in their time; `lira reindex --facts` derives their facts anew": rules,
        "were read by the rules alone, or by a model that was asked otherwise; `lira reindex --facts` has them read anew": (
            waiting - rules + read - older if asks else 0
        ),
        f"wait to be read by a model{'' if asks else f', and {PREFIX}UNDERSTANDER=rules asks none'}": misread - waiting,
        f"keep the rules' facts, since a model said nothing of use{'; `lira reindex --facts` asks again' if asks else ''}": older - misread,
    }
    findings = [Finding("notice", "facts", f"{count} memories {what}") for what, count in told.items() if count]
    return findings or [Finding("ok", "facts", f"of version {VERSION} of the rules")]


async def _understander(settings: Settings) -> Finding:
    if (understander := compose.open_understander(settings)) is None:
        return Finding("ok", "understander", "rules find facts; no language model is asked")
    try:
        await understander.read(greeting().text)
        return Finding("ok", "understander", f"{understander.model} of {understander.url} answers")
    except (UnderstanderAway, Misread) as error:
        return Finding("wrong", "understander", str(error))
    finally:
        await understander.aclose()


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
