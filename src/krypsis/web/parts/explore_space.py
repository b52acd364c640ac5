"""An exploration as the page Explore looks at it: by one metric and one kind of risk."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from krypsis.algorithms.tables.lattice.lattice import Levels
from krypsis.data.hierarchies.base import Label
from krypsis.kinds.table.exploration import Exploration, Risk
from krypsis.kinds.table.exploration.diagrams import cloud
from krypsis.kinds.table.exploration.exploration import risk_column
from krypsis.report.text import count, percent, readable
from krypsis.web.texts import say


@dataclass(frozen=True)
class Dot:
    """A solution in the plane of risk and loss."""

    levels: Levels
    loss: float
    risk: float
    kind: str


@dataclass(frozen=True, eq=False)
class SpaceView:
    """A solution space with what counts as loss and as risk."""

    exploration: Exploration
    metric: str
    risk: Risk

    @cached_property
    def nodes(self) -> dict[Levels, dict[str, Any]]:
        """All figures of each solution that was judged."""
        return {self.exploration.levels(node): node for node in self.exploration.nodes.rows(named=True)}

    @cached_property
    def best(self) -> Levels | None:
        """The solution that keeps the promises with the lowest loss."""
        found = self.exploration.optimum(self.metric)
        return None if found is None else self.exploration.levels(found)

    @cached_property
    def frontier(self) -> list[Levels]:
        """The best trade-offs, from the lowest loss to the lowest risk."""
        return [
            self.exploration.levels(node) for node in self.exploration.frontier(self.metric, self.risk).rows(named=True)
        ]

    @cached_property
    def kinds(self) -> dict[Levels, str]:
        """What each solution is, one of ``cloud.KINDS``."""
        plain = {levels: "node" if node["feasible"] else "refused" for levels, node in self.nodes.items()}
        best = {} if self.best is None else {self.best: "best"}
        return plain | dict.fromkeys(self.frontier, "frontier") | best

    @cached_property
    def _dots(self) -> Mapping[str, list[Dot]]:
        levels = list(self.nodes)
        dots: dict[str, list[Dot]] = {}
        for place, loss, risk, kind in cloud(self.exploration, self.metric, self.risk).iter_rows():
            dots.setdefault(kind, []).append(Dot(levels[place], loss, risk, kind))
        return dots

    def dots(self, kind: str) -> list[Dot]:
        """Return the solutions of a kind that are drawn."""
        return self._dots.get(kind, [])

    def dot(self, levels: Levels) -> Dot | None:
        """Return one solution as a point; nothing where it would publish nothing."""
        node = self.nodes[levels]
        if not node["groups"]:
            return None
        loss, risk = node[self.exploration.column_of(self.metric)], node[risk_column(self.risk)]
        return Dot(levels, loss, risk, self.kinds[levels])

    def words(self, levels: Levels) -> str:
        """Return a solution in a few lines of text."""
        return "\n".join([*(f"{name}: {figure}" for name, figure in self.figures(levels)), self.named_levels(levels)])

    def named_levels(self, levels: Levels) -> str:
        """Return the levels with the names of their attributes."""
        named = zip(self.exploration.attributes, levels, self.exploration.heights, strict=True)
        return ", ".join(f"{readable(name, 24)} {level}/{height}" for name, level, height in named)

    def figures(self, levels: Levels) -> list[tuple[str, str]]:
        """Return the figures of a solution, each with its name."""
        node = self.nodes[levels]
        return [
            (say("explore.figure-loss", metric=self.metric), count(node[self.exploration.column_of(self.metric)])),
            (say("explore.figure-average"), _risk(node["average_risk"])),
            (say("explore.figure-highest"), _risk(node["highest_risk"])),
            (say("explore.figure-smallest"), count(node["smallest_group"] or 0)),
            (say("explore.figure-groups"), count(node["groups"])),
            (
                say("explore.figure-suppressed"),
                f"{node['suppressed']:,} ({percent(node['suppressed_share'])})",
            ),
        ]

    def examples(self, levels: Levels) -> list[list[str]]:
        """Return a few records as they would be published."""
        columns: list[list[Label]] = [
            [labels[level] for labels in self.exploration.examples.get(name, ())]
            for name, level in zip(self.exploration.attributes, levels, strict=True)
        ]
        return [[readable(label, 40) for label in record] for record in zip(*columns, strict=True)]


def _risk(share: float | None) -> str:
    return "–" if share is None else percent(share)
