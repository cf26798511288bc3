"""The invented people of `data/people`: what they told, what they ask, and who is set aside."""

from __future__ import annotations

import json
import pathlib
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from lira_core.evaluation.reader import in_full_person  # noqa: E402
from lira_core.memory.following import before, in_full  # noqa: E402

PEOPLE = ROOT / "data" / "people"
HELD_OUT = (
    "heldout_ko",
    "heldout_ko_second",
    "heldout_ko_plain",
    "heldout_ko_yes",
    "heldout_ko_limits",
    "heldout_ko_close",
    "heldout_en",
    "heldout_en_plain",
    "heldout_en_yes",
    "heldout_en_limits",
    "heldout_en_close",
    "talks_heldout",
    "told_heldout",
)
"""Hands that nothing is trained, tuned or looked at with: some seventh of the persons, set aside by author."""
LATER = (
    "ko_first_day",
    "en_first_day",
    "ko_forties",
    "ko_yes_first",
    "ko_yes_third",
    "en_yes_first",
    "en_yes",
    "ko_yes_second",
    "ko_near",
    "ko_limits",
    "en_limits",
    "en_near",
    "ko_near_second",
    "ko_limits_second",
    "en_near_second",
    "en_limits_second",
    "ko_two",
    "en_two",
    "ko_plain_second",
    "ko_limits_third",
    "en_limits_third",
    "ko_near_third",
    "ko_plain_third",
    "talks_en",
    "talks_ko",
    "talks_ko_second",
    "ko_plain_fourth",
    "told_en",
    "told_ko",
    "told_ko_second",
    "told_en_second",
    "told_ko_third",
    "ko_close",
    "ko_close_second",
    "ko_close_third",
    "ko_close_fourth",
    "ko_close_fifth",
    "en_close",
    "en_close_second",
    "ko_close_sixth",
    "ko_close_seventh",
    "ko_close_eighth",
    "en_close_third",
    "en_close_fourth",
    "ko_close_ninth",
    "ko_close_tenth",
    "ko_close_eleventh",
)
"""Hands that came later, in that order: they are counted last, so that who is left out of training by `DEV` stays left out."""


@dataclass(frozen=True)
class Ask:
    """A question and the statements that answer it: index to the words of it that do."""

    text: str
    kind: str
    evidence: dict[int, str]
    verdict: str | None = None


@dataclass(frozen=True)
class Person:
    hand: str
    says: tuple[str, ...]
    asks: tuple[Ask, ...]
    status: tuple[str, ...] = ()
    keep: tuple[bool, ...] = ()
    features: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def language(self) -> str:
        return "en" if self.hand.startswith(("en_", "heldout_en", "talks_en", "told_en", "asked_en")) else "ko"


def people(folder: pathlib.Path = PEOPLE, *, held_out: bool = False) -> list[Person]:
    """Every person of the hands to learn from, or of those set aside; in order of hand and line."""
    paths = {path.stem: path for path in folder.glob("*.jsonl")}
    paths |= {f"{kind}_{path.stem}": path for kind in ("talks", "told") for path in (folder.parent / kind).glob("*.jsonl")}
    out = []
    for hand in sorted(paths, key=lambda hand: (LATER.index(hand) + 1 if hand in LATER else 0, hand)):
        if (hand in HELD_OUT) == held_out:
            out += [_person(hand, json.loads(line)) for line in paths[hand].read_text("utf-8").splitlines() if line.strip()]
    return out


def askers(*, dev: bool = False) -> list[Person]:
    """Who typed sessions, and what they ask later (`data/asked`): all but every `DEV`-th of each hand, or with `dev` those."""
    return [person for person, left in everybody_who_asks() if left == dev]


def everybody_who_asks() -> list[tuple[Person, bool]]:
    """Each, in order of hand and line, and whether they are left out of training; without the hands set aside, whose files begin otherwise. By
    themselves, since their lines are in `data/lines` and `data/responses` with all labels."""
    raw = [
        (f"asked_{path.stem}", json.loads(line))
        for path in sorted((PEOPLE.parent / "asked").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
        if not path.stem.startswith("heldout")
    ]
    apart = left_out(hand for hand, _ in raw)
    return [(_person(hand, row), out) for (hand, row), out in zip(raw, apart, strict=True)]


def _person(hand: str, row: dict[str, Any]) -> Person:
    """What they ask: by itself (`asks`), one question after the other (`talks`), and what is no question to memory (`others`)."""
    says, evidence = in_full_person(row | {"asks": [*row.get("asks", ()), *(question for talk in row.get("talks", ()) for question in talk)]})
    found = iter(evidence)
    asks = [_ask(a["q"], a, next(found)) for a in row.get("asks", ())]
    for talk in row.get("talks", ()):
        asks += _talk(talk, row["says"], [next(found) for _ in talk])
    asks += [Ask(text, "small_talk", {}) for text in row.get("others", ())]
    return Person(hand, tuple(says), tuple(asks), tuple(row.get("status", ())), tuple(row.get("keep", ())))


def _ask(text: str, row: dict[str, Any], evidence: dict[int, str]) -> Ask:
    return Ask(text, row["kind"], evidence, row.get("verdict"))


def _talk(talk: list[dict[str, Any]], says: Sequence[str], evidence: Sequence[dict[int, str]]) -> Iterator[Ask]:
    """Each question as it is asked in full; one that stands alone also after those it has nothing to do with, as it is where it is taken for one
    that follows; one that follows also after what it is about, as where that was just told."""
    for i, (row, found) in enumerate(zip(talk, evidence, strict=True)):
        earlier = [talk[j]["q"] for j in before(i, [*(r["follows"] for r in talk[:i]), True])]
        if not row["follows"]:
            yield _ask(row["q"], row, found)
        if earlier:
            yield _ask(in_full(earlier, row["q"]), row, found)
        if row["follows"] and (about := talk[i - 1]["from"]):
            yield _ask(in_full([says[about[-1]]], row["q"]), row, found)


# Whose it is: the same question about somebody of whom nothing was told has no answer. Only the plain ways to name oneself are
# swapped, so that what comes out is a sentence.
_KIN_KO = ("고모", "이모", "사촌 동생", "외삼촌", "처제", "조카", "할머니", "옆집 언니", "매형", "과장님", "룸메", "사촌 형")
_KIN_EN = ("my aunt", "my cousin", "my neighbour", "my niece", "my landlord", "my uncle", "my stepdad", "my godmother", "my boss")
_OWN_KO = re.compile(r"^(?:내|제|우리)\s+(?!말|얘기|이야기|기억|생각)")
_OWN_EN = (
    (re.compile(r"\bdo i\b(?! (?:tell|say|mention))", re.I), "does {}"),
    (re.compile(r"\bam i\b", re.I), "is {}"),
    (re.compile(r"\bhave i\b(?! (?:told|said|mentioned))", re.I), "has {}"),
    (re.compile(r"\bmy (?!mind|own)", re.I), "{}'s "),
)


def of_somebody_else(ask: Ask, says: tuple[str, ...], rng: random.Random) -> Ask | None:
    """The question asked of somebody nobody spoke of, which nothing answers; None where the question does not name its speaker plainly."""
    told = " ".join(says).lower()
    korean = bool(re.search("[가-힣]", ask.text))
    kin = [k for k in (_KIN_KO if korean else _KIN_EN) if k.split()[-1] not in told and k.split()[-1] not in ask.text.lower()]
    if not kin:
        return None
    whose = rng.choice(kin)
    if korean:
        text, count = _OWN_KO.subn(f"{whose} ", ask.text, count=1)
    else:
        text, count = ask.text, 0
        for pattern, form in _OWN_EN:
            text, done = pattern.subn(form.format(whose), text)
            count += done
    return replace(ask, text=text, kind="other_subject", evidence={}, verdict=None) if count else None


# What plainly names one thing, so that another person's words of that kind make it untrue.
_ONE_THING = ("count", "name", "number", "place", "when", "where", "who")
_TOLD = (*_ONE_THING, "health", "job", "possession", "taste")
_TRIES = 20
_TURNS = re.compile(r"안|못|말고|없|아니|[.,!]|\bno\b|not\b|never|n't|but|instead", re.I)
_ASKS_FOR = re.compile(r"어디|언제|누구|뭐|무엇")
"""Korean asks for a thing where the answer names it."""
_NOT = re.compile(r"(?:(?<=\s)|^)[안못]\s|(?<=do)n't\b|(?<=is)n't\b|(?<=are)n't\b|(?<=did)n't\b|(?<=can)'t\b|\s(?:not|never)\b", re.I)
_KOREAN_END = re.compile(r"[가-힣]$")
_NEGATED = 0.3
"""How often a sentence that can be is turned around."""
_LEFT_OUT = 0.3
"""Share of the words that a shortened question loses; the last one, which asks in Korean, stays."""


def told_back(person: Person, everybody: Sequence[Person], rng: random.Random, dropped: float = 0.0) -> Ask | None:
    """What the person told, asked word by word: yes; or with another person's words where the answer stands: no. None where nothing fits.

    Hardly anybody who invents questions asks what was just told, but people do; what was told and changed since is left out. `dropped`: how often
    other words of it are left out, as in a short question; not those that turn the meaning around.
    """
    fitting = [a for a in person.asks if a.kind in _TOLD and len(a.evidence) == 1 and "?" not in person.says[next(iter(a.evidence))]]
    if not fitting:
        return None
    about = rng.choice(fitting)
    ((index, words),) = about.evidence.items()
    said = person.says[index].rstrip(" .!~ㅋㅎㅠㅜ")
    if rng.random() < dropped and not _TURNS.search(said):
        said = _shortened(said, words, rng)
    if (turned := _turned(person.says[index].rstrip(" .!~ㅋㅎㅠㅜ"))) and rng.random() < _NEGATED:
        return Ask(f"{turned}?", "yesno", about.evidence, "no")
    if about.kind not in _ONE_THING or rng.random() < 0.5:
        return Ask(f"{said}?", "yesno", about.evidence, "yes")
    instead = _instead(about.kind, words, said, person.language, everybody, rng)
    return Ask(f"{said.replace(words, instead)}?", "yesno", about.evidence, "no") if instead else None


def guessed(person: Person, everybody: Sequence[Person], rng: random.Random) -> Ask | None:
    """A question that the person asks, with a guess: the words that answer it (yes), or another person's to a question of that kind (no)."""
    fitting = [a for a in person.asks if a.verdict is None and a.kind != "yesno" and len(a.evidence) == 1]
    if not fitting:
        return None
    about = rng.choice(fitting)
    ((index, words),) = about.evidence.items()
    guess = words if rng.random() < 0.5 else _instead(about.kind, words, person.says[index], person.language, everybody, rng)
    if not guess:
        return None
    asked, placed = about.text.rstrip("?").strip(), 0
    if rng.random() < 0.5:
        asked, placed = _ASKS_FOR.subn(guess.replace("\\", ""), asked, count=1)
    return Ask(f"{asked}?" if placed else f"{asked}, {guess}?", "yesno", about.evidence, "yes" if guess == words else "no")


def _instead(kind: str, words: str, said: str, language: str, everybody: Sequence[Person], rng: random.Random) -> str | None:
    """Another person's words where `words` answer a question of that kind."""
    for _ in range(_TRIES):
        other = rng.choice(everybody)
        others = [w for a in other.asks if a.kind == kind and len(a.evidence) == 1 for w in a.evidence.values()]
        if other.language == language and others:
            instead = rng.choice(others)
            if instead not in said and words not in instead:
                return instead
    return None


def _turned(said: str) -> str | None:
    """A short Korean or English sentence with its negation taken out, or a Korean one with one put in; None where it is neither."""
    without, count = _NOT.subn("", said)
    if count:
        return without if count == 1 else None
    words = said.split(" ")
    return " ".join([*words[:-1], "안", words[-1]]) if _KOREAN_END.search(said) and 1 < len(words) < 8 and not _TURNS.search(said) else None


def _shortened(said: str, words: str, rng: random.Random) -> str:
    before, _, after = said.partition(words)
    tail = after.split(" ")
    kept = [w for w in before.split(" ")[:-1] if rng.random() >= _LEFT_OUT]
    joint = before.split(" ")[-1] + words + tail[0]  # what is written together with the words stays with them
    return " ".join([*kept, joint, *(w for i, w in enumerate(tail[1:], 2) if i == len(tail) or rng.random() >= _LEFT_OUT)])


def put_otherwise(
    person: Person, index: int, everybody: Sequence[Person], rng: random.Random, *, back: float, somebody_else: float, unanswered: float
) -> tuple[Ask, list[int]]:
    """A question of the person, and the statements that may stand beside it: now and then what was told is asked back instead, the question is
    asked of somebody nobody spoke of, or what answers it is taken away."""
    ask, allowed = person.asks[index], list(range(len(person.says)))
    if rng.random() < back and (instead := told_back(person, everybody, rng)):
        return instead, allowed
    if rng.random() < somebody_else and (other := of_somebody_else(ask, person.says, rng)):
        return other, allowed
    if len(allowed) > len(ask.evidence) > 0 and rng.random() < unanswered:
        return Ask(ask.text, "never_told", {}), [i for i in allowed if i not in ask.evidence]
    return ask, allowed


def questions(persons: list[Person]) -> Iterator[tuple[Person, int]]:
    for person in persons:
        for index in range(len(person.asks)):
            yield person, index


DEV = 12
"""Every so many-th person is left out of training to choose thresholds and to see when to stop; apart from those set aside by author."""


def left_out(hands: Iterable[str]) -> list[bool]:
    """Of each line, named by its hand, whether it is left out: every `DEV`-th of the hand, so that hands which come later move no line."""
    count: Counter[str] = Counter()
    out = []
    for hand in hands:
        out.append(count[hand] % DEV == 0)
        count[hand] += 1
    return out


def learners_and_dev(folder: pathlib.Path = PEOPLE) -> tuple[list[Person], list[Person]]:
    everybody = people(folder)
    return [p for i, p in enumerate(everybody) if i % DEV], everybody[::DEV]
