"""The graph: which settings it is built with, and which it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import ray
from ray.serve._private.build_app import build_app

from deployments.app import BESIDE_TURNS, SHUTDOWN_SPARE_S, SURGE_PERCENT, build, one_node_or_servers
from deployments.args import Args
from lira_core.model_settings import bundled_model
from lira_core.settings import Settings, SettingsError, load_settings

SERVERS = {
    "short_term_url": "redis://127.0.0.1:6379/0",
    "record_url": "mongodb://127.0.0.1/lira",
    "vectors_url": "weaviate://127.0.0.1:8080?grpc_port=50051",
}

APART = {"Feelings": ["emotion"], "Vectors": ["embedding"], "Questions": ["reader"]}
"""Names of somebody's own."""


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The nodes that Ray lists; the test adds to them."""
    listed: list[dict[str, Any]] = [{"NodeID": "a", "Alive": True}]
    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    monkeypatch.setattr(ray, "nodes", lambda: listed)
    return listed


@pytest.mark.parametrize(
    ("urls", "named"),
    [
        ({}, {"LIRA_SHORT_TERM_URL", "LIRA_RECORD_URL", "LIRA_VECTORS_URL"}),
        (SERVERS | {"short_term_url": None}, {"LIRA_SHORT_TERM_URL"}),
        (SERVERS | {"record_url": "sqlite:////data/lira.db"}, {"LIRA_RECORD_URL"}),
        (SERVERS | {"vectors_url": "milvus:////data/vectors.db"}, {"LIRA_VECTORS_URL"}),
    ],
)
def test_a_file_as_a_store_on_several_nodes_is_refused_and_named(
    nodes: list[dict[str, Any]], tmp_path: Path, urls: dict[str, Any], named: set[str]
) -> None:
    nodes.append({"NodeID": "b", "Alive": True})
    with pytest.raises(SettingsError) as told:
        one_node_or_servers(load_settings(data_dir=tmp_path, **urls))
    assert {word for word in str(told.value).split() if word.startswith("LIRA_")} == named
    assert "2 nodes" in str(told.value)


def test_servers_on_several_nodes_are_what_they_are_for(nodes: list[dict[str, Any]], tmp_path: Path) -> None:
    nodes.append({"NodeID": "b", "Alive": True})
    for vectors in (SERVERS["vectors_url"], "milvus://127.0.0.1:19530", "weaviates://127.0.0.1:443?grpc_port=443"):
        one_node_or_servers(load_settings(data_dir=tmp_path, **SERVERS | {"vectors_url": vectors}))


def test_a_node_that_has_left_the_cluster_is_no_second_one(nodes: list[dict[str, Any]], tmp_path: Path) -> None:
    nodes.append({"NodeID": "b", "Alive": False})
    one_node_or_servers(load_settings(data_dir=tmp_path))


def test_the_graph_is_not_built_on_several_nodes_with_a_file(nodes: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_DATA_DIR", str(tmp_path))
    build(Args())
    nodes.append({"NodeID": "b", "Alive": True})
    with pytest.raises(SettingsError, match="run LIRA on one node"):
        build(Args())


def deployed(monkeypatch: pytest.MonkeyPatch, **arguments: Any) -> dict[str, Any]:
    built = build_app(build(Args(**arguments)), name="lira")
    return {deployment.name: deployment for deployment in built.deployments}


@pytest.mark.parametrize(
    ("arguments", "models"),
    [
        ({}, {"UtteranceAnalyzer"}),
        ({"generator": "deployment"}, {"UtteranceAnalyzer", "Generator"}),
        ({"stages": APART}, {"Feelings", "Vectors", "Questions"}),
    ],
)
def test_every_deployment_gets_the_settings_of_when_the_graph_was_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: dict[str, str], models: set[str]
) -> None:
    monkeypatch.setenv("LIRA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("LIRA_EMOTION_GATE", "0.71")
    found = deployed(monkeypatch, **arguments)
    monkeypatch.setenv("LIRA_EMOTION_GATE", "0.1")
    assert set(found) == {"ChatIngress", "RecallOrchestrator"} | models == set(Args(**arguments).deployments)
    for deployment in found.values():
        (settings,) = [value for value in deployment.init_args if isinstance(value, Settings)]
        assert settings.emotion_gate == 0.71


def test_models_without_a_common_trunk_are_not_put_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_DATA_DIR", str(tmp_path))
    for name in ("lira-trunk", "lira-emotion"):
        (tmp_path / name).mkdir()
        for file in bundled_model(name).iterdir():
            (tmp_path / name / file.name).symlink_to(file)
    monkeypatch.setenv("LIRA_EMOTION_MODEL_DIR", str(tmp_path / "lira-emotion"))
    with pytest.raises(SettingsError, match=r"args\.stages"):
        deployed(monkeypatch)
    assert "Feelings" in deployed(monkeypatch, stages=APART)


def test_a_replica_that_is_told_to_end_may_finish_a_whole_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("LIRA_REQUEST_DEADLINE_MS", "30000")
    for deployment in deployed(monkeypatch, generator="deployment").values():
        assert deployment._deployment_config.graceful_shutdown_timeout_s == 30 + SHUTDOWN_SPARE_S


def test_a_replica_begins_before_the_one_that_it_replaces_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_DATA_DIR", str(tmp_path))
    for deployment in deployed(monkeypatch, generator="deployment", stages=APART).values():
        assert deployment._deployment_config.max_surge_percent == SURGE_PERCENT > 0


def test_how_many_turns_may_wait_is_a_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("LIRA_MAX_QUEUED_REQUESTS", "17")
    monkeypatch.setenv("LIRA_MAX_ONGOING_TURNS", "3")
    config = deployed(monkeypatch)["RecallOrchestrator"]._deployment_config
    assert (config.max_ongoing_requests, config.max_queued_requests) == (3 + 17 + BESIDE_TURNS, 17)


def test_a_setting_that_cannot_be_stops_the_build_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_EMOTON_GATE", "0.5")
    with pytest.raises(SettingsError, match="did you mean LIRA_EMOTION_GATE"):
        build(Args())
