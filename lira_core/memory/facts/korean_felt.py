"""Feelings of the speaker with what they are about, in Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lira_core.korean.clauses import Clause
from lira_core.memory.facts.korean_phrases import make_fact
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import FEELING, TOO_PLAIN
from lira_core.types import USER, Fact


def felt(r: Reader, said: Sequence[Clause]) -> Iterator[Fact]:
    """A feeling of the speaker with what it is about: the clause before it, or the sentence next to it."""
    for index, clause in enumerate(said):
        body = next(
            (p for p in clause.phrases if p.case in {"subject", "bare"} and p.text in {"손", "치", "가슴", "심장", "마음", "다리", "목소리", "눈물"}),
            None,
        )
        if (
            body is not None
            and clause.verb in {"떨리", "두근거리", "벅차", "무너지", "찢어지", "쿵쾅거리", "뛰", "아프", "무겁", "먹먹하", "철렁하", "놓이"}
            and (len(clause.phrases) > 1 or index)
            and r.frame(clause)[0] in {None, USER}
        ):
            r.pending = []
            before = said[index - 1] if index and said[index - 1].sentence == clause.sentence else None
            yield _with_date(r, [clause], r.text[before.start if before else clause.start : clause.end])
            return
        feeling = (
            clause.verb in FEELING
            or (clause.noun in {"우울", "행복", "속상", "스트레스"} and clause.verb.endswith("하"))
            or (clause.verb == "나" and any(p.text in {"화", "짜증", "눈물"} for p in clause.phrases))
            or (clause.verb in {"좋", "나쁘", "더럽"} and any(p.text.endswith("기분") for p in clause.phrases))
            or (clause.verb == "받" and any("스트레스" in p.text for p in clause.phrases))
        )
        if not feeling or (
            clause.verb == "좋"
            and not any(p.text.endswith("기분") for p in clause.phrases)
            and not (index and said[index - 1].ending in {"어서", "아서", "여서"})
        ):
            continue
        who, rest = r.frame(clause)
        r.pending = []
        if who not in {None, USER}:
            continue
        before = said[index - 1] if index else None
        if before is not None and before.sentence == clause.sentence and not before.final and before.ending not in {"면", "으면"}:
            start = before.start
            if index > 1 and said[index - 2].sentence == clause.sentence and not said[index - 2].final:
                start = said[index - 2].start
            yield _with_date(r, said[max(0, index - 2) : index + 1], r.text[start : clause.end])
            return
        causes = (
            [
                p
                for p in rest
                if (p.case in {"subject", "topic", "object", "from"} or p.text.endswith("때문"))
                and not p.text.endswith(("기분", "마음", "하루", "오늘"))
                and p.text not in TOO_PLAIN
                and len(p.text) > 1
            ]
            if clause.verb != "좋"
            else []
        )
        if causes or clause.get("person"):
            yield _with_date(r, [clause], clause.text)
            return
        other = [
            c
            for c in said
            if c is not clause
            and c.verb
            and c.verb not in FEELING
            and c.verb not in {"안녕하", "기억하"}
            and (c.past or c.verb in {"이", "있"})
            and c.phrases
        ]
        if other:
            start = next((c.start for c in said if c.sentence == other[0].sentence), other[0].start)
            yield _with_date(r, other, r.text[start : max(c.end for c in said if c.sentence == other[0].sentence)])
            return


def _with_date(r: Reader, said: Sequence[Clause], words: str) -> Fact:
    span = next((s for c in said for s in c.dates), None)
    return make_fact(USER, "felt", re.sub(r"\s+", " ", words).strip(" .!,~"), when=span, now=r.at)
