"""Where Ray Serve's spans and those of a turn's stages go: to a collector, by OTLP over HTTP."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from lira_core.settings import load_settings


def span_processors() -> list[SpanProcessor]:
    """For `RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH`: called once in each replica. ValueError without LIRA_OTLP_ENDPOINT."""
    endpoint = load_settings().otlp_endpoint
    if endpoint is None:
        raise ValueError("LIRA_OTLP_ENDPOINT is not set, and traces have nowhere to go")
    return [BatchSpanProcessor(OTLPSpanExporter(f"{endpoint}/v1/traces"))]
