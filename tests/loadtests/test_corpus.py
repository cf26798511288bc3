from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from loadtests.corpus import feelings, people, script

PEOPLE, FEELINGS = people(), feelings()


@pytest.mark.parametrize("seed", range(5))
def test_a_question_comes_after_everything_that_answers_it(seed: int) -> None:
    chance = random.Random(seed)
    for person in chance.sample(PEOPLE, 50):
        said: list[str] = []
        asks = {ask["q"]: ask for ask in person["asks"]}
        for line in script(person, FEELINGS, chance):
            if line.kind == "question":
                assert {person["says"][i] for i in asks[line.text]["from"]} <= set(said)
            said.append(line.text)
        assert [text for text in said if text in set(person["says"])] == [text for text in said if text in person["says"]]


def test_statements_questions_and_feelings_are_mixed() -> None:
    chance = random.Random(1)
    kinds = Counter(line.kind for person in PEOPLE for line in script(person, FEELINGS, chance))
    shares = {kind: count / kinds.total() for kind, count in kinds.items()}
    assert 0.2 < shares["question"] < 0.35
    assert 0.05 < shares["feeling"] < 0.2
    assert shares["statement"] > 0.5


def test_the_people_that_are_set_aside_do_not_talk() -> None:
    heldout = (Path(__file__).resolve().parents[2] / "data" / "people" / "heldout_ko.jsonl").read_text("utf-8")
    assert not any(person["says"][0] in heldout and person["says"][-1] in heldout for person in PEOPLE)


def test_without_a_corpus_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="from a checkout"):
        people(tmp_path)
