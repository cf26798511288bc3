"""What is no part of an answer's text: thoughts, leaked blocks, tags and a chat template's tokens, taken out of a stream character by character."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 60
"""A "<" with so many characters after it and no ">" is no tag."""
_HIDDEN: Final = frozenset({"think", "thinking", "thought", "reasoning", "memories", "summary", "now", "emotion", "notice"})
# What ends a turn, by the chat templates of today's open models; what begins one ends it too, but for the answer's own beginning.
_TURNS: Final = re.compile(r"\|.*\||/?s|bos|eos|(?:start|end)_of_turn|｜.*｜")
_BEGINS: Final = re.compile(r"s|bos|start_of_turn|\|(?:im_start|begin_of_text|(?:start|end)_header_id)\|")
_TAG: Final = re.compile(r"/?(?P<name>[A-Za-z_][\w-]*)(?:\s[^<>]*)?/?")
_MAY_BE: Final = re.compile(r"/?(?:[A-Za-z_][\w-]*(?:\s.*)?/?)?|[|｜].*", re.S)


class Markup:
    """`feed` each character, then `finish`. `ended`: a turn of the template ended, what follows is none of this answer."""

    def __init__(self) -> None:
        self.ended = False
        self._tag: str | None = None
        self._hidden: str | None = None
        self._begun = False

    def feed(self, char: str) -> str:
        """What of the text is known to be text by now."""
        # Our own escapes of "<" and ">" come back where a model repeats what it read.
        char = {"‹": "<", "›": ">"}.get(char, char)
        if self.ended:
            return ""
        if self._tag is None:
            if char == "<":
                self._tag = ""
                return ""
            return self._text(char)
        if char == ">":
            tag, self._tag = self._tag, None
            return self._closed(tag)
        if char == "<":
            tag, self._tag = self._tag, ""
            return self._text(f"<{tag}")
        self._tag += char
        if len(self._tag) <= LONGEST and _MAY_BE.fullmatch(self._tag):
            return ""
        tag, self._tag = self._tag, None
        return self._text(f"<{tag}")

    def finish(self) -> str:
        """What was held as the beginning of a tag and is none that is known."""
        tag, self._tag = self._tag, None
        if tag is None or self.ended:
            return ""
        known = any(name.startswith(tag.lstrip("/").lower()) for name in _HIDDEN) or tag.startswith(("|", "｜"))
        return "" if known else self._text(f"<{tag}")

    def _closed(self, tag: str) -> str:
        if _TURNS.fullmatch(tag):
            self.ended = self._hidden is None and (self._begun or not _BEGINS.fullmatch(tag))
            return ""
        found = _TAG.fullmatch(tag)
        if found is None:
            return self._text(f"<{tag}>")
        name = found["name"].lower()
        if tag.startswith("/"):
            self._hidden = None if name == self._hidden else self._hidden
        elif name in _HIDDEN and self._hidden is None:
            self._hidden = name
        return ""

    def _text(self, text: str) -> str:
        if self._hidden is not None:
            return ""
        self._begun = self._begun or not text.isspace()
        return text
