"""The Dockerfile, as far as it can be checked without Docker: that it is pinned, and that its parts fit together and the pods."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Any

import pytest

from deployments.ray_patches import haproxy

from .kustomize import K8S
from .objects import container, every_kustomization, groups, workers

ROOT = K8S.parent
LINES = (K8S / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def stages() -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Each stage: what it stands on, and its instructions."""
    found: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    for line in LINES:
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            base, stage = re.fullmatch(r"(\S+) AS (\w+)", rest).groups()  # type: ignore[union-attr]
            found[stage] = base, []
        elif instruction.isupper() and found:
            found[stage][1].append((instruction, rest))
    return found


def whole(stage: str) -> list[tuple[str, str]]:
    """The instructions of a stage and of those that it stands on."""
    base, instructions = stages()[stage]
    return [*(whole(base) if base in stages() else []), *instructions]


def sent(path: str) -> bool:
    """Whether a path goes to the builder: the last line of the ignore file that fits it, or a folder that it is in, decides."""
    places = [PurePosixPath(path), *PurePosixPath(path).parents][:-1]
    ignored = False
    for line in (K8S / "Dockerfile.dockerignore").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern = line.removeprefix("!")
            anywhere = pattern.removeprefix("**/") if pattern.startswith("**/") else None
            if any(fnmatch(place.name, anywhere) if anywhere else fnmatch(str(place), pattern) for place in places):
                ignored = not line.startswith("!")
    return not ignored


def test_the_base_is_pinned_to_one_release_of_a_python_that_lira_runs_on() -> None:
    outside = {base for base, _ in stages().values() if base not in stages()}
    (image,) = outside
    pinned = re.fullmatch(r"python:(\d+)\.(\d+)\.\d+-slim-bookworm(@sha256:[0-9a-f]{64})?", image)
    assert pinned
    assert PROJECT["requires-python"] == f">={pinned[1]}.{pinned[2]}"


@pytest.mark.parametrize("stage", ["cpu", "gpu"])
def test_an_image_runs_as_the_user_that_the_pods_run_as(stage: str) -> None:
    *_, user = [rest for instruction, rest in whole(stage) if instruction == "USER"]
    security = groups("base")["headgroup"]["template"]["spec"]["securityContext"]
    assert user == f"{security['runAsUser']}:{security['runAsGroup']}"
    assert any(f"--uid {security['runAsUser']}" in rest for _, rest in whole(stage))


@pytest.mark.parametrize("stage", ["cpu", "gpu"])
def test_what_is_installed_is_pinned_and_is_an_extra_of_lira(stage: str) -> None:
    installs = [rest for instruction, rest in whole(stage) if instruction == "RUN" and "pip install" in rest]
    assert installs
    for rest in installs:
        assert "-c /srv/lira/constraints.txt" in rest
        (extras,) = re.findall(r"\)\[([\w,-]+)\]", rest)
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])


def test_everything_that_is_copied_is_there_and_goes_to_the_builder() -> None:
    copied = [rest.split() for _, instructions in stages().values() for instruction, rest in instructions if instruction == "COPY"]
    sources = {source for parts in copied if not parts[0].startswith("--from") for source in parts[:-1]}
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert sent(source), source
    for secret in ("cluster/.env", ".env", "data/lira.db", "tests/conftest.py", ".git"):
        assert not sent(secret), secret


def test_every_package_of_the_project_is_in_the_image() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders = {tool["package-dir"].get(package, package.replace(".", "/")) for package in tool["packages"]}
    copied = {part for instruction, rest in stages()["wheel"][1] if instruction == "COPY" for part in rest.split()[:-1]}
    assert {folder.partition("/")[0] for folder in folders} <= copied


@every_kustomization
def test_the_programs_that_the_pods_call_are_installed(name: str) -> None:
    installed = " ".join(rest for _, rest in whole("cpu"))
    for group in workers(name).values():
        shell, _, script = container(group)["readinessProbe"]["exec"]["command"]
        called = {shell, *re.findall(r"(?:^|&& |; |\| )(\w+)", script)}
        assert called - {"grep"} == {"bash", "wget"}  # Debian has grep
    assert re.search(r"apt-get install .*\bbash\b.*\bwget\b", installed)


def test_haproxy_stands_where_ray_looks_for_it() -> None:
    environment = {one["name"]: one.get("value") for one in container(groups("base")["headgroup"])["env"]}
    (made,) = [rest for instruction, rest in stages()["cpu"][1] if instruction == "RUN" and "haproxy" in rest]
    assert f"> {environment['RAY_SERVE_HAPROXY_BINARY_PATH']}" in made
    assert f"{haproxy.BINARY}=" in made
    assert haproxy.HOST in environment
