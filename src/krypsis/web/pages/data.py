"""The page Data: where the data comes from, what is in it, and what each column of a table means."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Any

from nicegui import run, ui
from nicegui.elements.upload_files import FileUpload

from krypsis.data.schema import Role
from krypsis.errors import KrypsisError
from krypsis.kinds.base import kind_named, kinds
from krypsis.kinds.table.profile.column import ColumnProfile, Sketch
from krypsis.kinds.table.profile.published_risks import suspects
from krypsis.kinds.table.profile.roles import Language, guess_roles
from krypsis.projects import Project, copy_in, fetch, give_role, receive
from krypsis.projects.jobs import Job
from krypsis.registry import USUAL_KIND
from krypsis.report.text import readable
from krypsis.web.parts.frame import heading, next_step, notice, reports_errors
from krypsis.web.parts.progress import follow
from krypsis.web.parts.tables import Cell, PagedRows, plain_table, quoted
from krypsis.web.parts.uploads import DATA, file_drop
from krypsis.web.served import served
from krypsis.web.texts import catalogue, language, say

FILES = "files"
"""The folder of a project for files that belong to the data."""
MOST_NAMES, LONGEST = 8, 40
"""How many columns are named in a sentence, and how long their names may be."""


async def show(project: Project) -> None:
    """Show the data, or how far reading it has come, or where it could come from."""
    reading = _last_reading(project)
    if reading is not None and not reading.is_over:
        follow(project, reading, lambda _: ui.navigate.reload())
    elif project.has_table:
        _failure(reading)
        await _show_table(project, () if reading is None else reading.warnings_in(language()))
    elif project.is_read:
        _failure(reading)
        _show_view(project, () if reading is None else reading.warnings_in(language()))
    else:
        if reading is not None and project.data_file is not None:
            notice(reading.error or say("data.not-read"))
        show_sources(project)


def _failure(reading: Job | None) -> None:
    """Say why the last attempt came to nothing, where what was read before is still there."""
    if reading is not None and reading.state != "done":
        notice(reading.error or say("data.not-read"))


def _last_reading(project: Project) -> Job | None:
    return next((job for job in served().queue.jobs(project) if job.kind == "read"), None)


async def _show_table(project: Project, heard: Sequence[str]) -> None:
    profile = project.profile
    facts = say("data.facts", name=profile.name, rows=f"{profile.rows:,}", columns=len(profile.columns))
    ui.label(facts).classes("kr-lead")
    for warning in heard:  # what the file holds besides the table
        notice(warning, "warn")
    await _warnings(project)
    show_columns(project)
    with ui.row().classes("kr-actions kr-stay"):
        next_step(project, "hierarchies")
        next_step(project, "advisor").props("outline")
        next_step(project, "run").props("outline").set_text(say("data.at-once"))
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.preview"))
        await PagedRows(profile.rows, project.rows, say("data.preview")).turn_to(0)
    with ui.expansion(say("data.other"), icon="swap_horiz").classes("kr-card"):
        ui.label(say("data.other-text")).classes("kr-quiet")
        show_sources(project)


def _show_view(project: Project, heard: Sequence[str]) -> None:
    """Show what was found in data that is no table; it is described in English."""
    view = project.view
    with ui.element("div").classes("kr-stack kr-gap").props('lang="en"'):
        ui.label(view.summary).classes("kr-lead")
        for warning in (*heard, *(note.removeprefix("Note: ") for note in view.notes)):
            notice(warning[:1].upper() + warning[1:], "warn")
        for table in view.tables:
            with ui.element("section").classes("kr-card kr-stack"):
                heading(table.title)
                figures = [place for place, name in enumerate(table.headings) if name in table.figures]
                plain_table(table.headings, table.rows, table.title, numbers=figures)
    with ui.row().classes("kr-actions kr-stay"):
        next_step(project, "plan")
        next_step(project, "advisor").props("outline")
        next_step(project, "run").props("outline").set_text(say("data.at-once"))
    _further_files(project)
    with ui.expansion(say("data.other"), icon="swap_horiz").classes("kr-card"):
        ui.label(say("data.other-text")).classes("kr-quiet")
        show_sources(project)


def _further_files(project: Project) -> None:
    """Offer to upload the files that belong to the data, such as the table of vertices of a graph."""
    planned = ReadingPlanned.of(project)
    for name in kind_named(planned.kind).reading_files if planned.kind else ():
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say(f"data.file-{name}"))
            ui.label(say(f"data.file-{name}-text")).classes("kr-quiet")
            if planned.values.get(name):
                ui.label(say("data.file-given", file=readable(planned.values[name]))).classes("kr-quiet")
            file_drop(say(f"data.drop-{name}"), partial(_take_file, project, planned, name), DATA)


async def _take_file(project: Project, planned: "ReadingPlanned", name: str, file: FileUpload) -> None:
    place = await receive(project, file.name, file.iterate(), served().settings.largest_upload, FILES)
    _read(project, data_kind=planned.kind, **{**planned.values, name: f"{FILES}/{place.name}"})


@dataclass(frozen=True)
class ReadingPlanned:
    """How the plan of a project reads its data."""

    kind: str = ""
    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, project: Project) -> "ReadingPlanned":
        """Return what the plan says; nothing where there is none that can be understood."""
        if not project.is_read:
            return cls()
        try:
            plan = project.plan()
        except KrypsisError:  # the page Plan says what is wrong in it
            return cls()
        kind = kind_named(plan.kind)
        said = {**plan.read.model_dump(), **{name: getattr(plan, name, None) for name in kind.reading_files}}
        values = {name: said.get(name) for name in kind.reading}
        return cls(plan.kind, {name: value for name, value in values.items() if isinstance(value, str)})


async def _warnings(project: Project) -> None:
    """Say which columns single people out, before anything is done."""
    profile = project.profile
    worst = next(iter(profile.triples or profile.pairs), None)
    if worst is not None and worst.unique_share > 0:
        share = f"{worst.unique_share:.1%}"
        notice(say("data.singled-out", columns=_listed(list(worst.columns)), share=share), "warn")
    for one in await run.io_bound(_suspects, project, language()) or ():
        notice(one, "warn")
    if missing := [column.name for column in profile.columns if column.missing]:
        ui.label(say("data.missing-values", columns=_listed(missing))).classes("kr-quiet")


def _suspects(project: Project, spoken: Language) -> list[str]:
    """Return warnings of columns that are published as they are and single people out."""
    try:
        return [one.said(spoken) for one in suspects(project.dataset(), project.table_plan().schema_of_columns)]
    except KrypsisError:  # the page Plan says what is wrong in it
        return []


def _listed(names: list[str]) -> str:
    """Return names as a list that stays short."""
    shown = [readable(name, LONGEST) for name in names[:MOST_NAMES]]
    more = [say("data.more", count=len(names) - MOST_NAMES)] if len(names) > MOST_NAMES else []
    return ", ".join(shown + more)


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
    except KrypsisError:  # the page Plan says what is wrong in it
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


def show_sources(project: Project) -> None:
    """Show all ways to give this project data, and how to read a file that was not understood."""
    with ui.element("div").classes("kr-two"):
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("data.upload"))
            file_drop(say("data.drop"), lambda file: _take_upload(project, file), DATA)
        if project.data_file is not None:
            _reading(project)
        if served().settings.allow_paths:  # else a visitor could read what only the owner of the server can
            _path(project)
            _database(project)


async def _take_upload(project: Project, file: FileUpload) -> None:
    await receive(project, file.name, file.iterate(), served().settings.largest_upload)
    _read(project)


def _read(project: Project, **reading: str | None) -> None:
    served().queue.submit(project, "read", **reading)
    ui.navigate.reload()


def _reading(project: Project) -> None:
    """Offer to read the same file in another way."""
    planned = ReadingPlanned.of(project)
    fields: dict[str, ui.input] = {}

    def again() -> None:
        given = {name: field.value or None for name, field in fields.items()}
        _read(project, data_kind=kind.value or None, **given)

    def show_fields() -> None:
        place.clear()
        fields.clear()
        names = kind_named(kind.value).reading if kind.value else ("delimiter", "encoding", "sheet")
        values = planned.values if kind.value == planned.kind and kind.value != USUAL_KIND else {}
        with place:
            for name in names:
                fields[name] = ui.input(say(f"data.{name}"), value=values.get(name, "")).props("dense")

    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.reading"))
        ui.label(say("data.reading-text")).classes("kr-quiet")
        kind = ui.select(_kinds(), value=planned.kind, label=say("data.is")).classes("kr-wide").mark("kind")
        kind.on_value_change(reports_errors(show_fields))
        place = ui.element("div").classes("kr-stack kr-wide")
        show_fields()
        _button(say("data.again"), again)


def _kinds() -> dict[str, str]:
    """Return the kinds of data that a file may hold, in the words of the visitor."""
    known = catalogue(language())
    named = {name: kind.title for name, kind in kinds().items() if not kind.planned_as}
    return {"": say("data.is-found"), **{name: known.get(f"data.is-{name}", title) for name, title in named.items()}}


def _path(project: Project) -> None:
    async def take() -> None:
        await run.io_bound(copy_in, project, place.value)
        _read(project)

    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.path"))
        ui.label(say("data.path-text")).classes("kr-quiet")
        place = ui.input(say("data.path-name"), placeholder="~/patients.csv").props("dense")
        _button(say("data.take"), take)


def _database(project: Project) -> None:
    async def take() -> None:
        await run.io_bound(fetch, project, url.value, table.value)
        _read(project)

    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("data.database"))
        ui.label(say("data.database-text")).classes("kr-quiet")
        url = ui.input(say("data.url"), password=True, password_toggle_button=True).props("dense autocomplete=off")
        table = ui.input(say("data.table")).props("dense")
        _button(say("data.take"), take)


def _button(text: str, action: Callable[[], Any]) -> None:
    ui.button(text, on_click=reports_errors(action)).props("no-caps unelevated color=primary").classes("kr-fit")
