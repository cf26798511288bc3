"""The messages that every language model is sent.

One system message, the same bytes for every user and turn of a language; then the last turns; then, as the user's last message, the blocks
that hold something and the utterance. What changes least comes first, so that an engine's prefix cache spares as much as it can:
system | summary | turns | memories, now, emotion, notice, utterance. Roles alternate, as some chat templates demand.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, Literal, TypedDict

from lira_core.dates.finding import say
from lira_core.generation.dated import dated
from lira_core.generation.escaping import escaped, one_line
from lira_core.generation.port import Prompt
from lira_core.generation.prompt_wording import PromptWording
from lira_core.language import Language, language_of_turn
from lira_core.languages.en.prompting import PROMPT as EN
from lira_core.languages.ko.prompting import PROMPT as KO
from lira_core.memory.following import whole
from lira_core.memory.listing import lists
from lira_core.reading.port import ANSWERS
from lira_core.types import Message, RecalledMemory

VERSION: Final = 1
"""Of the prompt's wording and form: what an engine writes depends on it."""
BUDGET: Final = 1_500
"""Tokens of a whole prompt. An everyday turn takes under 900; a context of 2,048 tokens, the smallest in use, keeps room for an answer."""
TURNS: Final = (4, 8)
"""So many of the last turns are sent, at least and at most, where there are as many."""
MEMORY_CHARS: Final = 400
"""A longer memory is cut around the words that answer: some 290 tokens of Korean, 100 of English."""
UNSUPPORTED: Final = 8
"""So many unsupported words are named, of so many characters each: a model's own words come back into its instructions here."""
UNSUPPORTED_CHARS: Final = 24
TOKENS_PER_BYTE: Final = 0.3
"""Of UTF-8. Measured over 1,500 utterances each of `data/people`: Korean .290 (o200k_base) and .263 (gemma-3), English .250 and .257. An older
tokenizer takes more of Korean: cl100k_base .449."""
MESSAGE_TOKENS: Final = 5
"""What a chat template adds to a message: gemma-3 five ("<start_of_turn>user\\n", "<end_of_turn>\\n"), OpenAI's three and the role."""

Count = Callable[[str], int]


class ChatMessage(TypedDict):
    """One message as OpenAI's chat completions take it."""

    role: Literal["system", "user", "assistant"]
    content: str


class _Room:
    """Tokens that are left. What comes first is let in first, and after the first that finds no room nobody is."""

    def __init__(self, tokens: int, count: Count) -> None:
        self._left, self._count = tokens, count

    def admits(self, *texts: str, messages: int = 0) -> bool:
        self._left -= sum(self._count(text) for text in texts) + messages * MESSAGE_TOKENS
        return self._left >= 0


def tokens(text: str) -> int:
    """An estimate of the tokens of a text, where the model's tokenizer is not at hand."""
    return -int(-len(text.encode("utf-8", "replace")) * TOKENS_PER_BYTE // 1)


def size(sent: Iterable[ChatMessage], count: Count = tokens) -> int:
    """The tokens of messages."""
    return sum(count(message["content"]) + MESSAGE_TOKENS for message in sent)


def messages(prompt: Prompt, *, budget: int = BUDGET, count: Count = tokens) -> list[ChatMessage]:
    """The prompt as messages of `budget` tokens at most, as `count` counts those of a text.

    Where they do not suffice the oldest turns give way first, then the summary's oldest lines, then the memories that are least sure; the
    system message, what belongs to the utterance and the utterance itself never do.
    """
    language = language_of_turn(prompt.text, [m.content for m in prompt.history if m.role == "user"])
    wording = KO if language == "ko" else EN
    last = [*_block("now", [_now(prompt.at, language)]), *_block("emotion", _feeling(prompt)), *_block("notice", _notices(prompt, wording))]
    said = escaped(prompt.text)
    room = _Room(budget, count)
    room.admits(wording.system, "\n".join([*last, "", said]), messages=2)
    memories = list(_block("memories", _memories(prompt, room, wording)))
    summary = list(_block("summary", _summary(prompt.summary, room)))
    turns = _turns(prompt.history, room)
    sent: list[ChatMessage] = [{"role": "system", "content": wording.system}]
    opening = [*summary, ""] if summary else []
    for turn in turns:
        sent += [{"role": "user", "content": "\n".join([*opening, turn[0]])}, {"role": "assistant", "content": turn[1]}]
        opening = []
    return [*sent, {"role": "user", "content": "\n".join([*opening, *memories, *last, "", said])}]


def _block(name: str, lines: Sequence[str]) -> Iterator[str]:
    """Nothing, a line, or lines between delimiters. No line may contain a delimiter."""
    if len(lines) == 1:
        yield f"<{name}>{lines[0]}</{name}>"
    elif lines:
        yield "\n".join([f"<{name}>", *lines, f"</{name}>"])


def _now(at: datetime, language: Language) -> str:
    # The year, which is otherwise left out where it is known.
    return say(at, "minute", language, datetime.min).removeprefix("on ")


def _feeling(prompt: Prompt) -> list[str]:
    if prompt.emotion is None or prompt.emotion.label == "neutral":
        return []
    return [f"{prompt.emotion.label} {prompt.emotion.score:.2f}"]


def _notices(prompt: Prompt, wording: PromptWording) -> list[str]:
    """What is told to the model, not by the user."""
    out = [*([wording.care] if prompt.risk == "surely" else []), *prompt.guidance]
    if prompt.verdict is not None:
        out.append(wording.verdicts[prompt.verdict])
    elif _unanswered(prompt):
        out.append(wording.unanswered)
    if prompt.unsupported:
        words = [one_line(word)[:UNSUPPORTED_CHARS] for word in prompt.unsupported[:UNSUPPORTED]]
        out.append(wording.retry.format(words=", ".join(words)))
    return out


def _unanswered(prompt: Prompt) -> bool:
    """Whether the reader looked for an answer in the memories and found none."""
    question = prompt.question
    if question is None or not question.about_memory or question.just_now or lists(question):
        return False
    if question.listing:
        return not prompt.recalled
    return all(one.sure is not None and one.sure < ANSWERS for one in prompt.recalled)


def _memories(prompt: Prompt, room: _Room, wording: PromptWording) -> list[str]:
    """One line each, the newest first. The surest are let in first."""
    newest_first = sorted(prompt.recalled, key=lambda r: r.memory.timestamp, reverse=True)
    lines = {r.memory.id: _memory(r, prompt.at) for r in newest_first}
    kept: set[str] = set()
    for one in sorted(newest_first, key=lambda r: r.score if r.sure is None else r.sure, reverse=True):
        entry = f"1. ({_day(one)}; {wording.newer}) {lines[one.memory.id]}\n"
        if not room.admits(entry, "" if kept else "<memories>\n</memories>\n"):
            break
        kept.add(one.memory.id)
    shown = [r for r in newest_first if r.memory.id in kept]
    out = []
    for number, one in enumerate(shown, 1):
        newer = next((i for i, other in enumerate(shown[: number - 1], 1) if _keys(one) & _keys(other)), None)
        notes = f"{_day(one)}; {wording.newer.format(number=newer)}" if newer else _day(one)
        out.append(f"{number}. ({notes}) {lines[one.memory.id]}")
    return out


def _memory(one: RecalledMemory, now: datetime) -> str:
    """What was said, its dates absolute: "내일" was said on another day."""
    memory = one.memory
    return one_line(dated(_cut(whole(memory), one.span), memory.timestamp, now))


def _day(one: RecalledMemory) -> str:
    return f"{one.memory.timestamp:%Y-%m-%d}"


def _keys(one: RecalledMemory) -> set[str]:
    return {fact.key for fact in one.memory.facts if fact.key is not None}


def _cut(text: str, span: tuple[int, int] | None) -> str:
    """At most MEMORY_CHARS of a text, with the words that answer in their middle."""
    if len(text) <= MEMORY_CHARS:
        return text
    middle = sum(span) // 2 if span else 0
    start = min(max(0, middle - MEMORY_CHARS // 2), len(text) - MEMORY_CHARS)
    end = start + MEMORY_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _summary(text: str, room: _Room) -> list[str]:
    """Its lines, oldest first. The newest are let in first."""
    out: list[str] = []
    for line in reversed([line for raw in text.splitlines() if (line := one_line(raw))]):
        if not room.admits(f"- {line}\n", "" if out else "<summary>\n</summary>\n"):
            break
        out.append(f"- {line}")
    return out[::-1]


def _turns(history: Sequence[Message], room: _Room) -> list[tuple[str, str]]:
    """The last turns, oldest first: what the user said, and what was answered."""
    turns = _paired(history)
    out: list[tuple[str, str]] = []
    for turn in reversed(turns[_start(turns) :]):
        if not room.admits(*turn, messages=2):
            break
        out.append(turn)
    return out[::-1]


def _paired(history: Sequence[Message]) -> list[tuple[str, str]]:
    """Whole turns: of a session read from its middle an answer without its question is left out."""
    turns: list[tuple[list[str], list[str]]] = []
    for message in history:
        if message.role == "user":
            if not turns or turns[-1][1]:
                turns.append(([], []))
            turns[-1][0].append(escaped(message.content))
        elif turns:
            turns[-1][1].append(escaped(message.content))
    return [("\n".join(said), "\n".join(answered)) for said, answered in turns if answered]


def _start(turns: Sequence[tuple[str, str]]) -> int:
    """Where the last turns begin: not always as many before the end, or the first one would change at every turn, and nothing after it be cached.

    As in winnowing (Schleimer, Wilkerson and Aiken 2003) the turn of the least digest in the window: it stays the first until it leaves the window
    or a lesser one comes into it.
    """
    fewest, most = TURNS
    if len(turns) <= most:
        return 0
    window = range(len(turns) - most, len(turns) - fewest + 1)
    return min(window, key=lambda i: zlib.crc32(turns[i][0].encode("utf-8", "replace")))
