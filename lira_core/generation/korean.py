"""The grounded answer in Korean: what kind of utterance it is, then one or two polite sentences for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from lira_core.dates import resolve_text
from lira_core.generation import wordings as say
from lira_core.generation.choice import chance, choose
from lira_core.generation.knowledge import TASTES, Known, everything, known, likes
from lira_core.generation.port import Prompt
from lira_core.generation.wordings import TONES, Tone
from lira_core.korean import retelling
from lira_core.korean.morphemes import terms
from lira_core.korean.particles import called, honoured, is_, object_, subject, topic
from lira_core.korean.people import PETS
from lira_core.korean.retelling import Clause, clauses, confirming, hearing, noticing, stating, told
from lira_core.korean.speech import FEELING_STEMS
from lira_core.korean.telling import CALLED, clause_of, merged
from lira_core.language import language_of
from lira_core.memory.question import Question
from lira_core.memory.slots import EVENTS, SINGLE, topic_of
from lira_core.safety import at_risk
from lira_core.types import USER, Fact, Memory, Message

# A feeling weaker than this is not spoken of: half of the gate's 0.6, as the original kept emotions from 0.3.
SPOKEN = 0.3
# A fact is taken up before a feeling unless the feeling is this strong (the gate of seed 000).
STRONG = 0.6
# Longer than this (characters) a clause is not repeated to the person; it would sound like an echo.
LONGEST_ECHO = 45
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
    if question is not None and prompt.recalled and not _of_lira(prompt.text):
        asked = replace(question, about_memory=True)
        found = known(replace(prompt, question=asked))
        if found.memories and (answer := _from_facts(prompt, asked, found) or _from_words(prompt, asked, found)):
            return answer
    sorrow = _repeated_sorrow(prompt)
    if sorrow is not None:
        return sorrow
    if question is not None:
        return _asked(prompt)
    said = clauses(prompt.text)
    if said and not prompt.facts and all(c.mood == "question" for c in said):
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
    found = known(prompt)
    if everything(question):
        return _summary(prompt, found)
    if not found.memories:
        return _unknown(prompt, question)
    answer = _from_facts(prompt, question, found) or _from_words(prompt, question, found)
    return answer or _unknown(prompt, question)


def _from_facts(prompt: Prompt, question: Question, found: Known) -> str | None:
    facts = list(found.facts)
    # A why, a how and a when of something that happened are answered by the person's own words.
    if not facts or question.wants in {"why", "how"}:
        return None
    if question.wants in {"when", "where"} and not any(_tells(question.wants, f) for f in facts):
        return None
    if question.wants == "yesno":
        facts = facts[:1]
    if facts[0].predicate == "name" and facts[0].subject == USER:
        name = honoured(facts[0].object)
        return choose((f"{is_(name)}.", f"{name}이시죠.", f"{is_(name)}."), prompt.text)
    parts = [c for f in merged(facts)[:2] if (c := clause_of(f, prompt.at)) is not None]
    if not parts:
        return None
    said = _sentence(parts, prompt.text)
    if question.wants != "yesno" and not (_says_more(said, prompt.text) and _complete(said, question, found)):
        return None
    return f"{_yes_or_no(question, found)}{said}."


def _says_more(said: str, asked: str) -> bool:
    """Whether an answer holds a word that the question does not."""
    return any(term not in asked for term in terms(said))


def _complete(said: str, question: Question, found: Known) -> bool:
    """Whether an answer about a time or a number holds every number of the memory; if not the memory is told whole."""
    if question.wants not in {"when", "howmany"}:
        return True
    return all(number in said for number in re.findall(r"\d+", found.memories[0].text)) or len(found.memories[0].facts) > 2


def _tells(wants: str, fact: Fact) -> bool:
    if wants == "when":
        return bool(fact.when_text) or fact.predicate in {"birthday", "anniversary", "age"}
    return bool(fact.place) or fact.predicate in {"live_in", "hometown", "workplace", "school", "travel"}


def _yes_or_no(question: Question, found: Known) -> str:
    """ "네, " or "아니요, " where it was asked for."""
    if question.wants != "yesno":
        return ""
    fact = found.facts[0] if found.facts else None
    if fact is None:
        return "네, "
    known_words = {*found.memories[0].terms, *terms(found.memories[0].text)}
    other = fact.predicate in SINGLE and question.value is None and not set(question.terms) <= known_words
    return "네, " if _agrees(question, fact) and not other else "아니요, "


def _agrees(question: Question, fact: Fact) -> bool:
    """Whether a yes/no question has yes for an answer."""
    asked = next((p for _, p in question.slots), fact.predicate)
    if fact.predicate in TASTES and asked in TASTES:
        return likes(fact) == (asked != "dislike")
    if question.value and question.value.lower() not in fact.object.lower() and fact.object.lower() not in question.value.lower():
        return question.value == topic_of(fact)
    return fact.polarity


def _sentence(parts: Sequence[Clause], seed: str) -> str:
    """One clause in one of three polite endings, or two joined."""
    if len(parts) == 1:
        return choose((stating, stating, confirming), seed)(parts[0])
    return f"{retelling.adding(parts[0], honour=True)} {stating(parts[1])}"


def _from_words(prompt: Prompt, question: Question, found: Known) -> str | None:
    """The best memory as indirect speech; for a why the cause before the feeling."""
    for memory in found.memories:
        if at_risk(memory.text):
            return "많이 힘들다고 하셨어요. 지금은 마음이 좀 어떠세요?"
        said = _retold(memory, prompt.at, why=question.wants == "why", about=frozenset(question.terms))
        if said:
            return f"{_yes_or_no(question, found)}{said} {choose(('하셨어요', '하셨어요', '말씀하셨어요', '하셨죠'), prompt.text, said)}."
    return None


def _retold(memory: Memory, now: datetime, *, why: bool = False, about: frozenset[str] = frozenset()) -> str | None:
    """ "…다고" of a memory, its relative dates made absolute unless it was said today."""
    if language_of(memory.text) == "en":
        parts = [c for f in merged(memory.facts)[:2] if (c := clause_of(f, now)) is not None]
        return told(parts[0]) if parts else called(memory.text.rstrip(" .!?"))
    same_day = memory.timestamp.date() == now.astimezone(memory.timestamp.tzinfo).date()
    text = memory.text if same_day else resolve_text(memory.text, memory.timestamp, now)
    if why:
        chosen = retelling.telling(text)
        feeling = next((c for c in chosen if c.lemma in FEELING_STEMS), None)
        cause = next((c for c in chosen if c is not feeling), None)
        if feeling is not None and cause is not None:
            return _once(f"{retelling.because(cause, honour=False)} {told(feeling)}", memory, now)
    if all(c.mood == "question" for c in retelling.telling(text, about)):
        return None
    said = retelling.reported(text, about)
    return _once(said, memory, now) if said else None


def _once(said: str, memory: Memory, now: datetime) -> str:
    """The day it was said, named only once."""
    day = resolve_text("오늘", memory.timestamp, now)
    head, found, tail = said.partition(day)
    return head + found + tail.replace(f"{day} ", "") if found else said


def _summary(prompt: Prompt, found: Known) -> str:
    facts = merged(found.facts)
    order = ["name", "job", "live_in", "like", "favorite", "hobby", "pet", "family", "plan", "allergy"]
    facts.sort(key=lambda f: (f.subject != USER, order.index(f.predicate) if f.predicate in order else len(order)))
    parts = [c for f in facts if (c := clause_of(f, prompt.at)) is not None][:3]
    if parts:
        *before, last = parts
        return " ".join([*(retelling.adding(c, honour=True) + "," for c in before), stating(last)]) + "."
    for memory in found.memories:
        said = _retold(memory, prompt.at)
        if said and not at_risk(memory.text):
            return f"{said} 하셨어요."
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
    (re.compile(r"(?:너|넌|네가|니가|당신|리라).{0,12}(?:할 수|잘해|하는 일|뭘 해|기능|도와)|무엇을 할 수|뭘 할 수|뭐 할 수"), say.SELF_CAN),
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
    real = prompt.emotion.real if prompt.emotion else None
    heavy = real is not None and real.score >= SPOKEN and TONES.get(real.label, say.TONES["neutral"]).heavy
    others = [c for c in clauses(text) if c.mood == "statement"]
    if heavy and others:
        return _felt(prompt, _tone(prompt))
    if _SEEKS_ADVICE.search(text):
        return choose(say.ADVICE, text)
    if heavy:
        return choose(say.WONDERING, text)
    return choose(say.WORLD, text)


# Facts just told


def _leading_fact(prompt: Prompt) -> Fact | None:
    """The fact to take up; None where the feeling matters more."""
    order = ["name", "plan", "health", "taste", "relation", "work", "profile", "event"]
    facts = sorted(prompt.facts, key=lambda f: (order.index(f.category), f.subject != USER))
    if not facts:
        return None
    first = facts[0]
    real = prompt.emotion.real if prompt.emotion else None
    tone = TONES.get(real.label) if real is not None and real.score >= SPOKEN else None
    felt = any(c.lemma in FEELING_STEMS for c in clauses(prompt.text))
    if first.predicate in EVENTS and (tone is not None or felt):
        return None
    if first.category in {"name", "taste"} or tone is None or real is None:
        return first
    if first.category in {"profile", "relation", "work"} and not tone.heavy:
        return first
    if first.category in {"plan", "health"} and not (felt or (tone.heavy and real.score >= STRONG)):
        return first
    return None if tone.heavy or felt else first


def _acknowledged(prompt: Prompt, fact: Fact) -> str:
    seed = prompt.text
    if fact.predicate == "name" and fact.subject == USER:
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
    more = next((c for f in others if (c := clause_of(f)) is not None), None)
    return f"{greeting} {noticing(more)}." if more is not None else greeting


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
    clause = max(about, key=lambda c: c.weight) if about else clause_of(fact)
    if clause is None:
        clause = max(own, key=lambda c: c.weight) if own else None
    if clause is None:
        return None
    now = "이제는 " if before is not None and fact.category in {"taste", "work"} and not clause.lead.startswith(("이제", "요즘", "지금")) else ""
    return now + noticing(clause)


def _mentions(clause: Clause, fact: Fact) -> bool:
    said = clause.lead + clause.lemma
    return any(word in said for word in fact.object.split())


_TESTS = re.compile(r"면접|시험|발표|오디션|수능|자격증|대회|경기|심사|토익")
_TRIPS = re.compile(r"여행|출장|휴가|캠핑|소풍")
_FEASTS = re.compile(r"결혼(?!식)|생일|생신|졸업|입학|돌잔치|기념일|출산")
_CLINICS = re.compile(r"병원|치과|수술|검진|검사|진료|치료|입원")


def _after(prompt: Prompt, fact: Fact, *, moved: bool) -> str:
    text = fact.object + prompt.text
    kind: str = fact.category if fact.category in say.AFTER else "event"
    if fact.category == "plan" and fact.polarity:
        kind = next((k for k, p in (("test", _TESTS), ("trip", _TRIPS), ("clinic", _CLINICS)) if p.search(text)), "plan")
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
    elif fact.predicate in {"dislike", "fear"} or (fact.category == "taste" and not fact.polarity):
        kind = "distaste"
    elif fact.predicate == "allergy":
        kind = "careful"
    elif fact.predicate in {"diet", "exercise", "blood_type", "medicine"}:
        kind = "profile"
    elif fact.predicate in {"pet", "breed"} or fact.subject in PETS:
        kind = "pet"
    elif fact.category == "name" or (fact.category == "work" and fact.subject != USER):
        kind = "relation"
    elif fact.predicate == "memo" or prompt.decision.reason == "trigger":
        return choose(say.KEPT, prompt.text)
    return choose(say.AFTER[kind], prompt.text, kind)


# Feelings


def _tone(prompt: Prompt) -> Tone:
    real = prompt.emotion.real if prompt.emotion else None
    return TONES.get(real.label, TONES["neutral"]) if real is not None and real.score >= SPOKEN else TONES["neutral"]


def _felt(prompt: Prompt, tone: Tone) -> str:
    """Empathy that names what happened, then perhaps what is remembered of such a time, else a second sentence."""
    seed = prompt.text
    found = [c for c in clauses(prompt.text) if len(c.lead) <= LONGEST_ECHO]
    said = [c for c in found if c.mood == "statement"]
    events = [c for c in said if c.lemma not in FEELING_STEMS]
    clause = max(events or said, key=lambda c: c.weight, default=None)
    if clause is None:
        return _unechoed(prompt, tone, found)
    pool = tone.event if events else tone.felt
    if clause.lemma == "같" and tone is TONES["neutral"]:
        return f"그렇게 느끼셨군요. {choose(tone.next, seed, 'next')}"
    taken = hearing(clause)
    root = clause.lemma[:1]
    fresh = [w for w in pool if not (clause.lemma in FEELING_STEMS and root and f" {root}" in w)] or list(pool)
    first = choose(fresh, seed, "first").format(said=taken, seen=noticing(clause))
    recalled = _same_feeling(prompt, tone)
    if recalled is not None:
        return f"{first} {recalled}"
    if tone is TONES["neutral"] and prompt.decision.reason == "trigger":
        return f"{first} {choose(say.KEPT, seed)}"
    if tone.heavy and tone is not say.LOSS and any(f.category == "health" for f in prompt.facts):
        return f"{first} {choose(say.AFTER['health'], seed)}"
    return f"{first} {choose(tone.next, seed, 'next')}" if len(first) <= 60 else first


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
        said = _retold(memory, prompt.at)
        if said is None or len(said) > LONGEST_ECHO:
            continue
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

_PHATIC: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"^(?:잘\s?자|굿\s?나잇|안녕히\s?주무|이만\s?잘게|자러\s?갈|잘게)"), say.NIGHT),
    (re.compile(r"^(?:좋은\s?아침|굿\s?모닝|잘\s?잤)"), say.MORNING),
    (
        re.compile(r"^(?:잘\s?가|안녕히\s?(?:계|가)|바이|빠이|또\s?봐|다음에\s?(?:봐|또)|이만\s?(?:갈|가)|나중에\s?(?:봐|또)|내일\s?(?:봐|또))"),
        say.FAREWELL,
    ),
    (re.compile(r"^(?:정말\s?|진짜\s?|너무\s?|다\s?)?(?:고마워|고맙|감사|땡큐|ㄱㅅ|thx|thanks?)(?!.{12,})", re.I), say.THANKS),
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
    r"^(?:안녕(?:하세요|하십니까|하신가요)?|하이|헬로|ㅎㅇ|반가워|반갑|여보세요|리라야|리라)(?:요|습니다)?(?:\s*(?:리라야?|리라님))?(?:\s*(?:만나서)?\s*반가워요?)?[\s!~.,^]*$"
)


_SMALL_TALK = re.compile(r"^(?:밥|점심|저녁|아침)(?:은|을)?\s?먹었(?:어|니|어요|나요|냐)\??$|^(?:잘|어떻게)\s?지냈(?:어|니|어요|나요)\??$")


def _phatic(prompt: Prompt) -> str | None:
    text = re.sub(r"[\U0001F000-\U0001FAFF☀-➿️]+|[~^]+", "", prompt.text).strip()
    text = re.sub(r"^(?:리라|LIRA)(?:야|님|씨)?[\s,!]+", "", text)
    if prompt.facts:
        return None
    if _HELLO.match(text):
        name = _name(prompt)
        return choose(say.GREETING_NAMED, prompt.text).format(name=name) if name else choose(say.GREETING, prompt.text)
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
