from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from lira_cli import telling
from lira_core.settings import Settings, SettingsError, load_settings

COLLECTOR = "http://127.0.0.1:4318"


def test_nothing_is_traced_unless_it_is_said_where_to() -> None:
    assert telling.tracing(Settings()) == {}


def test_where_the_exporter_is_missing_the_start_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"LIRA_OTLP_ENDPOINT.*lira\[otel\]"):
        telling.tracing(Settings(otlp_endpoint=COLLECTOR))


@pytest.mark.skipif(find_spec("opentelemetry.exporter.otlp") is None, reason="traces need the extra `otel`")
def test_serve_is_told_the_exporter_and_the_share() -> None:
    told = telling.tracing(Settings(otlp_endpoint=COLLECTOR, trace_share=0.5))
    assert told["RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH"] == "deployments.tracing:span_processors"
    assert told["RAY_SERVE_TRACING_SAMPLING_RATIO"] == "0.5"


@pytest.mark.parametrize("address", ["127.0.0.1:4318", "grpc://host:4317", "http://"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="LIRA_OTLP_ENDPOINT: is no address of a collector"):
        load_settings(otlp_endpoint=address)


def test_the_format_and_the_folder_of_logs_reach_serve(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    schema: Callable[[], SimpleNamespace] = lambda: SimpleNamespace(logging_config=SimpleNamespace(encoding="TEXT", logs_dir=None))  # noqa: E731
    plain, told = schema(), schema()
    telling.configure_logs(plain, Settings())
    assert (plain.logging_config.encoding, plain.logging_config.logs_dir) == ("TEXT", None)
    monkeypatch.setattr("logging.root.handlers", [])
    telling.configure_logs(told, Settings(log_format="json", log_dir=tmp_path))
    assert (told.logging_config.encoding, told.logging_config.logs_dir) == ("JSON", str(tmp_path))
