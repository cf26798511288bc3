"""The `lira` command, as a person runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lira_cli.chat import explain

DATA = Path(__file__).resolve().parents[1] / "data"


Lira = Callable[..., subprocess.CompletedProcess[str]]


def test_a_conversation_in_the_terminal_shows_the_feeling_what_was_recalled_and_what_was_kept(lira: Lira, tmp_path: Path) -> None:
    done = lira("chat", "--data", str(tmp_path), stdin="제 이름은 민수예요\n\n내 이름이 뭐였지?\n/quit\n")
    assert done.returncode == 0, done.stderr
    _, first, second = done.stdout.split("emotion   ")
    assert "recalled  nothing" in first
    assert "stored, because of fact" in done.stdout
    assert "제 이름은 민수예요" in second
    assert "(fact" in second or "(meaning+fact" in second


def test_a_conversation_with_a_server_that_is_not_there_says_so_and_goes_on(lira: Lira) -> None:
    done = lira("chat", "--url", "http://127.0.0.1:9", stdin="안녕\n/quit\n")
    assert done.returncode == 0, done.stderr
    assert "refused" in done.stdout or "connect" in done.stdout.lower()


def test_the_end_of_input_ends_a_conversation(lira: Lira, tmp_path: Path) -> None:
    assert lira("chat", "--data", str(tmp_path), stdin="").returncode == 0


def test_the_emotion_model_of_the_settings_is_scored_or_what_it_lacks_is_said(lira: Lira, tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("오늘 정말 너무 기뻤어\t17\n", "utf-8")
    done = lira("eval", "emotion", str(rows))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 1
    # Without torch its absence is named; with it the model's.
    other = lira("eval", "emotion", str(rows), LIRA_EMOTION_ENGINE="transformers", LIRA_EMOTION_MODEL=str(tmp_path))
    assert (other.returncode, other.stdout) == (2, "")
    assert other.stderr.startswith("lira: LIRA_EMOTION_")
    assert other.stderr.count("\n") == 1


def test_the_gate_is_scored_as_one_json_line(lira: Lira, tmp_path: Path) -> None:
    rows = tmp_path / "gate.jsonl"
    rows.write_text(
        '{"text": "기억해줘, 열쇠는 화분 밑이야", "store": true, "why": "trigger"}\n{"text": "ㅋㅋ", "store": false, "why": "none"}\n', "utf-8"
    )
    done = lira("eval", "gate", str(rows))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"f1": 1.0, "precision": 1.0, "recall": 1.0, "rows": 2}


def test_memory_is_scored_in_process_with_failures_told_on_request(lira: Lira, tmp_path: Path) -> None:
    user = {
        "user": "u1",
        "sessions": [{"id": "s1", "at": "2026-10-03T09:12:00+09:00", "turns": ["제 이름은 민수예요"]}],
        "probes": [
            {
                "session": "new",
                "at": "2026-10-04T09:00:00+09:00",
                "text": "내 이름이 뭐였지?",
                "kind": "name",
                "expect_any": ["민수"],
                "evidence": ["s1:0"],
            },
            {"session": "new", "at": "2026-10-04T09:00:00+09:00", "text": "내 혈액형이 뭐였지?", "kind": "never_told", "expect_any": ["AB"]},
        ],
    }
    file = tmp_path / "memory.jsonl"
    file.write_text(json.dumps(user, ensure_ascii=False), "utf-8")
    done = lira("eval", "memory", str(file), "--show-failures")
    scores = json.loads(done.stdout)
    assert scores == {"pass_rate": 0.5, "evidence_recall": 1.0, "by_kind": {"name": 1.0, "never_told": 0.0}, "probes": 2}
    assert "모르겠어요" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("eval", "gate", "no-such-file.jsonl"), "no-such-file.jsonl"),
        (("eval", "memory", str(DATA.parent / "lira_cli" / "test_main.py")), "line 1: not JSON"),
        (("eval", "retrieval", str(DATA / "gate_ko.jsonl")), "not JSON"),
    ],
)
def test_a_file_that_cannot_be_scored_is_one_sentence_and_exit_code_2(lira: Lira, arguments: tuple[str, ...], says: str) -> None:
    done = lira(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_setting_is_one_sentence_and_exit_code_2(lira: Lira, tmp_path: Path) -> None:
    done = lira("chat", "--data", str(tmp_path), LIRA_EMOTOIN_GATE="0.5")
    assert done.returncode == 2
    assert "LIRA_EMOTION_GATE" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_command_explains_itself(lira: Lira) -> None:
    told = lira("--help").stdout
    for command in ("serve", "chat", "mcp", "eval", "bench", "reindex", "doctor"):
        assert command in told
        assert lira(command, "--help").returncode == 0


@pytest.mark.parametrize("command", [("doctor",), ("reindex",), ("reindex", "--drop", "e5-12345678-384")])
def test_a_setting_that_cannot_be_is_one_sentence_for_every_command(lira: Lira, tmp_path: Path, command: tuple[str, ...]) -> None:
    done = lira(*command, LIRA_DATA_DIR=str(tmp_path), LIRA_PORT="none")
    assert done.returncode == 2
    assert done.stderr.startswith("lira: LIRA_PORT")
    assert "Traceback" not in done.stderr


def test_a_conversation_tells_what_was_missed_and_what_was_not_read() -> None:
    reply = {
        "emotion": {"top": []},
        "recalled": [
            {"text": "나는 부산에 살아", "paths": ["semantic", "emotion"], "score": 0.5, "certainty": None, "timestamp": "2026-10-03T09:12:00+09:00"}
        ],
        "memory": {"status": "queued", "reason": "fact"},
        "degraded": ["record", "emotion"],
    }
    assert explain(reply) == [
        "emotion   not read",
        "recalled  나는 부산에 살아  (meaning+feeling, score 0.50, 2026-10-03 09:12)",
        "kept      queued, because of fact",
        "missed    record, emotion",
    ]


def test_what_serves_loads_no_model_in_its_own_process() -> None:
    loaded = "import sys, lira_cli.main, lira_cli.serve; print(sorted({'onnxruntime', 'kiwipiepy', 'tokenizers'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
