"""The model of growth: what a number of users takes, from what a turn and a memory cost.

Pure arithmetic, every step of which docs/capacity.md shows. A figure is measured (`python -m benchmarks.costs`), documented by somebody else, or a
guess that is called one; whoever reads the result puts their own in its place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Literal

Source = Literal["measured", "documented", "guess"]

DAY_S = 86_400
DAYS_PER_MONTH = 365 / 12
GB = 1e9


@dataclass(frozen=True, slots=True)
class About:
    """Of a figure: its unit, where it comes from, and what it means."""

    unit: str
    source: Source
    told: str


def figure(default: float, unit: str, source: Source, told: str) -> float:
    """A field of Figures."""
    value: float = field(default=default, metadata={"about": About(unit, source, told)})
    return value


@dataclass(frozen=True, slots=True)
class Figures:
    """What the model rests on. ValueError, naming the figure, for one that is no number of its kind."""

    # People
    users: float = figure(1_000_000, "people", "guess", "who have ever talked to LIRA and were not deleted")
    active_share: float = figure(0.1, "of users a day", "guess", "who talk on a day")
    turns_a_day: float = figure(20, "turns", "guess", "of somebody who talks on that day")
    peak: float = figure(3, "times the mean", "guess", "turns a second in the busiest hour; one country sleeps at the same time")
    years: float = figure(1, "years", "guess", "that memories have gathered for; nothing is forgotten but on request")

    # CPU of a turn, in milliseconds of one core
    ingress_ms: float = figure(6, "ms a turn", "measured", "ChatIngress, and HAProxy before it")
    orchestrator_ms: float = figure(40, "ms a turn", "measured", "RecallOrchestrator: understanding, stores, gate, ranking, the grounded answer")
    analyzer_ms: float = figure(27, "ms a turn", "measured", "UtteranceAnalyzer: emotion, the vector of what is said, what it is")
    reader_ms: float = figure(61, "ms a question", "measured", "MemoryReader")
    questions: float = figure(0.29, "of turns", "measured", "that are read for, of what the invented people say")
    ray_ms: float = figure(5, "ms a turn", "measured", "Ray's own processes under load (docs/performance.md)")
    busy: float = figure(0.6, "of a replica", "guess", "how busy replicas may be at the peak; queues grow without bound towards 1")

    # Language model
    written: float = figure(0, "of turns", "guess", "whose answer a language model writes; 0 is the grounded responder")
    tokens_in: float = figure(900, "tokens", "measured", "of a prompt (docs/vllm.md)")
    tokens_out: float = figure(60, "tokens", "guess", "of an answer")
    gpu_tokens_in: float = figure(20_000, "tokens a second and GPU", "guess", "read, at the batch sizes of the peak; measure your model on your GPU")
    gpu_tokens_out: float = figure(2_500, "tokens a second and GPU", "guess", "written, as above")

    # What is stored
    kept: float = figure(0.6, "of turns", "measured", "of which a memory is kept, of what the invented people say")
    redis_session_bytes: float = figure(440, "bytes a turn", "measured", "of its session, with the keys")
    session_hours: float = figure(24, "hours", "documented", "a session lives after its last turn (LIRA_SESSION_TTL_SECONDS)")
    redis_headroom: float = figure(2, "times", "documented", "Redis copies what is written while it saves (redis.io, persistence: fork)")
    mongo_turn_bytes: float = figure(1_870, "bytes a turn", "measured", "BSON of its two events")
    mongo_memory_bytes: float = figure(
        2_640, "bytes a memory", "measured", "BSON with facts and terms (1,010), and of the counts of its user's words"
    )
    mongo_entries: float = figure(55, "entries a turn", "measured", "of the indexes: one for each term and fact, and those of each document")
    mongo_entry_bytes: float = figure(40, "bytes", "guess", "of an entry in an index, its prefix compressed")
    mongo_compression: float = figure(0.5, "of the BSON", "guess", "that snappy leaves on the disk")
    mongo_hot: float = figure(0.1, "of the disk", "guess", "that should be in memory: of those who talk on a day")
    vector_dimensions: float = figure(384, "numbers", "documented", "of the encoder (models/lira-encoder)")
    vector_overhead: float = figure(2, "times", "documented", "memory of HNSW to that of its vectors (Weaviate, resource planning)")
    object_bytes: float = figure(1_000, "bytes a memory", "guess", "of its object and inverted index on the disk of Weaviate")
    awake: float = figure(1, "of tenants", "documented", "active: LIRA makes one for each user and puts none to sleep, which an operator may")
    tenants_per_node: float = figure(50_000, "tenants", "documented", "active on one node of Weaviate (Weaviate, concepts: data)")
    node_gb: float = figure(64, "GB", "guess", "of memory of one node of MongoDB or Weaviate, four fifths of which data may fill")
    redis_node_gb: float = figure(32, "GB", "guess", "of memory of one Redis; from more on it is a cluster")
    copies: float = figure(3, "copies", "documented", "of the record and of sessions, so that one may be lost (MongoDB: a replica set of three)")
    vector_copies: float = figure(1, "copies", "documented", "of the index, which can be made again (`lira reindex`)")

    # Prices
    core_price: float = figure(25, "a month", "guess", "of one virtual core with 4 GB")
    gpu_price: float = figure(1_500, "a month", "guess", "of one GPU with what it stands in")
    memory_price: float = figure(4, "a GB and month", "guess", "of memory of a store's node")
    disk_price: float = figure(0.1, "a GB and month", "guess", "of SSD")

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self)):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"{option(name)} is {value:g}; give a number from 0 on")
            if name in SHARES and value > 1:
                raise ValueError(f"{option(name)} is {value:g}; it is a share, from 0 to 1")
            if name in POSITIVE and value == 0:
                raise ValueError(f"{option(name)} is 0, and is divided by; give more than 0")
        if self.peak < 1:
            raise ValueError(f"{option('peak')} is {self.peak:g}; the busiest hour has at least the mean, 1")


SHARES = frozenset({"active_share", "awake", "questions", "busy", "written", "kept", "mongo_compression", "mongo_hot"})
POSITIVE = frozenset({"busy", "gpu_tokens_in", "gpu_tokens_out", "tenants_per_node", "node_gb", "redis_node_gb", "copies", "vector_copies", "peak"})
FILLED = 0.8
"""Of a node's memory that data may fill: what Weaviate's LIMIT_RESOURCES takes for itself."""
SPARE = 1
"""Replicas beyond what the load needs, so that one may be lost or replaced."""


def option(name: str) -> str:
    """How the command line calls a figure."""
    return "--" + name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Stage:
    """A deployment at the peak: cores that are busy all the time, and replicas of one core each."""

    name: str
    cores: float
    replicas: int


@dataclass(frozen=True, slots=True)
class Store:
    """A kind of server: GB of memory and of disk of all copies together, and nodes."""

    name: str
    memory_gb: float
    disk_gb: float
    nodes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What it takes. Costs are in whatever money the prices are in."""

    turns_a_second: float
    peak_turns_a_second: float
    turns_a_month: float
    memories: float
    stages: tuple[Stage, ...]
    gpus: int
    stores: tuple[Store, ...]
    tenants: float
    active_tenants: float
    month_costs: dict[str, float]

    @property
    def cost_a_million_turns(self) -> float | None:
        """None where nobody talks."""
        return sum(self.month_costs.values()) / self.turns_a_month * 1_000_000 if self.turns_a_month else None


def plan(given: Figures) -> Plan:
    """The model."""
    a_day = given.users * given.active_share * given.turns_a_day
    peak = given.peak * a_day / DAY_S
    turns = a_day * 365 * given.years
    memories = turns * given.kept
    stages, gpus = _stages(given, peak), _gpus(given, peak)
    stores = (_redis(given, a_day), _mongo(given, turns, memories), _weaviate(given, memories))
    costs = {
        "stages": sum(stage.replicas for stage in stages) * given.core_price,
        "GPUs": gpus * given.gpu_price,
        "memory of stores": sum(store.memory_gb for store in stores) / FILLED * given.memory_price,
        "disks of stores": sum(store.disk_gb for store in stores) * given.disk_price,
    }
    awake = given.users * given.awake
    return Plan(a_day / DAY_S, peak, a_day * DAYS_PER_MONTH, memories, stages, gpus, stores, given.users, awake, costs)


def _stages(given: Figures, peak: float) -> tuple[Stage, ...]:
    milliseconds = {
        "ChatIngress": given.ingress_ms,
        "RecallOrchestrator": given.orchestrator_ms,
        "UtteranceAnalyzer": given.analyzer_ms,
        "MemoryReader": given.reader_ms * given.questions,
        "Ray itself": given.ray_ms,
    }
    cores = {name: peak * took / 1000 for name, took in milliseconds.items()}
    return tuple(Stage(name, busy, math.ceil(busy / given.busy) + SPARE) for name, busy in cores.items())


def _gpus(given: Figures, peak: float) -> int:
    """Reading and writing share the device: their times add up."""
    busy = peak * given.written * (given.tokens_in / given.gpu_tokens_in + given.tokens_out / given.gpu_tokens_out)
    return math.ceil(busy / given.busy) + SPARE if busy else 0


def _redis(given: Figures, turns_a_day: float) -> Store:
    """Sessions of as long as they live; what is talked goes on for a day at most beyond the last turn."""
    held = turns_a_day * (given.session_hours / 24) * given.redis_session_bytes * given.copies / GB
    return Store("Redis", held * given.redis_headroom, held, _nodes(held * given.redis_headroom, given.redis_node_gb, given.copies))


def _mongo(given: Figures, turns: float, memories: float) -> Store:
    documents = (turns * given.mongo_turn_bytes + memories * given.mongo_memory_bytes) * given.mongo_compression
    disk = (documents + turns * given.mongo_entries * given.mongo_entry_bytes) * given.copies / GB
    memory = disk * given.mongo_hot
    return Store("MongoDB", memory, disk, _nodes(memory, given.node_gb, given.copies))


def _weaviate(given: Figures, memories: float) -> Store:
    """A tenant is a shard. Of one that is active the vectors are in memory; one that is not is on the disk alone."""
    vector = given.vector_dimensions * 4
    memory = memories * given.awake * vector * given.vector_overhead * given.vector_copies / GB
    disk = memories * (vector + given.object_bytes) * given.vector_copies / GB
    by_tenants = math.ceil(given.users * given.awake * given.vector_copies / given.tenants_per_node)
    return Store("Weaviate", memory, disk, max(_nodes(memory, given.node_gb, given.vector_copies), by_tenants))


def _nodes(memory_gb: float, node_gb: float, copies: float) -> int:
    return max(math.ceil(memory_gb / (node_gb * FILLED)), math.ceil(copies))
