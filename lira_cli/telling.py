"""What `lira serve` is told by the settings about logs and traces, as Ray Serve wants to hear it."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Any

from lira_core.settings import PREFIX, Settings, SettingsError


def tracing(settings: Settings) -> dict[str, str]:
    """The environment that makes Serve trace, to be set before Serve is imported; empty where nothing is traced.

    SettingsError where the exporter is not installed.
    """
    if settings.otlp_endpoint is None:
        return {}
    if find_spec("opentelemetry.exporter") is None or find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        raise SettingsError(f"{PREFIX}OTLP_ENDPOINT is set, and nothing is installed that sends traces: pip install 'lira[otel]'")
    return {
        "RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH": "deployments.tracing:span_processors",
        "RAY_SERVE_TRACING_SAMPLING_RATIO": str(settings.trace_share),
        # The resource of every span; Serve makes its provider without one.
        "OTEL_SERVICE_NAME": "lira",
    }


def configure_logs(schema: Any, settings: Settings) -> None:
    """Puts format and folder into a Serve config (`ServeDeploySchema`), and the format into this process's own log."""
    if settings.log_dir is not None:
        schema.logging_config.logs_dir = str(settings.log_dir.absolute())
    if settings.log_format == "json":
        from ray._common.formatters import JSONFormatter

        schema.logging_config.encoding = "JSON"
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JSONFormatter())
