"""The solution space on the page Explore: two charts, the best trade-offs as a table, and what was picked."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from nicegui import events, run, ui

from krypsis.algorithms.tables.lattice.rollup import Levels
from krypsis.exploration import Exploration, Risk
from krypsis.exploration.cloud import KINDS
from krypsis.exploration.hasse import Hasse, hasse
from krypsis.projects import Project
from krypsis.report.text import count, percent
from krypsis.web.parts.explore_charts import cloud_options, hasse_options
from krypsis.web.parts.explore_compare import compare
from krypsis.web.parts.explore_space import Space
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import told
from krypsis.web.parts.tables import Cell, plain_table, quoted
from krypsis.web.served import served
from krypsis.web.steps import address
from krypsis.web.texts import say

MOST_ROWS = 12
"""So many of the best trade-offs are listed, evenly chosen."""


class ExploreView:
    """What is shown of an exploration; the first solution is the best one until another is picked."""

    def __init__(self, project: Project, exploration: Exploration) -> None:
        self._project = project
        self._space = Space(exploration, exploration.criteria[0], "average")
        self._picked: list[Levels] = []
        self._hasse = Hasse.of([])

    async def show(self) -> None:
        """Show everything."""
        await run.io_bound(self._prepare)
        self._controls()
        with ui.element("div").classes("kr-two"):
            self._cloud = self._chart("cloud", self._click_dot)
            self._diagram = self._chart("hasse", self._click_node)
        self._below = ui.element("div").classes("kr-stack kr-wide")
        self._refresh()

    def _prepare(self) -> None:
        """Work out what takes a moment; nothing of the page may be touched here."""
        space = self._space
        first = space.best or next(iter(space.nodes))
        self._picked = [levels for levels in self._picked if levels in space.nodes] or [first]
        self._hasse = hasse(space.exploration, self._picked[-1])
        _ = space.kinds, space.dots("best")  # kept for the charts

    def _controls(self) -> None:
        metrics = {name: name for name in self._space.exploration.metrics}
        risks = {name: say(f"explore.risk-{name}") for name in get_args(Risk)}
        with ui.row().classes("kr-actions"):
            self._metric = ui.select(metrics, value=self._space.metric, label=say("explore.metric"))
            self._risk = ui.select(risks, value=self._space.risk, label=say("explore.risk"))
            for select in (self._metric, self._risk):
                select.classes("kr-choice").on_value_change(told(self._look_again))

    def _chart(self, name: str, click: object) -> ui.echart:
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say(f"explore.{name}"))
            ui.label(say(f"explore.{name}-help")).classes("kr-quiet")
            chart = ui.echart({}, on_point_click=click, renderer="svg").classes("kr-chart")  # type: ignore[arg-type]
            return chart.mark(name).props(f'role="img" aria-label="{say(f"explore.{name}-label")}"')

    async def _look_again(self) -> None:
        self._space = Space(self._space.exploration, self._metric.value, self._risk.value)
        await self._pick_none()

    async def _pick_none(self) -> None:
        await run.io_bound(self._prepare)
        self._refresh()

    async def _click_dot(self, event: events.EChartPointClickEventArguments) -> None:
        if event.series_index < len(KINDS):
            await self.pick(self._space.dots(KINDS[event.series_index])[event.data_index].levels)

    async def _click_node(self, event: events.EChartPointClickEventArguments) -> None:
        if event.data_type == "node":
            await self.pick(self._hasse.nodes[event.data_index])

    async def pick(self, levels: Levels) -> None:
        """Put a solution beside the first one."""
        self._picked = [self._picked[0], levels] if levels != self._picked[0] else [levels]
        await self._pick_none()

    async def keep(self) -> None:
        """Make the solution that was picked the first one."""
        self._picked = self._picked[-1:]
        await self._pick_none()

    def _refresh(self) -> None:
        for chart, options in (
            (self._cloud, cloud_options(self._space, self._picked)),
            (self._diagram, hasse_options(self._space, self._hasse, self._picked)),
        ):
            chart.options.clear()
            chart.options.update(options)
            chart.update()
        self._below.clear()
        with self._below:
            if len(self._picked) > 1:
                ui.button(say("explore.keep"), icon="push_pin", on_click=told(self.keep)).props("no-caps flat").classes(
                    "kr-fit"
                )
            compare(self._space, self._picked, told(self._publish))
            self._front()

    def _front(self) -> None:
        """List the best trade-offs, which are thus within reach of the keyboard."""
        space, front = self._space, self._space.frontier
        if not front:
            return
        step = max((len(front) - 1) / (MOST_ROWS - 1), 1)
        shown = [front[round(place * step)] for place in range(min(len(front), MOST_ROWS))]
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("explore.front"))
            ui.label(say("explore.front-help", shown=len(shown), all=len(front))).classes("kr-quiet")
            names = [name for name, _ in space.figures(front[0])]
            rows: list[list[Cell]] = [
                [
                    space.told_levels(levels),
                    *(figure for _, figure in space.figures(levels)),
                    self._pick_button(levels, "compare-last" if levels == shown[-1] else "compare"),
                ]
                for levels in shown
            ]
            plain_table([say("explore.levels"), *names, ""], rows, say("explore.front"), range(1, len(names) + 1))

    def _pick_button(self, levels: Levels, marker: str) -> Callable[[], None]:
        def show() -> None:
            label = say("explore.pick-label", levels=self._space.told_levels(levels))
            button = ui.button(say("explore.pick"), on_click=told(lambda: self.pick(levels)))
            button.mark(marker).props(f'no-caps dense flat aria-label="{quoted(label)}"')

        return show

    def _publish(self, levels: Levels) -> None:
        served().queue.submit(self._project, "run", levels=",".join(map(str, levels)))
        ui.navigate.to(address(self._project.name, "run"))


def summary(exploration: Exploration) -> str:
    """Return in a sentence what was found."""
    feasible = int(exploration.nodes["feasible"].sum())
    best = exploration.optimum()
    if best is None:
        needed = min(exploration.nodes["suppressed"].to_list())
        return say("explore.none", limit=f"{exploration.limit:,}", needed=f"{needed:,}")
    return say(
        "explore.summary",
        judged=f"{exploration.nodes.height:,}",
        size=f"{exploration.size:,}",
        feasible=f"{feasible:,}",
        metric=exploration.criteria[0],
        loss=count(best[exploration.column_of(exploration.criteria[0])]),
        risk=percent(best["average_risk"]),
    )
