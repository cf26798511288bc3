"""Recall: three paths (by meaning, by fact, by feeling) find candidates, one fetch brings their bodies, `rank` decides.

Which paths run follows seed 001: by fact when the utterance asks or names a slot, by meaning always (the embedding is
there anyway, and skipping it for 기억나 lost paraphrases), by feeling when a real feeling is strong or is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lira_core.embedding.certainty import Certainty
from lira_core.memory import ranking
from lira_core.memory.answerable import ANSWERS, support
from lira_core.memory.question import Question
from lira_core.memory.validity import completed, keys_of, plans_of, still_true
from lira_core.stores import Stores, StoreUnavailable
from lira_core.stores.ports import Hit, Vector
from lira_core.types import Fact, Memory, Path, RecalledMemory

# Candidates that a path may bring: enough that the true three are among them, few enough to score in a millisecond.
CANDIDATES = 40
# A memory that holds this share of what was said (by weight of its words) speaks of the same thing.
SAME_WORDS = 0.5


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
    """What one path found: the ids it brings as candidates, best first, and what it knows of any memory by id."""

    path: Path
    ids: list[str] = field(default_factory=list)
    certainty: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The bodies of what the paths found, and for each fact key among them (timestamp, id) of its newest holder."""

    memories: Sequence[Memory]
    newest: Mapping[str, tuple[datetime, str]]


class Recall:
    """The paths over one user's memories. `floor` is the least certainty of the semantic path."""

    def __init__(self, stores: Stores, certainty: Certainty, *, floor: float) -> None:
        self._stores, self._certainty, self._floor = stores, certainty, floor

    async def semantic(self, user_id: str, cue: Cue, vector: Vector) -> Found:
        """Memories that mean about the same; the certainty of the others goes along for what the other paths find."""
        near = await self._stores.vectors.search(user_id, vector, CANDIDATES, cue.as_of)
        certainty = {hit.id: float(self._certainty(hit.score)) for hit in near}
        return Found("semantic", [memory_id for memory_id, value in certainty.items() if value >= self._floor], certainty)

    async def fact(self, user_id: str, cue: Cue) -> Found:
        """Memories that hold the slot asked for, or the words; the newest ones when the question names neither."""
        hits: list[Hit] = []
        if cue.search_terms:
            hits = await self._stores.lexical.lexical(user_id, cue.search_terms, CANDIDATES, cue.as_of)
        words = {hit.id: min(hit.score, 1.0) for hit in hits}
        if not cue.question:
            words = {memory_id: share for memory_id, share in words.items() if share >= SAME_WORDS}
        ids = list(words)
        if cue.slots:
            ids += [hit.id for hit in await self._stores.record.slots(user_id, cue.slots, CANDIDATES, cue.as_of)]
        elif cue.question and cue.question.about_memory and not cue.search_terms:
            ids += [hit.id for hit in await self._stores.record.newest(user_id, CANDIDATES, cue.as_of)]
        return Found("fact", ids, words=words)

    async def emotion(self, user_id: str, cue: Cue, labels: Sequence[str], minimum: float) -> Found:
        """Memories of the same feeling, at least `minimum` strong."""
        hits = [hit for label in labels for hit in await self._stores.record.feeling(user_id, label, minimum, CANDIDATES, cue.as_of)]
        return Found("emotion", [hit.id for hit in hits])

    async def fetch(self, user_id: str, cue: Cue, found: Sequence[Found]) -> Candidates:
        """The bodies of all that was found, in one call; while the record is away, as the index holds them."""
        ids = list(dict.fromkeys(memory_id for one in found for memory_id in one.ids if memory_id != cue.utterance_id))
        if not ids:
            return Candidates((), {})
        try:
            memories = await self._stores.record.get(user_id, ids)
            keys = keys_of(memories)
            return Candidates(memories, await self._stores.record.holders(user_id, keys, cue.as_of) if keys else {})
        except StoreUnavailable:
            return Candidates(await self._stores.vectors.get(user_id, ids), {})


def rank(cue: Cue, found: Sequence[Found], candidates: Candidates, limit: int) -> tuple[RecalledMemory, ...]:
    """One list of at most `limit`: deduplicated, only what still holds, the best by score, the newest truth first.

    Pure, and bounded by the candidates that the paths may bring; some milliseconds of work, so not for the event loop.
    """
    certainty = {k: v for f in found for k, v in f.certainty.items()}
    words = {k: v for f in found for k, v in f.words.items()}
    paths: dict[str, list[Path]] = {}
    for one in found:
        for memory_id in dict.fromkeys(one.ids):
            paths.setdefault(memory_id, []).append(one.path)
    plans = plans_of(candidates.memories)
    scored = []
    for memory in (completed(m, plans) for c in candidates.memories if (m := still_true(c, candidates.newest))):
        recalled = _scored(cue, memory, tuple(paths[memory.id]), certainty.get(memory.id), words.get(memory.id, 0.0))
        if recalled is not None:
            scored.append(recalled)
    scored.sort(key=lambda r: (-r.score, -r.memory.timestamp.timestamp(), r.memory.id))
    return tuple(sorted(distinct(scored)[:limit], key=lambda r: (-r.memory.timestamp.timestamp(), -r.score)))


def _scored(cue: Cue, memory: Memory, paths: tuple[Path, ...], certainty: float | None, words: float) -> RecalledMemory | None:
    """With its merged score; None when only the fact path found it and it does not speak of what was asked."""
    supports = support(cue.question, memory, certainty) if cue.question else 0.0
    if cue.question and supports < ANSWERS:
        paths = tuple(path for path in paths if path != "fact")
        if not paths:
            return None
    score = ranking.merged_score(
        relevance=max(supports, (certainty or 0.0) if "semantic" in paths else 0.0, 0.5 if "emotion" in paths else 0.0),
        keyword=words,
        recent=ranking.recency(memory.timestamp, cue.now),
        importance=importance(memory),
    )
    return RecalledMemory(memory, paths, score, certainty)


def importance(memory: Memory) -> float:
    """How much a memory matters by itself, in [0, 1]: asked to be kept, then what it states, then how strongly it was felt."""
    if memory.reason == "trigger":
        return 1.0
    felt = memory.emotion.real.score if memory.emotion and memory.emotion.real else 0.0
    return max(felt, 0.7 if memory.facts else 0.0)


def distinct(recalled: Sequence[RecalledMemory]) -> list[RecalledMemory]:
    """Of memories that say the same words only the newest stays, at the place and with the paths of the best."""
    first: dict[str, int] = {}
    out: list[RecalledMemory] = []
    for one in recalled:
        said = "".join(one.memory.text.lower().split())
        if said not in first:
            first[said] = len(out)
            out.append(one)
            continue
        kept = out[first[said]]
        newer = max(kept.memory, one.memory, key=lambda m: m.timestamp)
        out[first[said]] = replace(kept, memory=newer, paths=tuple(dict.fromkeys((*kept.paths, *one.paths))))
    return out
