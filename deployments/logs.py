"""LIRA's log lines in the file of their replica, beside Serve's: in its format, with the id of the request."""

from __future__ import annotations

import logging

SERVE = "ray.serve"
OURS = "lira", "lira_core", "deployments"
"""The loggers above all of LIRA's."""


class ToServe(logging.Handler):
    """Hands records to Serve's logger, whose handlers write the file and know the request.

    They are written at once: with the throughput switches on Serve keeps a thousand lines back, unless one is an error.
    """

    def emit(self, record: logging.LogRecord) -> None:
        serve = logging.getLogger(SERVE)
        serve.handle(record)
        for handler in serve.handlers:
            handler.flush()


def log_with_serve() -> None:
    """Called in a replica's constructor.

    Without it a line goes to stderr, which Serve makes a line of level INFO, which is dropped at the level WARNING that the configs set.
    """
    for name in OURS:
        logger = logging.getLogger(name)
        if not any(isinstance(handler, ToServe) for handler in logger.handlers):
            logger.addHandler(ToServe())
        logger.propagate = False
