"""Recall: three paths (by meaning, by fact, by feeling), one result of at most three memories.

Which paths run follows seed 001: by fact when the utterance asks or names a slot, by meaning always (the embedding is
there anyway, and skipping it for 기억나 lost paraphrases), by feeling when a real feeling is strong or is asked for.
Each path only finds candidates; `merge` decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lira_core.embedding.certainty import Certainty
from lira_core.memory import ranking
from lira_core.memory.answerable import ANSWERS, support
from lira_core.memory.question import Question
from lira_core.memory.validity import completed, keys_of, still_true
from lira_core.stores.ports import Memories, Vector, Vectors
from lira_core.types import Fact, Memory, Path, Recalled

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
    """What one path found: memories, and what it knows of them by id."""

    path: Path
    memories: list[Memory] = field(default_factory=list)
    certainty: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)


class Recall:
    """The paths over one user's memories. `floor` is the least certainty of the semantic path."""

    def __init__(self, memories: Memories, vectors: Vectors, certainty: Certainty, *, floor: float) -> None:
        self._memories, self._vectors, self._certainty, self._floor = memories, vectors, certainty, floor

    async def semantic(self, user_id: str, cue: Cue, vector: Vector) -> Found:
        """Memories that mean about the same; the certainty of the others goes along for what the other paths find."""
        near = await self._vectors.search(user_id, vector, CANDIDATES)
        certainty = {memory_id: float(self._certainty(cosine)) for memory_id, cosine in near}
        sure = [memory_id for memory_id, value in certainty.items() if value >= self._floor]
        return Found("semantic", await self._memories.get(user_id, sure), certainty)

    async def fact(self, user_id: str, cue: Cue) -> Found:
        """Memories that hold the slot asked for, or the words; the newest ones when the question names neither."""
        matches = await self._memories.by_terms(user_id, cue.search_terms) if cue.search_terms else None
        words = ranking.coverage(matches, cue.search_terms) if matches else {}
        if not cue.question:
            words = {memory_id: share for memory_id, share in words.items() if share >= SAME_WORDS}
        found = await self._memories.get(user_id, ranking.best(words, CANDIDATES))
        if cue.slots:
            found += await self._memories.by_slots(user_id, cue.slots, CANDIDATES)
        elif cue.question and cue.question.about_memory and not cue.search_terms:
            found += (await self._memories.page(user_id, CANDIDATES, None))[0]
        return Found("fact", found, words=words)

    async def emotion(self, user_id: str, labels: Sequence[str], minimum: float) -> Found:
        """Memories of the same feeling, at least `minimum` strong."""
        return Found("emotion", [m for label in labels for m in await self._memories.by_emotion(user_id, label, minimum, CANDIDATES)])

    async def merge(self, user_id: str, cue: Cue, found: Sequence[Found], limit: int) -> tuple[Recalled, ...]:
        """One list of at most `limit`: deduplicated, only what still holds, the best by score, the newest truth first."""
        certainty = {k: v for f in found for k, v in f.certainty.items()}
        words = {k: v for f in found for k, v in f.words.items()}
        paths: dict[str, list[Path]] = {}
        candidates: dict[str, Memory] = {}
        for one in found:
            for memory in one.memories:
                if memory.id == cue.utterance_id or (cue.as_of is not None and memory.timestamp > cue.as_of):
                    continue
                candidates[memory.id] = memory
                if one.path not in paths.setdefault(memory.id, []):
                    paths[memory.id].append(one.path)
        keys = keys_of(candidates.values())
        newest = await self._memories.newest_of_keys(user_id, keys, cue.as_of) if keys else {}
        scored = []
        for memory in (completed(m, candidates.values()) for c in candidates.values() if (m := still_true(c, newest))):
            score = self._score(cue, memory, paths[memory.id], certainty.get(memory.id), words.get(memory.id, 0.0))
            if score is not None:
                scored.append(Recalled(memory, tuple(paths[memory.id]), score, certainty.get(memory.id)))
        scored.sort(key=lambda r: (-r.score, -r.memory.timestamp.timestamp(), r.memory.id))
        return tuple(sorted(distinct(scored)[:limit], key=lambda r: (-r.memory.timestamp.timestamp(), -r.score)))

    def _score(self, cue: Cue, memory: Memory, paths: list[Path], certainty: float | None, words: float) -> float | None:
        """The merged score; None when only the fact path found it and it does not speak of what was asked."""
        supports = support(cue.question, memory, certainty) if cue.question else 0.0
        if cue.question and supports < ANSWERS:
            if "fact" in paths:
                paths.remove("fact")
            if not paths:
                return None
        return ranking.merged_score(
            relevance=max(supports, (certainty or 0.0) if "semantic" in paths else 0.0, 0.5 if "emotion" in paths else 0.0),
            keyword=words,
            recent=ranking.recency(memory.timestamp, cue.now),
            importance=importance(memory),
        )


def importance(memory: Memory) -> float:
    """How much a memory matters by itself, in [0, 1]: asked to be kept, then what it states, then how strongly it was felt."""
    if memory.reason == "trigger":
        return 1.0
    felt = memory.emotion.real.score if memory.emotion and memory.emotion.real else 0.0
    return max(felt, 0.7 if memory.facts else 0.0)


def distinct(recalled: Sequence[Recalled]) -> list[Recalled]:
    """Of memories that say the same words only the newest stays, at the place and with the paths of the best."""
    first: dict[str, int] = {}
    out: list[Recalled] = []
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
