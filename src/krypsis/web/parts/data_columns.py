"""The columns of a table: what is in them, what they mean, and why we think so."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from nicegui import run, ui

from krypsis.data.schema import Role
from krypsis.errors import KrypsisError
from krypsis.kinds.table.profile.column import ColumnProfile, Sketch
from krypsis.kinds.table.profile.roles import guess_roles
from krypsis.projects import Project, give_role
from krypsis.web.parts.frame import heading
from krypsis.web.parts.notices import reports_errors
from krypsis.web.parts.tables import Cell, plain_table, quoted
from krypsis.web.texts import language, say

WIDTH, HEIGHT = 96, 28
FEWEST = 6
"""Bars are not broader than if there were so many."""
HEADINGS = ("column", "values", "distinct", "missing", "role", "why")


def show_columns(project: Project) -> None:
    """Show all columns; another role is written into the plan at once."""
    guesses = guess_roles(project.profile)
    roles = _roles(project)
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.columns"))
        ui.label(say("data.columns-text")).classes("kr-quiet")
        head = [say(f"data.{name}") for name in HEADINGS]
        rows = (
            _row(project, column, roles.get(column.name), guesses[column.name].said(language()))
            for column in project.profile.columns
        )
        plain_table(head, rows, say("data.columns"), numbers=(2, 3)).classes("kr-columns")


def _roles(project: Project) -> dict[str, Role]:
    try:
        return {name: column.role for name, column in project.table_plan().columns.items()}
    except KrypsisError:  # the page Plan tells what is wrong in it
        return {}


def _row(project: Project, column: ColumnProfile, role: Role | None, reason: str) -> Sequence[Cell]:
    return (
        lambda: _name(column),
        lambda: ui.html(bars(project.sketches[column.name], column.name), sanitize=False),
        f"{column.distinct:,}",
        f"{column.missing:,}",
        lambda: _role_choice(project, column.name, role),
        lambda: ui.label(reason).classes("kr-quiet"),
    )


def _name(column: ColumnProfile) -> None:
    ui.label(column.name).classes("kr-name").tooltip(column.name)
    ui.label(say(f"data.kind-{column.kind.value}")).classes("kr-quiet")


def _role_choice(project: Project, name: str, role: Role | None) -> None:
    options = {one.value: say(f"data.role-{one.value}") for one in Role}
    select = ui.select(options, value=None if role is None else role.value).classes("kr-role").mark(f"role-{name}")
    select.props(f'dense outlined options-dense aria-label="{quoted(say("data.role-of", column=name))}"')
    select.on_value_change(reports_errors(lambda event: _give_role(project, name, Role(event.value))))


async def _give_role(project: Project, name: str, role: Role) -> None:
    await run.io_bound(give_role, project, name, role)  # a hierarchy is proposed by the values of the column
    ui.notify(say("data.role-given", column=name, role=say(f"data.role-{role.value}")), type="positive")


def bars(sketch: Sketch, name: str) -> str:
    """Return the picture of a distribution; each bar tells its values and their number."""
    most = max(sketch.counts, default=0) or 1
    width = WIDTH / max(len(sketch.counts), FEWEST)
    drawn = [
        f'<rect x="{place * width:.1f}" y="{HEIGHT - HEIGHT * count / most:.1f}" width="{max(width - 1, 1):.1f}" '
        f'height="{HEIGHT * count / most:.1f}" fill="var(--after)"><title>{escape(label)}: {count:,}</title></rect>'
        for place, (label, count) in enumerate(zip(sketch.labels, sketch.counts, strict=True))
    ]
    label = escape(say("data.bars-of", column=name), quote=True)
    return f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{label}">{"".join(drawn)}</svg>'
