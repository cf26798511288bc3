"""What a language model answers to an understander, as an API sends it."""

from __future__ import annotations

import json
from typing import Any

from ..generation.faulty import Answer, Behaviour

FIELDS = {"owner": "user", "of": "", "status": "holds", "when": ""}


def stated(**fields: str) -> dict[str, str]:
    return FIELDS | fields


def completes(content: str | None, *, finish: str = "stop", **message: Any) -> Behaviour:
    """The whole answer, in one piece."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    return sends(json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "small", "choices": [choice]}))


def sends(body: str, kind: str = "application/json") -> Behaviour:
    async def answer(to: Answer) -> None:
        await to.head(kind=kind)
        await to.send(body)
        await to.end()

    return answer


def states(*facts: dict[str, Any]) -> Behaviour:
    return completes(json.dumps({"facts": facts}, ensure_ascii=False))
