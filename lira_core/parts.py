"""What all turns of a LIRA share."""

from __future__ import annotations

from dataclasses import dataclass

from lira_core.embedding.port import Embedder
from lira_core.emotion.port import EmotionReader
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import Generator
from lira_core.health import Health
from lira_core.indexing import Indexer
from lira_core.ledger import Ledger
from lira_core.memory.recall import Recall
from lira_core.observe import Observer
from lira_core.pools import Pools
from lira_core.reading.port import Reader
from lira_core.settings import Settings
from lira_core.stores import Stores
from lira_core.summarising import Summariser


@dataclass(frozen=True, slots=True)
class Parts:
    """The settings, and whatever they chose, opened once."""

    settings: Settings
    emotion: EmotionReader
    embedder: Embedder
    reader: Reader
    stores: Stores
    recall: Recall
    generator: Generator
    fallback: GroundedResponder
    ledger: Ledger
    indexer: Indexer
    summariser: Summariser
    pools: Pools
    health: Health
    observer: Observer
