"""The page Explore: all solutions with their risk and their loss; pick another one, compare two."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from nicegui import events, run, ui

from krypsis.algorithms.tables.lattice.lattice import Levels
from krypsis.kinds.table.exploration import Exploration, Risk
from krypsis.kinds.table.exploration.diagrams import KINDS, Hasse, hasse
from krypsis.projects import Project
from krypsis.projects.exploration import explored
from krypsis.projects.jobs import Job
from krypsis.report.text import count, percent, readable, shorten_text
from krypsis.web.parts.explore_space import Dot, SpaceView
from krypsis.web.parts.frame import address, heading, notice, reports_errors
from krypsis.web.parts.progress import follow
from krypsis.web.parts.tables import Cell, plain_table, quoted
from krypsis.web.served import served
from krypsis.web.texts import say


async def show(project: Project) -> None:
    """Show the page."""
    ui.label(say("explore.lead")).classes("kr-lead")
    jobs = [job for job in served().queue.jobs(project) if job.kind == "explore"]
    if jobs and not jobs[0].is_over:
        follow(project, jobs[0], lambda _: ui.navigate.reload())
        return
    found = await run.io_bound(explored, project)
    _report_failure(jobs)
    if found is None:
        _begin(project, say("explore.begin"))
        return
    if not found.is_current:
        notice(say("explore.outdated"), "warn")
        _begin(project, say("explore.again"))
    ui.label(summary(found.space))
    if not found.space.complete:
        ui.label(say("explore.incomplete")).classes("kr-quiet")
    await ExploreView(project, found.space).show()


def _report_failure(jobs: list[Job]) -> None:
    """Say why the last attempt came to nothing."""
    if jobs and jobs[0].state == "cancelled":
        notice(say("explore.cancelled"), "warn")
    elif jobs and jobs[0].state != "done":
        notice(jobs[0].error or jobs[0].state)


def _begin(project: Project, text: str) -> None:
    def begin() -> None:
        served().queue.submit(project, "explore")
        ui.navigate.reload()

    ui.button(text, icon="scatter_plot", on_click=reports_errors(begin)).props(
        "no-caps unelevated color=primary"
    ).classes("kr-fit")


COLORS = {"refused": "#a8b1bd", "node": "#6b8fb8", "frontier": "#128a90", "best": "#c2690a"}
SIZES = {"refused": 6, "node": 7, "frontier": 11, "best": 17}
PICKED = ("#7a2fb0", "#c01f6a")
"""The colors of the two solutions that are compared."""
FEW = 40
"""Up to so many nodes show their levels without being asked."""

TOOLTIP = {"renderMode": "richText", "confine": True, "formatter": "{b}"}  # rich text: labels of the data are no HTML


def cloud_options(space: SpaceView, picked: Sequence[Levels]) -> dict[str, Any]:
    """Return the chart of risk and loss."""
    return {
        "animation": False,
        "grid": {"left": 64, "right": 20, "top": 40, "bottom": 58},
        "legend": {"top": 0, "itemGap": 14, "selectedMode": False},
        "tooltip": {"trigger": "item", **TOOLTIP},
        "xAxis": _axis(say("explore.axis-loss", metric=space.metric), 32),
        "yAxis": {**_axis(say(f"explore.axis-{space.risk}"), 46), **_percent(space)},
        "series": [*(_dots(space, kind) for kind in KINDS), _stairs(space), *_rings(space, picked)],
    }


def _axis(name: str, gap: int) -> dict[str, Any]:
    split = {"lineStyle": {"opacity": 0.35}}
    return {"name": name, "nameLocation": "middle", "nameGap": gap, "scale": True, "splitLine": split}


def _percent(space: SpaceView) -> dict[str, Any]:
    kind = "value" if space.risk == "suppressed" else "log"  # a share of 0 has no logarithm
    return {"type": kind, "axisLabel": {"formatter": "{value} %"}, "max": 100 if kind == "log" else None}


def _dots(space: SpaceView, kind: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": say(f"explore.kind-{kind}"),
        "symbol": "diamond" if kind == "best" else "circle",
        "symbolSize": SIZES[kind],
        "itemStyle": {"color": COLORS[kind], "opacity": 0.55 if kind in ("refused", "node") else 0.95},
        "data": [_point(space, dot) for dot in space.dots(kind)],
        "z": KINDS.index(kind) + 2,
    }


def _point(space: SpaceView, dot: Dot) -> dict[str, Any]:
    return {"name": space.words(dot.levels), "value": [dot.loss, dot.risk * 100]}


def _stairs(space: SpaceView) -> dict[str, Any]:
    """Return the border of what can be had: for a given loss, no less risk than the line shows."""
    front = sorted([*space.dots("frontier"), *space.dots("best")], key=lambda dot: (dot.loss, -dot.risk))
    line = {"color": COLORS["frontier"], "width": 1.5, "opacity": 0.7}
    data = [[dot.loss, dot.risk * 100] for dot in front]
    return {"type": "line", "step": "end", "symbol": "none", "silent": True, "lineStyle": line, "data": data, "z": 3}


def _rings(space: SpaceView, picked: Sequence[Levels]) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "silent": True,
            "symbolSize": 24,
            "itemStyle": {"color": "transparent", "borderColor": PICKED[number], "borderWidth": 3},
            "label": {"show": True, "formatter": str(number + 1), "position": "right", "fontWeight": "bold"},
            "data": [[dot.loss, dot.risk * 100] for dot in [space.dot(levels)] if dot is not None],
            "z": 9,
        }
        for number, levels in enumerate(picked)
    ]


def hasse_options(space: SpaceView, drawn: Hasse, picked: Sequence[Levels]) -> dict[str, Any]:
    """Return the Hasse diagram: the original table at the bottom, everything generalized at the top."""
    kinds = space.kinds
    rings = {levels: PICKED[number] for number, levels in reversed(list(enumerate(picked)))}
    few = len(drawn.nodes) <= FEW
    nodes = [
        _node(space, levels, place, kinds, rings, few=few)
        for levels, place in zip(drawn.nodes, drawn.places, strict=True)
    ]
    return {
        "animation": False,
        "tooltip": {"trigger": "item", **TOOLTIP},
        "grid": {"left": 14, "right": 14, "top": 16, "bottom": 26},
        "xAxis": {"show": False, "min": 0, "max": 1},
        "yAxis": {"show": False, "min": "dataMin", "max": "dataMax"},
        "series": [
            {
                "type": "graph",
                "coordinateSystem": "cartesian2d",
                "data": nodes,
                "links": [{"source": low, "target": high, "name": ""} for low, high in drawn.lines],
                "lineStyle": {"color": "#8795a8", "opacity": 0.45, "width": 1},
                "emphasis": {"focus": "adjacency", "lineStyle": {"width": 2.5, "opacity": 1}},
            }
        ],
    }


def _node(
    space: SpaceView,
    levels: Levels,
    place: tuple[float, int],
    kinds: Mapping[Levels, str],
    rings: Mapping[Levels, str],
    *,
    few: bool,
) -> dict[str, Any]:
    kind, ring = kinds.get(levels, "refused"), rings.get(levels)
    label = {"show": few or ring is not None, "formatter": shorten_text(_short(levels), 24), "position": "bottom"}
    border = {"borderColor": ring, "borderWidth": 4} if ring else {}
    return {
        "id": _short(levels),
        "name": space.words(levels),
        "value": list(place),
        "symbol": "diamond" if kind == "best" else "circle",
        "symbolSize": 22 if ring or kind == "best" else 14,
        "itemStyle": {"color": COLORS[kind], **border},
        "label": {**label, "distance": 3, "fontSize": 12},
    }


def _short(levels: Levels) -> str:
    return ",".join(map(str, levels))


def compare(space: SpaceView, picked: Sequence[Levels], publish: Callable[[Levels], object]) -> None:
    """Show one solution, or two next to each other."""
    with ui.element("div").classes("kr-two" if len(picked) == 1 else "kr-stack"):
        _solutions(space, picked, publish)
        with ui.element("div").classes("kr-two" if len(picked) > 1 else "kr-stack"):
            for number, levels in enumerate(picked, 1):
                _examples(space, number, levels)


def _solutions(space: SpaceView, picked: Sequence[Levels], publish: Callable[[Levels], object]) -> None:
    title = say("explore.compare") if len(picked) > 1 else say("explore.solution", number=1)
    with ui.element("section").classes("kr-card kr-stack"):
        heading(title)
        ui.label(say("explore.compare-help")).classes("kr-quiet")
        head = ["", *(say("explore.solution", number=number) for number in range(1, len(picked) + 1))]
        rows = [*_figures(space, picked), *_levels(space, picked)]
        plain_table(head, rows, title, numbers=range(1, len(head)))
        with ui.row().classes("kr-actions"):
            for number, levels in enumerate(picked, 1):
                _publish_button(space, number, levels, publish)


def _figures(space: SpaceView, picked: Sequence[Levels]) -> list[list[str]]:
    columns = [space.figures(levels) for levels in picked]
    verdict = [say(f"explore.verdict-{space.kinds[levels]}") for levels in picked]
    rows = [[figures[0][0], *(figure for _, figure in figures)] for figures in zip(*columns, strict=True)]
    return [[say("explore.figure-verdict"), *verdict], *rows]


def _levels(space: SpaceView, picked: Sequence[Levels]) -> list[list[str]]:
    named = zip(space.exploration.attributes, space.exploration.heights, strict=True)
    return [
        [
            say("explore.figure-level", name=readable(name, 40)),
            *(say("explore.level-of", level=levels[place], height=height) for levels in picked),
        ]
        for place, (name, height) in enumerate(named)
    ]


def _publish_button(space: SpaceView, number: int, levels: Levels, publish: Callable[[Levels], object]) -> None:
    button = ui.button(say("explore.publish", number=number), icon="play_arrow", on_click=lambda: publish(levels))
    button.props("no-caps unelevated color=primary" if number == 1 else "no-caps outline color=primary")
    if not space.nodes[levels]["feasible"]:
        button.disable()
        button.tooltip(say("explore.not-feasible"))


def _examples(space: SpaceView, number: int, levels: Levels) -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("explore.examples", number=number))
        names = [readable(name, 40) for name in space.exploration.attributes]
        rows = [[str(place), *record] for place, record in enumerate(space.examples(levels), 1)]
        plain_table(["", *names], rows, say("explore.examples", number=number))


MOST_ROWS = 12
"""So many of the best trade-offs are listed, evenly chosen."""


class ExploreView:
    """What is shown of an exploration; the first solution is the best one until another is picked."""

    def __init__(self, project: Project, exploration: Exploration) -> None:
        self._project = project
        self._space = SpaceView(exploration, exploration.criteria[0], "average")
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
                select.classes("kr-choice").on_value_change(reports_errors(self._look_again))

    def _chart(self, name: str, click: object) -> ui.echart:
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say(f"explore.{name}"))
            ui.label(say(f"explore.{name}-help")).classes("kr-quiet")
            chart = ui.echart({}, on_point_click=click, renderer="svg").classes("kr-chart")  # type: ignore[arg-type]
            return chart.mark(name).props(f'role="img" aria-label="{say(f"explore.{name}-label")}"')

    async def _look_again(self) -> None:
        self._space = SpaceView(self._space.exploration, self._metric.value, self._risk.value)
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
        """Put a solution next to the first one."""
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
                ui.button(say("explore.keep"), icon="push_pin", on_click=reports_errors(self.keep)).props(
                    "no-caps flat"
                ).classes("kr-fit")
            compare(self._space, self._picked, reports_errors(self._publish))
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
                    space.named_levels(levels),
                    *(figure for _, figure in space.figures(levels)),
                    self._pick_button(levels, "compare-last" if levels == shown[-1] else "compare"),
                ]
                for levels in shown
            ]
            plain_table([say("explore.levels"), *names, ""], rows, say("explore.front"), range(1, len(names) + 1))

    def _pick_button(self, levels: Levels, marker: str) -> Callable[[], None]:
        def show() -> None:
            label = say("explore.pick-label", levels=self._space.named_levels(levels))
            button = ui.button(say("explore.pick"), on_click=reports_errors(lambda: self.pick(levels)))
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
