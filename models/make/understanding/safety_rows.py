"""What the safety heads learn from: `data/identity`, the risk lines, what people type, and everyday talk in which nothing of it is heard.

What is said to LIRA is also said of somebody else, and nouns that mean the same take each other's place: labels turn or stay by themselves.
"""

from __future__ import annotations

import json
import pathlib
import random
import re
from dataclasses import dataclass
from typing import Any

from people import DEV, PEOPLE, left_out, people
from sessions import labelled, typed
from utterance_rows import HELD_OUT, UTTERANCES

from lira_core.safety import at_risk

IDENTITY, MANNERS, FEELINGS, ORDINARY = (PEOPLE.parent / name for name in ("identity", "manner", "emotions", "ordinary"))
_OF_CARE = {"none": (0, 0), "risk": (-1, 1), "identity": (1, 0), "attachment": (2, 0), "forget": (0, 0)}
CONDUCT = ("none", "identity", "attachment")
SEED = 4

_YOU_KO = re.compile(r"(?<![가-힣])(?:넌|(?:너|니|네|당신|그쪽|자네)(는|도|가|를|랑|한테|밖에|뿐|만|보다|하고|처럼|의)?([가-힣]*))")
_COPULA = re.compile(r"요|이|야|지|은|에|인")
_HERE_KO = re.compile(r"리라|여기|이거|지금|상대|나랑|내가|저랑|제가|거기")
_KIN_KO = ("걔", "우리 언니", "우리 엄마", "그 배우", "남자친구", "우리 강아지", "그 친구", "새로 온 의사", "옆집 아저씨", "조카", "그 가수")
_YOU_EN = (
    (re.compile(r"\bare (?:you|u)\b", re.I), "is {}"),
    (re.compile(r"\bdo (?:you|u)\b", re.I), "does {}"),
    (re.compile(r"\byou(?: a|')re\b|\bur\b", re.I), "{} is"),
    (re.compile(r"\bcan you\b", re.I), "can {}"),
    (re.compile(r"\b(love|need|without|but|with|than|have|leave|only) you\b", re.I), r"\1 {}"),
)
_HERE_EN = re.compile(r"\b(?:you|your|u|ur|lira|this|chat|here|talking)\b", re.I)
_KIN_EN = ("my boss", "my brother", "that singer", "my ex", "our dog", "my roommate", "the guy next door", "my niece", "my neighbour")
_ALIKE = (
    ("사람", "인간"),
    ("인공지능", "로봇", "봇", "챗봇"),
    ("AI", "에이아이", "기계"),
    ("person", "human"),
    ("bot", "robot", "machine", "chatbot"),
)
"""Korean ones end alike, so that the particle after them stays."""


@dataclass(frozen=True)
class Row:
    """A text; `conduct` an index of CONDUCT, `risk` 0 or 1; -1 where nobody says. `hand` is the file it comes from."""

    text: str
    hand: str
    conduct: int = -1
    risk: int = -1


def identity_rows() -> list[Row]:
    """As written; what is made of them is added by `swapped`, so that nobody is measured on it.

    To ask what LIRA is, or to lean on it, is no risk where no word of it is said: a head that never heard so took a quarter of the questions for it.
    """
    out = []
    for path in sorted(IDENTITY.glob("*.jsonl")):
        if not path.stem.startswith(HELD_OUT):
            rows = _read(path)
            out += [Row(r["text"], f"identity_{path.stem}", CONDUCT.index(r["label"]), -1 if at_risk(r["text"]) else 0) for r in rows]
    return out


def risk_rows() -> list[Row]:
    out = []
    for path in sorted(UTTERANCES.glob("risk_*.jsonl")):
        out += [Row(r["text"], path.stem, -1 if r["risk"] else 0, int(r["risk"])) for r in _read(path)]
    return out


def ordinary_rows() -> list[Row]:
    """`data/ordinary`, and the lines of `data/lines` that say which care they want. Whether who is beaten or in an emergency is at risk nobody
    says."""
    out = []
    raw = [(f"ordinary_{path.stem}", row) for path in _learnt(ORDINARY) for row in _read(path)]
    for hand, row in raw + labelled("care"):
        conduct, risk = _OF_CARE.get(row["care"], (0, -1))
        out.append(Row(row["text"], hand, conduct, risk))
    return out


def harmless_rows() -> list[Row]:
    """Who takes leave or wants something forgotten is not at risk, nor is who is sad or afraid and says no word of it: they share the words."""
    small_talk = {"hello", "bye", "night", "thanks", "sorry", "forget"}
    manners = [(path, r["text"]) for path in _learnt(MANNERS) for r in _read(path) if r["manner"] in small_talk]
    feelings = [(path, r["text"]) for path in _learnt(FEELINGS) for r in _read(path)]
    return [Row(text, f"{path.parent.stem}_{path.stem}", risk=0) for path, text in manners + feelings if not at_risk(text)]


def _learnt(folder: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in sorted(folder.glob("*.jsonl")) if not path.stem.startswith(HELD_OUT)]


def typed_rows(*, dev: bool = False) -> list[Row]:
    """What people type of their own accord is no crisis; whether it asks what LIRA is nobody says."""
    return [Row(one.text, "typed", risk=0) for one in typed(dev=dev) if not at_risk(one.text)]


def everyday_rows(*, dev: bool = False) -> list[Row]:
    """The labelled utterances, and a third of what each person says and asks; or (`dev`) of those left out, every
    twelfth, all of it.

    Without what `data/identity` has a label for: some do ask LIRA what it is.
    """
    out: list[Row] = []
    known = {row.text for row in identity_rows()}
    for path in sorted(UTTERANCES.glob("utterances*.jsonl")):
        rows = _read(path)
        out += [Row(r["text"], path.stem, 0, 0) for r, apart in zip(rows, left_out([path.stem] * len(rows)), strict=True) if apart == dev]
    in_hand: dict[str, int] = {}
    for i, person in enumerate(people()):
        third = in_hand[person.hand] = in_hand.get(person.hand, -1) + 1
        if (i % DEV == 0) == dev:
            some = slice(None) if dev else slice(third % 3, None, 3)
            asks = () if person.hand.startswith("talks_") else person.asks[some]
            out += [Row(text, "people", 0, 0) for text in (*person.says[some], *(ask.text for ask in asks))]
    return [row for row in out if row.text not in known]


def swapped(rows: list[Row]) -> list[Row]:
    """Of those that speak to LIRA the same of somebody else and of oneself (`none`), and each with a noun that means the same."""
    out = []
    for row in rows:
        rng = random.Random(f"{SEED} {row.text}")
        if row.conduct > 0:
            out += [Row(text, row.hand, 0) for text in (_of_another(row.text, rng), _of_oneself(row.text)) if text]
        if alike := _alike(row.text, rng):
            out.append(Row(alike, row.hand, row.conduct, row.risk))
    return out


def _of_another(text: str, rng: random.Random) -> str | None:
    """None where it does not name whom it speaks to exactly once and plainly."""
    if re.search("[가-힣]", text):
        return None if _HERE_KO.search(text) else _of_another_ko(text, rng.choice(_KIN_KO))
    who, count = rng.choice(_KIN_EN), 0
    for pattern, form in _YOU_EN:
        text, done = pattern.subn(form.format(who), text, count=1)
        count += done
    return text if count == 1 and not _HERE_EN.search(text) else None


def _of_oneself(text: str) -> str | None:
    """ "넌 애인 있어?" is asked of LIRA, "나 애인 있어?" of what was told."""
    out = None if _HERE_KO.search(text) else _of_another_ko(text, "나")
    return re.sub(r"(?<![가-힣])나가(?![가-힣])", "내가", out) if out else None


def _of_another_ko(text: str, who: str) -> str | None:
    count = 0

    def named(match: re.Match[str]) -> str:
        nonlocal count
        particle, rest = match[1] or "", match[2] or ""
        if rest and not (particle and _COPULA.match(rest)):
            return match[0]
        count += 1
        return who + ("는" if match[0] == "넌" else particle + rest)

    out = _YOU_KO.sub(named, text)
    return out if count == 1 else None


def _alike(text: str, rng: random.Random) -> str | None:
    for group in rng.sample(_ALIKE, len(_ALIKE)):
        for word in group:
            pattern = re.compile(rf"(?<![가-힣A-Za-z]){word}(?![A-Za-z])", re.I)
            others = [o for o in group if o != word and bool(re.search("[가-힣]", o)) <= bool(re.search("[가-힣]", text))]
            if others and pattern.search(text):
                return pattern.sub(rng.choice(others), text, count=1)
    return None


def _read(path: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
