"""Cohere's encoder, asked over HTTP: the embed call of its second API."""

from __future__ import annotations

import asyncio
import email.utils
import random
import re
import time
from collections.abc import Sequence
from typing import Any, Final

import httpx
import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.port import EMPTY, Heard, Kind, checked_dimensions
from lira_core.model_folder import ModelError
from lira_core.observe import Observer, Unobserved

TEXTS: Final = 96
"""Of one call, at most (Cohere's reference)."""
ATTEMPTS: Final = 4
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 8.0
"""Pauses double from the first to the longest, each drawn between nothing and that (full jitter: Brooker 2015, AWS). Who asked gives up by its own
deadline (LIRA_EMBEDDING_DEADLINE_MS) before that where it has to."""
CALLS: Final = 16
"""At once; more wait here. A production key is allowed 2,000 calls a minute, which at 0.2 s a call are seven at once."""
CALL_WITHIN_S: Final = 20.0
PASSING: Final = frozenset({408, 429, 500, 502, 503, 504})
INPUT_TYPE: Final[dict[Kind, str]] = {"query": "search_query", "passage": "search_document"}
_FIXED = re.compile(r"-v[123]\b")
"""Models of the third generation and before give one length of vector and refuse `output_dimension`."""
SHOWN: Final = 200


class EmbeddingUnavailable(ConnectionError):
    """Cohere did not answer, or said that it cannot now."""


class CohereEmbedder:
    """An `Embedder`. Calls are made as they come: a model that serves everybody forms its own batches.

    What passes (429, 5xx, a lost connection) is tried again, after as long as `Retry-After` says; then EmbeddingUnavailable. ModelError,
    naming the setting, for a key or a model that is refused and vectors of another length than `dimensions`.
    """

    def __init__(self, *, url: str, model: str, key: str, dimensions: int, observer: Observer | None = None) -> None:
        self._model, self._dimensions = model, dimensions
        self._observer = observer or Unobserved()
        self._free = asyncio.Semaphore(CALLS)
        self._client = httpx.AsyncClient(
            base_url=url.rstrip("/"),
            headers={"Authorization": f"Bearer {key}", "X-Client-Name": "lira"},
            timeout=CALL_WITHIN_S,
            limits=httpx.Limits(max_connections=CALLS),
        )
        self._tokens = 0

    @property
    def tokens(self) -> int:
        """Texts that are asked for: what an API has at work is counted by text."""
        return self._tokens

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), float32, rows L2-normalised; the kinds are asked apart, TEXTS at a time."""
        found = np.empty((len(texts), self._dimensions), np.float32)
        parts = []
        for kind in INPUT_TYPE:
            places = [i for i, (other, _) in enumerate(texts) if other == kind]
            parts += [(kind, places[i : i + TEXTS]) for i in range(0, len(places), TEXTS)]
        vectors = await asyncio.gather(*(self._asked(kind, [texts[i][1].strip() or EMPTY for i in places]) for kind, places in parts))
        for (_, places), rows in zip(parts, vectors, strict=True):
            found[places] = rows
        return found

    async def hear(self, text: str) -> Heard:
        return Heard((await self.embed([("query", text)]))[0], None)

    def check(self) -> None:
        """Nothing hangs: every call has a deadline."""

    async def close(self) -> None:
        await self._client.aclose()

    async def _asked(self, kind: Kind, texts: list[str]) -> NDArray[np.float32]:
        body: dict[str, Any] = {
            "model": self._model,
            "texts": texts,
            "input_type": INPUT_TYPE[kind],
            "embedding_types": ["float"],
            "truncate": "END",
        }
        if not _FIXED.search(self._model):
            body["output_dimension"] = self._dimensions
        began = time.perf_counter()
        self._tokens += len(texts)
        try:
            async with self._free:
                self._observer.observe("lira_batch_size", len(texts), stage="embedding")
                self._observer.observe("lira_queue_seconds", time.perf_counter() - began, stage="embedding")
                sent = time.perf_counter()
                vectors = self._vectors(await self._answer(body), len(texts))
                self._observer.observe("lira_inference_seconds", time.perf_counter() - sent, stage="embedding")
                return vectors
        finally:
            self._tokens -= len(texts)

    async def _answer(self, body: dict[str, Any]) -> Any:
        why, pause = "", 0.0
        for attempt in range(ATTEMPTS):
            if attempt:
                await asyncio.sleep(pause)
            pause = random.uniform(0, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**attempt))
            try:
                answer = await self._client.post("/v2/embed", json=body)
            except httpx.TransportError as error:
                why = f"{type(error).__name__}: {error}"
                continue
            if answer.status_code not in PASSING:
                return self._read(answer)
            why = f"it answers {answer.status_code}: {_told(answer)}"
            pause = max(pause, min(_retry_after(answer), LONGEST_PAUSE_S))
        raise EmbeddingUnavailable(f"Cohere at {self._client.base_url} does not embed after {ATTEMPTS} attempts: {why}")

    def _read(self, answer: httpx.Response) -> Any:
        match answer.status_code:
            case 200:
                try:
                    return answer.json()
                except ValueError:
                    raise EmbeddingUnavailable(f"Cohere at {self._client.base_url} answers what is no JSON: see LIRA_EMBEDDING_URL") from None
            case 401 | 403:
                raise ModelError(f"LIRA_EMBEDDING_API_KEY is refused by {self._client.base_url}: {_told(answer)}")
            case 404:
                raise ModelError(
                    f"LIRA_EMBEDDING_MODEL={self._model} or LIRA_EMBEDDING_URL={self._client.base_url} names nothing there: {_told(answer)}"
                )
            case status:
                raise ModelError(f"Cohere refuses LIRA_EMBEDDING_MODEL={self._model} with {status}: {_told(answer)}")

    def _vectors(self, answer: Any, count: int) -> NDArray[np.float32]:
        try:
            vectors = np.asarray(answer["embeddings"]["float"], np.float32)
            if vectors.ndim != 2 or len(vectors) != count:
                raise ValueError(f"{count} vectors were asked for, and the shape is {vectors.shape}")
        except (KeyError, TypeError, ValueError) as error:
            raise EmbeddingUnavailable(f"Cohere's answer cannot be read: {error!r}") from None
        checked_dimensions(vectors.shape[1], self._dimensions, self._model)
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny), np.float32)


def _told(answer: httpx.Response) -> str:
    """What the API says, shortened: some errors repeat what was sent, and with it what a person said."""
    try:
        said = answer.json()["message"]
    except (ValueError, KeyError, TypeError):
        said = answer.reason_phrase
    return str(said)[:SHOWN]


def _retry_after(answer: httpx.Response) -> float:
    """Seconds; 0 where it says nothing that can be read (RFC 9110: seconds or a date)."""
    told = answer.headers.get("retry-after", "")
    if told.isdigit():
        return float(told)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(told).timestamp() - time.time())
    except ValueError:
        return 0.0
