"""Leaving no process behind: whatever was started below this one, however it was orphaned, ends with it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

ENDING = (signal.SIGINT, signal.SIGTERM)
HANDLED = (*ENDING, signal.SIGHUP)
"""What a server is told by: to end, or to read its config again (SIGHUP, which the end of a terminal sends as well)."""
GRACE_S = 3.0
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
"""Of <linux/prctl.h>."""


def supervised(work: Callable[[], int]) -> int:
    """The exit code of `work`, after which no process that it started is left, not even when it, or this process, is killed.

    On Linux `work` runs in a child. This process hands signals on, adopts what the child leaves behind and ends it; when this
    process is killed instead, the child is told to end. Call it before the first thread is started.
    """
    if sys.platform != "linux":
        return _then_swept(work)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    parent, child = os.getpid(), 0
    early: list[int] = []
    for number in HANDLED:
        signal.signal(number, lambda n, _: os.kill(child, n) if child else early.append(n))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            _prctl(PR_SET_CHILD_SUBREAPER, 1)
            status = _then_swept(work) if os.getppid() == parent and not early else 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    for number in early:
        os.kill(child, number)
    _, ended = os.waitpid(child, 0)
    child = 0
    _sweep()
    code = os.waitstatus_to_exitcode(ended)
    return code if code >= 0 else 128 - code


def _then_swept(work: Callable[[], int]) -> int:
    try:
        return work()
    finally:
        _sweep()


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value)


def _sweep() -> None:
    """Twice, for what a dying process may have started meanwhile."""
    known: dict[int, psutil.Process] = {}
    for _ in range(2):
        for process in psutil.Process().children(recursive=True):
            known.setdefault(process.pid, process)
        for act in (psutil.Process.terminate, psutil.Process.kill):
            for process in known.values():
                with suppress(psutil.Error):
                    act(process)
            ends = time.monotonic() + GRACE_S
            while any(_alive(p) for p in known.values()) and time.monotonic() < ends:
                _reap()
                time.sleep(0.02)
    _reap()


def _alive(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def _reap() -> None:
    """Adopted children leave zombies until somebody asks how they ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def within(seconds: float, work: Callable[[], None]) -> bool:
    """Runs `work` in a thread and stops waiting after `seconds`; True when it ended in time. Its errors do not matter here."""

    def run() -> None:
        with suppress(Exception):
            work()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def on_signals(stop: threading.Event, reread: threading.Event) -> None:
    """From now on SIGINT and SIGTERM set `stop`, SIGHUP sets `reread`; where it is the closed terminal that sends SIGHUP, `stop`."""
    began_at_terminal = _at_terminal()

    def set_apart(event: threading.Event) -> None:
        # Event.set takes the lock that the wait which is interrupted may hold just now: only another thread can wait for it.
        threading.Thread(target=event.set, daemon=True).start()

    def hang_up(*_: object) -> None:
        set_apart(stop if began_at_terminal and not _at_terminal() else reread)

    for number in ENDING:
        signal.signal(number, lambda *_: set_apart(stop))
    signal.signal(signal.SIGHUP, hang_up)


def _at_terminal() -> bool:
    """Whether this process has a terminal that is still there."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True


def dead_ray_processes() -> list[str]:
    """The kinds of Ray's own processes that have ended although Ray runs."""
    from ray._private.worker import _global_node

    return sorted({kind for kind, _ in _global_node.dead_processes()}) if _global_node is not None else []
