"""Recall: three paths (by meaning, by words and slots, by feeling) find candidates; what was asked decides which of them are shown.

For a question about the person's own life the nearest few go to the reader, and `read` ranks them by how sure it is. For anything else
`rank` brings up what is certainly about the same thing. Nothing that a path found is thrown away before that decision.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lira_core.embedding.certainty import Certainty
from lira_core.emotion.labels import KEPT_FROM
from lira_core.memory import ranking
from lira_core.memory.filling import filling
from lira_core.memory.following import whole
from lira_core.memory.listing import LISTED, asked_first, lists, told_of
from lira_core.memory.question import Question
from lira_core.memory.validity import keys_of, still_true
from lira_core.reading.port import ANSWERS, ANY_OF_IT, OF_IT, WEIGHED, Candidate, Reader, Reading
from lira_core.reading.port import CANDIDATES as READ
from lira_core.stores import Stores, StoreUnavailable
from lira_core.stores.ports import Hit, Vector
from lira_core.types import USER, Fact, Memory, Path, RecalledMemory

# Candidates that a path may bring: enough that the true three are among them, few enough to score in a millisecond.
CANDIDATES = 40
# A memory that holds this share of what was said (by weight of its words) speaks of the same thing.
SAME_WORDS = 0.5
# So many of what the reader sees come from the slots asked for, and so many from the feeling asked about, however far their words are.
FROM_SLOTS, FROM_FEELING = 2, 3

OFFERED = 3
"""So many memories at most are offered to be deleted: as many as are recalled (`recall_limit`), and no more than are read before saying yes."""

FILLS = 0.8
"""How sure it is at least that a memory answers whose fact fills the very slot asked for: names, birthdays and the like are read
exactly, and the reader has seen few questions as plain as these."""

AS_SURE = 1 - 1e-6
"""What changes a memory is that much as sure to be asked for, so that it is told after it: the question may be about either. So little less that
their log odds are as good as the same, however sure."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What memory is asked with: the utterance as it was understood.

    `now` is when it is said. `as_of` is set when the caller gave that moment: then nothing said later is known.
    """

    now: datetime
    terms: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    question: Question | None = None
    as_of: datetime | None = None
    utterance_id: str | None = None

    @property
    def slots(self) -> tuple[tuple[str | None, str], ...]:
        """The slots asked for, else those that the statement itself fills (what it may replace)."""
        return self.question.slots if self.question else tuple(dict.fromkeys((f.subject, f.predicate) for f in self.facts))

    @property
    def search_terms(self) -> tuple[str, ...]:
        return self.question.terms if self.question and self.question.terms else self.terms


@dataclass(slots=True)
class Found:
    """What one path found: the ids it brings as candidates, best first, and what it knows of any memory by id.

    `bodies` are those that it had to look into.
    """

    path: Path
    ids: list[str] = field(default_factory=list)
    cosine: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)
    bodies: Mapping[str, Memory] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The bodies of what the paths found, and for each fact key among them (timestamp, id) of its newest holder."""

    memories: Sequence[Memory]
    newest: Mapping[str, tuple[datetime, str]]


class Recall:
    """The paths over one user's memories. `floor` is the least certainty with which something is brought up unasked."""

    def __init__(self, stores: Stores, certainty: Certainty, *, floor: float) -> None:
        self._stores, self._certainty, self._floor = stores, certainty, floor

    async def semantic(self, user_id: str, cue: Cue, vector: Vector) -> Found:
        """The memories nearest in meaning, however near."""
        near = await self._stores.vectors.search(user_id, vector, CANDIDATES, cue.as_of)
        return Found("semantic", [hit.id for hit in near], {hit.id: hit.score for hit in near})

    async def fact(self, user_id: str, cue: Cue) -> Found:
        """Memories that hold the slot asked for, then those that hold the words; the newest ones when the question names neither, or asks for
        all there is: of those days, where it names some."""
        ids: list[str] = []
        bodies: dict[str, Memory] = {}
        if cue.slots:
            ids += [hit.id for hit in await self._stores.record.slots(user_id, cue.slots, CANDIDATES, cue.as_of)]
        if lists(cue.question) or (cue.question and cue.question.about_memory and not cue.slots and not cue.search_terms):
            newest = [hit.id for hit in await self._stores.record.newest(user_id, CANDIDATES, cue.as_of)]
            if cue.question and cue.question.when and lists(cue.question):
                bodies = {m.id: m for m in await self.bodies(user_id, newest) if told_of(m, cue.question)}
                newest = [i for i in newest if i in bodies]
            ids += newest
            ids += await self._on_the_same(user_id, cue, list(bodies.values()))
        hits: list[Hit] = []
        if cue.search_terms:
            hits = await self._stores.lexical.lexical(user_id, cue.search_terms, CANDIDATES, cue.as_of)
        return Found("fact", list(dict.fromkeys(ids + [hit.id for hit in hits])), words={hit.id: min(hit.score, 1.0) for hit in hits}, bodies=bodies)

    async def _on_the_same(self, user_id: str, cue: Cue, memories: Sequence[Memory]) -> list[str]:
        """What shares words with memories of the days asked about, and may change them, though it names no day itself."""
        words = tuple(dict.fromkeys(term for memory in memories for term in memory.terms))
        return [hit.id for hit in await self._stores.lexical.lexical(user_id, words, CANDIDATES, cue.as_of)] if words else []

    async def emotion(self, user_id: str, cue: Cue, felt: Sequence[str], minimum: float) -> Found:
        """Memories of a feeling asked about, in the order of the labels, then the newest first, or of any where it is asked how the person felt;
        of what asks nothing, those of what was `felt` just now, at least `minimum` strong."""
        question = cue.question
        if question and question.mood:
            return await self._felt(user_id, cue)
        labels, least = (question.emotions, KEPT_FROM) if question else (felt, minimum)
        hits = await asyncio.gather(*(self._stores.record.feeling(user_id, label, least, CANDIDATES, cue.as_of) for label in labels))
        return Found("emotion", [hit.id for some in hits for hit in some])

    async def _felt(self, user_id: str, cue: Cue) -> Found:
        newest = [hit.id for hit in await self._stores.record.newest(user_id, CANDIDATES, cue.as_of)]
        bodies = {m.id: m for m in await self.bodies(user_id, newest) if strength(m) >= KEPT_FROM}
        return Found("emotion", [i for i in newest if i in bodies], bodies=bodies)

    async def bodies(self, user_id: str, ids: Sequence[str], found: Sequence[Found] = ()) -> list[Memory]:
        """In one call, but for what a path has looked into; while the record is away, as the index holds them."""
        known = {i: body for one in found for i, body in one.bodies.items()}
        missing = [i for i in ids if i not in known]
        if not missing:
            return [known[i] for i in ids]
        try:
            fetched = await self._stores.record.get(user_id, missing)
        except StoreUnavailable:
            fetched = await self._stores.vectors.get(user_id, missing)
        return [*(known[i] for i in ids if i in known), *fetched]

    async def candidates(self, user_id: str, cue: Cue, ids: Sequence[str]) -> Candidates:
        """The bodies, and who holds their keys now; nobody while the record is away."""
        memories = await self.bodies(user_id, ids)
        keys = keys_of(memories)
        try:
            return Candidates(memories, await self._stores.record.holders(user_id, keys, cue.as_of) if keys else {})
        except StoreUnavailable:
            return Candidates(memories, {})

    def signs(self, found: Sequence[Found]) -> Signs:
        return Signs.of(found, self._certainty, self._floor)

    def unasked(self, cue: Cue, found: Sequence[Found]) -> list[str]:
        """What may be brought up by something that asks nothing: certainly about the same thing, of the same slot or feeling."""
        ids: list[str] = []
        for one in found:
            ids += [i for i in one.ids if self._speaks_of_it(one, i)]
        return [i for i in dict.fromkeys(ids) if i != cue.utterance_id]

    def _speaks_of_it(self, found: Found, memory_id: str) -> bool:
        if found.path == "semantic":
            return float(self._certainty(found.cosine[memory_id])) >= self._floor
        return found.path == "emotion" or found.words.get(memory_id, 1.0) >= SAME_WORDS


def shortlist(cue: Cue, found: Sequence[Found]) -> list[str]:
    """At most READ ids for the reader, WEIGHED where all that was told of something is asked for: the best by meaning and words half and half, and
    the first of slots and feelings, at most half of all."""
    limit = WEIGHED if _of_something(cue.question) else READ
    by_path = {one.path: one for one in found}
    near = by_path["semantic"].cosine if "semantic" in by_path else {}
    words = by_path["fact"].words if "fact" in by_path else {}
    named = [i for i in by_path["fact"].ids if i not in words][:FROM_SLOTS] if "fact" in by_path else []
    felt = by_path["emotion"].ids[:FROM_FEELING] if "emotion" in by_path and cue.question else []
    first = [*felt, *named][: limit // 2]
    if "fact" in by_path and (lists(cue.question) or (not near and not words)):
        first = [*felt, *by_path["fact"].ids]  # nothing but time tells them apart
    scores = ranking.hybrid(near, words)
    best = ranking.best(scores, len(scores))
    chosen = dict.fromkeys([*first, *best])
    chosen.pop(cue.utterance_id or "", None)
    return list(chosen)[:limit]


def meant(named: Collection[str], found: Sequence[Found], memories: Sequence[Memory]) -> list[Memory]:
    """What of `memories` a wish to forget may mean, the nearest in meaning first: at most OFFERED of those that hold as many of the terms that it
    names as any does."""
    near = {k: v for one in found for k, v in one.cosine.items()}
    held = {memory.id: len({*memory.terms} & {*named}) for memory in memories}
    most = max(held.values(), default=0)
    of_it = [memory for memory in memories if most and held[memory.id] == most]
    return sorted(of_it, key=lambda memory: (-near.get(memory.id, -1.0), memory.id))[:OFFERED]


def in_order_of_time(memories: Sequence[Memory]) -> list[Memory]:
    """The oldest first, of memories that say the same words only the newest: as the reader wants its candidates."""
    newest = {"".join(whole(m).lower().split()): m for m in sorted(memories, key=lambda m: (m.timestamp, m.id))}
    return sorted(newest.values(), key=lambda m: (m.timestamp, m.id))


def _of_something(question: Question | None) -> bool:
    return question is not None and question.listing


async def reading(reader: Reader, asked: Question | None, text: str, memories: Sequence[Memory], found: Sequence[Found]) -> Reading:
    """What the reader makes of the memories; where all that was told of something is asked for, how sure each is to be of it and nothing else."""
    candidates = asked_of(asked, memories, found)
    if not _of_something(asked):
        return await reader.read((asked and asked.until) or text, candidates)
    names = _called(text, memories)
    weighed = await reader.weigh(text, candidates, listing=True)
    sure = tuple(max(one, FILLS) if names and names.search(candidate.text) else one for one, candidate in zip(weighed, candidates, strict=True))
    return Reading(sure, tuple((0, len(one.text)) for one in candidates), (None,) * len(candidates), None)


def _called(text: str, memories: Sequence[Memory]) -> re.Pattern[str] | None:
    """The names of those who are asked about by what they are ("우리 강아지": 뭉치), as the memories tell them; None where none does."""
    facts = [fact for memory in memories for fact in memory.facts if fact.predicate == "name" and fact.subject not in (None, USER)]
    names = [fact.object for fact in facts if str(fact.subject).lower() in text.lower() and len(fact.object) > 1]
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?![a-z])", re.I) if names else None


def asked_of(question: Question | None, memories: Sequence[Memory], found: Sequence[Found]) -> tuple[Candidate, ...]:
    """What the reader is asked with."""
    cosine = {k: v for one in found for k, v in one.cosine.items()}
    listing = question if lists(question) else None
    named = shares_named(question.terms if question else (), [memory.terms for memory in memories])
    return tuple(
        Candidate(whole(m), cosine.get(m.id), listing is not None and asked_first(listing, m), share)
        for m, share in zip(memories, named, strict=True)
    )


def shares_named(asked: Collection[str], held: Sequence[Collection[str]]) -> list[float]:
    """Of the terms `asked` with that any memory holds, the share that each does; of all 0 where none does."""
    by_memory = [{*terms} & {*asked} for terms in held]
    known = len(set().union(*by_memory))
    return [len(those) / known if known else 0.0 for those in by_memory]


def read(cue: Cue, signs: Signs, memories: Sequence[Memory], reading: Reading, limit: int) -> tuple[RecalledMemory, ...]:
    """The `limit` memories that are surest to answer, the newest truth first; pure. `memories` in the order in which the reader was given them.

    Where all there is was asked for, LISTED of them, whatever the reader says; where all that was told of something, those that are likely of it.
    """
    out = []
    sures = _sures(cue.question, memories, reading)
    clear = reading.clear or [False] * len(memories)
    for memory, sure, span, alone, by in zip(memories, sures, reading.spans, clear, reading.changed_by, strict=True):
        parts = signs.parts(cue, memory, relevance=sure)
        changed_by = memories[by].id if by is not None else None
        paths, certainty = signs.paths[memory.id], signs.certainty.get(memory.id)
        out.append(RecalledMemory(memory, paths, sum(parts.values()), certainty, parts, sure, span, changed_by, alone))
    question = cue.question
    if question is not None and lists(question):
        first = {r.memory.id for r in out if asked_first(question, r.memory)}
        first |= {r.changed_by for r in out if r.memory.id in first and r.changed_by is not None}
        out.sort(key=lambda r: (r.memory.id not in first, -r.memory.timestamp.timestamp(), r.memory.id))
        return _newest_first(out[:LISTED])
    out.sort(key=lambda r: (-(r.sure or 0.0), -r.memory.timestamp.timestamp(), r.memory.id))
    if _of_something(question):
        of_it = [r for r in out[:LISTED] if (r.sure or 0.0) >= OF_IT]
        return _newest_first(of_it) if any((r.sure or 0.0) >= ANY_OF_IT for r in of_it) else ()
    return _newest_first(out[:limit])


def _sures(question: Question | None, memories: Sequence[Memory], reading: Reading) -> list[float]:
    """How sure each memory is to answer: by the reader, by the slot it fills, by what it changes that answers."""
    fills = filling(question, memories)
    out = [max(sure, FILLS) if memory.id in fills else sure for memory, sure in zip(memories, reading.sure, strict=True)]
    for sure, by in zip(tuple(out), reading.changed_by, strict=True):
        if by is not None and sure >= ANSWERS:
            out[by] = max(out[by], AS_SURE * sure)
    return out


def rank(cue: Cue, signs: Signs, candidates: Candidates, limit: int) -> tuple[RecalledMemory, ...]:
    """Of what may be brought up unasked at most `limit`: deduplicated, only what still holds, the best by score, the newest truth first.

    Pure, and bounded by the candidates that the paths may bring; some milliseconds of work, so not for the event loop.
    """
    scored = []
    for memory in (m for c in candidates.memories if (m := still_true(c, candidates.newest))):
        paths, sure = signs.paths[memory.id], signs.certainty.get(memory.id)
        relevance = max((sure or 0.0) if "semantic" in paths else 0.0, 0.5 if "emotion" in paths else 0.0)
        parts = signs.parts(cue, memory, relevance=relevance)
        scored.append(RecalledMemory(memory, paths, sum(parts.values()), sure, parts))
    scored.sort(key=lambda r: (-r.score, -r.memory.timestamp.timestamp(), r.memory.id))
    return _newest_first(distinct(scored)[:limit])


@dataclass(frozen=True, slots=True)
class Signs:
    """What the paths know of each memory, by id: which of them found it, its certainty, its words' share of the question's."""

    paths: Mapping[str, tuple[Path, ...]]
    certainty: Mapping[str, float]
    words: Mapping[str, float]

    @classmethod
    def of(cls, found: Sequence[Found], certainty: Certainty, floor: float) -> Signs:
        """Meaning has found what is at least `floor` certain, and what no other path brought: it looks at the nearest, however near."""
        sure = {k: float(certainty(v)) for one in found for k, v in one.cosine.items()}
        paths: dict[str, tuple[Path, ...]] = {}
        for one in sorted(found, key=lambda f: f.path == "semantic"):
            for memory_id in dict.fromkeys(one.ids):
                if one.path != "semantic" or sure[memory_id] >= floor or memory_id not in paths:
                    paths[memory_id] = (*paths.get(memory_id, ()), one.path)
        return cls(paths, sure, {k: v for one in found for k, v in one.words.items()})

    def parts(self, cue: Cue, memory: Memory, *, relevance: float) -> dict[str, float]:
        return ranking.score_parts(
            relevance=relevance,
            keyword=self.words.get(memory.id, 0.0),
            recent=ranking.recency(memory.timestamp, cue.now),
            importance=importance(memory),
        )


def _newest_first(recalled: Sequence[RecalledMemory]) -> tuple[RecalledMemory, ...]:
    return tuple(sorted(recalled, key=lambda r: (-r.memory.timestamp.timestamp(), -r.score)))


def importance(memory: Memory) -> float:
    """How much a memory matters by itself, in [0, 1]: asked to be kept, then what it states, then how strongly it was felt."""
    if memory.reason == "trigger":
        return 1.0
    return max(strength(memory), 0.7 if memory.facts else 0.0)


def strength(memory: Memory) -> float:
    """How strongly what was felt most was felt, in [0, 1]."""
    return memory.emotion.real.score if memory.emotion and memory.emotion.real else 0.0


def distinct(recalled: Sequence[RecalledMemory]) -> list[RecalledMemory]:
    """Of memories that say the same words only the newest stays, at the place and with the paths of the best."""
    first: dict[str, int] = {}
    out: list[RecalledMemory] = []
    for one in recalled:
        said = "".join(whole(one.memory).lower().split())
        if said not in first:
            first[said] = len(out)
            out.append(one)
            continue
        kept = out[first[said]]
        newer = max(kept.memory, one.memory, key=lambda m: m.timestamp)
        out[first[said]] = replace(kept, memory=newer, paths=tuple(dict.fromkeys((*kept.paths, *one.paths))))
    return out
