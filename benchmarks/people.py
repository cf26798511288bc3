"""The invented people of `data/people` as conversations, in the form that `lira eval memory` replays: what they ask is answered in words.

    python -m benchmarks.people data/people/ko_plain.jsonl --every 12 > /tmp/dialogues.jsonl
    lira eval memory /tmp/dialogues.jsonl

What follows another statement (data/told) is said in the same session. Of people with `talks` (data/talks) each question is asked after those of its
talk, as the probe's `before` says; its kind is `follows` where it wants them and `alone` where it does not.

With `--every 12` it takes of all files given, in order, the persons that training leaves out (`models/make/understanding/people.py`). An answer
passes when it begins with the right yes or no, or holds a word of those that answer; where nothing answers, when it says that it does not know.
Stricter than a reader would be in some places and laxer in others: a figure to compare versions by.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from datetime import datetime, timedelta
from typing import Any

from lira_core.languages.terms import terms

FIRST = datetime.fromisoformat("2026-03-02T19:00:00+09:00")
LATER = timedelta(days=20)
PER_SESSION = 4
UNKNOWN = {
    "ko": ["모르", "몰라", "기억에 없", "들은 적", "말씀하신 적", "말씀해 주신 적", "알려주신 적", "알지 못", "기억나지 않"],
    "en": ["don't know", "not sure", "don't remember", "haven't told", "never told", "never mentioned", "haven't mentioned", "didn't mention"],
}
VERDICT = {"ko": {"yes": ["네,"], "no": ["아니요,"]}, "en": {"yes": ["yes,"], "no": ["no,"]}}


def dialogue(name: str, person: dict[str, Any]) -> dict[str, Any]:
    parts = in_sessions(person)
    sessions = [
        {"id": f"s{n}", "at": (FIRST + timedelta(days=2 * n)).isoformat(), "turns": [person["says"][i] for i in part]} for n, part in enumerate(parts)
    ]
    place = {i: f"s{n}:{k}" for n, part in enumerate(parts) for k, i in enumerate(part)}
    asked = FIRST + timedelta(days=2 * len(sessions)) + LATER
    probes = [
        {
            "session": "new",
            "at": (asked + timedelta(minutes=n)).isoformat(),
            "text": ask["q"],
            **({"before": before, "kind": "follows" if ask["follows"] else "alone"} if before else {"kind": ask["kind"]}),
            **expected(ask, "ko" if any("가" <= c <= "힣" for c in ask["q"]) else "en"),
            "evidence": [place[i] for i in ask["from"]],
        }
        for n, (before, ask) in enumerate(in_turn(person))
        if ask["kind"] != "small_talk"
    ]
    return {"user": name, "sessions": sessions, "probes": probes}


def in_sessions(person: dict[str, Any]) -> list[list[int]]:
    """What is said together, by index: PER_SESSION statements, and those that follow the last of them (data/told)."""
    follows = person.get("follows") or [False] * len(person["says"])
    parts: list[list[int]] = []
    for i, one in enumerate(follows):
        if not parts or (len(parts[-1]) >= PER_SESSION and not one):
            parts.append([])
        parts[-1].append(i)
    return parts


def in_turn(person: dict[str, Any]) -> list[tuple[list[str], dict[str, Any]]]:
    """Each question with those asked ahead of it in the same talk."""
    alone: list[tuple[list[str], dict[str, Any]]] = [([], ask) for ask in person.get("asks", ())]
    return alone + [([one["q"] for one in talk[:i]], ask) for talk in person.get("talks", ()) for i, ask in enumerate(talk)]


def expected(ask: dict[str, Any], language: str) -> dict[str, list[str]]:
    unknown = UNKNOWN[language]
    if not ask["from"]:
        return {"expect_any": unknown, "expect_none": []}
    if ask.get("verdict"):
        return {"expect_any": VERDICT[language][ask["verdict"]], "expect_none": unknown}
    words = [word for span in ask["span"] for word in terms(span) if len(word) > 1] or ask["span"]
    return {"expect_any": words, "expect_none": unknown}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th person")
    arguments = parser.parse_args()
    people = [
        (f"{path.stem}-{n}", json.loads(line)) for path in arguments.files for n, line in enumerate(path.open(encoding="utf-8")) if line.strip()
    ]
    for name, person in people[:: arguments.every]:
        sys.stdout.write(json.dumps(dialogue(name, person), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
