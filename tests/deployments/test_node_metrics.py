"""What of a Ray agent's text is LIRA's own."""

from __future__ import annotations

from deployments.node_metrics import own_families

# Taken from a real agent of Ray 2.60, less some labels.
OURS = """\
# HELP ray_lira_queue_seconds Time a text waits for the model.
# TYPE ray_lira_queue_seconds histogram
ray_lira_queue_seconds_bucket{Component="core_worker",application="lira",deployment="Embedder",le="0.001",stage="embedding"} 3.0
ray_lira_queue_seconds_bucket{Component="core_worker",application="lira",deployment="Embedder",le="+Inf",stage="embedding"} 4.0
ray_lira_queue_seconds_count{Component="core_worker",application="lira",deployment="Embedder",stage="embedding"} 4.0
ray_lira_queue_seconds_sum{Component="core_worker",application="lira",deployment="Embedder",stage="embedding"} 0.0065
"""
RAYS = """\
# HELP ray_serve_request_router_queue_len The queue length; see lira_queue_seconds.
# TYPE ray_serve_request_router_queue_len gauge
ray_serve_request_router_queue_len{application="lira",deployment="lira_generator",route="/"} 17.157316207885742
# HELP ray_actors Current number of actors.\\nlira_ in a comment.
# TYPE ray_actors gauge
ray_actors{Name="lira_actor{\\"}\\nray_lira_fake 1",State="ALIVE"} 3.0
ray_lirary_total 1.0
"""
PLAIN = """\
# HELP ray_lira_gate_total Decisions of the gate.
# TYPE ray_lira_gate_total counter
ray_lira_gate_total{decision="keep",reason="a } b # lira"} 1.0
lira_forgotten_total 2.0
"""


def test_own_families_are_kept_to_the_letter_with_their_help_and_type() -> None:
    assert own_families(RAYS + OURS + RAYS + PLAIN) == OURS + PLAIN


def test_a_name_in_a_label_or_a_comment_makes_no_family_ours() -> None:
    assert own_families(RAYS) == ""


def test_a_text_that_was_cut_short_or_is_empty_is_no_error() -> None:
    assert own_families("") == ""
    assert own_families(OURS[:-5]) == OURS[:-5]
