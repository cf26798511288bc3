"""What is forgotten because it was said in talk: offered first, deleted at a plain yes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from lira_core.evaluation.memory import indexed
from lira_core.forgetting import agrees
from lira_core.languages.en.replies import SMALL as ENGLISH
from lira_core.languages.ko.wordings import SMALL as KOREAN
from lira_core.lira import Lira
from lira_core.replies import Reply
from lira_core.requests import ListMemories, SearchEvents
from lira_core.safety.wording import WORDING
from lira_core.settings import load_settings

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")


@pytest.fixture
async def lira(tmp_path: Path) -> AsyncIterator[Lira]:
    async with Lira.local(settings=load_settings(data_dir=tmp_path, disclosure_hours=0)) as one:
        yield one


async def say(lira: Lira, text: str, minutes: int = 0, *, session: str = "s1", user: str = "u1") -> Reply:
    return await lira.chat(user_id=user, session_id=session, text=text, at=AT + timedelta(minutes=minutes))


async def kept(lira: Lira, user: str = "u1") -> set[str]:
    return {one.text for one in (await lira.ask(ListMemories(user_id=user, limit=50, cursor=None))).results}


@pytest.mark.parametrize("text", ["응", "네, 지워 주세요", "응응 그래 지워줘 ㅋㅋ", "ㅇㅇ", "네!", "Yes please", "ok, delete it", "go ahead"])
@pytest.mark.parametrize("thanks", ["", " 고마워요", " thanks!"])
def test_a_yes_and_nothing_else_but_thanks_agrees(text: str, thanks: str) -> None:
    assert agrees(text + thanks)


@pytest.mark.parametrize(
    "text", ["네, 지워주시오", "그러시오", "그렇게 하세요", "하시오", "네 그렇게 해주세요", "yes pls", "Yes, please delete.", "Yes, please do."]
)
def test_a_yes_may_be_worded_otherwise(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "아니",
        "응 근데 내일 치과 가",
        "그건 말고 민수 얘기 지워줘",
        "어제 싸웠어",
        "no",
        "yes but not that",
        "",
        "네가 뭔데",
        "응" * 60,
        "ok " * 30 + "no",
        "고마워요",
        "thanks",
        "하...",
        "하지 마",
    ],
)
def test_anything_more_or_else_does_not(text: str) -> None:
    assert not agrees(text)


async def test_a_wish_names_what_it_would_delete_and_a_yes_deletes_it(lira: Lira) -> None:
    await say(lira, "통장은 장롱 서랍에 넣어 뒀어")
    await say(lira, "우리 강아지 이름은 두부야", 1)
    wish = await say(lira, "통장 어디 뒀는지 말한 거 잊어 줘", 2000, session="s2")
    assert wish.memory.status == "skipped"
    assert "장롱 서랍" in wish.text
    assert wish.text.endswith(WORDING["ko"].offer)
    assert await kept(lira) == {"통장은 장롱 서랍에 넣어 뒀어", "우리 강아지 이름은 두부야"}, "the wish alone deletes nothing"
    done = await say(lira, "응 지워줘", 2001, session="s2")
    assert done.text == WORDING["ko"].erased
    assert done.recalled == ()
    assert await kept(lira) == {"우리 강아지 이름은 두부야"}
    assert "장롱" not in (await say(lira, "나 통장 어디 뒀다고 했지?", 3000, session="s3")).text
    said = await lira.ask(SearchEvents(user_id="u1", query="장롱"))
    assert not [hit for hit in said.results if "장롱" in hit.text]


async def test_all_that_holds_the_words_of_a_wish_is_offered_and_deleted(lira: Lira) -> None:
    await say(lira, "우리 강아지 이름은 뭉치야")
    await say(lira, "뭉치 어제 미용했는데 너무 귀여워", 1)
    await say(lira, "동생 수진이는 대구에서 간호사야", 2)
    wish = await say(lira, "뭉치 얘기 다 지워줘", 2000, session="s2")
    assert wish.text.endswith(WORDING["ko"].offer)
    assert (await say(lira, "응", 2001, session="s2")).text == WORDING["ko"].erased
    assert await kept(lira) == {"동생 수진이는 대구에서 간호사야"}


async def test_a_yes_to_anything_else_deletes_nothing(lira: Lira) -> None:
    await say(lira, "통장은 장롱 서랍에 넣어 뒀어")
    await say(lira, "통장 얘기 잊어 줘", 1)
    await say(lira, "아니 됐어", 2)
    assert (await say(lira, "응", 3)).text != WORDING["ko"].erased
    assert await kept(lira) == {"통장은 장롱 서랍에 넣어 뒀어"}
    await say(lira, "통장 얘기 잊어 줘", 4)
    assert (await say(lira, "응", 5, session="another")).text != WORDING["ko"].erased
    assert (await say(lira, "응", 6, user="somebody else")).text != WORDING["ko"].erased
    assert await kept(lira) == {"통장은 장롱 서랍에 넣어 뒀어"}


async def test_what_was_just_said_is_offered_where_the_wish_names_nothing(lira: Lira) -> None:
    await say(lira, "우리 강아지 이름은 두부야")
    await say(lira, "팀장이 비서랑 사귄대", 1)
    wish = await say(lira, "방금 한 말은 잊어 줘", 2)
    assert "비서" in wish.text
    assert (await say(lira, "네", 3)).text == WORDING["ko"].erased
    assert await kept(lira) == {"우리 강아지 이름은 두부야"}


async def test_who_was_never_told_of_it_asks_what_it_was(lira: Lira) -> None:
    wish = await say(lira, "병원 다닌 얘기는 지워 줘")
    assert "기억 목록" in wish.text
    assert (await say(lira, "응", 1)).text != WORDING["ko"].erased


async def test_english_wishes_are_met_the_same(lira: Lira) -> None:
    await say(lira, "My car got towed today, 180 bucks gone")
    await say(lira, "I'm allergic to peanuts", 1)
    wish = await say(lira, "Please forget what I said about the car", 2000, session="s2")
    assert wish.text.endswith(WORDING["en"].offer)
    assert (await say(lira, "Yes please", 2001, session="s2")).text == WORDING["en"].erased
    assert await kept(lira) == {"I'm allergic to peanuts"}


async def test_what_holds_quotation_marks_is_deleted_too(lira: Lira) -> None:
    await say(lira, '팀장이  "너는 왜 맨날 지각이냐"고 했어. 기억해줘')
    await say(lira, "팀장 얘기 잊어 줘", 2000, session="s2")
    assert (await say(lira, "응", 2001, session="s2")).text == WORDING["ko"].erased
    assert await kept(lira) == set()


@pytest.mark.parametrize(
    ("own", "others", "wish", "yes"),
    [
        ("나는 부산에 살아", "내 여동생도 부산에 살아", "내 여동생 부산에 사는 거 잊어줘", "응"),
        ("I like coffee", "I like coffee and cake", "Please forget that I like cake", "Yes please"),
    ],
)
async def test_what_another_s_words_merely_hold_was_not_offered_and_stays(lira: Lira, own: str, others: str, wish: str, yes: str) -> None:
    await say(lira, own)
    await say(lira, others, 1)
    offer = await say(lira, wish, 2)
    await say(lira, yes, 3)
    assert [hit.text for hit in offer.recalled] == [others]
    assert await kept(lira) == {own}


async def test_of_two_that_are_both_offered_neither_stays_although_one_holds_the_other(lira: Lira) -> None:
    await say(lira, "I like coffee")
    await say(lira, "I like coffee too", 1)
    offer = await say(lira, "Please forget what I said about coffee", 2)
    await say(lira, "Yes please", 3)
    assert {hit.text for hit in offer.recalled} == {"I like coffee", "I like coffee too"}
    assert await kept(lira) == set()


async def test_of_what_the_wish_names_by_none_of_its_words_the_reader_tells_which_is_meant(lira: Lira) -> None:
    await say(lira, "우리 엄마 다음 달에 백내장 수술하셔")
    await say(lira, "오늘 저녁은 김치찌개 끓였어", 1)
    await indexed(lira, "u1", "우리 엄마 다음 달에 백내장 수술하셔")
    wish = await say(lira, "친정 어머니 병원 얘기는 지워줘", 2000, session="s2")
    assert [hit.text for hit in wish.recalled] == ["우리 엄마 다음 달에 백내장 수술하셔"]


async def test_what_is_named_and_was_never_told_is_not_the_last_that_was_said(lira: Lira) -> None:
    await say(lira, "sorry, brain's mush today, the baby kept us up")
    wish = await say(lira, "please forget what I said about the trombone", 1)
    assert wish.recalled == ()


async def test_what_was_offered_and_is_not_meant_is_not_offered_again(lira: Lira) -> None:
    await say(lira, "My car got towed today, 180 bucks gone")
    await say(lira, "My car insurance is with Geico now", 1)
    first = await say(lira, "Please forget what I said about the towed car", 2000, session="s2")
    assert [hit.text for hit in first.recalled] == ["My car got towed today, 180 bucks gone"]
    again = await say(lira, "no, forget what I said about the car insurance", 2001, session="s2")
    assert [hit.text for hit in again.recalled] == ["My car insurance is with Geico now"]
    assert (await say(lira, "yes, thanks", 2002, session="s2")).text == WORDING["en"].erased
    assert await kept(lira) == {"My car got towed today, 180 bucks gone"}


async def test_what_leans_on_what_was_said_before_is_offered_and_deleted_with_it(lira: Lira) -> None:
    await say(lira, "i bombed my chem midterm")
    await say(lira, "yeah like i studied for it all weekend too", 1)
    wish = await say(lira, "can u forget that i bombed my chem midterm", 2000, session="s2")
    assert wish.text.count("i bombed my chem midterm") == 1
    assert (await say(lira, "yes pls", 2001, session="s2")).text == WORDING["en"].erased
    assert await kept(lira) == set()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "그럽시다",
            "예 그렇게 해 주시지요",
            "그려 그려 그거 싹 지워",
            "네 지워주시면 마음이 편할 것 같아요",
            "네 그게 좋겠어요",
            "어 그거 맞아",
            "콜",
        ),
        *("잉 그라제 지워", "yes delete it forever", "yeah go ahead and delete it"),
        *("Yes, get rid of it please.", "aye go on then", "Yes, thank you, I'd be grateful.", "yh bin it", "Yes please, do that."),
    ],
)
def test_a_yes_may_say_more_that_takes_nothing_back(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "응 그거 말고 다른 거 지워줘",
            "네 지우지 마세요",
            "응 민수 얘기도 지워줘",
            "그거",
            "네 지워지나요?",
            "ok forget it, not that one",
            "어떻게 지워?",
        ),
        *(
            "네 제가 깜빡 잊어버렸네요",
            "yes, I forgot to delete it",
            "and",
            "지우",
            "go on about it",
            "yes delete it but keep the car",
            "yes, delete that and also the rest",
            "네가 지워",
        ),
    ],
)
def test_a_yes_that_takes_something_back_or_goes_further_agrees_to_nothing(text: str) -> None:
    assert not agrees(text)


async def test_what_was_just_said_is_offered_whatever_else_the_wish_says(lira: Lira) -> None:
    await say(lira, "우리 며느리가 착하고 참 고와")
    await say(lira, "동생 상호가 은행에 빚이 삼천만원 있어", 1)
    wish = await say(lira, "아이고 방금 한 말은 지워줘 내가 주책이제", 2)
    assert [hit.text for hit in wish.recalled] == ["동생 상호가 은행에 빚이 삼천만원 있어"]


async def test_which_is_meant_is_taken_for_the_wish_once_lira_has_asked_or_offered_another(lira: Lira) -> None:
    await say(lira, "다음 주 수요일에 토익 시험 봐")
    await say(lira, "나 헬스장 다음 달부터 다녀", 1)
    first = await say(lira, "헬스장 얘기 지워줘", 2000, session="s2")
    assert [hit.text for hit in first.recalled] == ["나 헬스장 다음 달부터 다녀"]
    second = await say(lira, "아니 헬스장 말고 토익 시험", 2001, session="s2")
    assert [hit.text for hit in second.recalled] == ["다음 주 수요일에 토익 시험 봐"]
    assert (await say(lira, "그려", 2002, session="s2")).text == WORDING["ko"].erased
    asked = await say(lira, "코끼리 얘기 지워줘", 2003, session="s2")
    assert asked.recalled == ()
    named = await say(lira, "헬스장 다니는 이야기 말이야", 2004, session="s2")
    assert named.text.endswith(WORDING["ko"].offer)
    assert await kept(lira) == {"나 헬스장 다음 달부터 다녀"}


async def test_who_goes_on_with_something_else_wishes_nothing(lira: Lira) -> None:
    await say(lira, "코끼리 얘기 지워줘")
    assert not (await say(lira, "아 됐어. 나 오늘 월급 받았어!", 1)).text.endswith(WORDING["ko"].offer)


@pytest.mark.parametrize("no", ["아니 됐어", "아뇨 괜찮아요", "no thanks", "No thank you, keep it.", "nah leave it"])
async def test_a_plain_no_to_an_offer_wishes_nothing_more(lira: Lira, no: str) -> None:
    await say(lira, "통장은 장롱 서랍에 넣어 뒀어")
    await say(lira, "통장 얘기 잊어 줘", 1)
    answer = await say(lira, no, 2)
    assert not answer.text.endswith((WORDING["ko"].offer, WORDING["en"].offer))
    assert not any(one in answer.text for one in (*KOREAN["forget"], *ENGLISH["forget"]))
    assert await kept(lira) == {"통장은 장롱 서랍에 넣어 뒀어"}
