from __future__ import annotations

import json
from pathlib import Path

from ray.serve._private.haproxy_templates import HAPROXY_CONFIG_TEMPLATE

from deployments.ray_patches.haproxy import corrected, write_pages

CONFIG = """defaults
    mode http
    errorfile 502 /x/500.http
    errorfile 503 /x/500.http
frontend prometheus
    bind :9101
frontend http_frontend
    bind 127.0.0.1:8000
listen stats
  bind *:8404
"""


def test_the_front_door_is_at_the_host_and_every_other_listener_on_loopback() -> None:
    binds = [line.strip() for line in corrected(CONFIG, Path("/x"), "0.0.0.0").splitlines() if "bind" in line]
    assert binds == ["bind 127.0.0.1:9101", "bind 0.0.0.0:8000", "bind 127.0.0.1:8404"]


def test_what_haproxy_answers_itself_is_a_problem(tmp_path: Path) -> None:
    write_pages(tmp_path)
    pages = [line.split() for line in corrected(CONFIG, tmp_path, "127.0.0.1").splitlines() if "errorfile" in line]
    assert {status for _, status, _ in pages} >= {"400", "502", "503", "504"}
    assert "500.http" not in corrected(CONFIG, tmp_path, "127.0.0.1")
    for _, status, file in pages:
        head, body = Path(file).read_text().split("\n\n", 1)
        told = json.loads(body)
        assert head.startswith(f"HTTP/1.1 {told['status']} {told['title']}")
        assert f"Content-Length: {len(body)}" in head
        assert ("Retry-After" in head) == (int(status) in (502, 503, 504)) == (told["status"] == 503)


def test_a_client_that_leaves_is_noticed_since_requests_are_not_spliced() -> None:
    told = corrected(HAPROXY_CONFIG_TEMPLATE, Path("/x"), "127.0.0.1")
    assert "splice-request" not in told
    assert "option abortonclose" in told


def test_rays_template_still_has_the_lines_that_are_corrected() -> None:
    assert HAPROXY_CONFIG_TEMPLATE.count("option splice-request\n") == 1
    assert HAPROXY_CONFIG_TEMPLATE.count("bind :{{") == 1
    assert HAPROXY_CONFIG_TEMPLATE.count("bind *:{{") == 1
    assert "\ndefaults\n" in HAPROXY_CONFIG_TEMPLATE
    assert "errorfile 503" in HAPROXY_CONFIG_TEMPLATE
