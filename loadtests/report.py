"""The report of a load test: one HTML file without scripts, its plots as SVG inside."""

from __future__ import annotations

import io
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from jinja2 import Environment, select_autoescape
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from loadtests.scrape import Sample, gate_shares, series, stage_ms
from loadtests.verdict import Limits, Outcome
from loadtests.watch import Moment

MOST_STAGES = 10
"""Stages in the plot, the slowest of them; more lines cannot be told apart."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>LIRA: load test, {{ run.shape }}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
.passed { color: #176b2c } .broken { color: #a11 } svg { width: 100%; height: auto } td, th { text-align: left; padding: .1rem 1rem .1rem 0 }
</style></head><body>
<h1>LIRA: load test</h1>
<p>{{ run.users }} users, shape {{ run.shape }}, {{ run.seconds }} s, on {{ machine }}.
Users and server share the machine where one command started both.</p>
{% if run.broken %}<h2 class="broken">Broken</h2><ul>{% for one in run.broken %}<li>{{ one }}</li>{% endfor %}</ul>
{% else %}<h2 class="passed">Passed</h2>{% endif %}
<table><tr><th>measured</th><th></th><th>limit</th></tr>
{% for name, value, limit in rows %}<tr><td>{{ name }}</td><td>{{ value }}</td><td>{{ limit }}</td></tr>
{% endfor %}</table>
{% for title, plot in plots %}<h2>{{ title }}</h2>{{ plot }}
{% endfor %}</body></html>
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A run, its verdict, and what was seen of it. `broken`: a sentence for each limit that was not kept."""

    shape: str
    users: int
    seconds: int
    outcome: Outcome
    limits: Limits
    broken: Sequence[str]
    samples: Sequence[Sample]
    moments: Sequence[Moment]


def write(path: Path, run: Run) -> None:
    """Writes the report. OSError where it cannot be."""
    plots = [
        ("Throughput", _plot("turns answered a second", lambda axes: _throughput(axes, run.moments))),
        ("Latency", _plot("ms", lambda axes: _latency(axes, run.moments))),
        ("Latency by stage", _plot("ms, mean (to a bucket)", lambda axes: _lines(axes, _slowest(_between(run.samples, stage_ms))))),
        ("Replicas", _plot("replicas", lambda axes: _lines(axes, series({one.at: one.replicas for one in run.samples}), step=True))),
        ("Gate", _plot("share of its decisions", lambda axes: _lines(axes, _between(run.samples, gate_shares)))),
        ("Memory", _plot("MB in replicas (USS)", lambda axes: _lines(axes, _memory(run.samples)))),
    ]
    template = Environment(autoescape=select_autoescape(default=True, default_for_string=True)).from_string(PAGE)
    machine = f"{platform.system()} {platform.machine()}"
    path.write_text(template.render(run=run, plots=plots, rows=_rows(run.outcome, run.limits), machine=machine), "utf-8")


def _rows(outcome: Outcome, limits: Limits) -> list[tuple[str, str, str]]:
    allowed = asdict(limits)
    told = {name: value for name, value in outcome.shares().items() if value is not None}
    bounded = [(name.replace("_", " "), f"{value:.4g}", "" if allowed[name] is None else f"{allowed[name]:g}") for name, value in told.items()]
    return [("turns", str(outcome.turns), ""), *bounded]


def _between(samples: Sequence[Sample], measure: Callable[[Sample, Sample], Mapping[str, float]]) -> dict[str, tuple[list[float], list[float]]]:
    return series({after.at: measure(before, after) for before, after in pairwise(samples)})


def _memory(samples: Sequence[Sample]) -> dict[str, tuple[list[float], list[float]]]:
    return series({one.at: {"all": one.memory / 1e6} for one in samples if one.memory})


def _slowest(lines: dict[str, tuple[list[float], list[float]]]) -> dict[str, tuple[list[float], list[float]]]:
    ranked = sorted(lines, key=lambda name: -sum(lines[name][1]) / len(lines[name][1]))
    return {name: lines[name] for name in ranked[:MOST_STAGES]}


def _throughput(axes: Axes, moments: Sequence[Moment]) -> None:
    at = [one.at for one in moments]
    axes.plot(at, [one.turns_per_second for one in moments], label="turns/s")
    users = axes.twinx()
    users.step(at, [one.users for one in moments], color="0.7", where="post", label="users")
    users.set_ylabel("users")
    users.set_ylim(bottom=0)
    axes.legend(loc="upper left", frameon=False)


def _latency(axes: Axes, moments: Sequence[Moment]) -> None:
    for label, name in (("p50", "p50_ms"), ("p95", "p95_ms"), ("first token, p50", "first_token_p50_ms")):
        axes.plot([one.at for one in moments], [float("nan") if (v := getattr(one, name)) is None else v for one in moments], label=label)
    axes.legend(frameon=False)


def _lines(axes: Axes, lines: Mapping[str, tuple[list[float], list[float]]], *, step: bool = False) -> None:
    for name, (times, values) in lines.items():
        axes.plot(times, values, label=name, drawstyle="steps-post" if step else "default")
    if lines:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize="small")


def _plot(unit: str, draw: Callable[[Axes], None]) -> Markup:
    figure = Figure(figsize=(9, 3), layout="constrained")
    axes = figure.subplots()
    draw(axes)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds")
    axes.set_ylabel(unit)
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    return Markup(drawn.getvalue()[drawn.getvalue().index("<svg") :])  # matplotlib escapes what it is told
