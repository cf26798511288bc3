"""`lira eval reader`: does the reader name the statement that answers, with the words that do, and none where none does.

The form of the file is that of `data/people`: one person a line, with what the person `says`, in order of time, and `asks` later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.port import EmbeddingEngine
from lira_core.evaluation.tsv import DataError
from lira_core.memory.following import before, in_full
from lira_core.reading.port import ANSWERS, CANDIDATES, Candidate, Reading, ReadingEngine

DECIDED = ("yesno", "implied")
"""Kinds of questions whose yes or no is judged: one that is asked for, and one that follows from what was told. (Others may have one beside what
they ask for.)"""


@dataclass(frozen=True, slots=True)
class Judged:
    """How one question came out. `span` is judged where the evidence was named, `verdict` where the question wants a yes or no as well, and
    `opposite` there: whether no was said for yes, or yes for no."""

    right: bool
    span: bool | None = None
    verdict: bool | None = None
    opposite: bool | None = None


def evaluate_reader(
    embedder: EmbeddingEngine, reader: ReadingEngine, persons: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Shares of what was answered rightly, left alone rightly, said in the right words, rightly affirmed or denied, and affirmed or denied
    wrongly (the rest got neither); None where nothing asks for it. Then each question that went wrong, with what the reader made of it.
    """
    for number, person in enumerate(persons, 1):
        if fault := _fault(person):
            raise DataError(f"row {number}: {fault}")
    results: dict[str, list[bool]] = defaultdict(list)
    kinds: dict[str, list[bool]] = defaultdict(list)
    wrong = []
    for number, person in enumerate(persons, 1):
        says, evidence = in_full_person(person)
        asks = [{**ask, "from": list(found), "span": list(found.values())} for ask, found in zip(person["asks"], evidence, strict=True)]
        vectors = embedder.embed([*(("passage", said) for said in says), *(("query", ask["q"]) for ask in asks)])
        for ask, cosines in zip(asks, vectors[len(says) :] @ vectors[: len(says)].T, strict=True):
            shown = nearest(cosines)
            reading = reader.read(ask["q"], [Candidate(says[i], float(cosines[i])) for i in shown])
            judged = judge(says, ask, shown, reading)
            kinds[ask["kind"]].append(judged.right)
            results["answered" if ask["from"] else "unanswered"].append(judged.right)
            for name, result in (("span", judged.span), ("verdict", judged.verdict), ("opposite", judged.opposite)):
                if result is not None:
                    results[name].append(result)
            if False in (judged.right, judged.span, judged.verdict):
                wrong.append({"row": number, **ask, "read": _told(says, shown, reading)})
    return {
        **{name: _share(results[name]) for name in ("answered", "unanswered", "span", "verdict", "opposite")},
        "by_kind": {kind: _share(right) for kind, right in sorted(kinds.items())},
        "questions": sum(map(len, kinds.values())),
    }, wrong


def nearest(cosines: NDArray[np.float32]) -> list[int]:
    """Which statements the reader sees: the nearest, in order of time."""
    return sorted(int(i) for i in np.argsort(-cosines, kind="stable")[:CANDIDATES])


def in_full_person(person: Mapping[str, Any]) -> tuple[list[str], list[dict[int, str]]]:
    """What the person says as it is kept: after what it leaves something to, where the person has `follows` (data/told). And for each of `asks` the
    statements that answer, index to words: what leans on one that answers says it again."""
    said: list[str] = person["says"]
    follows: list[bool] = person.get("follows") or [False] * len(said)
    leans_on = [before(i, follows) for i in range(len(said))]
    says = [in_full([said[j] for j in those], text) for those, text in zip(leans_on, said, strict=True)]
    out = []
    for ask in person.get("asks", ()):
        told = dict(zip(ask["from"], ask["span"], strict=True))
        again = {i: words for index, words in told.items() for i, those in enumerate(leans_on) if index in those and words in says[i]}
        out.append(again | told)
    return says, out


def judge(says: Sequence[str], ask: Mapping[str, Any], shown: Sequence[int], reading: Reading) -> Judged:
    """`shown`: for each candidate of the reading, which of the statements it is."""
    surest = _surest(reading)
    answers = reading.sure[surest] >= ANSWERS
    if not ask["from"]:
        return Judged(not answers)
    if not answers or shown[surest] not in ask["from"]:
        return Judged(False)
    said = says[shown[surest]]
    # One statement may answer with more than one run of words.
    starts = [(said.index(words), len(words)) for i, words in zip(ask["from"], ask["span"], strict=True) if i == shown[surest] and words]
    span = any(overlap_by_half(reading.spans[surest], (start, start + length)) for start, length in starts) if starts else None
    wanted = ask.get("verdict") if ask["kind"] in DECIDED else None
    return Judged(True, span, *((reading.verdict == wanted, reading.verdict not in (wanted, None)) if wanted else ()))


def overlap_by_half(found: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether they share at least half of the characters of each: neither the whole statement nor one letter of the answer is right."""
    shared = min(found[1], right[1]) - max(found[0], right[0])
    return shared > 0 and 2 * shared >= max(found[1] - found[0], right[1] - right[0])


def _surest(reading: Reading) -> int:
    return max(range(len(reading.sure)), key=reading.sure.__getitem__)


def _told(says: Sequence[str], shown: Sequence[int], reading: Reading) -> dict[str, Any]:
    surest = _surest(reading)
    start, end = reading.spans[surest]
    said = says[shown[surest]]
    return {"surest": shown[surest], "sure": round(reading.sure[surest], 3), "text": said, "span": said[start:end], "verdict": reading.verdict}


def _share(results: Sequence[bool]) -> float | None:
    return round(sum(results) / len(results), 4) if results else None


def _fault(person: Mapping[str, Any]) -> str | None:
    """What keeps a person from being scored."""
    says, asks = person.get("says"), person.get("asks")
    if not isinstance(says, list) or not says or not all(isinstance(said, str) for said in says):
        return "wants `says`, a list of statements"
    if not isinstance(asks, list):
        return "wants `asks`, a list of questions"
    for number, ask in enumerate(asks, 1):
        if fault := _fault_of(ask, says):
            return f"question {number}: {fault}"
    return None


def _fault_of(ask: Any, says: Sequence[str]) -> str | None:
    if not isinstance(ask, dict) or not isinstance(ask.get("q"), str) or not isinstance(ask.get("kind"), str):
        return f'wants {{"q": string, "kind": string, "from": [...], "span": [...]}}, has {ask!r}'
    told, spans = ask.get("from"), ask.get("span")
    if not isinstance(told, list) or not isinstance(spans, list) or len(told) != len(spans):
        return "wants as many in `span` as in `from`"
    for index, words in zip(told, spans, strict=True):
        if not isinstance(index, int) or not 0 <= index < len(says):
            return f"there is no statement {index!r}"
        if not isinstance(words, str) or words not in says[index]:
            return f"{words!r} is not in statement {index}"
    if ask.get("verdict") not in (None, "yes", "no"):
        return f'the verdict is "yes", "no" or none, not {ask["verdict"]!r}'
    return None
