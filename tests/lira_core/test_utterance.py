"""What is made of an utterance once rules and models have read it."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from lira_core.embedding.port import Heard
from lira_core.memory.understanding import understand
from lira_core.types import USER, Aim, AimReading, Manner, SpeechReading
from lira_core.utterance import Understood, apart, in_parts

AT = datetime(2026, 10, 3, tzinfo=UTC)
ASKS = SpeechReading("question", 0.9, 0.05, 0.1)
TELLS = SpeechReading("fact", 0.0, 0.0, 0.9)


def understood(text: str, manner: Manner) -> Understood:
    return Understood(text, understand(text, AT), Heard(np.zeros(4, np.float32), ASKS, manner=manner))


def test_who_plainly_wants_something_else_wants_it_without_what_was_said_before() -> None:
    def wants_else(memory: float, wanted: Aim, *, plainly: bool = True, other: float = 0.8) -> bool:
        speech = SpeechReading("question", memory, other, 0.1)
        return Understood(
            "끝말잇기 할래?", understand("끝말잇기 할래?", AT), Heard(np.zeros(4, np.float32), speech, aim=AimReading(wanted, plainly))
        ).wants_else

    assert wants_else(0.05, "entertain")
    assert not any((wants_else(0.05, "entertain", plainly=False), wants_else(0.2, "entertain"), wants_else(0.05, "entertain", other=0.3)))
    assert not any(wants_else(0.05, aim) for aim in ("self", "musing"))
    assert not Understood("끝말잇기 할래?", understand("끝말잇기 할래?", AT), None).wants_else


@pytest.mark.parametrize(
    ("memory", "wanted", "plainly", "reads", "aim"),
    [
        (0.05, "reassure", True, False, "reassure"),
        (0.3, "reassure", True, True, "reassure"),
        (0.3, "reassure", False, True, "reassure"),
        (0.3, "task", True, False, "task"),
        (0.3, "task", False, True, "task"),
        (0.6, "reassure", True, True, "reassure"),
        (0.6, "reassure", False, True, "none"),
        (0.6, "task", True, True, "none"),
        (0.9, "reassure", True, True, "none"),
        (0.9, "reassure", False, True, "none"),
    ],
)
def test_who_plainly_wants_something_else_is_told_nothing_but_of_an_opinion_and_of_who_asks_for_what_was_told_only_that_is_heard(
    memory: float, wanted: Aim, plainly: bool, reads: bool, aim: Aim
) -> None:
    speech, wants = SpeechReading("question", memory, 0.95 - memory, 0.1), AimReading(wanted, plainly)
    one = Understood("시험 붙을 수 있겠지?", understand("시험 붙을 수 있겠지?", AT), Heard(np.zeros(4, np.float32), speech, aim=wants))
    assert one.asks.reads == reads
    assert one.aim(one.asks.question) == aim


def test_what_only_sounds_like_a_question_is_told_where_a_reply_fits_and_nothing_is_plainly_wanted() -> None:
    speech, text = SpeechReading("question", 0.2, 0.7, 0.1), "잠을 세 시간 잤나"
    for plainly, response, asks in ((False, "sleepless", False), (False, "none", True), (True, "sleepless", True)):
        heard = Heard(np.zeros(4, np.float32), speech, aim=AimReading("task", plainly), response=response)
        assert (Understood(text, understand(text, AT), heard).asks.question is not None) == asks


def test_a_statement_wants_what_is_plainly_heard_alone() -> None:
    for plainly in (True, False):
        heard = Heard(np.zeros(4, np.float32), TELLS, aim=AimReading("invite", plainly))
        assert Understood("같이 밥 먹자", understand("같이 밥 먹자", AT), heard).aim(None) == ("invite" if plainly else "none")


def test_who_wants_something_forgotten_asks_for_nothing() -> None:
    wish = understood("내 통장 얘기는 잊어 줄래?", "forget")
    assert wish.manner == "forget"
    assert wish.asks.question is None
    assert not wish.asks.reads


@pytest.mark.parametrize("text", ["내 생일 잊지 마", "Don't forget my birthday"])
def test_what_is_asked_to_be_kept_is_no_wish_to_forget(text: str) -> None:
    assert understood(text, "forget").manner == "none"


def test_what_leans_on_something_said_before_neither_greets_nor_takes_leave() -> None:
    where = understood("어디로", "hello")
    assert where.small_talk(None) == "hello"
    assert where.small_talk(understood("재훈이 훈련이 언제라고 했지. 어디로", "none")) == "none"
    assert understood("고마워", "thanks").small_talk(where) == "thanks"


def named(text: str, name: str | None, speech: SpeechReading = TELLS) -> Understood:
    return Understood(text, understand(text, AT), Heard(np.zeros(4, np.float32), speech, name=name))


def test_what_only_asks_states_no_fact_whatever_the_rules_read_in_it() -> None:
    asked = "3학년이라고 말했지 내가"
    assert named(asked, "", TELLS).named(None).facts != ()
    assert named(asked, "", ASKS).named(None).facts == ()
    assert named(asked, "", ASKS).named(None).question == understand(asked, AT).question
    gives_away = SpeechReading("question", 0.9, 0.05, 0.9)
    assert named("나 땅콩 알레르기 있는 거 잊지 않았지?", "", gives_away).named(None) == understand("나 땅콩 알레르기 있는 거 잊지 않았지?", AT)


def test_an_ordinary_word_is_nobody_s_name_whether_it_was_heard_or_the_rules_read_it() -> None:
    hearsay = "간호사라네요"
    assert any(fact.predicate == "name" for fact in understand(hearsay, AT).facts)
    for heard in (None, "", "간호사"):
        assert not any(fact.predicate == "name" for fact in named(hearsay, heard).named(None).facts)


def test_the_name_that_was_heard_of_the_whole_is_the_speaker_s_where_this_utterance_says_it() -> None:
    alone = named("이름은 두부야", "두부")
    told = [(fact.subject, fact.predicate, fact.object) for fact in alone.named(None).facts]
    assert (USER, "name", "두부") in told
    assert alone.named(named("고양이 입양했어. 이름은 두부야", "")).facts == ()
    assert [fact.object for fact in named("제 이름은 A입니다", "").named(None).facts] == ["A"], "the plainest way is exact"
    assert alone.named(named("나 지우야. 이름은 두부야", "지우")).facts == (), "a name that was told before is kept already"


def test_nothing_is_made_up_where_the_encoder_was_missed() -> None:
    alone = Understood("안녕", understand("안녕", AT), None)
    assert (alone.manner, alone.speech, alone.safety, alone.passage, alone.tone, alone.name) == ("none", None, None, None, None, None)


def heard(manner: Manner = "none", response: str = "none", speech: SpeechReading = TELLS) -> Heard:
    return Heard(np.zeros(4, np.float32), speech, manner=manner, response=response)


@pytest.mark.parametrize(
    ("text", "first", "parts"),
    [
        ("Thank you. It never gets easier.", heard("thanks"), ("It never gets easier.", "It never gets easier.")),
        ("Thank you, my dear. Goodbye.", heard("thanks"), None),
        ("That was so very kind of you. Bye now.", heard("thanks"), None),
        ("최애는 NCT 마크야! 너는 최애 있어?", heard(), ("최애는 NCT 마크야!", "너는 최애 있어?")),
        ("i got him in 2020. he's great. so what can you do?", heard(), ("i got him in 2020. he's great.", "so what can you do?")),
        ("너는 최애 있어?", heard(), None),
        ("내 학점 4.5야?", heard(), None),
        ("왜 그럴까? 나도 모르겠어", heard(), None),
        ("", heard(), None),
    ],
)
def test_what_is_answered_of_an_utterance_is_heard_by_itself(text: str, first: Heard, parts: tuple[str, str] | None) -> None:
    assert apart(text, first) == parts


async def test_what_is_told_before_a_question_is_kept_for_what_it_is() -> None:
    parts = {"최애는 NCT 마크야!": TELLS, "너는 최애 있어?": SpeechReading("question", 0.0, 0.9, 0.0)}

    async def hear(text: str) -> Heard | None:
        return Heard(np.zeros(4, np.float32), parts[text], aim=AimReading("self", True))

    whole = await in_parts("최애는 NCT 마크야! 너는 최애 있어?", heard(speech=SpeechReading("question", 0.1, 0.8, 0.0)), hear)
    assert whole.speech == SpeechReading("question", 0.1, 0.8, 0.9)
    assert whole.aim == AimReading("self", True)


async def test_where_a_part_cannot_be_heard_the_whole_stands() -> None:
    async def deaf(_: str) -> Heard | None:
        return None

    first = heard("thanks", response="thanks_lira")
    assert await in_parts("Thanks. My knee is better now.", first, deaf) is first


async def test_what_follows_thanks_is_answered() -> None:
    async def hear(_: str) -> Heard | None:
        return heard(response="better_self")

    whole = await in_parts("Thanks. My knee is better now.", heard("thanks", response="thanks_lira"), hear)
    assert (whole.manner, whole.response) == ("none", "better_self")


async def test_whoever_corrects_lira_is_called_as_they_say_beside_it() -> None:
    async def hear(text: str) -> Heard | None:
        return Heard(np.zeros(4, np.float32), TELLS, name="동현" if text == "나는 동현이야" else "")

    first = heard(response="corrects")
    assert (await in_parts("아니 수진이는 내 전여친 이름이라고. 나는 동현이야", first, hear)).name == "동현"
    assert (await in_parts("아니 나는 동현이야", first, hear)).name is None


def test_an_order_to_forget_is_one_whatever_is_heard() -> None:
    assert understood("아니 그거 말고 팀장 얘기 지우라고", "none").manner == "forget"
    assert understood("남편 얘기 다 꺼내 봐", "none").manner == "none"
