"""What somebody wrote, made fit to stand in a prompt: it can contain no delimiter, and nothing that a tokenizer takes for a control token."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Every chat template's own tokens but Mistral's begin with "<" ("<|im_end|>", "<start_of_turn>", "</s>", "<think>"), as do our delimiters: servers
# tokenize the whole prompt after filling the template, so such a token in somebody's words would be a real one.
_BRACKETS: Final = str.maketrans({"<": "‹", ">": "›", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›"})
_MISTRAL: Final = re.compile(r"\[(/?[A-Z]+(?:_[A-Z]+)*)\]")
_JOINER: Final = "\u200d"
_SPACES: Final = re.compile(r"[^\S\n]+")


def escaped(text: str) -> str:
    """The text without "<" and ">", without characters that nobody sees, and with plain spaces; lines stay.

    Unseen are controls, formats (bidirectional marks, zero widths, the tag block), private use and the selectors U+E0100 to U+E01EF, in which
    whole orders can be hidden from the person who pastes them. The joiner that makes one emoji of several stays.
    """
    seen = "".join(c for c in "\n".join(text.splitlines()) if _visible(c))
    return _SPACES.sub(" ", _MISTRAL.sub(r"(\1)", seen.translate(_BRACKETS))).strip()


def one_line(text: str) -> str:
    """`escaped`, in one line: it cannot begin an entry of a list."""
    return " ".join(escaped(text).split())


def _visible(char: str) -> bool:
    if char in {"\n", "\t", _JOINER}:
        return True
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"} and not "\U000e0100" <= char <= "\U000e01ef"
