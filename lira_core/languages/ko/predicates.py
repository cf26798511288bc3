"""Predicates: a verb with its endings and auxiliaries, and what it is when its clause is part of another."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kiwipiepy import Token

from lira_core.languages.ko.clause import Case, Clause, Phrase
from lira_core.languages.ko.morphemes import join
from lira_core.languages.ko.phrases import Building, Phrases

CASES: Final[dict[str, Case]] = {
    "은": "topic", "는": "topic", "ᆫ": "topic", "이": "subject", "가": "subject", "께서": "subject", "을": "object", "를": "object", "ᆯ": "object",
    "에": "at", "에서": "from", "서": "from", "로": "to", "으로": "to", "랑": "with", "이랑": "with", "와": "with", "과": "with", "하고": "with",
    "한테": "person", "에게": "person", "께": "person", "한테서": "person", "보다": "than", "처럼": "like",
}  # fmt: skip
# Feelings as one shows them, which Kiwi takes apart after some words ("비려서 싫어해요").
_SHOWN: Final = {"싫": "싫어하", "좋": "좋아하", "무섭": "무서워하", "두렵": "두려워하", "힘들": "힘들어하"}
DEEPEST: Final = 8
"""Relative clauses within one another that are kept."""


def nominal(verb: str) -> str:
    """The verb as a thing one does: "만들" is "만들기"."""
    return join([(verb, "VV"), ("기", "ETN")])


def form_ends(ending: str) -> bool:
    """Whether a connective before a comma really ends a sentence ("저는 민수예요, ..." "부산 살아, ...")."""
    return ending.endswith("요") or ending in {"어", "아", "여", "야", "다", "ᆫ다", "지", "죠"}


def _depth(clause: Clause | None) -> int:
    return 0 if clause is None else 1 + max((_depth(p.clause) for p in clause.phrases), default=0)


def _shallow(phrase: Phrase) -> Phrase:
    return replace(phrase, clause=None) if _depth(phrase.clause) >= DEEPEST else phrase


class Predicates(Phrases):
    """Reads a predicate to its end."""

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

    def _at_end(self, i: int) -> bool:
        if i >= len(self.tokens) or self._tag(i) in {"SF", "SE", "SP", "EF", "JX"}:
            return True
        # A laugh ends a sentence as a full stop does ("시험임ㅠㅠ 망했다"); `clean` has left its blanks.
        gap = self.text[self.tokens[i - 1].start + self.tokens[i - 1].len : self.tokens[i].start] if i else ""
        return len(gap) > 1 and gap.isspace()

    def _finish(self, verb: str, noun: str, ending: str, final: bool, i: int, flags: set[str], *, negated: bool, past: bool) -> None:
        self._emit(verb, noun, ending, final, self._end_of(i), frozenset(flags), negated=negated, past=past)
        self.b = Building()

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
            flags.add("give" if nxt == "주" else "aux")
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
        if (form in {"러", "으러"} and nxt in {"가", "오", "다니", "나가"}) or (form == "게" and nxt == "되"):
            flags.add("aux")
            return i + 2
        if form.endswith(("다고", "라고", "자고", "냐고")):
            if nxt in {"하", "그러", "말하", "했"} or tag == "":
                flags.add("quoted")
                return i + 2
            if nxt in {"생각", "말", "얘기", "이야기", "말씀"}:
                flags.add("quoted")
                return i + 3 if self._tag(i + 2) in {"XSV", "VV"} else i + 2
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
                flags.add("cannot" if self._form(j) in {"없", "모르"} else "can")
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
        self.b = Building(phrases=outer, start=start, modifier=self.text[inner_start : self._end_of(i)].strip(), inner=clause)
        nxt = self._form(i + 1)
        if nxt in {"거", "것", "게", "일"} and self._tag(i + 1) == "NNB":
            contracted = self.tokens[i + 1]
            state = self.tokens[i].form != "는" or verb in {"있", "없"} or str(self.tokens[i - 1].tag).startswith(("VA", "XSA"))
            words = (
                f"{self.b.modifier} 것"
                if state and nxt != "일" and not past
                else clause.noun or f"{self.text[inner_start : self.verb_start].strip()} {nominal(verb)}".strip()
            )
            case: Case = CASES.get(self._form(i + 2), "bare") if self._tag(i + 2)[:1] == "J" else "bare"
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
            case, particle = CASES.get(self._form(j), "bare"), self._form(j)
            j += 1
        elif self._tag(j) in {"VCP", "EF", ""}:
            case = "comp"
        self.b = Building(
            phrases=[*keep, Phrase(words, case, particle, None, "", None, ("NOMINAL",), max(start, 0), end)], adverbs=b.adverbs, start=start0
        )
        return j
