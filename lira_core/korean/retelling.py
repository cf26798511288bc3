"""Retelling: what a person said becomes what LIRA can say back, in polite Korean.

The words stay as they were written; only the predicate gets a new ending, which Kiwi conjugates. The person is addressed
by omission ("나는 커피를 좋아한다" -> "커피를 좋아한다고 하셨어요") and honoured where they are the subject ("…좋아하시는군요").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kiwipiepy import Token

from lira_core.korean.morphemes import join, tokens
from lira_core.korean.particles import Morpheme, attach, is_, object_, subject
from lira_core.korean.recent import recent
from lira_core.korean.speech import (
    ABSTRACT,
    ASKS,
    BODY,
    BRINGS_ABOUT,
    CARRIED,
    CAUSES,
    COMES,
    COMMANDS,
    DONE,
    ELDERS,
    EXPERIENCE,
    FEELING_STEMS,
    FEELINGS,
    FELT,
    FIRST,
    FORGETS,
    HEARSAY,
    HOMES,
    KIN,
    LINKS,
    NEVER_PEOPLE,
    NOTED,
    OF_THINGS,
    PEOPLE_END,
    PERSONS,
    PROMISES,
    PROPOSES,
    REGULARLY,
    RESPECTFUL,
    STEADS,
    THAT_ONE,
    THINGS_COME_OUT,
    THINGS_DO,
    TIMES,
    TOLD_TO,
    TRANSITIVE,
    TRIGGERS,
    UNENDING,
    US,
    WITNESSED,
    YOU,
)

Kind = Literal["verb", "adjective", "copula", "noun"]
Mood = Literal["statement", "question", "request", "command", "proposal"]

_POLITE_STEMS: dict[Morpheme, Sequence[Morpheme]] = {
    ("먹", "VV"): (("드시", "VV"),),
    ("마시", "VV"): (("드시", "VV"),),
    ("자", "VV"): (("주무시", "VV"),),
    ("있", "VX"): (("계시", "VX"),),
}

_ADDRESS = re.compile(r"^(?:리라|LIRA|lira|Lira)(?:야|님|씨|아)?[\s,!~.]+(?=\S)")
_CORRECTS = re.compile(r"^(?:아니다|아니야|아냐|아니|맞다|참)[,.\s]+(?=\S)")
_MEMO = re.compile(r"^[^:：.!?\n]{0,14}(?:메모|기억|저장|기록|참고|노트)[^:：.!?\n]{0,8}[:：]\s*")
_EMOTICON = re.compile(r"[ㄱ-ㅎㅏ-ㅣ]+|[\^;~*_♡♥★☆]+|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200d]+|[<>\[\]{}|]+")
# Who laughs or weeps in writing ends the sentence with it, unless the word before still waits for something.
_LAUGHS = re.compile(
    r"([가-힣A-Za-z])(?<![은는이가을를에서로도만고면데제금의와과랑])\s*(?:[ㅋㅎㅠㅜ]{2,}|[\U0001F300-\U0001FAFF]+)\s+(?=[가-힣A-Za-z\d])"
)
# Without a space in their place: a particle follows the word that is in quotes.
_QUOTES = re.compile(r"[\"“”‘’「」『』`]+|(?<![A-Za-z])'|'(?![A-Za-z])")
# Chat spelling that LIRA, who is polite, does not repeat; each is a word of its own.
_SPELLING = tuple(
    (re.compile(rf"(?<![가-힣]){chat}(?![가-힣])"), said)
    for chat, said in {
        "글고": "그리고", "근까": "그러니까", "넘": "너무", "넘넘": "너무", "젤": "제일", "담주": "다음 주", "담달": "다음 달", "왤케": "왜 이렇게",
        "글서": "그래서", "요샌": "요새는", "잼": "재미있음", "마니": "많이", "쪼금": "조금", "이젠": "이제는", "암튼": "아무튼",
    }.items()
)  # fmt: skip
_OURS = re.compile(r"(?<![가-힣])울(?=\s?(?:엄마|아빠|오빠|언니|누나|형|동생|집|가족|강아지|고양이|아들|딸|할머니|할아버지|애|팀|회사|학교))")
_WEEKDAY = re.compile(r"([월화수목금토일])욜")
# "저는 문소희고요, 서른넷이에요": the clause goes on; so it does in "다은이에요, 홍다은!", but as another sentence.
_GOES_ON = re.compile(r"(?<=[가-힣]고)요(?=,?\s+[가-힣\d])")
_ENDS_BEFORE_COMMA = re.compile(r"(?<=[가-힣](?:에요|예요|니다|어요|아요|해요|네요|워요))\s*,(?=\s)")
_TO_COME: tuple[Morpheme, ...] = (("ᆯ", "ETM"), ("거", "NNB"), ("이", "VCP"))
# "어디라고 했지", "며칠이더라": with a question word these endings ask.
_RECALLING = frozenset({"지", "지요", "죠", "더라", "ᆯ지"})
_WH = frozenset({"며칠", "언제", "어디", "누구", "무슨", "몇", "얼마", "무엇"})
# The speaker, where leaving them out would change who is meant.
_SPEAKER = "본인은"
_NAMED_SELF = re.compile(r"(?<![가-힣])본인(?:은|이|도)?\s(?!보다|처럼|대신|덕)")
# Two clauses longer than this together (in characters) make a reply nobody says.
_LONGEST_PAIR = 60


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of an utterance, ready for another ending.

    `lead` is everything before the predicate, as written; `stem` the predicate's morphemes without tense and ending,
    for a copula the morphemes after the noun `lead` ends in. `tense` holds 었 and 겠. `mine`: the speaker is the subject,
    or somebody whom LIRA honours as it honours the speaker; `elder`: the speaker honoured the subject.
    `weight` counts content morphemes; `lemma` is the predicate's dictionary stem ("좋아하", "우울하", "화나"), the noun of a copula.
    """

    lead: str
    stem: tuple[Morpheme, ...]
    tense: tuple[Morpheme, ...]
    kind: Kind
    mood: Mood
    mine: bool
    elder: bool
    future: bool
    weight: int
    lemma: str
    part: bool = False
    """No clause of its own but the late part of another ("강원대병원에서요")."""
    hearsay: bool = False
    """Somebody else said it ("…대요"): it is not about the speaker."""


def clauses(text: str, *, to_come: bool = False) -> tuple[Clause, ...]:
    """The clauses of a text in order, without those that only greet, call, exclaim or ask LIRA to remember.

    `to_come`: the text speaks of what was still to happen, which the tenseless ending of notes ("부산 감") does not show.
    """
    return _clauses(text[:2000], to_come)


@recent
def _clauses(text: str, to_come: bool) -> tuple[Clause, ...]:
    text = _CORRECTS.sub("", _ADDRESS.sub("", _MEMO.sub("", text.strip())))
    text = plain(text)
    found: list[Clause] = []
    waiting = ""
    for span, asked in _spans(tokens(text)):
        clause = _clause(text, span, asked, to_come, late=bool(found))
        if clause is None:
            continue
        if clause.part:
            # "무릎 수술 받기로 했어요. 강원대병원에서요.": a part of the sentence before it, said late; else of the one that follows.
            if found and found[-1].kind != "noun" and found[-1].mood == "statement":
                found[-1] = replace(found[-1], lead=f"{clause.lead.rstrip()} {found[-1].lead}", weight=found[-1].weight + clause.weight)
            else:
                waiting = f"{waiting} {clause.lead}".strip()
            continue
        if found and not found[-1].mine and found[-1].kind != "noun" and _starts_with_speaker(span) and not clause.lead.startswith("본인"):
            clause = replace(clause, lead=f"{_SPEAKER} {clause.lead}")
        if waiting:
            clause, waiting = replace(clause, lead=f"{waiting} {clause.lead}", weight=clause.weight + 1), ""
        found.append(clause)
    if waiting:
        found.append(Clause(waiting, (), (), "noun", "statement", False, False, False, 1, waiting))
    return tuple(found)


def _starts_with_speaker(span: Sequence[Token]) -> bool:
    """ "근데 난 …": the speaker set against whom the sentence before was about."""
    first = next((i for i, t in enumerate(span) if t.tag not in {"IC", "MAJ", "SP"} and t.form not in LINKS), len(span))
    after = span[first + 1 : first + 2]
    return first < len(span) and _pronoun(span[first]) and span[first].form in FIRST and bool(after) and after[0].form in {"는", "ᆫ", "은"}


def plain(text: str) -> str:
    """The text in ordinary spelling: without emoticons, quotation marks and the commonest words of chat."""
    text = _EMOTICON.sub(" ", _LAUGHS.sub(r"\1. ", _QUOTES.sub("", text)))
    for chat, said in _SPELLING:
        text = chat.sub(said, text)
    text = _OURS.sub("우리", text.replace("바꼈", "바뀌었"))
    text = _ENDS_BEFORE_COMMA.sub(".", _GOES_ON.sub("", _WEEKDAY.sub(r"\1요일", text)))
    return " ".join(text.split())


def _spans(morphemes: Sequence[Token]) -> list[tuple[list[Token], bool]]:
    """Token runs that each end in a final ending or a sentence's end, and whether a question mark follows."""
    spans: list[tuple[list[Token], bool]] = []
    run: list[Token] = []

    def close(asked: bool) -> None:
        nonlocal run
        if run:
            spans.append((run, asked))
        elif asked and spans:
            spans[-1] = (spans[-1][0], True)
        run = []

    for i, token in enumerate(morphemes):
        if token.tag == "SF":
            close("?" in token.form or "？" in token.form)
        elif (run and token.sent_position != run[-1].sent_position) or (
            run and run[-1].tag == "EF" and not (token.tag == "JX" and token.form in {"요", "용"}) and not (token.tag == "VCP" and token.len == 0)
        ):
            close(False)
            run = [token]
        else:
            run.append(token)
            if (token.form, token.tag) == ("다", "EC") and morphemes[i - 1].tag == "EP" and _is_noun(next(iter(morphemes[i + 1 : i + 2]), token)):
                close(False)  # "배달 접었다 깁스 때문에": no full stop was written.
    close(False)
    return spans


def _is_noun(token: Token) -> bool:
    return token.tag in {"NNG", "NNP", "NNB", "NR", "SL", "SN", "SH", "XSN", "NP", "XR", "W_SERIAL"}


def _head(tag: str) -> bool:
    return tag.startswith(("VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA"))


def _strip_trigger(span: list[Token]) -> list[Token] | None:
    """Without a trailing "(…는 거) 기억해줘"; None when nothing else is in it."""
    for i, token in enumerate(span):
        remembers = token.form in TRIGGERS and i + 1 < len(span) and span[i + 1].form == "하" and _asked_for(span[i + 1 :])
        forgets = token.form in FORGETS and any(t.form in {"말", "마"} for t in span[i + 1 :])
        notes = (
            token.form in {"알", "적"} and any(t.form in {"두", "놓"} and t.tag == "VX" for t in span[i + 1 : i + 4]) and _asked_for(span[i + 1 :])
        )
        if remembers or forgets or notes:
            after = _after_trigger(span, i)
            if after:
                return after
            rest = span[:i]
            while rest and (rest[-1].tag in {"MAG", "JKO", "JX", "SP"} or (rest[-1].tag == "NNB" and rest[-1].form in {"거", "것", "점", "걸"})):
                rest = rest[:-1]
            return rest if any(t.tag in {"NNG", "NNP", "SL", "SN", "VV", "VA"} for t in rest) else None
    return span


def _after_trigger(span: list[Token], i: int) -> list[Token]:
    """What follows "기억해줘 …" or "잊지 마, …" in the same breath; empty when the trigger comes last."""
    end = i
    while end < len(span) and not (
        span[end].tag == "EC" and span[end].form in {"어", "요", "라"} and (end + 1 == len(span) or not span[end + 1].tag.startswith("VX"))
    ):
        end += 1
    rest = span[end + 1 :]
    return rest if sum(t.tag in {"NNG", "NNP", "SL", "SN", "VV", "VA"} for t in rest) >= 1 else []


def _asked_for(rest: Sequence[Token]) -> bool:
    """Whether what follows 기억하… asks for it ("기억해줘", "기억해"), rather than tells ("기억한다", "기억했어")."""
    forms = [t.form for t in rest]
    if any(t.form in {"었", "겠"} and t.tag == "EP" for t in rest):
        return False
    return any(t.form in {"주", "두", "놓", "달"} and t.tag.startswith("VX") for t in rest) or (
        "하" in forms and rest[forms.index("하") + 1 :][:1] != [] and forms[forms.index("하") + 1] in {"어", "어요", "어라", "세요", "라"}
    )


def _clause(text: str, span: list[Token], asked: bool, to_come: bool, *, late: bool) -> Clause | None:
    kept = _strip_trigger(span)
    if kept is None:
        return None
    trimmed = len(kept) < len(span) and kept[-1] is not span[-1]
    while kept and (
        kept[0].tag in {"IC", "MAJ", "SP", "SE", "SW"}
        or (kept[0].form, kept[0].tag) == ("저", "MM")
        or (kept[0].form in LINKS and kept[0].tag in {"MAG", "MAJ", "IC", "NP", "EF"})
    ):
        kept = kept[1:]
    while kept and (kept[-1].tag in {"SP", "SE", "SW", "SSO", "SSC", "W_EMOJI", "IC", "SO"}):
        kept = kept[:-1]
    if kept and kept[-1].tag == "JX" and kept[-1].form in {"요", "용"}:
        kept = kept[:-1]
    if not kept or _is_greeting(kept):
        return None
    return _parse(text, kept, asked, embedded=trimmed, to_come=to_come, late=late)


def _is_greeting(span: Sequence[Token]) -> bool:
    forms = {t.form for t in span}
    if "안녕" in forms and len(span) <= 4:
        return True
    return span[-1].tag == "JKV" and len(span) <= 3


def _parse(text: str, span: list[Token], asked: bool, *, embedded: bool, to_come: bool, late: bool) -> Clause | None:
    last = span[-1]
    weight = sum(t.tag in {"NNG", "NNP", "SL", "SN", "VV", "VA", "XR"} for t in span)
    if late and last.tag == "EC" and last.form in CAUSES and not asked:
        # "너무 달아서": the cause, said after what it caused.
        lead = _render(text, span[0].start, max(t.start + t.len for t in span), _edits(span))
        return Clause(lead.lstrip(), (), (), "noun", "statement", False, False, False, weight, lead, part=True) if lead.strip() else None
    body = span
    ending = ""
    if last.tag in {"EF", "EC", "ETN", "ETM"} and len(span) > 1:
        ending = last.form
        body = span[:-1]
    tense: list[Morpheme] = []
    respectful = False
    while body and body[-1].tag == "EP":
        if body[-1].form in {"시", "으시"}:
            respectful = True
        else:
            tense.insert(0, (body[-1].form, "EP"))
        body = body[:-1]
    if not body:
        return None
    head = body[-1]
    at = len(body) - 1
    future = False
    hearsay = ending in HEARSAY
    if ending in RESPECTFUL and not asked and (head.tag.startswith(("VV", "VA", "XS")) or any(t.tag == "JKS" for t in body)):
        respectful = True
    if ending in {"예요", "에요", "이에요"} and (head.tag.startswith(("VV", "VA")) or head.form == "나") and not tense:
        # "안나예요": only the copula ends so, whatever Kiwi made of the name before it.
        word = next(t for t in body if t.word_position == head.word_position and t.sent_position == head.sent_position)
        name = text[word.start : last.start]
        lead = _render(text, span[0].start, word.start, _edits(span)) + name
        return Clause(lead.lstrip(), (("이", "VCP"),), (), "copula", "question" if asked else "statement", False, False, False, 1, name)
    if ending and _head(head.tag):
        # "-ㄹ 거야": the predicate is the verb before it, to come.
        if head.tag == "VCP" and at >= 3 and body[at - 1].form in {"거", "것"} and body[at - 2].form in {"ᆯ", "을"} and _head(body[at - 3].tag):
            future = True
            at -= 3
            head = body[at]
        if at > 0 and body[at - 1].tag == "EP":
            return None
        kind: Kind = _kind(body, at)
        if last.tag == "ETM" and ending in {"ᆫ", "은"} and kind == "verb" and not tense:
            tense = [("었", "EP")]
        if last.tag == "ETM" and ending in {"ᆯ", "을"}:
            future = True
    elif ending == "나" and not asked and head.tag in {"NNG", "NNP"}:
        kind = "verb"  # "두드러기 나": Kiwi takes the verb for a question's ending
    elif ending and head.tag in {"NNG", "NNP", "NNB", "SL", "SN", "XSN", "NP", "NR"}:
        kind = "copula"  # "초코야": the copula is in the ending
    elif _is_noun(head) or head.tag in {"MAG", "JKB", "JX", "JKO", "JKS", "XSN", "MM", "JC"}:
        kind = "noun"
    else:
        return None
    mood = "statement" if kind == "verb" and ending == "나" and _is_noun(head) else _mood(body, ending, asked, embedded, plain=not tense)
    if ending in PROMISES and mood == "statement":
        future = True
    edits = _edits(span)
    if kind == "noun" and head.form == "듯" and at > 0 and body[at - 1].tag == "ETM":
        # "좋아하는듯": it seems so to the speaker.
        lead = _render(text, span[0].start, head.start, edits).rstrip() + " 것 "
        return Clause(lead.lstrip(), (("같", "VA"),), (), "adjective", "statement", False, False, False, weight, "같")
    if kind == "copula":
        noun = body[at - 1] if head.tag == "VCP" else head
        if head.tag == "VCP" and at == 0:
            return None
        lead = _render(text, span[0].start, noun.start, edits) + (
            _surface(text, noun) if not _pronoun(noun) else _render(text, noun.start, noun.start + noun.len, edits)
        )
        stem: tuple[Morpheme, ...] = (("이", "VCP"),)
    elif kind == "verb" and ending == "나" and _is_noun(head):
        lead = subject(_render(text, span[0].start, head.start + head.len, edits).rstrip()) + " "
        stem = (("나", "VV"),)
        ending = "어"
    elif kind == "noun":
        lead = _render(text, span[0].start, head.start + head.len, edits)
        stem = ()
    elif head.form == "하" and head.len == 0 and at >= 2 and body[at - 1].tag == "EC" and _head(body[at - 2].tag):
        # "그만 먹으래", "비 온다던데": 하 is not written, somebody said so.
        verb, quoting = body[at - 2], body[at - 1]
        lead = _render(text, span[0].start, verb.start, edits)
        stem = ((verb.form, verb.tag), (quoting.form, "EC"), ("하", "VV"))
        tense, hearsay = tense or [("었", "EP")], True
    elif ending in TOLD_TO and head.tag.startswith(("VV", "VX", "XSV")) and not asked:
        before = body[at - 2] if head.form == "말" and at >= 2 and body[at - 1].form == "지" else head
        own = ((before.form, before.tag), ("지", "EC"), ("말", "VX")) if before is not head else ((head.form, head.tag),)
        lead = _render(text, span[0].start, before.start, edits)
        stem = (*own, ("으라고", "EC"), ("하", "VV"))
        tense, hearsay = [("었", "EP")], True
    elif head.form == "사" and not tense and ending in {"ᆫ다", "ᆫ다고"} and at > 0 and _place(body[at - 1]):
        # "원룸 산다": nobody says in the present that they buy a home.
        lead = _render(text, span[0].start, head.start, edits).rstrip() + "에 "
        stem = (("살", "VV"),)
    else:
        lead = _render(text, span[0].start, head.start, edits)
        stem = ((head.form, head.tag),)
        lead = _with_particle(lead, body, at)
    if not lead.strip() and kind in {"copula", "noun"}:
        return None
    said = _speaks_of_self(body, at)
    mine = _is_mine(body, at, kind, said=said, respectful=respectful)
    if ending in WITNESSED:
        tense = tense or ([("었", "EP")] if kind == "verb" else [])
        mine = mine and (said or _lemma(body, at) in FEELING_STEMS)
    if ending in NOTED and kind == "verb" and not tense and _happens(body, at, to_come) and not any(t.form in {"안", "못"} for t in body[:at]):
        tense = [("었", "EP")]
    if hearsay and not said:
        mine = False
    if ending in {"려고", "으려고", "려고요", "려구"}:
        future = True
    return Clause(
        lead=lead.lstrip(),
        stem=stem,
        tense=tuple(tense),
        kind=kind,
        mood=mood,
        mine=mine,
        elder=respectful and not said,
        future=future,
        weight=weight,
        lemma=_lemma(body, at),
        part=kind == "noun" and _late(body),
        hearsay=hearsay,
    )


def _late(body: Sequence[Token]) -> bool:
    """Whether a run without a predicate is only a part of a sentence: it ends in a particle, or in a word that cannot end one."""
    last = body[-1]
    return last.tag in {"JKB", "JX", "JKO", "JC"} or (last.tag == "MAG" and last.form in UNENDING)


def _happens(body: Sequence[Token], at: int, to_come: bool) -> bool:
    """Whether the verb is of something done once, or of a decision ("가기로 함"), so that its tenseless note tells what is past."""
    head = body[at]
    decided = head.form == "하" and at >= 2 and (body[at - 2].form, body[at - 1].form) == ("기", "로")
    if to_come or any(t.form in REGULARLY for t in body[:at]):
        return decided
    return decided or _lemma(body, at) in DONE or (not head.tag.startswith("XS") and head.form in DONE)


def _place(token: Token) -> bool:
    return str(token.form).endswith(HOMES)


def statement(lead: str, *stem: Morpheme, kind: Kind, mine: bool = True, past: bool = False) -> Clause:
    """A clause made, not heard: statement("커피를 ", ("좋아하", "VV"), kind="verb"); a copula needs no stem."""
    return Clause(
        lead=lead,
        stem=stem or (("이", "VCP"),),
        tense=(("었", "EP"),) if past else (),
        kind=kind,
        mood="statement",
        mine=mine,
        elder=False,
        future=False,
        weight=1,
        lemma=stem[-1][0] if stem else lead,
    )


def _lemma(body: Sequence[Token], at: int) -> str:
    """ "우울하" of 우울/XR 하/XSA, "화나" of 화가 나, "걱정되" of 걱정이 되."""
    head = body[at]
    before = body[at - 1] if at > 0 else None
    if head.tag == "VCP":
        return before.form if before is not None else ""
    if head.tag.startswith("VX") and head.form != "싶" and at >= 2:
        return _lemma(body, at - 2) if body[at - 1].tag in {"EC", "JX"} and _head(body[at - 2].tag) else str(head.form)
    if before is not None and before.tag == "JKS" and head.form in {"나", "되", "들"} and at >= 2:
        return f"{body[at - 2].form}{head.form}"
    if before is not None and _is_noun(before) and (head.tag.startswith(("XSV", "XSA")) or head.form in {"나", "되", "받"}):
        return f"{before.form}{head.form}"
    return str(head.form)


def _kind(body: Sequence[Token], at: int) -> Kind:
    head = body[at]
    if head.tag in {"VCP", "VCN"}:
        return "copula" if head.tag == "VCP" else "adjective"
    if head.tag.startswith(("VA", "XSA")):
        return "adjective"
    if head.tag.startswith("VX"):
        if head.form in {"싶", "듯하", "만하", "듯싶"}:
            return "adjective"
        if head.form == "있":
            return "adjective"
        if head.form in {"않", "못하"} and at >= 2:
            before = body[at - 2] if body[at - 1].form == "지" else body[at - 3] if at >= 3 else body[at - 2]
            return "adjective" if before.tag.startswith(("VA", "XSA")) or before.form in {"싶"} else "verb"
        return "verb"
    if head.form in {"있", "없", "계시"}:
        return "adjective" if head.form != "계시" else "verb"
    return "verb"


def _mood(body: Sequence[Token], ending: str, asked: bool, embedded: bool, *, plain: bool) -> Mood:
    if embedded:
        return "statement"
    head = body[-1]
    giving = (
        plain
        and head.form == "주"
        and head.tag.startswith("VX")
        and ending in {"어", "어요", "세요", "시어요", "ᆯ래", "ᆯ래요", "어라", "십시오", "라", "지"}
        and not any(t.tag == "JKS" for t in body)
    )
    if giving:
        return "request"
    if asked or (ending in ASKS and ending not in PROMISES):
        return "question"
    if ending in _RECALLING and any(t.form in _WH and t.tag in {"NP", "MM", "MAG", "NNG", "NR"} for t in body):
        return "question"
    if ending in COMMANDS and head.tag.startswith(("VV", "VX", "XSV")):
        return "command"
    if ending in PROPOSES and ending != "자고" and head.tag.startswith(("VV", "VX", "XSV")):
        return "proposal"
    return "statement"


def _pronoun(token: Token) -> bool:
    return token.tag == "NP" and token.form in FIRST | US | YOU | THAT_ONE


def _edits(span: Sequence[Token]) -> list[tuple[int, int, str]]:
    """What to leave out or to say otherwise: (start, end, instead)."""
    edits: list[tuple[int, int, str]] = []
    i = 0
    while i < len(span):
        token = span[i]
        if token.tag in {"IC", "SW", "W_EMOJI", "SSO", "SSC"}:
            edits.append((token.start, token.start + token.len, ""))
        elif token.tag == "JKV" and i > 0:
            edits.append((span[i - 1].start, token.start + token.len, ""))
        elif token.tag == "MM" and token.form in {"내", "제"}:
            instead_of = i + 1 < len(span) and span[i + 1].form in STEADS
            edits.append((token.start, token.start + token.len, "본인" if instead_of else ""))
        elif _pronoun(token):
            end = i + 1
            while end < len(span) and span[end].tag.startswith("J") and span[end].start <= span[end - 1].start + span[end - 1].len:
                end += 1
            particles = [(t.form, t.tag) for t in span[i + 1 : end]]
            stop = max(t.start + t.len for t in span[i:end])
            instead: str | None = ""
            if token.form in FIRST and particles and particles[0][0] in {"는", "은", "ᆫ", "가", "이", "도"} and _beside_another(span, i):
                instead = join([("본인", "NNG"), *particles])
            elif (
                token.form in FIRST
                and i == 0
                and [p[0] for p in particles] in (["가"], ["이"])
                and end >= len(span) - 4
                and end < len(span)
                and _head(span[end].tag)
            ):
                instead = "직접 "
            elif token.form in FIRST:
                if [p[0] for p in particles] in ([], ["의"]) and end < len(span) and span[end].form in STEADS:
                    instead = "본인"
                elif [p[0] for p in particles[:2]] == ["만", "의"]:
                    instead = None
                elif particles and particles[0][0] in CARRIED:
                    instead = join([("본인", "NNG"), *particles])
                elif not particles and end < len(span) and span[end].form in {"자신", "거", "것"}:
                    instead = "본인" if span[end].form != "자신" else ""
            elif token.form in US:
                follows = span[end].form if end < len(span) else ""
                if (particles and particles[0][0] not in {"는", "은", "ᆫ", "가", "이", "도", "의"}) or follows in {"둘", "셋", "모두", "다", "끼리"}:
                    instead = None
                elif follows == "집" and end + 1 < len(span) and _is_noun(span[end + 1]):
                    stop = span[end].start + span[end].len
            elif token.form in YOU:
                instead = join([("저", "NP"), *particles]) if token.form != "네" or particles else None
                if instead is not None and not particles:
                    instead = "제" if end < len(span) and _is_noun(span[end]) else "저"
            elif token.form in THAT_ONE:
                alone = not particles or particles[0][0] in {"는", "은", "ᆫ", "가", "이"}
                taken = not particles and end < len(span) and span[end].tag.startswith("VV")
                instead = (
                    "" if i == 0 and alone and token.start > 0 else join([("그", "MM"), ("사람", "NNG"), *(particles or [("을", "JKO")] * taken)])
                )
                instead += " " if instead and not particles else ""
            if instead is not None:
                edits.append((token.start, stop, instead))
            i = end - 1
        i += 1
    return edits


def _beside_another(span: Sequence[Token], i: int) -> bool:
    """Whether somebody or something else was the topic before the speaker is: then leaving the speaker out would change who is meant."""
    return any(
        t.tag in {"JX", "JKS"} and t.form in {"은", "는", "ᆫ", "이", "가"} and j > 0 and span[j - 1].tag in {"NNG", "NNP", "XSN"}
        and span[j - 1].form not in TIMES
        for j, t in enumerate(span[:i])
    )  # fmt: skip


def _render(text: str, start: int, end: int, edits: Sequence[tuple[int, int, str]]) -> str:
    out = []
    position = start
    for a, b, instead in edits:
        if a < position or a >= end:
            continue
        out.append(text[position:a])
        out.append(instead)
        position = min(b, end)
    out.append(text[position:end])
    rendered = "".join(out)
    space = " " if rendered[-1:].isspace() else ""
    return " ".join(rendered.replace("\n", " ").split()).lstrip(" ,.!?~…·:;-/)") + space


def _surface(text: str, token: Token) -> str:
    written = text[token.start : token.start + token.len]
    return written if written.endswith(token.form[-1]) else token.form


def _with_particle(lead: str, body: Sequence[Token], at: int) -> str:
    """With the particle that speech leaves out: "미팅 있다" -> "미팅이 있다", "커피 좋아하다" -> "커피를 좋아하다"."""
    if at == 0 or not lead.endswith(" ") or body[at - 1].tag not in {"NNG", "NNP", "SL", "XSN"} or body[at - 1].form in TIMES | {"씩"}:
        return lead
    head = body[at]
    word = lead.rstrip()
    if head.form in {"있", "없"} and not head.tag.startswith("VX"):
        return subject(word) + " "
    if head.form in TRANSITIVE and head.tag.startswith("VV") and not any(t.tag == "JKO" for t in body):
        return object_(word) + " "
    return lead


def _speaks_of_self(body: Sequence[Token], at: int) -> bool:
    """Whether 나/저/우리 is the predicate's subject or the sentence's topic."""
    for i, token in enumerate(body[:at]):
        if token.tag != "NP" or token.form not in FIRST | US:
            continue
        particle = body[i + 1]
        if particle.tag in {"JX", "JKS"} and particle.form in {"는", "은", "ᆫ", "도", "야", "야말로"}:
            return True
        bare = not particle.tag.startswith("J") and token.form in {"나", "저"}
        if bare and i == 0:
            return True
        if (bare or particle.form in {"가", "이"}) and not any(t.tag == "ETM" or _joins(body, j) for j, t in enumerate(body[:at]) if j > i):
            return True
    return False


def _joins(body: Sequence[Token], i: int) -> bool:
    """Whether the morpheme at i ends a clause that another follows ("…어서", "…는데"), not an auxiliary's "…어 주다"."""
    return body[i].tag == "EC" and i + 1 < len(body) and not body[i + 1].tag.startswith("VX")


def _noun_at(body: Sequence[Token], i: int) -> str:
    return f"{body[i - 1].form}{body[i].form}" if body[i].tag == "XSN" and i > 0 else str(body[i].form)


def _is_mine(body: Sequence[Token], at: int, kind: Kind, *, said: bool, respectful: bool) -> bool:
    """Whether the predicate takes 시: its subject is the speaker, something of theirs (body, what they have), or an elder."""
    head = body[at]
    start = max((i + 1 for i in range(at) if _joins(body, i)), default=0)
    final = body[start : at + 1]
    subjects = [_noun_at(final, i - 1) for i, t in enumerate(final) if t.tag == "JKS" and i > 0 and not _pronoun(final[i - 1])]
    topics = [
        (_noun_at(final, i - 1), final[i - 1].tag)
        for i, t in enumerate(final)
        if t.tag == "JX" and t.form in {"은", "는", "ᆫ", "도"} and i > 0 and _is_noun(final[i - 1]) and not _pronoun(final[i - 1])
    ]
    before = final[-2] if len(final) > 1 else None
    passive = head.tag.startswith("VX") and head.form == "지" and at >= 2 and body[at - 2].tag.startswith("VV")
    compound = head.tag.startswith(("XSV", "XSA")) or head.form in {"나", "되"}
    predicate = _lemma(body, at) if not head.tag.startswith("VX") else head.form
    auxiliary = head.tag.startswith("VX")
    if auxiliary and head.form == "싶":
        return True
    if subjects:
        return _honours_despite(final, subjects[-1], predicate, kind, said=said, auxiliary=auxiliary)
    if said or respectful:
        return True
    if kind == "noun" or head.form in THINGS_COME_OUT or any(t.tag == "NP" and t.form in THAT_ONE for t in body[:at]):
        return False
    if (
        any(
            t.tag == "JKS" and i > 0 and (body[i - 1].form in (KIN | PERSONS) - ELDERS or body[i - 1].tag == "NNP")
            for i, t in enumerate(body[:start])
        )
        and predicate not in FELT | FEELING_STEMS
        and body[start - 1].form not in BRINGS_ABOUT
    ):
        return False
    if head.form == "되" and before is not None and (before.tag in {"NNB", "SN", "NR"} or body[at - 2].tag in {"NNB", "SN"}):
        return False  # "올해 열한 살이나 됐어요"
    if kind == "copula" and not any(t.tag in {"JX", "JKS"} and i > 0 and body[i - 1].form in KIN for i, t in enumerate(body)) and not topics:
        whose = final[-2] if len(final) > 1 and head.tag == "VCP" else head
        return whose.tag in {"NNP", "NR"} or _noun_at(final, len(final) - 2 if head.tag == "VCP" and len(final) > 1 else -1).endswith(PEOPLE_END)
    others = [body[i - 1].form for i, t in enumerate(body[:at]) if t.tag == "JX" and t.form in {"은", "는", "ᆫ"} and i > 0]
    if not topics and any(form in (KIN | PERSONS) - ELDERS for form in others) and predicate not in FELT:
        return False
    if predicate in FELT:
        return True
    if kind in {"copula", "noun"} and (predicate in ABSTRACT or head.tag == "SN" or (before is not None and before.tag == "SN")):
        return False
    if (
        passive
        or (head.form == "되" and before is not None and before.form == "잘")
        or predicate in NEVER_PEOPLE
        or (len(final) > 2 and final[0].tag == "NNG" and final[0].form in KIN - ELDERS and final[1].tag in {"NNG", "NNP"} and kind == "verb")
    ):
        return False
    named = [(form, tag) for form, tag in topics if form not in TIMES and tag != "NNB"]
    if named:
        if any(form in ELDERS for form, _ in named):
            return True
        if any(form in KIN | PERSONS for form, _ in named) or kind in {"copula", "noun"}:
            return False
        if kind == "adjective":
            if any(tag == "NNP" for _, tag in named):
                return False
            return predicate in {"있", "없"} or named[-1][0] in BODY | FEELINGS or auxiliary
        return not any(tag == "NNP" for _, tag in named)
    if kind == "adjective" and predicate in OF_THINGS:
        return False
    if before is not None and before.tag in {"NNG", "NNP"} and before.form not in TIMES and kind in {"verb", "adjective"}:
        if before.form in ELDERS:
            return True
        if before.form in KIN and predicate not in TRANSITIVE | {"있", "없"} and not compound:
            return False
        if head.form in THINGS_DO and before.form not in FEELINGS:
            return False
        if head.form in {"오", "가"} and before.form in COMES:
            return False
    return True


def _honours_despite(final: Sequence[Token], whose: str, predicate: str, kind: Kind, *, said: bool, auxiliary: bool) -> bool:
    """With an explicit subject other than the speaker: "미팅이 있으시군요", "머리가 아프시군요", but "친구가 무시했군요"."""
    if whose in ELDERS or predicate in FELT:
        return True
    if predicate in {"있", "없"} and not auxiliary:
        somewhere = any(t.tag == "JKB" and t.form == "에" and i > 0 and final[i - 1].form not in TIMES for i, t in enumerate(final))
        return not somewhere
    if whose in FEELINGS or (whose in BODY and kind == "adjective"):
        return True
    return said and kind == "adjective" and predicate in EXPERIENCE


def _tail(clause: Clause, *, honour: bool, past: bool = True) -> list[Morpheme]:
    """The predicate's morphemes up to the ending."""
    stem: list[Morpheme] = list(clause.stem)
    if (honour and clause.mine) or clause.elder:
        form, tag = stem[-1]
        polite = _POLITE_STEMS.get((form, tag))
        if polite is not None:
            stem = [*stem[:-1], *polite]
        elif form not in {"계시", "드시", "주무시", "돌아가시"}:
            stem.append(("시", "EP"))
    return [*stem, *(clause.tense if past else ())]


def _finish(clause: Clause, tail: list[Morpheme], ending: Morpheme) -> str:
    if clause.kind == "copula":
        return attach(clause.lead, *tail, ending)
    # Kiwi contracts 삐었 to a syllable that nobody writes.
    return clause.lead + join([*tail, ending]).replace("뼜", "삐었")


def _as_copula(clause: Clause) -> Clause:
    return replace(clause, kind="copula", stem=(("이", "VCP"),), lead=clause.lead.rstrip()) if clause.kind == "noun" else clause


def _addressed(clause: Clause) -> Clause:
    """As it is said to the person's face: they are not named."""
    lead = _NAMED_SELF.sub("", clause.lead.replace("본인만", "혼자만")).lstrip()
    return replace(_as_copula(clause), lead=lead.rstrip() if clause.kind in {"noun", "copula"} else lead)


def told(clause: Clause) -> str:
    """ "…다고 / 라고 / 냐고": the clause as indirect speech, to be followed by 하셨어요 and the like."""
    clause = _as_copula(clause)
    if clause.mine and clause.stem[-1][0] == "하" and clause.lead.rstrip().endswith("라고") and not clause.tense:
        return clause.lead.rstrip()
    stem = _tail(clause, honour=False)
    if clause.mood == "question":
        return _finish(clause, stem, _question_ending(clause))
    if clause.mood == "request":
        return clause.lead + join([("달", "VX"), ("라고", "EC")])
    if clause.mood == "command":
        return _finish(clause, stem, ("으라고", "EC"))
    if clause.mood == "proposal":
        return _finish(clause, stem, ("자고", "EC"))
    if clause.future and not clause.tense:
        return _finish(clause, [*stem, *_TO_COME], ("라고", "EC"))
    return _finish(clause, stem, _by_kind(clause, "다고", "ᆫ다고", "라고"))


def _question_ending(clause: Clause) -> Morpheme:
    return ("는지", "EC") if clause.tense or clause.kind == "verb" or clause.lemma in {"있", "없"} else ("ᆫ지", "EC")


def _by_kind(clause: Clause, plain: str, verb: str, copula: str) -> Morpheme:
    if clause.tense:
        return plain, "EC"
    return {"verb": verb, "copula": copula}.get(clause.kind, plain), "EC"


def _passed_on(clause: Clause) -> bool:
    """Whether it is somebody else's wish or guess ("좋겠대"), which only that somebody can be quoted with."""
    return clause.hearsay and ("겠", "EP") in clause.tense


def hearing(clause: Clause) -> str:
    """ "…(으)시다니": how LIRA takes up what it just heard ("면접에서 떨어지셨다니")."""
    clause = _addressed(clause)
    if clause.lemma == "같":
        return f"{told(clause)} 느끼신다니"
    if _passed_on(clause):
        return f"{told(clause)} 하신다니"
    if clause.future and not clause.mine and not clause.tense:
        return _finish(clause, [*_tail(clause, honour=False), *_TO_COME], ("라니", "EC"))
    return _finish(clause, _tail(clause, honour=True), _by_kind(clause, "다니", "ᆫ다니", "라니"))


def noticing(clause: Clause) -> str:
    """ "…(으)시군요"."""
    clause = _addressed(clause)
    if _passed_on(clause):
        return f"{told(clause)} 하시는군요"
    return _finish(clause, _tail(clause, honour=True), (_by_kind(clause, "군요", "는군요", "군요")[0], "EF"))


def because(clause: Clause, *, honour: bool = True) -> str:
    """ "…(으)셔서"; tense goes, as Korean has it."""
    clause = _as_copula(clause)
    return _finish(clause, _tail(clause, honour=honour, past=False), ("어서" if clause.kind != "copula" else "라서", "EC"))


def adding(clause: Clause, *, honour: bool = False) -> str:
    """ "…고": the clause before another."""
    clause = _as_copula(clause)
    to_come = _TO_COME if clause.future and not clause.tense else ()
    return _finish(clause, [*_tail(clause, honour=honour), *to_come], ("고", "EC"))


def stating(clause: Clause) -> str:
    """ "…(으)세요 / 어요": the clause as a polite sentence about the person."""
    clause = _as_copula(clause)
    if clause.kind == "copula" and not clause.tense and not clause.mine:
        return is_(clause.lead)
    if clause.mine and not clause.tense:
        *rest, (form, tag) = [*clause.stem[:-1], *_POLITE_STEMS.get(clause.stem[-1], clause.stem[-1:])]
        return _finish(clause, [*rest, (form.removesuffix("시"), tag)], ("세요", "EF"))
    return _finish(clause, _tail(clause, honour=True), ("어요", "EF"))


def telling(text: str, about: frozenset[str] = frozenset()) -> tuple[Clause, ...]:
    """The clauses worth retelling: statements where there are any, at most two, those that say most, in order.

    Those that hold words of `about` (content terms) come first.
    """
    found = clauses(text)
    said = [c for c in found if c.mood == "statement"] or list(found)
    wanted = [sum(term in c.lead + c.lemma for term in about) for c in said]
    best = sorted(range(len(said)), key=lambda i: (-wanted[i], -min(said[i].weight, 4), i))[:2]
    chosen = [said[i] for i in sorted(best)]
    return tuple(chosen if sum(len(c.lead) for c in chosen) <= _LONGEST_PAIR else [said[best[0]]])


def reported(text: str, about: frozenset[str] = frozenset()) -> str | None:
    """ "…다고" of a whole text, without the verb of saying; None when nothing in it can be retold. `about` as in `telling`."""
    chosen = telling(text, about)
    if not chosen:
        return None
    if len(chosen) == 2 and chosen[0].mood == chosen[1].mood == "statement":
        return f"{adding(chosen[0])} {told(chosen[1])}"
    return told(max(chosen, key=lambda c: c.weight))


def quote(text: str) -> str:
    """What the person said as indirect speech: "커피를 좋아한다고 하셨어요"; "" when nothing in it can be retold."""
    said = reported(text)
    if said is None:
        return ""
    return f"{said} 물어보셨어요" if telling(text)[0].mood == "question" else f"{said} 하셨어요"
