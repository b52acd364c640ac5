"""The explorer: one page with the risk and the loss of every node, and the best trade-offs among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from krypsis import registry
from krypsis.exploration.exploration import Exploration, Risk, command, risk_column
from krypsis.io.private import write_private_files
from krypsis.report.meanings import MEANINGS, RiskMeaning
from krypsis.report.page import environment
from krypsis.report.scatter import Axis, Point
from krypsis.report.text import count, percent, plural, readable
from krypsis.version import __version__

MOST_ROWS = 60
"""A longer frontier is shown in part: evenly chosen nodes, with both ends."""


@dataclass(frozen=True)
class FrontierRow:
    """One node of the frontier, ready to be shown."""

    levels: tuple[int, ...]
    loss: str
    average_risk: str
    smallest_group: str
    suppressed: str
    groups: str
    command: str
    best: bool


@dataclass(frozen=True)
class ExplorerContent:
    """All that the explorer shows."""

    plan: str
    tool_version: str
    attributes: tuple[str, ...]
    heights: tuple[int, ...]
    promises: tuple[str, ...]
    summary: tuple[str, ...]
    judged: int
    size: int
    complete: bool
    feasible: int
    frontier_size: int
    lowest_loss: str
    metric: str
    metric_sentence: str
    metric_formula: str
    metric_range: str
    risk: RiskMeaning
    points: tuple[Point, ...]
    across: Axis
    upwards: Axis
    rows: tuple[FrontierRow, ...]


def write_exploration(
    exploration: Exploration, path: Path | str, plan: str, metric: str | None = None, risk: Risk = "average"
) -> Path:
    """Write the explorer of a solution space as one HTML file that only its owner can read.

    Parameters
    ----------
    exploration
        the nodes.
    path
        the file to write; an older one is replaced.
    plan
        the plan file, as the commands on the page should name it.
    metric
        what counts as loss; what the task minimizes, unless given.
    risk
        what counts as risk.

    Raises
    ------
    OutputError
        if the file cannot be written; what was there has not changed then.
    """
    place = Path(path)
    write_private_files({place: render_exploration(exploration, plan, metric, risk).encode()})
    return place


def render_exploration(exploration: Exploration, plan: str, metric: str | None = None, risk: Risk = "average") -> str:
    """Return the explorer as one HTML page without scripts and without any address."""
    content = build_explorer(exploration, plan, metric or exploration.criteria[0], risk)
    return environment().get_template("explorer.html.j2").render(content=content)


def build_explorer(exploration: Exploration, plan: str, metric: str, risk: Risk) -> ExplorerContent:
    """Return what the page says, number by number."""
    front = exploration.frontier(metric, risk).rows(named=True)
    best = exploration.optimum(metric)
    column = exploration.column_of(metric)
    measured = registry.create("metric", metric)
    feasible = sum(exploration.nodes["feasible"].to_list())
    shown = front if best is None or best in front else [best, *front]
    return ExplorerContent(
        plan=readable(plan),
        tool_version=__version__,
        attributes=tuple(map(readable, exploration.attributes)),
        heights=exploration.heights,
        promises=tuple(map(readable, exploration.promises)),
        summary=tuple(_summary(exploration, best, front, column)),
        judged=exploration.nodes.height,
        size=exploration.size,
        complete=exploration.complete,
        feasible=feasible,
        frontier_size=len(front),
        lowest_loss="–" if best is None else count(best[column]),
        metric=readable(metric),
        metric_sentence=measured.sentence,
        metric_formula=measured.formula,
        metric_range=measured.range,
        risk=MEANINGS[risk],
        points=tuple(_points(exploration, front, best, column, risk_column(risk))),
        across=Axis(f"{readable(metric)} (lower is better)", count),
        upwards=Axis(f"{MEANINGS[risk].title} (lower is better)", _share, 1.0, logarithmic=risk != "suppressed"),
        rows=tuple(_row(exploration, node, column, plan, best=node == best) for node in _evenly(shown)),
    )


def _summary(
    exploration: Exploration, best: Mapping[str, Any] | None, front: Sequence[Mapping[str, Any]], column: str
) -> list[str]:
    limit = f"at most {plural(exploration.limit, 'record')} of {exploration.rows:,} suppressed"
    if best is None:
        needed = min(exploration.nodes["suppressed"].to_list())
        share = percent(needed / exploration.rows)
        return [
            f"No node keeps the promises with {limit}.",
            f"The lowest suppression that any node judged needs is {plural(needed, 'record')} ({share}).",
        ]
    feasible = sum(exploration.nodes["feasible"].to_list())
    return [
        f"{feasible:,} of {plural(exploration.nodes.height, 'node')} judged keep the promises with {limit}.",
        f"{len(front):,} of these cannot be improved in one respect without losing in the other.",
        f"The lowest loss is {count(best[column])}, with an average risk of {_share(best['average_risk'])}.",
    ]


def _points(
    exploration: Exploration,
    front: Sequence[Mapping[str, Any]],
    best: Mapping[str, Any] | None,
    loss: str,
    risk: str,
) -> list[Point]:
    kinds = {exploration.levels(node): "frontier" for node in front}
    if best is not None:
        kinds[exploration.levels(best)] = "best"
    return [
        Point(
            node[loss],
            node[risk],
            kinds.get(exploration.levels(node), "node" if node["feasible"] else "refused"),
            _title(exploration, node, loss),
        )
        for node in exploration.nodes.rows(named=True)
        if node["groups"]  # where nothing would be published there is nothing to show
    ]


def _title(exploration: Exploration, node: Mapping[str, Any], loss: str) -> str:
    levels = ", ".join(
        f"{name} {level}" for name, level in zip(exploration.attributes, exploration.levels(node), strict=True)
    )
    return (
        f"{loss.partition(':')[2]} {count(node[loss])} · average risk {_share(node['average_risk'])} · "
        f"smallest group {node['smallest_group']:,} · suppressed {node['suppressed']:,} · {levels}"
    )


def _row(exploration: Exploration, node: Mapping[str, Any], column: str, plan: str, *, best: bool) -> FrontierRow:
    levels = exploration.levels(node)
    return FrontierRow(
        levels=levels,
        loss=count(node[column]),
        average_risk=_share(node["average_risk"]),
        smallest_group=count(node["smallest_group"]),
        suppressed=f"{node['suppressed']:,} ({percent(node['suppressed_share'])})",
        groups=count(node["groups"]),
        command=readable(command(plan, levels), longest=2000),
        best=best,
    )


def _share(share: float) -> str:
    """Return a share in percent with two digits that matter, since risks may be small.

    Examples
    --------
    >>> _share(0.0291439), _share(0.0002), _share(1), _share(0)
    ('2.9 %', '0.02 %', '100 %', '0 %')
    """
    return f"{share * 100:.2g} %" if share * 100 < 99.5 else f"{share * 100:.0f} %"


def _evenly(nodes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    if len(nodes) <= MOST_ROWS:
        return list(nodes)
    step = (len(nodes) - 1) / (MOST_ROWS - 1)
    return [nodes[round(place * step)] for place in range(MOST_ROWS)]
