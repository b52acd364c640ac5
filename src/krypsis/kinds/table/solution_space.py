"""The solution space around a release: what other choices of levels would lose and risk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits
from krypsis.kinds.table.exploration.exploration import METRIC, frontier
from krypsis.kinds.table.exploration.explore import judge_all
from krypsis.kinds.table.exploration.page import MEANINGS
from krypsis.kinds.table.group_risk import SetRisk
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.progress import NO_PROGRESS
from krypsis.release.provenance import RecodingEvidence
from krypsis.release.release import Release
from krypsis.report.blocks import ChartAxis, Point, Scatter
from krypsis.report.dossier import most_at_risk
from krypsis.report.text import count, percent, readable

MOST_WORK = 40_000_000
"""Nodes times distinct tuples that a report may look at: a second or two."""

MOST_NODES = 1500
"""More points than this reveal nothing more, and make the file large."""

FEWEST_NODES = 12
"""Fewer points than this do not show a space; then the explorer is the place to look."""


@dataclass(frozen=True)
class SpacePoint:
    """One choice of levels: what it would lose, how risky it would be, and where it stands among the others."""

    levels: tuple[int, ...]
    loss: float
    risk: float
    kind: Literal["refused", "node", "frontier"]
    suppressed: int


@dataclass(frozen=True)
class SolutionSpace:
    """The choices there were, as far as they were judged, and the point of the release among them."""

    metric: str
    attributes: tuple[str, ...]
    points: tuple[SpacePoint, ...]
    loss: float
    risk: float
    judged: int
    size: int
    note: str
    metric_formula: str
    metric_sentence: str
    risk_formula: str
    risk_sentence: str

    def chart(self) -> Scatter:
        """Return the choices as a chart; the release stands out as its best point."""
        points = [Point(point.loss, point.risk, point.kind, self._title(point)) for point in self.points]
        own = f"this release: {self.metric} {count(self.loss)}, average risk {percent(self.risk)}"
        chosen = [Point(self.loss, self.risk, "best", own)] if self.risk > 0 else []
        return Scatter(
            title=f"Average risk against {self.metric} of {self.judged:,} choices of levels, and of this release",
            points=tuple(point for point in [*points, *chosen] if point.y > 0),
            across=ChartAxis(f"{self.metric} (lower is better)"),
            upwards=ChartAxis("Average risk (lower is better)", "share", 1.0, logarithmic=True),
            best="this release",
        )

    def _title(self, point: SpacePoint) -> str:
        levels = ", ".join(f"{name} {level}" for name, level in zip(self.attributes, point.levels, strict=True))
        return (
            f"{self.metric} {count(point.loss)} · average risk {percent(point.risk)} · "
            f"suppressed {point.suppressed:,} · {levels}"
        )


def solution_space(release: Release, evidence: RecodingEvidence, risk: Sequence[SetRisk]) -> SolutionSpace | None:
    """Return the choices of levels there were, all of them or some that are evenly chosen; nothing if that is costly.

    Only promises about groups of records, judged without a population, are compared from node to node.
    """
    models: list[PrivacyModel] = [registry.create("model", spec) for spec in release.promises]
    groups = [model for model in models if isinstance(model, GroupModel) and not model.needs_population]
    frequency, metric = evidence.frequency, _metric(release)
    if metric is None or not risk or not groups or len(groups) < len(models) or frequency.population is not None:
        return None
    if any(names not in frequency.combined for model in groups for names in model.combinations(_sensitive(release))):
        return None
    limits = _limits(release, evidence)
    lattice = Lattice.of(frequency, limits)
    most = min(MOST_NODES, MOST_WORK // max(len(frequency.counts), 1))
    if lattice.size < 2 or min(lattice.size, most) < min(lattice.size, FEWEST_NODES):
        return None
    nodes = _chosen(lattice, evidence, most)
    judge, measured = Judge(frequency, groups, limits), {metric.spec: metric}
    table = judge_all(judge, nodes, measured, limits, NO_PROGRESS, with_achieved=False)
    rows = [row for row in table.rows(named=True) if row["groups"]]  # where nothing is published there is no risk
    return _space(release, metric, rows, (table.height, lattice.size), risk)


def _sensitive(release: Release) -> tuple[str, ...]:
    return release.schema.sensitive


def _metric(release: Release) -> Metric | None:
    if not release.metric or release.score is None:
        return None
    metric = registry.create("metric", release.metric)
    return metric.criteria[0] if isinstance(metric, Metric) else None


def _limits(release: Release, evidence: RecodingEvidence) -> Limits:
    allowed = evidence.levels_allowed or tuple((0, height) for height in evidence.frequency.heights)
    return Limits(
        suppressed=evidence.most_suppressed,
        keep=release.suppression == "keep",
        lowest=tuple(low for low, _ in allowed),
        highest=tuple(high for _, high in allowed),
    )


def _chosen(lattice: Lattice, evidence: RecodingEvidence, most: int) -> Sequence[Levels]:
    """Return all nodes of a small lattice; of a large one evenly chosen ones, with the neighbors of the release."""
    if lattice.size <= most:
        return list(lattice)
    ranges = [range(low, high + 1) for low, high in zip(lattice.lowest, lattice.highest, strict=True)]
    step = lattice.size / most
    wanted = {int(place * step) for place in range(most)}
    found = [_at(ranges, place) for place in sorted(wanted)]
    return list(dict.fromkeys([*_around(evidence, ranges), *found]))


def _at(ranges: Sequence[range], place: int) -> Levels:
    """Return the node at a place of the lattice in the order of its levels."""
    levels: list[int] = []
    for one in reversed(ranges):
        place, digit = divmod(place, len(one))
        levels.append(one[digit])
    return tuple(reversed(levels))


def _around(evidence: RecodingEvidence, ranges: Sequence[range]) -> list[Levels]:
    """Return the levels of the release, and those one step away, if it has levels."""
    levels = getattr(evidence.recoding, "levels", None)
    if levels is None:
        return []
    steps = [(0,) * len(levels)]
    for place, step in product(range(len(levels)), (-1, 1)):
        steps.append(tuple(step if at == place else 0 for at in range(len(levels))))
    moved = (tuple(level + by for level, by in zip(levels, step, strict=True)) for step in steps)
    return [node for node in moved if all(level in one for level, one in zip(node, ranges, strict=True))]


def _space(
    release: Release,
    metric: Metric,
    rows: Sequence[Mapping[str, Any]],
    judged: tuple[int, int],
    risk: Sequence[SetRisk],
) -> SolutionSpace:
    names = [name for name in release.schema.quasi_identifiers if f"level:{name}" in (rows[0] if rows else {})]
    feasible = [row for row in rows if row["feasible"]]
    losses, risks = ([row[column] for row in feasible] for column in (METRIC + metric.spec, "average_risk"))
    sums = [sum(row[f"level:{name}"] for name in names) for row in feasible]
    best = {id(feasible[place]) for place in frontier(risks, losses, sums)}
    average = most_at_risk(risk).figure("average-prosecutor-risk").after
    note = "" if judged[0] == judged[1] else f"{judged[0]:,} of {judged[1]:,} choices were looked at, evenly chosen."
    return SolutionSpace(
        metric=readable(metric.spec),
        attributes=tuple(map(readable, names)),
        points=tuple(_point(row, names, METRIC + metric.spec, best) for row in rows),
        loss=float(release.metrics.get(metric.name, release.score or 0.0)),
        risk=float(average or 0.0),
        judged=judged[0],
        size=judged[1],
        note=note,
        metric_formula=metric.formula,
        metric_sentence=metric.sentence,
        risk_formula=MEANINGS["average"].formula,
        risk_sentence=MEANINGS["average"].sentence,
    )


def _point(row: Mapping[str, Any], names: Sequence[str], metric: str, best: set[int]) -> SpacePoint:
    kind: Literal["refused", "node", "frontier"] = "node" if row["feasible"] else "refused"
    return SpacePoint(
        levels=tuple(row[f"level:{name}"] for name in names),
        loss=float(row[metric]),
        risk=float(row["average_risk"]),
        kind="frontier" if id(row) in best else kind,
        suppressed=int(row["suppressed"]),
    )
