"""Two solutions side by side: their figures, their levels and what records look like in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from krypsis.algorithms.tables.lattice.rollup import Levels
from krypsis.report.text import readable
from krypsis.web.parts.explore_space import Space
from krypsis.web.parts.frame import heading
from krypsis.web.parts.tables import plain_table
from krypsis.web.texts import say


def compare(space: Space, picked: Sequence[Levels], publish: Callable[[Levels], object]) -> None:
    """Show one solution, or two beside each other."""
    with ui.element("div").classes("kr-two" if len(picked) == 1 else "kr-stack"):
        _solutions(space, picked, publish)
        with ui.element("div").classes("kr-two" if len(picked) > 1 else "kr-stack"):
            for number, levels in enumerate(picked, 1):
                _examples(space, number, levels)


def _solutions(space: Space, picked: Sequence[Levels], publish: Callable[[Levels], object]) -> None:
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


def _figures(space: Space, picked: Sequence[Levels]) -> list[list[str]]:
    columns = [space.figures(levels) for levels in picked]
    verdict = [say(f"explore.verdict-{space.kinds[levels]}") for levels in picked]
    rows = [[figures[0][0], *(figure for _, figure in figures)] for figures in zip(*columns, strict=True)]
    return [[say("explore.figure-verdict"), *verdict], *rows]


def _levels(space: Space, picked: Sequence[Levels]) -> list[list[str]]:
    named = zip(space.exploration.attributes, space.exploration.heights, strict=True)
    return [
        [
            say("explore.figure-level", name=readable(name, 40)),
            *(say("explore.level-of", level=levels[place], height=height) for levels in picked),
        ]
        for place, (name, height) in enumerate(named)
    ]


def _publish_button(space: Space, number: int, levels: Levels, publish: Callable[[Levels], object]) -> None:
    button = ui.button(say("explore.publish", number=number), icon="play_arrow", on_click=lambda: publish(levels))
    button.props("no-caps unelevated color=primary" if number == 1 else "no-caps outline color=primary")
    if not space.nodes[levels]["feasible"]:
        button.disable()
        button.tooltip(say("explore.not-feasible"))


def _examples(space: Space, number: int, levels: Levels) -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("explore.examples", number=number))
        names = [readable(name, 40) for name in space.exploration.attributes]
        rows = [[str(place), *record] for place, record in enumerate(space.examples(levels), 1)]
        plain_table(["", *names], rows, say("explore.examples", number=number))
