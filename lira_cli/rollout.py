"""The config that is served, and the one that shall be: read again on SIGHUP, deployed replica by replica, taken back where that fails."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

from lira_core.settings import Settings, SettingsError

log = logging.getLogger("lira")

OF_THE_START = ("http_options", "grpc_options", "proxy_location")
"""Sections that Serve reads when it starts and not again (`ServeController.apply_config`, Ray 2.60)."""


class Rollout:
    """Changes of the config file while LIRA serves; each outcome is one sentence in the log.

    `raw` and `schema` are the config as it was read at the start, `asked` is set when it shall be read again. Serve replaces what changed,
    and how it does is `SURGE_PERCENT` in `deployments/app.py`.
    """

    def __init__(self, config: Path, raw: dict[str, Any], schema: Any, settings: Settings, asked: threading.Event) -> None:
        self._config, self._raw, self._settings, self._asked = config, raw, settings, asked
        self._good, self._tried = schema, None

    def step(self, client: Any) -> None:
        """Begins what was asked for, or looks at what became of it; to be called every second or two with Serve's client."""
        if self._asked.is_set():
            self._asked.clear()
            self._begin(client)
        elif self._tried is not None:
            self._follow(client)

    def _begin(self, client: Any) -> None:
        from deployments.config import ConfigError

        try:
            schema = self._read()
        except (SettingsError, ConfigError) as error:
            log.error("The config is not changed: %s", error)
            return
        client.deploy_apps(schema)
        self._tried = schema
        log.warning("%s was read again and is being deployed.", self._config)

    def _read(self) -> Any:
        from deployments.config import ConfigError, args_of, read_config
        from deployments.llm import demand

        raw, schema = read_config(self._config)
        for section in OF_THE_START:
            if raw.get(section) != self._raw.get(section):
                raise ConfigError(f"{self._config}: {section} cannot change while LIRA serves; start it anew, or put {section} back.")
        for args in args_of(schema):
            demand(self._settings, args)
        return schema

    def _follow(self, client: Any) -> None:
        """Whether what is being deployed is there, or cannot be: then back to what was, so that no half of it stays."""
        statuses = client.list_serve_statuses()
        failed = [status for status in statuses if status.app_status.status == "DEPLOY_FAILED"]
        if failed:
            client.deploy_apps(self._good)
            self._tried = None
            log.error("%s could not be deployed, and what was served before goes on: %s", self._config, why(failed[0]))
        elif all(status.app_status.status == "RUNNING" for status in statuses):
            self._good, self._tried = self._tried, None
            log.warning("%s is deployed.", self._config)


def why(status: Any) -> str:
    """The last line of what failed: of a deployment's traceback the error itself, which names the setting."""
    told = [one.message for one in status.deployment_statuses if one.status in ("DEPLOY_FAILED", "UNHEALTHY")] + [status.app_status.message]
    lines = [line.strip() for message in told for line in message.strip().splitlines()[-1:] if line.strip()]
    return lines[0] if lines else str(status.app_status.status)
