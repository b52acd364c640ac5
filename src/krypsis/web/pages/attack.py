"""The page Attack lab: what an adversary with some knowledge learns before and after."""

from nicegui import run, ui

from krypsis.data.hierarchies.base import Label
from krypsis.data.schema import Role
from krypsis.projects import Project
from krypsis.projects.attack_trials import AttackTrial, Knowledge, Lab, PersonFit
from krypsis.projects.plan_changes import value_counts
from krypsis.projects.published_release import PublishedRelease
from krypsis.report.text import percent, readable
from krypsis.web.kind_pages import pages_of
from krypsis.web.parts.attack_success import show_success
from krypsis.web.parts.frame import heading, next_step, notice, reports_errors
from krypsis.web.parts.releases import choose_release, chosen_release
from krypsis.web.parts.tables import fill, quoted, rows_table
from krypsis.web.texts import say


async def show(project: Project) -> None:
    """Show the page."""
    ui.label(say("attack.lead")).classes("kr-lead")
    release = chosen_release(project)
    if release is None:
        notice(say("result.none"), "warn")
        next_step(project, "run").classes("kr-fit")
        return
    choose_release(project, release, "attack")
    if not release.is_of_this_data:
        notice(say("result.outdated"), "warn")
        return
    await run.io_bound(lambda: release.manifest)
    await pages_of(release.manifest.kind).show_lab(release)


async def show_table_lab(release: PublishedRelease) -> None:
    """Show what an attacker learns who knows some columns of everybody, or some values of a person."""
    lab = Lab(release)
    await AttackForm(lab).show()
    await PersonForm(lab).show()


class PersonForm:
    """Fields for what is known of a person; one of the table may be taken as an example."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        roles = lab.roles
        self._names = [name for name in lab.columns if roles.get(name) is Role.QUASI_IDENTIFIER]
        self._sensitive = next((name for name, role in roles.items() if role is Role.SENSITIVE), "")

    async def show(self) -> None:
        """Show the fields, filled with the first person of the table."""
        total = self._lab.release.project.profile.rows
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("attack.person"))
            ui.label(say("attack.person-help")).classes("kr-quiet")
            self._row = ui.number(say("attack.row"), value=1, min=1, max=total, precision=0).classes("kr-choice kr-fit")
            self._row.on_value_change(reports_errors(self._take_row))
            with ui.element("div").classes("kr-grid"):
                self._fields = {name: ui.input(quoted(readable(name, 40))) for name in self._names}
            with ui.row().classes("kr-actions"):
                ui.button(say("attack.look"), icon="person_search", on_click=reports_errors(self.look)).props(
                    "no-caps outline color=primary"
                )
            self._found = ui.element("div").classes("kr-stack kr-wide").props('aria-live="polite"')
        await self._take_row()

    async def _take_row(self) -> None:
        """Fill the fields with the values of a row; a missing value becomes an empty field."""
        row = self._row.value
        if row is None or not 1 <= row <= self._lab.release.project.profile.rows:
            return
        found = await run.io_bound(self._lab.release.project.rows, int(row) - 1, 1)
        if found is None:  # the server is about to stop
            return
        for name, field in self._fields.items():
            value = found.item(0, name)
            field.set_value("" if value is None else str(value))

    @property
    def values(self) -> dict[str, Label]:
        """What is known of the person; an empty field is unknown."""
        return {
            name: str(field.value).strip() for name, field in self._fields.items() if str(field.value or "").strip()
        }

    async def look(self) -> None:
        """Look for the person in both tables."""
        fits = await run.io_bound(self._lab.try_person, self.values, self._sensitive)
        if fits is None:  # the server is about to stop
            return
        self._found.clear()
        with self._found:
            for side, fit in zip(("before", "after"), fits, strict=True):
                _explain_fit(side, fit)


def _explain_fit(side: str, fit: PersonFit) -> None:
    words = [say(f"attack.fit-{side}", matches=f"{fit.matches:,}")]
    if fit.share is not None:
        words.append(say("attack.likely", value=readable(fit.value, 60), share=percent(fit.share)))
    is_sure = fit.matches == 1 or (fit.share is not None and fit.share >= 1)
    notice(" ".join(words), "bad" if is_sure else "good")


CERTAINTIES = (1.0, 0.5, 0.2)
MOST_VALUES = 200
"""So many values of a column are offered, the most frequent ones."""


class AttackForm:
    """What an adversary knows and wants, and what comes of it."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        roles = lab.roles
        self._known = [name for name in lab.columns if roles.get(name) is Role.QUASI_IDENTIFIER]
        self._sensitive = [name for name, role in roles.items() if role is Role.SENSITIVE]

    async def show(self) -> None:
        """Show the form, and what somebody learns who knows all quasi-identifiers."""
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("attack.knowledge"))
            self._fields()
            self._button = ui.button(say("attack.try"), icon="search", on_click=reports_errors(self.attack))
            self._button.mark("try").props("no-caps unelevated color=primary").classes("kr-fit")
        self._found = ui.element("div").classes("kr-stack kr-wide").props('aria-live="polite"')
        await self._offer_values()
        await reports_errors(self.attack)()

    def _fields(self) -> None:
        names = {name: readable(name, 40) for name in self._lab.columns}
        self._columns = ui.select(names, value=self._known, multiple=True, label=say("attack.columns"))
        self._columns.props("use-chips").classes("kr-wide")
        wanted = {"": say("attack.nothing"), **{name: readable(name, 40) for name in self._lab.roles}}
        with ui.row().classes("kr-actions"):
            self._wanted = ui.select(wanted, value=next(iter(self._sensitive), ""), label=say("attack.wanted"))
            self._wanted.classes("kr-choice").on_value_change(reports_errors(self._offer_values))
            sure = {share: percent(share) for share in CERTAINTIES}
            self._sure = ui.select(sure, value=1.0, label=say("attack.certainty")).classes("kr-choice")
            self._number = ui.number(say("attack.number"), value=1, min=0, max=20, precision=0).classes("kr-choice")
        self._ruled_out = ui.select([], value=[], multiple=True, label=say("attack.ruled-out"))
        self._ruled_out.props("use-chips").classes("kr-wide")
        ui.label(say("attack.ruled-out-help")).classes("kr-quiet")

    async def _offer_values(self) -> None:
        """Offer the values of the wanted column to be ruled out."""
        name = self._wanted.value
        project = self._lab.release.project
        counts = await run.io_bound(value_counts, project, name) if name in self._lab.columns else {}
        values = [value for value in list(counts or {})[:MOST_VALUES] if value is not None]
        self._ruled_out.set_options(values, value=[])

    @property
    def knowledge(self) -> Knowledge:
        """What the adversary knows, by the fields."""
        ruled_out = tuple(self._ruled_out.value) or int(self._number.value or 0)
        return Knowledge(tuple(self._columns.value), self._wanted.value, ruled_out, self._sure.value)

    async def attack(self) -> None:
        """Try the attacks and show what they find."""
        self._button.props("loading")
        try:
            trials = await run.io_bound(self._lab.try_attacks, self.knowledge)
        finally:
            self._button.props(remove="loading")
        self._found.clear()
        with self._found, ui.element("div").classes("kr-trials"):
            for trial in trials or ():
                _show_trial(trial)


def _show_trial(trial: AttackTrial) -> None:
    with ui.element("section").classes("kr-card kr-stack"):
        show_success(trial.attack.name, trial.success_before.as_dict(), trial.success_after.as_dict())
        _people(trial)


def _people(trial: AttackTrial) -> None:
    """Name a few of those who are exposed."""
    for side, rows in (("before", trial.people_before), ("after", trial.people_after)):
        if rows.height:
            with ui.expansion(say(f"attack.people-{side}")).classes("kr-wide"):
                fill(rows_table(say(f"attack.people-{side}")), rows)
