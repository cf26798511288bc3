# ruff: noqa: SIM905 (tables and patterns read better in wide rows)
"""Clauses: a Korean text as the frames its verbs make (who, what, where, with whom, when), read off Kiwi's morphemes.

Not a parser of everything: phrases go to the nearest verb, a relative clause becomes its noun's `modifier`, auxiliaries become flags.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal

from kiwipiepy import Token

from lira_core.dates import Span, find_all
from lira_core.korean.categories import kinds_of
from lira_core.korean.morphemes import analyser, join, tokens
from lira_core.korean.names import PLACES, name_spans
from lira_core.korean.people import KIN
from lira_core.korean.recent import recent

Case = Literal["topic", "subject", "object", "at", "from", "to", "with", "person", "than", "comp", "by", "like", "bare"]
_CASES: Final[dict[str, Case]] = {
    "은": "topic", "는": "topic", "ᆫ": "topic", "이": "subject", "가": "subject", "께서": "subject", "을": "object", "를": "object", "ᆯ": "object",
    "에": "at", "에서": "from", "서": "from", "로": "to", "으로": "to", "랑": "with", "이랑": "with", "와": "with", "과": "with", "하고": "with",
    "한테": "person", "에게": "person", "께": "person", "한테서": "person", "보다": "than", "처럼": "like",
}  # fmt: skip
_NOUNS: Final = frozenset({"NNG", "NNP", "NP", "NR", "SN", "SL", "SH", "XPN", "XSN", "NNB", "MM", "XR", "SW", "SO", "W_SERIAL", "W_EMAIL", "UN"})
_NOISE: Final = re.compile(r"[ㄱ-ㅎㅏ-ㅣ]{1,}|[\U0001F000-\U0001FAFF☀-➿️‍]|\^\^|:\)|~+|…|\.{2,}")
# Kiwi leaves the copula out after a vowel ("초코야", "보리예요").
_COPULA_ENDINGS: Final = frozenset({"야", "예요", "에요", "여요", "여", "죠", "지", "지요", "ᆸ니다"})
_TIME_WORDS: Final = frozenset("요즘 요새 지금 예전 옛날 최근 이제 평소 이번 나중 아까 방금 현재 원래 조만간 그동안 당분간 젤 맨날 혼자".split())
# Feelings as one shows them, which Kiwi takes apart after some words ("비려서 싫어해요").
_SHOWN: Final = {"싫": "싫어하", "좋": "좋아하", "무섭": "무서워하", "두렵": "두려워하", "힘들": "힘들어하"}
DEEPEST: Final = 8
"""Relative clauses within one another that are kept."""
_LONGEST_KIN: Final = max(map(len, KIN))
_PARTICLE: Final = re.compile(r"[가-힣]{0,3}")
WH: Final = frozenset("뭐 무엇 뭣 무슨 어느 어떤 언제 어디 누구 누 왜 몇 얼마 얼마나 어떻 어때 어떠하 어떠 뭘 무어 뭔".split())


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase. `text` is without particle, possessive pronoun and modifier; `owner` is whose ("나", "민수", "엄마")."""

    text: str
    case: Case
    particle: str = ""
    owner: str | None = None
    modifier: str = ""
    clause: Clause | None = None
    tags: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def wh(self) -> bool:
        return any(w in WH for w in re.split(r"\s+", self.text)) or self.text.startswith(("무슨", "어느", "어떤", "몇 ", "누구", "어디", "뭐"))


@dataclass(frozen=True, slots=True)
class Clause:
    """One predicate with its phrases. `verb` is the stem ("좋아하", "있", "이" for the copula, "이사하"), "" for a bare noun phrase.

    `noun` is the action noun of a 하다/되다 verb. `ending` is the last ending's form; `final` whether a sentence ends there.
    """

    text: str
    start: int
    end: int
    verb: str
    noun: str
    phrases: tuple[Phrase, ...]
    adverbs: tuple[str, ...]
    ending: str
    final: bool
    sentence: int
    negated: bool = False
    past: bool = False
    flags: frozenset[str] = frozenset()
    dates: tuple[Span, ...] = ()
    repeats: str = ""

    def get(self, *cases: Case) -> Phrase | None:
        """The first phrase in one of the cases, in the order of the cases."""
        return next((p for case in cases for p in self.phrases if p.case == case), None)

    @property
    def asks(self) -> bool:
        """A question word is in it."""
        return any(p.wh for p in self.phrases) or any(a in WH for a in self.adverbs)


@dataclass(slots=True)
class _Building:
    phrases: list[Phrase] = field(default_factory=list)
    adverbs: list[str] = field(default_factory=list)
    nouns: list[Token] = field(default_factory=list)
    owner: str | None = None
    modifier: str = ""
    inner: Clause | None = None
    start: int = -1


def clean(text: str) -> str:
    """The text with emoji blanked, and laughs, tears and trailing waves as full stops; every other character where it was."""
    return _NOISE.sub(lambda m: ("." if m.group()[0] in "….~" or re.match(r"[ㅋㅎㅠㅜ]{2}", m.group()) else " ") + " " * (len(m.group()) - 1), text)


def nominal(verb: str) -> str:
    """The verb as a thing one does: "만들" is "만들기"."""
    return join([(verb, "VV"), ("기", "ETN")])


def clauses(text: str, at: datetime) -> tuple[Clause, ...]:
    """The clauses of a text, in order."""
    return _Reader(text, at).read()


@recent
def _tokens(text: str) -> tuple[Token, ...]:
    """The morphemes, with the names that are in the text told to the analyser."""
    given: list[tuple[int, int, str]] = []
    for start, end in name_spans(text):
        given.append((start, end, "NNP"))
        if _consonant(text[end - 1]) and (little := _LITTLE.match(text, end) or _OF_NAME.match(text, end)):
            given.append((*little.span(), "XSN"))
        # What follows a name is a copula, which the analyser would rather see as a particle and a prefix ("지은이고 플로리스트").
        if copula := _AND.match(text, end):
            given += [(*copula.span(1), "VCP")] if copula[1] else []
            given.append((*copula.span(2), "EC"))
    taken = {at for start, end, _ in given for at in range(start, end)}
    for match in _TOWN.finditer(text):
        if match.start() not in taken:
            given.append((*match.span(), "NNP"))
            taken.update(range(*match.span()))
    for match in _JOB_AND.finditer(text):
        if "직업" in kinds_of(match[1]) and match.start() not in taken:
            given += [(*match.span(1), "NNG"), (*match.span(2), "EC")]
    if not given:
        return tokens(text)
    return tuple(analyser().tokenize(text, normalize_coda=True, pretokenized=sorted(given)))


_LITTLE: Final = re.compile(r"이(?=(?:는|가|도|랑|네|를|한테|의|만|씨)(?:[\s,.!?]|$)|네(?:는|가)?\s)")
_AND: Final = re.compile(r"(이)?(고)(?=요?[\s,.]|$)")
# Towns whose names are other words too ("진해 사셔": thick).
_TOWN: Final = re.compile(rf"(?<![가-힣])(?:{'|'.join(sorted(PLACES))})(?=\s*(?:에서|에|으로|로|살|사[시셔는세십]|산다|거주))")
# "승현이 부모님": whose they are, and no subject.
_OF_NAME: Final = re.compile(rf"이(?=\s(?:{'|'.join(sorted((k for k in KIN if len(k) > 1), key=len, reverse=True))}))")
# "미용사고" is a hairdresser and no accident.
_JOB_AND: Final = re.compile(r"(?<![가-힣])([가-힣]{2,6})(고)(?=요?[\s,.]|$)")


def _consonant(syllable: str) -> bool:
    return "가" <= syllable <= "힣" and (ord(syllable) - 0xAC00) % 28 > 0


def form_ends(ending: str) -> bool:
    """Whether a connective before a comma really ends a sentence ("저는 민수예요, ..." "부산 살아, ...")."""
    return ending.endswith("요") or ending in {"어", "아", "여", "야", "다", "ᆫ다", "지", "죠"}


def _depth(clause: Clause | None) -> int:
    return 0 if clause is None else 1 + max((_depth(p.clause) for p in clause.phrases), default=0)


def _shallow(phrase: Phrase) -> Phrase:
    return replace(phrase, clause=None) if _depth(phrase.clause) >= DEEPEST else phrase


class _Reader:
    def __init__(self, text: str, at: datetime) -> None:
        self.said = text
        self.text = clean(text)
        self.spans, self.repeated = find_all(self.text, at)
        self.starts = [s.start for s in self.spans]
        self.repeated_starts = [start for start, _ in self.repeated]
        # One mark a character: to look through all dates for each morpheme would take their product.
        self.dated = bytearray(len(self.text) + 1)
        for start, end in (*((s.start, s.end) for s in self.spans), *self.repeated):
            self.dated[start:end] = b"\x01" * (end - start)
        self.tokens = [t for t in _tokens(self.text) if t.len or t.tag[0] in "EJVX"]
        self.out: list[Clause] = []
        self.sentence = 0
        self.b = _Building()
        self.verb_start = 0

    def read(self) -> tuple[Clause, ...]:
        i = 0
        while i < len(self.tokens):
            i = self._step(i)
        self._close_fragment()
        return tuple(self.out)

    def _skipped(self, token: Token) -> bool:
        return bool(self.dated[token.start])

    def _tag(self, i: int) -> str:
        return str(self.tokens[i].tag).split("-")[0] if i < len(self.tokens) else ""

    def _form(self, i: int) -> str:
        return str(self.tokens[i].form) if i < len(self.tokens) else ""

    def _step(self, i: int) -> int:
        token, tag = self.tokens[i], self._tag(i)
        if self._skipped(token):
            # A date belongs to the clause, not to its noun phrases; so does the particle that follows it.
            self._end_phrase("bare", "")
            if self.b.start < 0:
                self.b.start = token.start
            while i < len(self.tokens) and self._skipped(self.tokens[i]):
                i += 1
            while (
                self._tag(i) in {"JKB", "JX", "JKG"}
                or (self._form(i) == "이" and self.tokens[i].start == self._end_of(i - 1))
                or (self._tag(i) == "NNB" and self._form(i) in {"쯤", "경", "날", "정도"})
            ):
                i += 1
            return i
        if (self.b.nouns or self.b.phrases) and self._after_a_laugh(i):
            self._close_fragment()
            self.sentence += 1
        if self.b.start < 0 and tag not in {"SF", "SP", "SS", "SE"}:
            self.b.start = token.start
        if tag in {"SF", "SE"} or "\n" in self.text[token.start : token.start + token.len]:
            self._close_fragment()
            self.sentence += 1
            return i + 1
        if tag in {"SP", "SSO", "SSC", "SS"}:
            if tag in {"SP", "SSO"}:
                self._end_phrase("topic" if token.form == ":" else "bare", "")
                if token.form == "," and self._says_enough() and self._starts_subject(i + 1):
                    self._close_fragment()
            return i + 1
        if tag == "JKG":
            self._genitive()
            return i + 1
        if tag in {"JKV", "JX"} and token.form in {"야", "이야"} and self.b.nouns and self._at_end(i + 1):
            return self._predicate(i, copula=True)
        if tag == "EF" and self.b.nouns and token.form in _COPULA_ENDINGS:
            return self._predicate(i, copula=True)
        if tag == "EC" and token.form == "고" and self.b.nouns:
            return self._predicate(i, copula=True)
        if tag[0] == "J" and tag != "JC":
            if self.b.nouns:
                case = _CASES.get(token.form, "bare")
                if tag == "JKC":
                    case = "comp"
                self._end_phrase(case, token.form)
            return i + 1
        if tag == "JC":
            self._end_phrase("with", token.form)
            return i + 1
        if tag in {"VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA"}:
            return self._predicate(i)
        if tag in {"MAG", "MAJ"}:
            self._end_phrase("bare", "")
            self.b.adverbs.append(token.form)
            return i + 1
        if tag == "IC" or (tag == "XSN" and token.form == "들"):
            return i + 1
        if tag == "XSN" and self.b.nouns and self.b.nouns[-1].tag == "NNP":
            if token.form == "이" and _OF_NAME.match(self.text, token.start):
                self._genitive()
                return i + 1
            if token.form == "이":
                return i + 1
            if token.form == "네" and self._tag(i + 1) in {"NNG", "NNP"}:
                self._genitive()
                return i + 1
        if token.form in _TIME_WORDS and tag in {"NNG", "NNP", "NP"} and self._tag(i + 1) != "XSN":
            self._end_phrase("bare", "")
            self.b.adverbs.append(token.form)
            i += 1
            while self._tag(i)[:1] == "J":
                i += 1
            return i
        if tag in _NOUNS:
            self._noun(i)
            return i + 1
        return i + 1

    def _after_a_laugh(self, i: int) -> bool:
        """Whether a laugh, tears or an emoji stand before the token: they end a sentence as a full stop does."""
        end = self.tokens[i - 1].start + self.tokens[i - 1].len if i else 0
        gap = self.said[end : self.tokens[i].start]
        return len(gap) > 1 and bool(re.search(r"[ㅋㅎㅠㅜ\U0001F000-\U0001FAFF]", gap))

    def _says_enough(self) -> bool:
        """Whether the phrases so far are a statement without a verb ("아들 민재가 고2")."""
        return len(self.b.phrases) > 1 and self.b.phrases[-1].case == "bare" and any(p.case in {"subject", "topic"} for p in self.b.phrases[:-1])

    def _starts_subject(self, i: int) -> bool:
        """Whether somebody's name or word comes next with a particle of a subject ("딸 수아가")."""
        j = i
        while self._tag(j) in _NOUNS and j < i + 4:
            j += 1
        return j > i and (self._form(i) in KIN or self._tag(j - 1) == "NNP") and (self._tag(j) == "JKS" or self._form(j) in {"은", "는"})

    def _at_end(self, i: int) -> bool:
        if i >= len(self.tokens) or self._tag(i) in {"SF", "SE", "SP", "EF", "JX"}:
            return True
        # A laugh ends a sentence as a full stop does ("시험임ㅠㅠ 망했다"); `clean` has left its blanks.
        gap = self.text[self.tokens[i - 1].start + self.tokens[i - 1].len : self.tokens[i].start] if i else ""
        return len(gap) > 1 and gap.isspace()

    def _noun(self, i: int) -> None:
        token, tag = self.tokens[i], self._tag(i)
        spaced = bool(self.b.nouns) and token.start > self.b.nouns[-1].start + self.b.nouns[-1].len
        if token.form in {"우리", "저희"} or (tag == "MM" and token.form in {"내", "네", "니", "울"} and self._tag(i + 1) != "NNB"):
            self._end_phrase("bare", "")
            if self._tag(i + 1)[:1] == "J" and self._tag(i + 1) != "JKG":
                self.b.nouns = [token]
            else:
                self.b.owner = "너" if token.form in {"네", "니"} else "나"
            return
        if token.form in {"나", "저", "너", "난", "전"} and tag in {"NP", "MM"}:
            self._end_phrase("bare", "")
            self.b.nouns = [token]
            if self._tag(i + 1)[:1] != "J":
                self._end_phrase("bare", "")
            return
        if spaced and tag in {"NNG", "NNP"} and len(self.b.nouns) <= _LONGEST_KIN and self.b.nouns[0].tag != "MM":
            kin = "".join(t.form for t in self.b.nouns)
            if kin in KIN:
                # "엄마 생신", "동생 혈액형": whose it is. The reader of the clause decides whether it is a subject instead ("엄마 커피 좋아해").
                self.b.owner, self.b.nouns = kin, []
        if self.b.nouns and (token.form in WH and tag in {"NP", "MM"}):
            self._end_phrase("bare", "")
        self.b.nouns.append(token)

    def _genitive(self) -> None:
        nouns = self.b.nouns
        if not nouns:
            return
        text = self._surface(nouns)
        self.b.nouns = []
        self.b.owner = "나" if text in {"나", "저", "내", "제", "우리", "저희"} else text

    def _surface(self, nouns: list[Token]) -> str:
        raw = self.text[nouns[0].start : nouns[-1].start + nouns[-1].len].strip()
        last = str(nouns[-1].form)
        # A contracted particle ("난", "이건") has no length of its own: the form says where the noun ends.
        if len(nouns) == 1 and len(last) < len(raw) + 1 and not raw.endswith(last) and re.fullmatch(r"[가-힣]+", last):
            return last
        return re.sub(r"\s+", " ", raw)

    def _end_phrase(self, case: Case, particle: str) -> None:
        b = self.b
        if not b.nouns:
            if b.owner and case != "bare":
                b.phrases.append(Phrase(b.owner, case, particle, None, b.modifier, b.inner))
                b.owner, b.modifier, b.inner = None, "", None
            return
        text = self._surface(b.nouns)
        if text in {"저", "내", "제", "난", "전"} and len(b.nouns) == 1:
            text = "나"
        b.phrases.append(
            Phrase(
                text,
                case,
                particle,
                b.owner,
                b.modifier,
                b.inner,
                tuple(t.tag for t in b.nouns),
                b.nouns[0].start,
                b.nouns[-1].start + b.nouns[-1].len,
            )
        )
        b.nouns, b.owner, b.modifier, b.inner = [], None, "", None

    def _close_fragment(self) -> None:
        self._end_phrase("bare", "")
        b = self.b
        if b.phrases or b.adverbs or (b.start >= 0 and self.starts and self.starts[-1] >= b.start):
            end = self.tokens[-1].start + self.tokens[-1].len if self.tokens else 0
            end = max((p.end for p in b.phrases), default=end)
            particle = _PARTICLE.match(self.text, end)
            end = particle.end() if particle else end
            before = bisect_left(self.starts, self.out[-1].start) if self.out else len(self.starts)
            if before and self.starts[before - 1] >= b.start:
                end = max(end, self.spans[before - 1].end)
            self._emit("", "", "", True, max(end, b.start), frozenset(), negated=False, past=False)
        self.b = _Building()

    def _emit(self, verb: str, noun: str, ending: str, final: bool, end: int, flags: frozenset[str], *, negated: bool, past: bool) -> Clause:
        b = self.b
        start = max(b.start, 0)
        mine = self.spans[bisect_left(self.starts, start) : bisect_left(self.starts, max(end, start + 1))]
        again = self.repeated[bisect_left(self.repeated_starts, start) : bisect_left(self.repeated_starts, end)] if end > start else ()
        repeats = " ".join(self.text[a:z].strip() for a, z in again)
        negated = negated or any(a in {"안", "못"} for a in b.adverbs)
        clause = Clause(
            self.text[start:end].strip(), start, end, verb, noun, tuple(b.phrases), tuple(b.adverbs), ending, final, self.sentence,
            negated, past, flags, mine, repeats,
        )  # fmt: skip
        self.out.append(clause)
        return clause

    def _predicate(self, i: int, *, copula: bool = False) -> int:
        token, tag = self.tokens[i], self._tag(i)
        verb, noun = token.form, ""
        b = self.b
        self.verb_start = token.start
        if verb == "말" and tag == "VX" and self._form(i + 1) == "시":
            verb, i = "마시", i + 1  # Kiwi splits "(차) 마셔요" so.
        if copula:
            self._end_phrase("comp", "")
            verb = "이"
            i -= 1
        elif tag == "VCP":
            if b.nouns:
                self._end_phrase("comp", "")
            verb = "이"
        elif tag == "VCN":
            verb = "아니"
        elif tag in {"XSV", "XSA"}:
            action: list[Token] = []
            while b.nouns and not action:
                action.insert(0, b.nouns.pop())
                if action[0].tag in {"XSN"} and b.nouns:
                    action.insert(0, b.nouns.pop())
            noun = self._surface(action) if action else ""
            self.verb_start = action[0].start if action else token.start
            if b.owner and b.owner != "나" and not b.nouns:
                # "강아지 입양했어": not whose adoption, but what was adopted.
                b.phrases.append(Phrase(b.owner, "bare", "", None, b.modifier, b.inner, ("NNG",), b.start, self.verb_start))
                b.owner, b.modifier, b.inner = None, "", None
            verb = noun + token.form
            self._end_phrase("bare", "")
        else:
            self._end_phrase("bare", "")
            if (
                verb in {"하", "되", "받", "가"}
                and b.phrases
                and b.phrases[-1].case in {"bare", "object"}
                and verb in {"하", "되"}
                and b.phrases[-1].tags[-1:] not in {("NNB",), ("SN",)}
            ):
                last = b.phrases[-1]
                head = last.text.split(" ")[-1]
                noun, verb = head, head + verb
                rest = last.text[: -len(head)].strip()
                b.phrases.pop()
                if rest:
                    b.phrases.append(Phrase(rest, last.case, "", last.owner, last.modifier, last.clause, last.tags[:-1], last.start, last.end))
        return self._endings(i + 1, verb, noun)

    def _endings(self, i: int, verb: str, noun: str) -> int:
        flags: set[str] = set()
        past = negated = False
        ending = ""
        while i < len(self.tokens):
            token, tag = self.tokens[i], self._tag(i)
            if tag == "EP":
                past = past or token.form in {"었", "았", "였", "었었", "았었", "였었"}
                if token.form == "겠":
                    flags.add("will")
                i += 1
            elif tag == "EF" or (tag == "JKV" and verb == "이") or (tag == "JX" and verb == "이" and not ending):
                ending = token.form
                if ending.endswith(("대", "대요", "답니다", "다더라", "래", "래요", "냬", "단다")) and ending[0] in "ᆫ다는라이래대":
                    flags.add("hearsay")
                if ending in {"려고", "으려고", "ᆯ려고"}:
                    flags.add("will")
                if self._tag(i + 1) == "JX":
                    i += 1
                self._finish(verb, noun, ending, True, i, flags, negated=negated, past=past)
                return i + 1
            elif tag == "ETM" and self._form(i + 1) == "데" and self._tag(i + 1) == "NNB" and self._tag(i + 2)[:1] != "J":
                # "키우는데 올해 열 살이야": taken for "a place where".
                self._finish(verb, noun, f"{token.form}데", False, i + 1, flags, negated=negated, past=past)
                return i + 2
            elif tag == "ETM":
                following = self._after_adnominal(i, flags)
                if following is None:
                    return self._adnominal(i, verb, noun, flags, negated=negated, past=past)
                i = following
            elif tag == "ETN" and token.form == "기" and self._form(i + 1) == "로" and self._form(i + 2) in {"하", "되", ""}:
                flags.add("will")
                i += 3
            elif tag == "ETN" and token.form in {"음", "ᆷ"} and self._at_end(i + 1):
                # "알러지 있음", "서울에 삼": the clipped ending of memos.
                self._finish(verb, noun, token.form, True, i, flags, negated=negated, past=past)
                return i + 1
            elif tag == "ETN":
                return self._nominal(i, verb, noun)
            elif tag == "EC":
                ending = token.form
                if self._form(i + 1) == "하" and self._tag(i + 1) == "VX" and verb in _SHOWN:
                    verb, i = _SHOWN[verb], i + 2
                    continue
                following = self._after_connective(i, flags)
                if following is None:
                    after = self._tag(i + 1)
                    final = after in {"", "SF", "SE"} or (after == "SP" and form_ends(ending))
                    self._finish(verb, noun, ending, final, i, flags, negated=negated, past=past)
                    return i + 1
                if following < 0:
                    negated, following = True, -following
                i = following
            elif tag in {"VX", "VV", "VA", "XSV", "VCP", "NNB", "JX", "JKS", "XSA"} and flags:
                i += 1
            else:
                break
        self._finish(verb, noun, ending, False, i - 1, flags, negated=negated, past=past)
        return i

    def _end_of(self, i: int) -> int:
        if i >= len(self.tokens):
            return len(self.text)
        # Contracted endings share their character with the stem.
        return min(len(self.text), int(self.tokens[i].start + self.tokens[i].len))

    def _finish(self, verb: str, noun: str, ending: str, final: bool, i: int, flags: set[str], *, negated: bool, past: bool) -> None:
        self._emit(verb, noun, ending, final, self._end_of(i), frozenset(flags), negated=negated, past=past)
        self.b = _Building()

    def _after_connective(self, i: int, flags: set[str]) -> int | None:
        """Where to go on when the connective at `i` only carries an auxiliary; negative when that denies; None when the clause ends."""
        form, nxt, tag = self.tokens[i].form, self._form(i + 1), self._tag(i + 1)
        if tag == "JX":  # "먹지는 않아"
            nxt, tag, i = self._form(i + 2), self._tag(i + 2), i + 1
        if form == "지" and nxt in {"않", "못하", "말"}:
            return -(i + 2)
        if form == "고" and nxt in {"있", "계시"} and tag in {"VX", "VA", "VV"}:
            flags.add("ongoing")
            return i + 2
        if form == "고" and nxt == "싶":
            flags.add("want")
            return i + 2
        if form in {"어", "아", "여", "고", "다가", "게"} and tag == "VX":
            flags.add({"주": "give", "보": "try", "두": "keep", "놓": "keep", "지": "become"}.get(nxt, "aux"))
            return i + 2
        if form in {"려고", "ᆯ려고", "으려고", "을려고", "려", "고자"} and (nxt == "하" or tag == ""):
            flags.add("will")
            return i + 2
        if form in {"어야", "아야", "여야"} and nxt in {"하", "되"}:
            flags.add("must")
            return i + 2
        if form in {"어도", "아도", "여도", "면", "으면"} and nxt in {"되", "좋", "괜찮"} and tag in {"VV", "VA", "VX"}:
            flags.add("may")
            return i + 2
        if form in {"러", "으러"} and nxt in {"가", "오", "다니", "나가"}:
            flags.add("purpose")
            return i + 2
        if form.endswith(("다고", "라고", "자고", "냐고")):
            if nxt in {"하", "그러", "말하", "했"} or tag == "":
                flags.add("quoted")
                return i + 2
            if nxt in {"생각", "말", "얘기", "이야기", "말씀"}:
                flags.add("quoted")
                return i + 3 if self._tag(i + 2) in {"XSV", "VV"} else i + 2
        if form == "게" and nxt == "되":
            flags.add("become")
            return i + 2
        return None

    def _after_adnominal(self, i: int, flags: set[str]) -> int | None:
        """Where to go on when the adnominal at `i` only makes a periphrasis ("ᆯ 거야", "ᆯ 줄 알아"); None for a real relative clause."""
        form, nxt, tag = self.tokens[i].form, self._form(i + 1), self._tag(i + 2)
        after = self._form(i + 2)
        if nxt in {"거", "것", "게"} and (tag in {"VCP", "EF", ""} or after == "같"):
            flags.add("guess" if after == "같" else "will" if form in {"ᆯ", "을"} else "is")
            return i + (3 if tag == "VCP" or after == "같" else 2)
        if nxt in {"줄", "수", "적", "일"} and self._tag(i + 1) == "NNB":
            j = i + 2
            while self._tag(j) in {"JKS", "JX", "JKO", "MAG"}:
                j += 1
            if self._form(j) in {"알", "있", "없", "모르"}:
                flags.add({"줄": "skill", "수": "can", "적": "once", "일": "once"}[nxt])
                if self._form(j) in {"없", "모르"}:
                    flags.add("cannot")
                return j + 1
        if nxt in {"중", "예정", "계획", "생각", "셈", "참", "편", "작정"} and tag in {"VCP", "EF", "JKV", "", "SF"}:
            flags.add("ongoing" if nxt == "중" else "will" if nxt in {"예정", "계획", "생각", "작정", "참"} else "is")
            return i + (3 if tag == "VCP" else 2)
        return None

    def _adnominal(self, i: int, verb: str, noun: str, flags: set[str], *, negated: bool, past: bool) -> int:
        """A relative clause: its topic stays outside ("저는 | 제일 좋아하는 | 과일이 ..."), the rest becomes the next noun's modifier."""
        b = self.b
        outer = [p for p in b.phrases if p.case == "topic"]
        # Nobody nests so many; a text that does would make a tree that no recursion reaches the bottom of.
        b.phrases = [_shallow(p) for p in b.phrases if p.case != "topic"]
        inner_start = min([self.verb_start, *(p.start for p in b.phrases if p.text != "나" and p.tags)])
        clause = self._emit(verb, noun, self.tokens[i].form, False, self._end_of(i), frozenset(flags | {"adnominal"}), negated=negated, past=past)
        self.out.pop()
        start = b.start
        self.b = _Building(phrases=outer, start=start, modifier=self.text[inner_start : self._end_of(i)].strip(), inner=clause)
        nxt = self._form(i + 1)
        if nxt in {"거", "것", "게", "일"} and self._tag(i + 1) == "NNB":
            contracted = self.tokens[i + 1]
            state = self.tokens[i].form != "는" or verb in {"있", "없"} or str(self.tokens[i - 1].tag).startswith(("VA", "XSA"))
            words = (
                f"{self.b.modifier} 것"
                if state and nxt != "일" and not past
                else clause.noun or f"{self.text[inner_start : self.verb_start].strip()} {nominal(verb)}".strip()
            )
            case: Case = _CASES.get(self._form(i + 2), "bare") if self._tag(i + 2)[:1] == "J" else "bare"
            if clause.noun and (extra := clause.get("object", "bare")):
                words = f"{extra.text} {clause.noun}"
            self.b.phrases.append(Phrase(words, case, "", None, "", clause, ("NOMINAL",), inner_start, contracted.start + contracted.len))
            self.b.modifier, self.b.inner = "", None
            return i + (3 if self._tag(i + 2)[:1] == "J" else 2)
        return i + 1

    def _nominal(self, i: int, verb: str, noun: str) -> int:
        b = self.b
        keep = [p for p in b.phrases if p.case in {"topic", "subject"} and p.text != noun]
        inside = [p for p in b.phrases if p not in keep]
        end = self._end_of(i)
        start = min((p.start for p in inside if p.start), default=self.tokens[i].start - len(noun) - 1)
        words = self.text[max(start, 0) : end].strip() or noun
        if noun and not inside:
            words = noun
        start0 = b.start
        j = i + 1
        case: Case = "bare"
        particle = ""
        if self._tag(j)[:1] == "J":
            case, particle = _CASES.get(self._form(j), "bare"), self._form(j)
            j += 1
        elif self._tag(j) in {"VCP", "EF", ""}:
            case = "comp"
        self.b = _Building(
            phrases=[*keep, Phrase(words, case, particle, None, "", None, ("NOMINAL",), max(start, 0), end)], adverbs=b.adverbs, start=start0
        )
        return j
