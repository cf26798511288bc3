"""What a process is told by signals, and by its terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

WAITS = """
import sys, threading
from pathlib import Path
from lira_cli import processes
stop, reread = threading.Event(), threading.Event()
processes.on_signals(stop, reread)
print("ready", flush=True)
while not (stop.wait(0.001) or reread.is_set()):
    pass
Path(sys.argv[1]).write_text("stop" if stop.is_set() else "reread")
"""


def test_a_hangup_that_somebody_sends_reads_the_config_again_and_the_other_signals_stop(tmp_path: Path) -> None:
    for sent, does in ((signal.SIGHUP, "reread"), (signal.SIGTERM, "stop"), (signal.SIGINT, "stop")):
        with subprocess.Popen([sys.executable, "-c", WAITS, str(tmp_path / "did")], stdout=subprocess.PIPE, text=True) as waits:
            assert waits.stdout is not None
            assert waits.stdout.readline() == "ready\n"
            waits.send_signal(sent)
        assert (tmp_path / "did").read_text() == does


def test_a_hangup_sent_to_a_server_in_an_open_terminal_reads_the_config_again(tmp_path: Path) -> None:
    pid, _ = at_terminal(tmp_path / "did")
    os.kill(pid, signal.SIGHUP)
    os.waitpid(pid, 0)
    assert (tmp_path / "did").read_text() == "reread"


def test_a_terminal_that_is_closed_stops_what_runs_in_it(tmp_path: Path) -> None:
    pid, terminal = at_terminal(tmp_path / "did")
    os.close(terminal)
    os.waitpid(pid, 0)
    assert (tmp_path / "did").read_text() == "stop"


def at_terminal(did: Path) -> tuple[int, int]:
    """WAITS in a terminal of its own, ready: its process id and the terminal's other end."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", WAITS, str(did)])
    with os.fdopen(os.dup(terminal)) as says:
        assert says.readline() == "ready\n"
    return pid, terminal
