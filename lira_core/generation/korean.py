"""The grounded answer in Korean: what kind of utterance it is, then one or two polite sentences for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from lira_core.generation import wordings as say
from lira_core.generation.choice import chance, choose
from lira_core.generation.dated import dated
from lira_core.generation.feelings import SPOKEN, feeling
from lira_core.generation.knowledge import Answer, everything, known, of_oneself, to_tell
from lira_core.generation.port import Prompt
from lira_core.generation.retold import retold
from lira_core.generation.wordings import TONES, Tone
from lira_core.korean import retelling
from lira_core.korean.particles import called, honoured, is_, object_, subject, topic
from lira_core.korean.people import PETS
from lira_core.korean.retelling import Clause, clauses, hearing, noticing, stating, told
from lira_core.korean.speech import EXCLAIMS, FEELING_STEMS, KIN
from lira_core.korean.telling import CALLED, clause_of, merged
from lira_core.language import language_of
from lira_core.memory.question import Question
from lira_core.safety import at_risk
from lira_core.types import USER, Fact, Memory, Message

# A fact is taken up before a feeling unless the feeling is this strong (the gate of seed 000).
STRONG = 0.6
# Longer than this (characters) a clause is not repeated to the person; it would sound like an echo.
LONGEST_ECHO = 45
# A longer memory (characters) is quoted by the sentence that answers.
LONGEST_QUOTE = 80
# Sorrow said this often before is noticed (seed 000: "2-3회 반복 발화").
REPEATED = 2
# What "요즘" covers: two weeks, over which the usual screening for depression asks (PHQ-9).
LATELY = timedelta(days=14)

_LOSS = re.compile(
    r"돌아가셨|돌아가시|세상을 떠|하늘나라|무지개다리|장례|별세|사별|(?:강아지|고양이|친구|엄마|아빠|할머니|할아버지|햄스터)\S*\s?죽었"
    r"|떠나보냈|유산했"
)
_SORROWFUL = {
    "힘들": "힘들다", "지치": "지친다", "지쳤": "지친다", "우울": "우울하다", "외로": "외롭다", "외롭": "외롭다", "슬프": "슬프다", "슬퍼": "슬프다",
    "괴로": "괴롭다", "괴롭": "괴롭다", "불안": "불안하다", "속상": "속상하다", "무기력": "무기력하다", "눈물": "눈물이 난다", "막막": "막막하다",
}  # fmt: skip
_TRIGGER_ONLY = re.compile(r"^(?:꼭\s*)?(?:기억|저장|메모)\s*(?:해|하)\s*\S*$")


def reply(prompt: Prompt) -> str:
    """One or two polite sentences."""
    question = prompt.question
    phatic = _phatic(prompt)
    if phatic is not None:
        return phatic
    if question is not None and question.about_memory and not _wonders(question):
        return _remembered(prompt, question)
    if question is not None and not _of_lira(prompt.text) and (answer := _from_words(prompt, question, known(prompt))):
        return answer
    sorrow = _repeated_sorrow(prompt)
    if sorrow is not None:
        return sorrow
    if question is not None:
        return _asked(prompt)
    said = clauses(prompt.text)
    if not prompt.facts and ((said and all(c.mood == "question" for c in said)) or _MEALS.search(prompt.text) or _MUSES.search(prompt.text)):
        return _asked(prompt)
    if _LOSS.search(prompt.text):
        return _felt(prompt, say.LOSS)
    fact = _leading_fact(prompt)
    if fact is not None:
        return _acknowledged(prompt, fact)
    return _felt(prompt, _tone(prompt))


def _wonders(question: Question) -> bool:
    """ "내가 왜 그랬을까": nobody's memory is asked."""
    return question.wants in {"why", "how"} and not (question.slots or question.terms or question.emotions or question.session_only)


# Questions about the person


def _remembered(prompt: Prompt, question: Question) -> str:
    if everything(question):
        return _summary(prompt)
    answers = known(prompt)
    if not answers:
        # "나이트 끝나면 왤케 배고프지" asks of nothing that was told.
        return (None if _PAST.search(prompt.text) or question.slots else _musing(prompt.text)) or _unknown(prompt, question)
    return _own_name(answers[0], question) or _from_words(prompt, question, answers) or _unknown(prompt, question)


def _own_name(answer: Answer, question: Question) -> str | None:
    """The bare name, where that is asked and a fact holds it among the words that answer."""
    if (USER, "name") not in question.slots[:1]:
        return None
    names = [
        f.object for f in answer.memory.facts if f.predicate == "name" and f.subject == USER and f.object in (answer.words or answer.memory.text)
    ]
    return f"{is_(honoured(names[0]))}." if names else None


_SEVERAL = re.compile(
    r"둘\s?다|각각|모두|전부|다\s?말|[가-힣](?:이랑|랑|하고|과|와|그리고)\s.*(?:이름|날짜|시간|장소|나이|직업|뭐|어디|언제|누구|몇|무슨)|어디서.*(?:무슨|몇|뭐|얼마)|몇.*몇"
)
_SAID = ("하셨어요", "하셨어요", "말씀하셨어요", "하셨죠")
_ALSO = ("도 하셨어요", "도 말씀하셨어요")


def _from_words(prompt: Prompt, question: Question, answers: Sequence[Answer]) -> str | None:
    """What was told as indirect speech: the surest memory, and a second one that answers too; yes or no before it."""
    told: list[str] = []
    for answer in to_tell(answers, several=bool(_SEVERAL.search(prompt.text))):
        if at_risk(answer.memory.text):
            return "많이 힘들다고 하셨어요. 지금은 마음이 좀 어떠세요?"
        told += _retold(answer.memory, prompt.at, question, answer.words)[: 1 if told else 2]
    if not told:
        return None
    first = f"{told[0]} {choose(_SAID, prompt.text, told[0])}."
    if prompt.verdict is not None:
        first = f"{'네' if prompt.verdict == 'yes' else '아니요'}, {first}"
    return " ".join([first, *(f"{more}{choose(_ALSO, prompt.text, more)}." for more in told[1:])])


def _retold(memory: Memory, now: datetime, question: Question | None = None, words: str | None = None) -> tuple[str, ...]:
    """ "…다고" of a memory, its relative dates made absolute unless it was said today.

    Where retelling would lose the words that answer (dialect, slang, a long story), the person's own sentence stands instead.
    """
    if language_of(memory.text) == "en":
        return (called(_around(memory.text, words).rstrip(" .!?")),)
    pieces = retold(memory, now, question)
    if words is None or _squash(words) in _squash(" ".join(pieces)):
        return pieces
    return (called(_around(dated(memory.text, memory.timestamp, now), words).rstrip(" .!?~")),)


def _around(text: str, words: str | None) -> str:
    """The sentence that holds the words; the whole text where it is short or none does."""
    sentences = [s for s in re.split(r"(?<=[.!?~])\s+|\n+", text) if s.strip()]
    return next((s for s in sentences if words and words in s), text) if len(text) > LONGEST_QUOTE else text


def _summary(prompt: Prompt) -> str:
    memories, found = of_oneself(prompt)
    facts = merged(found)
    order = ["name", "job", "live_in", "like", "favorite", "hobby", "pet", "family", "plan", "allergy"]
    facts.sort(key=lambda f: (f.subject != USER, order.index(f.predicate) if f.predicate in order else len(order)))
    parts = [c for f in facts if (c := clause_of(f, prompt.at)) is not None][:3]
    if parts:
        *before, last = parts
        return " ".join([*(retelling.adding(c, honour=True) + "," for c in before), stating(last)]) + "."
    for memory in memories:
        said = _retold(memory, prompt.at)
        if said and not at_risk(memory.text):
            return f"{said[0]} 하셨어요."
    return "아직 들은 이야기가 많지 않아서 잘 모르겠어요. 하나씩 들려주시면 기억할게요."


_SLOT_NAMES = {
    "name": "이름", "nickname": "별명", "age": "나이", "birthday": "생일", "blood_type": "혈액형", "mbti": "MBTI", "height": "키", "weight": "몸무게",
    "hometown": "고향", "live_in": "사는 곳", "nationality": "국적", "religion": "종교", "phone": "전화번호", "school": "학교", "major": "전공",
    "job": "직업", "workplace": "직장", "hobby": "취미", "allergy": "알레르기", "family": "가족", "pet": "반려동물", "plan": "일정", "goal": "목표",
    "boss": "상사 이름", "medicine": "드시는 약", "zodiac": "띠", "breed": "품종", "anniversary": "기념일", "deadline": "마감일",
    "fear": "무서워하시는 것",
    "diet": "식단", "exercise": "운동", "personality": "성격", "project": "프로젝트", "skill": "잘하시는 것", "learning": "배우시는 것",
}  # fmt: skip


def _unknown(prompt: Prompt, question: Question) -> str:
    what = _asked_for(question)
    if what is None or question.wants == "yesno":
        return choose(say.UNKNOWN, prompt.text)
    about = choose(say.UNKNOWN_OF, prompt.text)
    return about.format(what=f"{what}에 대해서는" if about.startswith("아직") else topic(what))


def _asked_for(question: Question) -> str | None:
    if question.session_only or question.wants == "who" or not question.slots:
        return None
    whose, predicate = question.slots[0]
    name = _SLOT_NAMES.get(predicate)
    if predicate == "favorite" and question.value:
        name = f"제일 좋아하{'시' if whose in {None, USER} else ''}는 {question.value}"
    elif predicate == "attribute":
        name = question.value
    elif predicate in {"like", "dislike"} and question.value is None:
        name = "좋아하시는 것" if predicate == "like" else "싫어하시는 것"
    if name is None or (whose is not None and whose != USER and predicate in {"family", "pet"}):
        return None
    if whose in {None, USER}:
        return name
    return f"{subject(honoured(whose or ''))} {name}" if "좋아하" in name or "싫어하" in name else f"{whose} {name}"


# Other questions

_ABOUT_LIRA = (
    (re.compile(r"(?:너|넌|네|니|당신|리라|그쪽).{0,8}(?:이름|누구)|^누구(?:야|세요|니|시)"), say.SELF_NAME),
    (
        re.compile(
            r"(?:너|넌|네가|니가|당신|리라).{0,12}(?:기억\s?(?:을\s?)?(?:잘|력)|할 수|잘해|하는 일|뭘 해|기능|도와)|무엇을 할 수|뭘 할 수|뭐 할 수"
        ),
        say.SELF_CAN,
    ),
    (re.compile(r"(?:너|넌|당신|리라|네가|니가).{0,10}(?:사람|인간|로봇|ai|인공지능|기계|감정|느껴|느끼|진짜)", re.I), say.SELF_KIND),
    (re.compile(r"(?:너|넌|당신|리라|네).{0,8}(?:좋아하|좋아해|취미|취향|싫어)"), say.SELF_LIKES),
    (re.compile(r"뭐\s?(?:해|하니|하고 있)|잘 지냈|잘 지내|밥\s?(?:은\s?)?먹었|기분(?:은|이)?\s?(?:어때|어떠)|오늘 어땠|심심하"), say.SELF_DAY),
)
_SEEKS_ADVICE = re.compile(
    r"어떡|어떻게\s?(?:하|해|할)|할까|갈까|먹을까|좋을까|해야\s?(?:할|돼|되|하)|추천|괜찮을까|될까|뭐\s?(?:먹|입|하|사)지|조언"
)


def _of_lira(text: str) -> bool:
    return any(pattern.search(text) for pattern, _ in _ABOUT_LIRA)


def _asked(prompt: Prompt) -> str:
    text = prompt.text
    for pattern, answers in _ABOUT_LIRA:
        if pattern.search(text):
            return choose(answers, text)
    tone = _tone(prompt)
    others = [c for c in clauses(text) if c.mood == "statement"]
    if (muses := _musing(text)) is not None:
        return muses
    if tone is not TONES["neutral"] and others and not text.rstrip().endswith("?"):
        return _felt(prompt, tone)
    if _SEEKS_ADVICE.search(text) and not re.search(r"몇|얼마", text):
        return choose(say.ADVICE, text)
    if tone.heavy:
        return choose(say.WONDERING, text)
    return choose(say.WORLD, text)


_MEALS = re.compile(r"(?:뭐|머|뭘|무얼)\s?(?:먹|시켜|해\s?먹)[가-힣]*(?:지|까|나|냐|야\s?(?:하|되))|이나\s먹을까")
_WAITS = re.compile(r"언제\s?(?:끝|오|되|와)|어떻게\s?기다|까지\s.*기다리지")
_WHYS = re.compile(r"(?:왜|왤케).*(?:지|냐|나|니|죠|해|까|어|야|아)[\s~?!ㅋㅎㅠㅜ.]*$")
_OWN_LIFE = re.compile(r"인생|나는|난\s|내가|나만|나한테|사는 게|사는게")
_MUSES = re.compile(r"(?:어떻게|어떡|뭐|머|뭘|어디|언제|누구).*(?:지|냐|려나|을까|ㄹ까)[\s~?!ㅋㅎㅠㅜ.]*$")
_ASKS_A_THING = re.compile(r"무슨|어느|어디|뭐|뭘|누구|언제|몇|얼마|어떤|(?<![가-힣])(?:제|내|나|저|저희|우리)(?![가-힣]{2})")
_TAGS = re.compile(r"(?:[가-힣]죠|겠지|지요)[\s~?!ㅋㅎ.]*$")


_PAST = re.compile(r"[었았했웠졌났갔왔봤샀됐랬댔]|더라|던")


def _musing(text: str) -> str | None:
    """An answer to what is asked of nobody: the day's meal, why it rains, when it will be over."""
    if _MEALS.search(text):
        return choose(say.MEALS, text)
    if _WAITS.search(text):
        return choose(say.WAITING, text)
    if _WHYS.search(text):
        return choose(say.WONDERING if _OWN_LIFE.search(text) else say.WHYS, text)
    if _TAGS.search(text) and not _ASKS_A_THING.search(text):
        return choose(say.AGREEING, text)
    return choose(say.MUSING, text) if _MUSES.search(text) and "?" not in text else None


# Facts just told


def _leading_fact(prompt: Prompt) -> Fact | None:
    """The fact to take up; None where the feeling matters more."""
    order = ["name", "plan", "health", "taste", "relation", "work", "profile", "event"]
    facts = sorted(prompt.facts, key=lambda f: (order.index(f.category), f.subject != USER))
    if not facts:
        return None
    first = facts[0]
    label, score = feeling(prompt.emotion, prompt.text)
    tone = TONES[label]
    felt = any(c.lemma in FEELING_STEMS for c in clauses(prompt.text))
    if first.category == "name" or (first.category == "taste" and not tone.heavy) or label == "neutral":
        return first
    if first.category in {"profile", "relation", "work"} and not tone.heavy:
        return first
    if first.category in {"plan", "health"} and not (felt or (tone.heavy and score >= STRONG)):
        return first
    return None if tone.heavy or felt else first


def _acknowledged(prompt: Prompt, fact: Fact) -> str:
    seed = prompt.text
    if fact.predicate == "name" and fact.subject == USER and not any(word in prompt.text for word in PETS):
        return _named(prompt, fact)
    before = _replaced(prompt, fact)
    said = _taken_up(prompt, fact, before)
    if said is None:
        return _felt(prompt, _tone(prompt))
    return f"{said}. {_after(prompt, fact, moved=before is not None)}" if chance(0.75, seed) or len(said) < 12 else f"{said}."


def _named(prompt: Prompt, fact: Fact) -> str:
    name = honoured(fact.object)
    known_before = any(f.predicate == "name" and f.subject == USER and f.object == fact.object for r in prompt.recalled for f in r.memory.facts)
    greeting = choose(say.AGAIN if known_before else say.WELCOME, prompt.text).format(name=name)
    others = [f for f in prompt.facts if f is not fact]
    own = [c for c in clauses(prompt.text) if c.mood == "statement" and fact.object not in c.lead and any(_mentions(c, f) for f in others)]
    return f"{greeting} {noticing(_of_speaker(own[0], others))}." if own else greeting


def _of_speaker(clause: Clause, facts: Sequence[Fact]) -> Clause:
    """Honoured where a fact says that the clause is about the speaker, which a bare "33살" does not show."""
    own = any(f.subject == USER and f.predicate in {"age", "job", "grade", "role"} and f.object in clause.lead for f in facts)
    return replace(clause, mine=True) if own and not any(word in KIN for word in clause.lead.split()) else clause


def _replaced(prompt: Prompt, fact: Fact) -> Fact | None:
    """What was known before under the same key and is told otherwise now."""
    if fact.key is None:
        return None
    same = [f for r in prompt.recalled for f in r.memory.facts if f.key == fact.key]
    different = [f for f in same if (f.object, f.polarity, f.predicate) != (fact.object, fact.polarity, fact.predicate) or f.when != fact.when]
    return different[0] if different else None


def _taken_up(prompt: Prompt, fact: Fact, before: Fact | None) -> str | None:
    """ "…시군요" of the very fact, in the person's words where they are short."""
    if before is not None and fact.predicate == "favorite" and fact.subject == USER:
        return f"이제는 {object_(fact.object)} 더 좋아하시는군요"
    if fact.predicate == "relation" and fact.object not in PETS:
        return noticing(retelling.statement(f"{subject(honoured(fact.subject))} {fact.object}", kind="copula"))
    if fact.subject == USER and before is None and CALLED.get(fact.predicate, "\n") in prompt.text:
        return noticing(retelling.statement(f"{subject(CALLED[fact.predicate])} {fact.object}", kind="copula"))
    own = [c for c in clauses(prompt.text) if c.mood == "statement" and len(c.lead) <= LONGEST_ECHO]
    about = [c for c in own if _mentions(c, fact)]
    made = None if fact.category == "plan" or fact.subject != USER else clause_of(fact)
    clause = max(about, key=lambda c: c.weight) if about else made or max(own, key=lambda c: c.weight, default=None)
    if clause is None or _UNSAYABLE.search(told(clause)):
        return None
    clause = _of_speaker(clause, prompt.facts)
    now = "이제는 " if before is not None and fact.category in {"taste", "work"} and not clause.lead.startswith(("이제", "요즘", "지금")) else ""
    return now + noticing(clause)


def _mentions(clause: Clause, fact: Fact) -> bool:
    said = clause.lead + clause.lemma
    return any(word in said for word in fact.object.split())


_TESTS = re.compile(r"면접|시험|발표|오디션|수능|자격증|대회|경기|심사|토익")
_TRIPS = re.compile(r"여행|출장|휴가|캠핑|소풍")
_FEASTS = re.compile(r"결혼(?!식)|생일|생신|졸업|입학|돌잔치|기념일|출산")
_ENDS = re.compile(r"그만두|그만둘|퇴사|이직|자퇴|휴학")
_DUE = re.compile(r"마감|제출|내야|까지")
_OUT = re.compile(r"가기|가요|갑니다|간다|가려|가\s?(?:!|$)|다녀|방문|보러|만나|약속")
_IN_THE_AIR = re.compile(r"털|꽃가루|먼지|진드기|햇빛|금속")
_CLINICS = re.compile(r"병원|치과|수술|검진|검사|진료|치료|입원")


def _after(prompt: Prompt, fact: Fact, *, moved: bool) -> str:
    text = fact.object + prompt.text
    kind: str = fact.category if fact.category in say.AFTER else "event"
    if fact.category == "plan" and fact.polarity:
        kinds = (("change", _ENDS), ("test", _TESTS), ("due", _DUE), ("trip", _TRIPS), ("clinic", _CLINICS), ("out", _OUT))
        kind = next((k for k, p in kinds if p.search(text)), "plan")
        if moved:
            kind = "moved"
        elif fact.predicate == "goal":
            kind = "goal"
        elif _FEASTS.search(text):
            kind = "celebrate"
        elif fact.predicate != "plan":
            kind = "profile"
    elif fact.category == "plan":
        kind = "profile"
    elif fact.category == "taste" and not fact.polarity:
        kind = "ended"
    elif fact.predicate in {"dislike", "fear"}:
        kind = "distaste"
    elif fact.predicate == "allergy":
        kind = "air" if _IN_THE_AIR.search(prompt.text) else "careful"
    elif fact.predicate in {"diet", "exercise", "blood_type", "medicine"}:
        kind = "profile"
    elif fact.predicate in {"pet", "breed"} or fact.subject in PETS or (fact.category == "name" and any(word in prompt.text for word in PETS)):
        kind = "pet"
    elif fact.category == "name" or (fact.category == "work" and fact.subject != USER):
        kind = "relation"
    elif fact.predicate == "memo" or prompt.decision.reason == "trigger":
        return choose(say.KEPT, prompt.text)
    return choose(say.AFTER[kind], prompt.text, kind)


# Feelings


def _tone(prompt: Prompt) -> Tone:
    return TONES[feeling(prompt.emotion, prompt.text)[0]]


# Chat that LIRA does not repeat, and idioms that mean nothing of what they say.
_UNSAYABLE = re.compile(r"쩔|쩐|째지|째졌|존나|빡|씨발|시발|병신|지랄|미친|개같|ㄹㅇ|죽겠|죽는 줄|미치겠|돌겠")
_WORTH_A_TOAST = re.compile(r"합격|승진|결혼(?!기념일)|졸업|당첨|이겼|임신|뽑|통과|붙|1등|일등|생일|취직|취업|상을|완성|성공|출산")


def _felt(prompt: Prompt, tone: Tone) -> str:
    """Empathy that names what happened, then perhaps what is remembered of such a time, else a second sentence."""
    seed = prompt.text
    found = [
        c
        for c in clauses(prompt.text)
        if len(c.lead) <= LONGEST_ECHO and not _UNSAYABLE.search(told(c)) and not (c.kind == "noun" and c.lemma in EXCLAIMS)
    ]
    said = [c for c in found if c.mood == "statement"]
    events = [c for c in said if c.lemma not in FEELING_STEMS]
    clause = max(events or said, key=lambda c: c.weight, default=None)
    if clause is None:
        return _unechoed(prompt, tone, found)
    pool = tone.event if events else tone.felt
    after = _fitting(tone.next, prompt.text)
    if clause.lemma == "같" and tone is TONES["neutral"]:
        return f"그렇게 느끼셨군요. {choose(after, seed, 'next')}"
    taken = hearing(clause)
    root = clause.lemma[:1]
    fresh = [w for w in _fitting(pool, prompt.text) if not (clause.lemma in FEELING_STEMS and root and f" {root}" in w)] or list(pool)
    if tone is TONES["neutral"] and prompt.text.startswith("안녕"):
        return f"{choose(say.MEETING, seed)} {noticing(clause)}."
    first = choose(fresh, seed, "first").format(said=taken, seen=noticing(clause))
    recalled = _same_feeling(prompt, tone)
    if recalled is not None:
        return f"{first} {recalled}"
    if tone is TONES["neutral"] and prompt.decision.reason == "trigger":
        return f"{first} {choose(say.KEPT, seed)}"
    if tone.heavy and tone is not say.LOSS and any(f.category == "health" for f in prompt.facts):
        return f"{first} {choose(say.AFTER['health'], seed)}"
    return f"{first} {choose(after, seed, 'next')}" if len(first) <= 60 else first


def _fitting(wordings: Sequence[str], text: str) -> Sequence[str]:
    """Without those that would only suit a feast or a test."""
    kept = [w for w in wordings if ("축하" not in w or _WORTH_A_TOAST.search(text)) and (not _OF_TESTS.search(w) or _TESTS.search(text))]
    return kept or list(wordings)


_OF_TESTS = re.compile(r"준비하신|끝나고|잘하고 싶|응원하고 있")


def _unechoed(prompt: Prompt, tone: Tone, found: Sequence[Clause]) -> str:
    moods = {c.mood for c in found}
    if moods & {"request", "command"}:
        return choose(say.ASKED, prompt.text)
    if "proposal" in moods:
        return choose(say.TOGETHER, prompt.text)
    return f"{choose(tone.bare, prompt.text)} {choose(tone.next, prompt.text)}" if tone is not TONES["neutral"] else choose(tone.bare, prompt.text)


def _same_feeling(prompt: Prompt, tone: Tone) -> str | None:
    """A recalled memory of the same feeling; a cheerful one never meets a heavy heart."""
    if tone is TONES["neutral"] or prompt.emotion is None or any(at_risk(m.content) for m in prompt.history if m.role == "user"):
        return None
    here = {_squash(m.content) for m in (*prompt.history, Message("user", prompt.text))}
    for one in prompt.recalled:
        memory = one.memory
        label = memory.emotion.real.label if memory.emotion and memory.emotion.real else None
        other = TONES.get(label or "")
        if other is None or other.heavy != tone.heavy or other.warm != tone.warm or ("emotion" not in one.paths and "semantic" not in one.paths):
            continue
        if _squash(memory.text) in here or at_risk(memory.text) or memory.timestamp >= prompt.at:
            continue
        pieces = _retold(memory, prompt.at)
        if len(pieces) != 1 or len(pieces[0]) > LONGEST_ECHO:
            continue
        said = pieces[0]
        if tone.heavy:
            return choose(
                (f"지난번에도 {said} 하셨는데, 요즘 마음 쓰이는 일이 많으셨네요.", f"얼마 전에도 {said} 하셨죠. 혼자 견디지 않으셨으면 해요."),
                prompt.text,
            )
        if tone.warm:
            return choose((f"지난번에 {said} 하셨는데, 좋은 일이 이어지네요.", f"{said} 하셨던 것도 떠오르네요."), prompt.text)
    return None


def _repeated_sorrow(prompt: Prompt) -> str | None:
    """Sorrow that was said before, REPEATED times or more, is noticed."""
    feels = next((word for key, word in _SORROWFUL.items() if key in prompt.text), None)
    real = prompt.emotion.real if prompt.emotion else None
    if feels is None and (real is None or real.label not in say.SORROW or real.score < SPOKEN):
        return None
    if (real is not None and TONES[real.label].warm) or any("전문가와" in m.content for m in prompt.history if m.role == "lira"):
        return None
    before = {_squash(m.content) for m in prompt.history if m.role == "user" and any(key in m.content for key in _SORROWFUL)}
    before |= {
        _squash(r.memory.text)
        for r in prompt.recalled
        if prompt.at - r.memory.timestamp <= LATELY and (any(key in r.memory.text for key in _SORROWFUL) or _sorrowful(r.memory))
    }
    repeats = sum(any(key in m.content for key in _SORROWFUL) for m in prompt.history if m.role == "user")
    if max(len(before), repeats) < REPEATED:
        return None
    if feels is None and (event := _event(prompt)) is not None:
        return f"{choose(_tone(prompt).event, prompt.text, 'first').format(said=hearing(event), seen=noticing(event))} {say.CHEER_AFTER[0]}"
    return choose(say.CHEER, prompt.text).format(feels=feels or "마음이 힘들다")


def _event(prompt: Prompt) -> Clause | None:
    events = [c for c in clauses(prompt.text) if c.mood == "statement" and c.lemma not in FEELING_STEMS and len(c.lead) <= LONGEST_ECHO]
    return max(events, key=lambda c: c.weight, default=None)


def _sorrowful(memory: Memory) -> bool:
    return memory.emotion is not None and memory.emotion.real is not None and memory.emotion.real.label in say.SORROW


def _squash(text: str) -> str:
    return "".join(text.split())


# Greetings and the like

_LEAVING: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(r"^(?:.{0,12}\s)?(?:잘\s?자(?:요)?$|굿\s?나잇|안녕히\s?주무|(?:이만|일찍|먼저|이제)\s?잘게|자러\s?갈|잘게|자야지|자야겠)"),
        say.NIGHT,
    ),
    (re.compile(r"^.{0,20}(?:이만(?:\s?(?:갈|가|쉴|쉬|줄|나|들어)\S*)?|다시 오겠습니다|또 오겠습니다|또 올게\S*)[\sㅋㅎ~!.…]*$"), say.FAREWELL),
)
_PHATIC: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"^(?:좋은\s?아침|굿\s?모닝|잘\s?잤)"), say.MORNING),
    (re.compile(r".*(?:말하지\s?(?:마|말)|비밀이야|비밀로)"), say.SECRET),
    (re.compile(r"^(?:아\s?|드디어\s?|이제\s?)*퇴근(?:했|이다|!|한다)\S*$"), say.WORK_DONE),
    *(
        (re.compile(rf"^(?:아+\s?|오늘\s?|지금\s?|너무\s?|진짜\s?|와\s?)*{state}\S*(?:\s?(?:진짜|너무))?[\s~!.ㅋㅎㅠㅜ]*$"), said)
        for state, said in say.STATES
    ),
    (
        re.compile(r"^(?:잘\s?가|안녕히\s?(?:계|가)|바이|빠이|또\s?봐|다음에\s?(?:봐|또)|이만\s?(?:갈|가)|나중에\s?(?:봐|또)|내일\s?(?:봐|또))"),
        say.FAREWELL,
    ),
    (re.compile(r"^(?:정말\s?|진짜\s?|너무\s?|다\s?)?(?:고마워|고맙|감사|땡큐|ㄱㅅ|thx|thanks?)(?!.{18,})", re.I), say.THANKS),
    (re.compile(r"^(?:정말\s?|진짜\s?)?(?:미안|죄송|쏘리)(?!.{6,})"), say.SORRY),
    (re.compile(r"^(?:ㅋ|ㅎ|하하|히히|크크|푸하|키키)+[\s!~.]*$"), say.LAUGH),
    (re.compile(r"^(?:ㅠ|ㅜ|흑|엉엉)+[\s!~.]*$"), say.TEARS),
    (
        re.compile(
            r"^(?:응|어|웅|엉|네|넵|넹|예|그래|그렇구나|그렇군|아하|오케이|ㅇㅇ|ㅇㅋ|ok|okay|알겠어|알았어|음|흠|글쎄|맞아|아니|아니야|아뇨|그냥)+(?:요)?[\s!~.…?]*$",
            re.I,
        ),
        say.BACKCHANNEL,
    ),
)
_HELLO = re.compile(
    r"^(?:안녕(?:하세요|하십니까|하신가요)?|안뇽|안늉|하이|하이요|헬로|ㅎㅇ|처음\s?뵙겠습니다|반가워|반갑|여보세요|리라야|리라)(?:요|습니다)?(?:\s*(?:리라야?|리라님))?(?:\s*(?:만나서)?\s*반가워요?)?(?:[\s,.!~]*처음\s?(?:써|해|와)\s?(?:봐|봅니다|봐요))?[\s~!.,^ㅋㅎ]*$"
)


_SMALL_TALK = re.compile(r"^(?:밥|점심|저녁|아침)(?:은|을)?\s?먹었(?:어|니|어요|나요|냐)\??$|^(?:잘|어떻게)\s?지냈(?:어|니|어요|나요)\??$")


def _phatic(prompt: Prompt) -> str | None:
    text = re.sub(r"[\U0001F000-\U0001FAFF☀-➿️]+|[~^]+", "", prompt.text).strip()
    text = re.sub(r"^(?:리라|LIRA)(?:야|님|씨)?[\s,!]+", "", text)
    if _HELLO.match(text):
        name = _name(prompt)
        return choose(say.GREETING_NAMED, prompt.text).format(name=name) if name else choose(say.GREETING, prompt.text)
    for pattern, answers in _LEAVING:
        if pattern.match(text):
            return choose(answers, prompt.text, str(len(prompt.history)))
    if prompt.facts:
        return None
    if len(text) > 24:
        return None
    if _SMALL_TALK.match(text):
        return choose(say.SELF_DAY, prompt.text)
    for pattern, answers in _PHATIC:
        if pattern.match(text):
            return choose(answers, prompt.text, str(len(prompt.history)))
    if _TRIGGER_ONLY.match(text) and prompt.question is None:
        return choose(say.KEPT, prompt.text)
    return None if text else choose(say.BACKCHANNEL, prompt.text)


def _name(prompt: Prompt) -> str | None:
    names = [(r.memory.timestamp, f.object) for r in prompt.recalled for f in r.memory.facts if f.predicate == "name" and f.subject == USER]
    return honoured(max(names)[1]) if names else None
