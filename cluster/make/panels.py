"""The few kinds of panel that LIRA's dashboards are made of, and the PromQL that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grafana_foundation_sdk.builders.common import StackingConfig, VizLegendOptions
from grafana_foundation_sdk.builders.dashboard import Dashboard, DatasourceVariable, Row
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.timeseries import Panel as Timeseries
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement, StackingMode
from grafana_foundation_sdk.models.dashboard import DataSourceRef

WIDTH, HEIGHT = 12, 8
"""Of a grid of 24 columns: two panels beside each other."""
SOURCE = "datasource"


@dataclass(frozen=True, slots=True)
class Plot:
    """A panel: queries as (PromQL, legend), in a unit of Grafana's (`s`, `percentunit`, `bytes`, `short`, ...)."""

    title: str
    says: str
    unit: str
    queries: Sequence[tuple[str, str]]
    stacked: bool = False


def dashboard(uid: str, title: str, says: str, rows: Sequence[tuple[str, Sequence[Plot]]]) -> Dashboard:
    """A dashboard of rows of plots, over the Prometheus that is chosen at its top."""
    board = (
        Dashboard(f"LIRA: {title}")
        .uid(f"lira-{uid}")
        .description(says)
        .tags(["lira"])
        .refresh("30s")
        .time("now-1h", "now")
        .timezone("browser")
        .with_variable(DatasourceVariable(SOURCE).label("Prometheus").type("prometheus"))
    )
    for name, plots in rows:
        board = board.with_row(Row(name))
        for plot in plots:
            board = board.with_panel(_panel(plot))
    return board


def rate(metric: str, *labels: str, only: str = "") -> str:
    """How much a counter, or a histogram's count, grows in a second, by labels."""
    return f"sum{_by(*labels)} (rate(ray_{metric}{_braces(only)}[$__rate_interval]))"


def mean(metric: str, *labels: str, only: str = "") -> str:
    """The mean of a histogram."""
    return f"{rate(f'{metric}_sum', *labels, only=only)} / {rate(f'{metric}_count', *labels, only=only)}"


def quantile(share: float, metric: str, *labels: str, only: str = "") -> str:
    """A quantile of a histogram, within the width of its buckets."""
    return f"histogram_quantile({share}, {rate(f'{metric}_bucket', 'le', *labels, only=only)})"


def shares(metric: str, *labels: str) -> str:
    """What share of a counter each of its series is."""
    return f"{rate(metric, *labels)} / scalar({rate(metric)})"


def _by(*labels: str) -> str:
    return f" by ({', '.join(labels)})" if labels else ""


def _braces(only: str) -> str:
    return f"{{{only}}}" if only else ""


def _panel(plot: Plot) -> Timeseries:
    source = DataSourceRef(type_val="prometheus", uid=f"${{{SOURCE}}}")
    legend = VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM).show_legend(True)
    panel = Timeseries().title(plot.title).description(plot.says).unit(plot.unit).min(0).span(WIDTH).height(HEIGHT)
    panel = panel.datasource(source).legend(legend).fill_opacity(10)
    if plot.stacked:
        panel = panel.stacking(StackingConfig().mode(StackingMode.NORMAL)).fill_opacity(40)
    for number, (expression, name) in enumerate(plot.queries):
        panel = panel.with_target(Dataquery().expr(expression).legend_format(name).ref_id(chr(ord("A") + number)).range())
    return panel
