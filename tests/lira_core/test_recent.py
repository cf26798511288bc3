"""What is remembered of people's words between two looks at them: little, for seconds, and nothing after a deletion."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from lira_core.recent import ENTRY, Recent


def counted(recent: Recent) -> tuple[Callable[[str], str], list[str]]:
    """A remembered function, and what it was really called with."""
    calls: list[str] = []

    @recent
    def upper(text: str) -> str:
        calls.append(text)
        return text.upper()

    return upper, calls


def wait_until(holds: Callable[[], bool]) -> bool:
    ends = time.monotonic() + 10
    while not holds() and time.monotonic() < ends:
        time.sleep(0.01)
    return holds()


def test_the_same_text_is_worked_out_once() -> None:
    upper, calls = counted(Recent(seconds=60))
    assert [upper("a"), upper("a"), upper("b")] == ["A", "A", "B"]
    assert calls == ["a", "b"]


def test_two_functions_of_one_text_do_not_answer_for_each_other() -> None:
    recent = Recent(seconds=60)
    upper, _ = counted(recent)
    lower = recent(str.lower)
    assert (upper("aB"), lower("aB")) == ("AB", "ab")


def test_texts_are_bounded_by_their_characters_together_and_the_oldest_goes_first() -> None:
    recent = Recent(most=3 * (10 + ENTRY), seconds=60)
    upper, calls = counted(recent)
    texts = [letter * 10 for letter in "abcd"]
    for text in texts:
        upper(text)
    assert recent.weight == 3 * (10 + ENTRY)
    for text in reversed(texts):
        upper(text)
    assert calls == [*texts, texts[0]]


def test_a_text_that_is_longer_than_the_whole_bound_is_answered_and_not_kept() -> None:
    recent = Recent(most=100, seconds=60)
    upper, _ = counted(recent)
    upper("a")
    assert upper("b" * 200) == "B" * 200
    assert recent.weight == 1 + ENTRY


def test_nothing_stays_when_nobody_says_anything_more() -> None:
    recent = Recent(seconds=0.02)
    upper, calls = counted(recent)
    upper("a")
    assert wait_until(lambda: recent.weight == 0)
    upper("b")  # and again, after the sweeping had ended
    assert wait_until(lambda: recent.weight == 0)
    upper("a")
    assert calls == ["a", "b", "a"]


def test_forgetting_leaves_nothing() -> None:
    recent = Recent(seconds=60)
    upper, calls = counted(recent)
    upper("a")
    recent.forget_all()
    assert recent.weight == 0
    upper("a")
    assert calls == ["a", "a"]


def test_what_was_being_worked_out_while_everything_was_forgotten_is_not_kept() -> None:
    recent = Recent(seconds=60)
    working, go_on = threading.Event(), threading.Event()

    @recent
    def slow(text: str) -> str:
        working.set()
        assert go_on.wait(10)
        return text

    thread = threading.Thread(target=slow, args=("a",))
    thread.start()
    assert working.wait(10)
    recent.forget_all()
    go_on.set()
    thread.join(10)
    assert recent.weight == 0


def test_many_threads_get_right_answers_and_the_weight_stays_true() -> None:
    recent = Recent(most=20 * (3 + ENTRY), seconds=0.01)
    upper, _ = counted(recent)
    wrong: list[str] = []

    def work(number: int) -> None:
        for i in range(500):
            text = f"{(i * number) % 50:03d}"
            if upper(text) != text:
                wrong.append(text)
            if i % 100 == 0:
                recent.forget_all()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not wrong
    assert 0 <= recent.weight <= 20 * (3 + ENTRY)
    assert wait_until(lambda: recent.weight == 0)
