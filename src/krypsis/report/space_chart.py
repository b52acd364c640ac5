"""The solution space as a chart, with the release among the other choices."""

from __future__ import annotations

from krypsis.report.parts import SolutionSpace, SpacePoint
from krypsis.report.scatter import Axis, Point, scatter
from krypsis.report.text import count, percent


def space_chart(space: SolutionSpace) -> str:
    """Return the chart; the release stands out as its best point."""
    points = [Point(point.loss, point.risk, point.kind, _title(point, space)) for point in space.points]
    own = f"this release: {space.metric} {count(space.loss)}, average risk {percent(space.risk)}"
    chosen = [Point(space.loss, space.risk, "best", own)] if space.risk > 0 else []
    across = Axis(f"{space.metric} (lower is better)", count)
    upwards = Axis("Average risk (lower is better)", percent, 1.0, logarithmic=True)
    title = f"Average risk against {space.metric} of {space.judged:,} choices of levels, and of this release"
    return scatter([point for point in [*points, *chosen] if point.y > 0], across, upwards, title)


def _title(point: SpacePoint, space: SolutionSpace) -> str:
    levels = ", ".join(f"{name} {level}" for name, level in zip(space.attributes, point.levels, strict=True))
    return (
        f"{space.metric} {count(point.loss)} · average risk {percent(point.risk)} · suppressed {point.suppressed:,} · "
        f"{levels}"
    )
