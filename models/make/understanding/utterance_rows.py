"""The labelled utterances of `data/utterances`, and what the people of `data/people` say and ask, as rows with labels."""

from __future__ import annotations

import json
import pathlib
import re
from dataclasses import dataclass
from typing import Any

from people import DEV, PEOPLE, Person, askers, left_out
from sessions import sessions, typed

from lira_core.memory.following import in_full

UTTERANCES = PEOPLE.parent / "utterances"
HELD_OUT = "heldout"
"""Files that begin so are of hands that nothing is trained, tuned or looked at with."""
STATUS = ("fact", "feeling", "plan", "done", "changed", "cancelled", "hypothetical", "fiction", "quoted", "question", "chat")
ASKS = ("none", "memory", "other")


OWN = ("_own", "_implied", "_again", "_felt")
"""In the names of the hands of `data/asked` that asked people who had typed of their own accord."""
NEWEST = ("utterances_fourteenth", "utterances_fifteenth")
"""Hands that nothing had learnt from before the last pass."""


@dataclass(frozen=True)
class Labelled:
    """A text and its labels; -1 where nobody gave one."""

    text: str
    status: int = -1
    asks: int = -1
    keep: int = -1
    risk: int = -1


def lines(folder: pathlib.Path = UTTERANCES) -> tuple[list[Labelled], list[Labelled]]:
    """The utterances and the risk lines of `folder` to learn from, and to choose by; without the hands set aside."""
    learnt, apart = [], []
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem.startswith(HELD_OUT):
            continue
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for row, out in zip(rows, left_out([path.stem] * len(rows)), strict=True):
            (apart if out else learnt).append(_labelled(row))
    return learnt, apart


def newest() -> list[Labelled]:
    """What `lines` has to learn from of the hands that came last."""
    texts = {json.loads(line)["text"] for stem in NEWEST for line in (UTTERANCES / f"{stem}.jsonl").read_text("utf-8").splitlines()}
    return [row for row in lines()[0] if row.text in texts]


def _labelled(row: dict[str, Any]) -> Labelled:
    if "risk" in row:
        return Labelled(row["text"], risk=int(row["risk"]))
    return Labelled(row["text"], STATUS.index(row["status"]), ASKS.index(row["asks"]), int(row["keep"]), 0)


_MAY_ASK = re.compile(
    r"\?|뭐|뭔|뭘|누구|누가|언제|어디|몇|알아|알지|기억|맞지|맞나|더라|\b(?:what|who|when|where|how|why|know|remember|recall|guess)\b", re.I
)


def told(folder: pathlib.Path = PEOPLE.parent) -> list[Labelled]:
    """What `data/names` and `data/tone` tell: these ask nothing, unless by their words they may; what else they are nobody has labelled. Without
    `tone/annotated`, whose lines stand elsewhere with labels of their own."""
    out = []
    for path in sorted([*(folder / "names").glob("*.jsonl"), *(folder / "tone").glob("*.jsonl")]):
        for row in map(json.loads, path.read_text("utf-8").splitlines()) if not path.stem.startswith((HELD_OUT, "annotated")) else ():
            felt = row.get("tone", "neutral") != "neutral"
            if (felt or "own" in row) and not _MAY_ASK.search(row["text"]):
                out.append(Labelled(row["text"], asks=0))
    return out


def of_persons(persons: list[Person]) -> list[Labelled]:
    """What the persons say, where it is labelled, and what they ask."""
    out = []
    for person in persons:
        for said, status, keep in zip(person.says, person.status, person.keep, strict=bool(person.status)):
            out.append(Labelled(said, STATUS.index(status), -1 if status == "question" else 0, int(keep), 0))
        for ask in person.asks[::2]:  # as many questions as statements
            out.append(Labelled(ask.text, STATUS.index("question"), 2 if ask.kind == "small_talk" else 1, 0, 0))
    return out


def in_sessions(*, dev: bool = False) -> list[Labelled]:
    """What the lines of `data/lines` ask, each alone and after what it leans on; of every `DEV`-th session with `dev`, else of the others."""
    out = []
    for one in (one for i, one in enumerate(sessions()) if (i % DEV == 0) == dev and one.asks):
        for index, asks in enumerate(one.asks):
            before = one.back_to(index)[:-1]
            texts = [one.lines[index], *([in_full([one.lines[i] for i in before], one.lines[index])] if before else [])]
            out += [Labelled(text, asks=ASKS.index(asks)) for text in texts]
    return out


def typing() -> list[Labelled]:
    """What people type of their own accord and some kind of reply fits asks for nothing."""
    return [Labelled(one.text, asks=0) for one in typed() if one.asks_nothing]


def asked() -> list[Labelled]:
    """What people ask of the sessions that they typed (`data/asked`): all that is asked of what was typed of its own accord, which is hard to tell
    from talk, and every third of the rest that asks memory; all that does not; and what `data/aims` wants."""
    own, rest = ([ask for p in askers() for ask in p.asks if any(name in p.hand for name in OWN) == of_own] for of_own in (True, False))
    other = [ask.text for ask in (*own, *rest) if ask.kind == "small_talk"]
    for path in sorted((PEOPLE.parent / "aims").glob("written*.jsonl")):
        other += [row["text"] for row in map(json.loads, path.read_text("utf-8").splitlines()) if row["aim"] != "none"]
    memory = [ask for ask in own if ask.kind != "small_talk"] + [ask for ask in rest if ask.kind != "small_talk"][::3]
    return [Labelled(ask.text, asks=1) for ask in memory] + [Labelled(text, asks=2) for text in other]
