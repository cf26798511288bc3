from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from lira_core import compose
from lira_core.embedding.local import LocalEmbedder
from lira_core.emotion.local import LocalEmotion
from lira_core.lira import Lira
from lira_core.reading.local import LocalReader
from lira_core.settings import Settings


@pytest.fixture
async def lira(settings: Settings, engines: Any) -> AsyncIterator[Lira]:
    """A LIRA of the test's own over the models that all tests share."""
    emotion, embedder, reader = LocalEmotion(engines.emotion), LocalEmbedder(engines.encoder), LocalReader(engines.reader)
    lira = Lira(settings, emotion=emotion, embedder=embedder, reader=reader, stores=await compose.open_settled_stores(settings))
    await lira.start()
    yield lira
    await lira.close()
    await emotion.close()
    await embedder.close()
    await reader.close()
