"""Retelling: what a person said in a plain sentence becomes what LIRA can say back, in polite Korean.

The words stay as they were written; only the predicate gets a new ending, which Kiwi conjugates, and the speaker is left out where they are
the sentence's subject or an owner ("나는 커피를 좋아한다" -> "커피를 좋아한다고 하셨어요"). Whatever is not plain (dialect, slang, what others said,
pronouns elsewhere, questions, fragments, long sentences) has no `clause`: it is quoted as it was said, or not repeated at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kiwipiepy import Token

from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.morphemes import join, tokens
from lira_core.languages.ko.particles import Morpheme, attach
from lira_core.languages.ko.speech import (
    ASKS,
    ELDERS,
    ENDINGS,
    FEELING_STEMS,
    HAS,
    KIN,
    LINKS,
    NOTED,
    PERSONS,
    PROMISES,
    QUOTES_OTHERS,
    RESPECTFUL,
    THINGS_DO,
    TIMES,
    WH,
)
from lira_core.recent import recent

Kind = Literal["verb", "adjective", "copula"]

LONGEST = 70
"""A longer sentence (characters) is no plain one."""
_READ = 2000
"""So much of a text is read (characters)."""
_POLITE_STEMS: dict[Morpheme, Morpheme] = {
    ("먹", "VV"): ("드시", "VV"),
    ("마시", "VV"): ("드시", "VV"),
    ("자", "VV"): ("주무시", "VV"),
    ("있", "VX"): ("계시", "VX"),
}
_COPULA: Morpheme = ("이", "VCP")
_DECLARES = frozenset(("ᆫ다", "는다"))
_TO_COME: tuple[Morpheme, ...] = (("ᆯ", "ETM"), ("거", "NNB"), _COPULA)

# Who is called, that it is a note, that something before was wrong: not what is told.
_OPENING = re.compile(
    r"^(?:(?:리라|LIRA|lira|Lira)(?:야|님|씨|아)?[\s,!~.]+(?=\S)|[^:：.!?\n]{0,14}(?:메모|기억|저장|기록|참고|노트)[^:：.!?\n]{0,8}[:：]\s*"
    r"|(?:[아어앗엇]\s+)?(?:아니다|아니야|아냐|아니|맞다|참)[,.\s]+(?=\S))+"
)
_TRIGGER = re.compile(
    r"(?:(?<![가-힣])[나저날])?\s?(?:(?:꼭|좀|잘)\s?)?(?:(?:기억|저장|메모|기록)(?:을|를)?\s?해\s?(?:줘|주세요|줄래|달라|둬|두세요|놔|놓으세요)\S*"
    r"|(?:기억|저장|메모|기록)\s?(?:해|하세요)(?:요|라)?[\s.!~]*$|(?:잊지|까먹지)\s?(?:마|말)\S*)[\s,.!~]*"
)
_THAT = re.compile(r"(다|이?라)는\s?(?:거|것|걸|점)[을를은는도]?\s*$")
# "밤11시~아침7시", "월~목만": a wave between two times joins them and is no mark of mood.
_SPAN = r"(?<=[\d시분일월년화수목금토])~(?=\s?(?:\d|[월화수목금토일]|오전|오후|아침|점심|저녁|밤|새벽|낮|내년|다음))"
# A letter that a word begins with stands for a syllable that is not written out ("ㅈ됐음"): that is left as it is.
_EMOTICON = re.compile(
    rf"[ㅋㅎㅠㅜㅡㅗㅇ]+|[ㄱ-ㅎㅏ-ㅣ]+(?![가-힣])|(?:(?!{_SPAN})[\^;~*_♡♥★☆])+|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200d]+|[<>\[\]{{}}|]+"
)
# Who laughs or weeps in writing ends the sentence with it, unless the word before still waits for something.
_LAUGHS = re.compile(
    r"([가-힣A-Za-z])(?<![은는이가을를에서로도만고면데제금의와과랑])\s*(?:[ㅋㅎㅠㅜ]{2,}|[\U0001F300-\U0001FAFF]+)\s+(?=[가-힣A-Za-z\d])"
)
_QUOTES = re.compile(r"[\"“”‘’「」『』`]+|(?<![A-Za-z])'|'(?![A-Za-z])")
_ENDS_BEFORE_COMMA = re.compile(r"(?<=[가-힣](?:에요|예요|니다|어요|아요|해요|네요|워요))\s*,(?=\s)")


@dataclass(frozen=True, slots=True)
class Clause:
    """One plain statement, ready for another ending.

    `lead` is everything before the predicate, as written; `stem` the predicate's morphemes without tense and ending, for a copula those
    after the noun `lead` ends in. `tense` holds 었 and 겠. `mine`: LIRA honours the subject, who is the speaker; `elder`: so did the speaker.
    `weight` counts content morphemes; `lemma` is the predicate's dictionary stem ("좋아하", "우울하", "화나"), the noun of a copula.
    """

    lead: str
    stem: tuple[Morpheme, ...]
    tense: tuple[Morpheme, ...]
    kind: Kind
    mine: bool
    elder: bool = False
    future: bool = False
    weight: int = 1
    lemma: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it was said, and as a clause where it is a plain statement."""

    text: str
    clause: Clause | None
    asks: bool = False


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in order, without what only greets, calls, laughs or asks LIRA to remember."""
    return _sentences(text[:_READ])


@recent
def _sentences(text: str) -> tuple[Sentence, ...]:
    text = _TRIGGER.sub(" ", _OPENING.sub("", text.strip())).strip()
    text = _THAT.sub(lambda m: "다" if m[1] in {"다", "라"} else "이다", text)
    text = _ENDS_BEFORE_COMMA.sub(".", _clean(text))
    found = []
    for run, asked in _runs(tokens(text)):
        run = _trimmed(text, run)
        if run and not _greets(run):
            start, end = run[0].start, max(t.start + t.len for t in run)
            said = _QUOTES.sub("", text[start:end]).strip()
            clause = None if asked or _QUOTES.search(text[start:end]) else _clause(text, run)
            found.append(Sentence(said, clause, asked or run[-1].form in ASKS))
    return tuple(s for s in found if re.search(r"\w", s.text))


def plain(text: str) -> str:
    """The text without emoticons and quotation marks."""
    return " ".join(_QUOTES.sub("", _clean(text)).split())


def _clean(text: str) -> str:
    return " ".join(_EMOTICON.sub(" ", _LAUGHS.sub(r"\1. ", text)).split())


# Reading


def _runs(morphemes: Sequence[Token]) -> list[tuple[list[Token], bool]]:
    """Token runs that each end in a final ending or a sentence's end, and whether a question mark follows."""
    runs: list[tuple[list[Token], bool]] = []
    run: list[Token] = []

    def close(asked: bool) -> None:
        nonlocal run
        if run:
            runs.append((run, asked))
        elif asked and runs:
            runs[-1] = (runs[-1][0], True)
        run = []

    for token in morphemes:
        if token.tag == "SF":
            close("?" in token.form or "？" in token.form)
            continue
        # Within a word none ends: of "간대유" and "등록했엉" Kiwi knows the first syllables alone.
        apart = run and token.start > run[-1].start + run[-1].len
        ended = run and apart and run[-1].tag == "EF" and (token.form, token.tag) not in {("요", "JX"), ("용", "JX")} and token.len > 0
        wonders = (token.form, token.tag) == ("싶", "VX")  # "뭔 재미로 사나 싶다" is one
        if run and apart and not wonders and (ended or token.sent_position != run[-1].sent_position):
            close(False)
        run.append(token)
    close(False)
    return runs


def _whole(text: str, token: Token) -> bool:
    """Whether no word goes on after the token: Kiwi sees 어 and 제 in "어제"."""
    return not text[token.start + token.len : token.start + token.len + 1].isalpha()


def _trimmed(text: str, run: list[Token]) -> list[Token]:
    """Without links and calls before it and marks after it."""
    outside = {"IC", "MAJ", "SP", "SE", "SW"}
    while run and _whole(text, run[0]):
        if (run[0].tag not in outside or run[0].form in TIMES) and not (run[0].form in LINKS and run[0].tag in {"MAG", "NP", "EF"}):
            break
        run = run[1:]
    while run and run[-1].tag in {"SP", "SE", "SW", "IC", "SO"}:
        run = run[:-1]
    return run


def _greets(run: Sequence[Token]) -> bool:
    return ("안녕" in {t.form for t in run} and len(run) <= 4) or (run[-1].tag == "JKV" and len(run) <= 3)


def _clause(text: str, run: list[Token]) -> Clause | None:
    if len(run) > 1 and (run[-1].form, run[-1].tag) in {("요", "JX"), ("용", "JX")}:
        run = run[:-1]
    last = run[-1]
    if max(t.start + t.len for t in run) - run[0].start > LONGEST or last.tag not in {"EF", "EC"} or last.form not in ENDINGS:
        return None
    ending, body = last.form, run[:-1]
    if any(t.form in WH or (t.form in QUOTES_OTHERS and t.tag[0] == "E") or t.tag in {"JKV", "SSO", "SSC"} for t in body):
        return None
    if any(t.form in ASKS and t.tag in {"EC", "EF"} for t in body):  # "아닌가 몰라"
        return None
    if any(t.form in _DECLARES and t.tag == "EC" for t in body):  # "큰딸은 상인동 산다 간호사다": two sentences
        return None
    left_out = _left_out(text, body)
    if left_out is None:
        return None
    tense: list[Morpheme] = []
    respectful = ending in RESPECTFUL
    if respectful and not _subjects(body, 0):
        return None  # a command as well as a statement
    while body and body[-1].tag == "EP":
        respectful = respectful or body[-1].form in {"시", "으시"}
        if body[-1].form not in {"시", "으시"}:
            tense.insert(0, (body[-1].form, "EP"))
        body = body[:-1]
    at, future = len(body) - 1, ending in PROMISES
    thing = at - (at >= 0 and body[at].tag == "VCP")
    if thing >= 2 and body[thing].form in {"거", "것"} and body[thing - 1].form in {"ᆯ", "을"} and _predicates(body[thing - 2]):
        at, future = thing - 2, True  # "-ㄹ 거야": the predicate is the verb before it, to come
    kind = _kind(body, at, "" if future else ending) if at >= 0 else None
    asks_for = kind == "verb" and body[at].form == "주" and body[at].tag.startswith("VX") and not tense and not _subjects(body, 0)
    if kind is None or asks_for or (kind == "verb" and ending in NOTED and not tense):
        return None
    head = body[at]
    if kind != "copula" and head.len == 0:
        return None  # what is not written: Kiwi sees 하 in "걸맀다"
    end = head.start + head.len if kind == "copula" and head.tag != "VCP" else head.start
    lead = _lead(text, body, end, left_out)
    if kind == "copula" and not lead.strip():
        return None
    lemma = _lemma(body, at)
    speaks = body[0] in left_out and (_leads(body) or (body[0].form in {"나", "저"} and body[1].tag != "JKG"))
    return Clause(
        lead=lead.rstrip() if kind == "copula" else lead,
        stem=(_COPULA,) if kind == "copula" else ((head.form, head.tag),),
        tense=tuple(tense),
        kind=kind,
        mine=_is_mine(body, at, kind, lemma, speaks=speaks),
        elder=respectful,
        future=future,
        weight=sum(t.tag in {"NNG", "NNP", "SL", "SN", "VV", "VA", "XR"} for t in body),
        lemma=lemma,
    )


def _left_out(text: str, body: Sequence[Token]) -> list[Token] | None:
    """The pronouns of the speaker that can go without a change of meaning, with their particles; None where a pronoun cannot."""
    gone: list[Token] = []
    for i, token in enumerate(body):
        pronoun = (token.tag == "NP" and token.form in PERSONS) or (token.tag == "MM" and token.form in {"내", "제"})
        if not pronoun or text[max(token.start - 1, 0) : token.start].isalpha():
            continue
        after = body[i + 1] if i + 1 < len(body) else None
        if after is None or token.form not in {"나", "저", "내", "제", "우리", "저희"}:
            return None
        if [t.form for t in body[i + 1 : i + 3]] == ["만", "의"]:
            continue
        owns = after.tag == "JKG" or (token.form not in {"나", "저"} and after.tag in {"NNG", "NNP", "SL", "XPN", "MM", "XR"})
        if not owns and not (i == 0 and (_leads(body) or after.tag[0] != "J")):
            return None
        gone += [token, after] if after.tag[0] == "J" else [token]
    return gone


def _leads(body: Sequence[Token]) -> bool:
    """Whether the first word is the subject or the topic."""
    return len(body) > 1 and (body[1].form, body[1].tag) in {("는", "JX"), ("은", "JX"), ("ᆫ", "JX"), ("가", "JKS"), ("이", "JKS")}


def _lead(text: str, body: Sequence[Token], end: int, left_out: Sequence[Token]) -> str:
    """The text from the first token to `end`, without the tokens left out."""
    out, position = [], body[0].start
    for token in left_out:
        out.append(text[position : max(position, token.start)])
        position = max(position, token.start + token.len)
    rendered = "".join([*out, text[position : max(position, end)]])
    return " ".join(rendered.split()).lstrip(" ,.!?…·:;-/)") + (" " if rendered[-1:].isspace() else "")


def _predicates(token: Token) -> bool:
    return bool(token.tag.startswith(("VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA")))


def _names(token: Token | None) -> bool:
    return token is not None and token.tag in {"NNG", "NNP", "SL", "SN", "XSN", "NR", "NNB"}


def _kind(body: Sequence[Token], at: int, ending: str) -> Kind | None:
    head = body[at]
    if head.tag == "VCP":
        return "copula" if at > 0 else None
    if not _predicates(head):
        return "copula" if _names(head) and ending in {"야", "예요", "에요", "여요", "지", "죠", "지요", "ᆸ니다"} else None  # "초코야"
    if ending in {"야", "예요", "에요", "이에요"}:
        return None  # a name that Kiwi takes for a verb ("안나예요")
    if head.tag.startswith("VX") and head.form in {"않", "못하"} and at >= 2:
        return _kind(body, at - 2, ending) if _predicates(body[at - 2]) else "verb"
    adjective = head.tag.startswith(("VA", "XSA", "VCN")) or head.form in {"있", "없", "싶", "듯하", "만하"}
    return "adjective" if adjective else "verb"


def _lemma(body: Sequence[Token], at: int) -> str:
    """ "우울하" of 우울/XR 하/XSA, "화나" of 화가 나, "걱정되" of 걱정이 되."""
    head, before = body[at], body[at - 1] if at > 0 else None
    if head.tag == "VCP":
        return str(before.form) if before is not None else ""
    if head.tag.startswith("VX") and head.form != "싶" and at >= 2 and _predicates(body[at - 2]):
        return _lemma(body, at - 2)
    if before is not None and before.tag == "JKS" and head.form in {"나", "되", "들"} and at >= 2:
        return f"{body[at - 2].form}{head.form}"
    if before is not None and (_names(before) or before.tag == "XR") and (head.tag.startswith(("XSV", "XSA")) or head.form in {"나", "되", "받"}):
        return f"{before.form}{head.form}"
    return str(head.form)


def _subjects(body: Sequence[Token], start: int) -> list[Token]:
    """What is subject or topic, the speaker and times aside."""
    marked = (i for i, t in enumerate(body) if i > start and (t.tag == "JKS" or (t.tag == "JX" and t.form in {"은", "는", "ᆫ", "도"})))
    return [body[i - 1] for i in marked if body[i - 1].form not in TIMES and _names(body[i - 1])]


def _is_mine(body: Sequence[Token], at: int, kind: Kind, lemma: str, *, speaks: bool) -> bool:
    """Whether the predicate takes 시: the speaker is its subject, or has or feels it. In doubt it takes none."""
    # "늦게" is how it came, and no clause of its own.
    start = max((i for i in range(at) if body[i].tag == "EC" and body[i].form != "게" and not body[i + 1].tag.startswith("VX")), default=-1)
    subjects = _subjects(body[: at + 1], start)
    felt = lemma in FEELING_STEMS
    people = [t.form for t in (subjects if felt else _subjects(body, -1)) if t.form in KIN | PERSONS or t.tag in {"NNP", "XSN"}]
    if people:
        return frozenset(people) <= ELDERS
    if body[at].form in {"있", "없"} and not body[at].tag.startswith("VX"):
        return not any(t.form == "에" and body[i - 1].form not in TIMES and body[i - 1].tag != "NNB" for i, t in enumerate(body[:at]) if i > start)
    if subjects:
        return felt or lemma in HAS
    if kind == "copula":
        return speaks or "직업" in kinds_of(lemma)
    bare = at > start + 1 and body[at - 1].tag in {"NNG", "NNP"} and body[at - 1].form not in TIMES and not body[at].tag.startswith("XS")
    if kind == "adjective" and not (body[at].form == "있" and body[at].tag.startswith("VX")):
        return speaks or lemma in HAS or (felt and not bare)
    return felt or (lemma not in THINGS_DO and (speaks or not bare))


# Telling


def _tail(clause: Clause, *, honour: bool) -> list[Morpheme]:
    """The predicate's morphemes up to the ending."""
    stem: list[Morpheme] = list(clause.stem)
    if (honour and clause.mine) or clause.elder:
        polite = _POLITE_STEMS.get(stem[-1])
        if polite is not None:
            stem[-1] = polite
        elif not stem[-1][0].endswith("시") or stem[-1][0] == "마시":
            stem.append(("시", "EP"))
    return [*stem, *clause.tense]


def _finish(clause: Clause, tail: Sequence[Morpheme], ending: Morpheme) -> str:
    if clause.kind == "copula":
        return attach(clause.lead, *tail, ending)
    return clause.lead + join([*tail, ending])


def _by_kind(clause: Clause, plain: str, verb: str, copula: str, tag: str) -> Morpheme:
    return (plain if clause.tense else {"verb": verb, "copula": copula}.get(clause.kind, plain)), tag


def told(clause: Clause) -> str:
    """ "…다고 / 라고": the clause as indirect speech, to be followed by 하셨어요 and the like."""
    tail = _tail(clause, honour=False)
    if clause.future and not clause.tense:
        return _finish(clause, [*tail, *_TO_COME], ("라고", "EC"))
    return _finish(clause, tail, _by_kind(clause, "다고", "ᆫ다고", "라고", "EC"))


def noticing(clause: Clause) -> str:
    """ "…(으)시군요": how LIRA takes up what it just heard ("면접에서 떨어지셨군요")."""
    if clause.future and not clause.mine and not clause.tense:
        return _finish(clause, [*_tail(clause, honour=False), *_TO_COME], ("군요", "EF"))
    return _finish(clause, _tail(clause, honour=True), _by_kind(clause, "군요", "는군요", "군요", "EF"))


def adding(clause: Clause) -> str:
    """ "…고": the clause before another."""
    to_come = _TO_COME if clause.future and not clause.tense else ()
    return _finish(clause, [*_tail(clause, honour=False), *to_come], ("고", "EC"))
