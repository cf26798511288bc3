from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from lira_cli.capacity import example_as_markdown, figures_as_markdown

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "capacity.md").read_text("utf-8")
Lira = Callable[..., object]


def test_the_page_shows_every_figure_and_what_the_command_prints() -> None:
    assert figures_as_markdown() in PAGE, "put lira_cli.capacity.figures_as_markdown() into docs/capacity.md"
    assert example_as_markdown() in PAGE, "put lira_cli.capacity.example_as_markdown() into docs/capacity.md"


def test_a_reader_s_own_numbers_change_the_answer_and_are_repeated(lira: Lira) -> None:
    shown = lira("capacity", "--users", "1000000", "--analyzer-ms", "40").stdout  # type: ignore[attr-defined]
    assert shown.startswith("with --analyzer-ms 40\n")
    assert re.search(r"UtteranceAnalyzer: replicas of a core +6\n", shown)  # 69.4 a second at 40 ms are 2.8 cores; at most 0.6 busy 4.6, and a spare


def test_each_number_of_users_is_a_json_line(lira: Lira) -> None:
    done = lira("capacity", "--users", "1000", "--users", "2000", "--written", "1", "--json")
    small, large = (json.loads(line) for line in done.stdout.splitlines())  # type: ignore[attr-defined]
    assert (small["users"], large["users"]) == (1000, 2000)
    assert large["memories"] == 2 * small["memories"]
    assert small["gpus"] == 2


def test_a_number_that_cannot_be_is_refused_with_a_sentence(lira: Lira) -> None:
    done = lira("capacity", "--busy", "1.2")
    assert done.returncode == 2  # type: ignore[attr-defined]
    assert "--busy is 1.2; it is a share" in done.stderr  # type: ignore[attr-defined]
    assert "Traceback" not in done.stderr  # type: ignore[attr-defined]
