"""The page Plan: what is promised and how, as forms and as text; each changes the other."""

import time
from typing import Any

from nicegui import run, ui

from krypsis.errors import KrypsisError
from krypsis.kinds.table.plan_fit import Fit
from krypsis.projects import Project
from krypsis.projects.exploration import state_of
from krypsis.projects.jobs import Job
from krypsis.web.kind_pages import pages_of
from krypsis.web.parts.frame import heading, next_step, notice, reports_errors
from krypsis.web.parts.plan_draft import Draft, check_shown
from krypsis.web.served import served
from krypsis.web.texts import say


def show(project: Project) -> None:
    """Show the forms, and the text next to them."""
    ui.label(say("plan.intro")).classes("kr-lead")
    draft, verdict = Draft(project), PlanVerdict(project)
    with ui.element("div").classes("kr-two kr-plan"):
        with ui.element("div").classes("kr-stack kr-gap"):
            forms = _forms(draft)
        text = PlanEditor(draft)
    draft.listeners += [form.reload for form in forms] if forms else [ui.navigate.reload]
    draft.listeners += [text.reload, verdict.reload]
    ui.timer(0.4, reports_errors(verdict.judge))


def _forms(draft: Draft) -> list[Any]:
    """Show the forms; where the plan cannot be understood, its text is left to be corrected."""
    try:
        plan = draft.plan()
        check_shown(plan)
    except KrypsisError as error:
        notice(str(error))
        return []
    return pages_of(plan.kind).plan_forms(draft)


class PlanEditor:
    """The text of the plan in an editor, with what is wrong in it."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        with ui.element("section").classes("kr-card kr-stack kr-sticky"):
            heading(say("plan.text"))
            ui.label(say("plan.text-text")).classes("kr-quiet")
            self.editor = ui.textarea(value=draft.text).props(
                "outlined input-class=kr-editor debounce=200 spellcheck=false"
            )
            self.editor.props["aria-label"] = say("plan.text")
            self.editor.classes("w-full").on_value_change(self._edited)
            # the text comes along, for the last letters may not have arrived yet
            typed = "(event) => { event.preventDefault(); emit(event.target.value); }"
            self.editor.on("keydown.ctrl.s", reports_errors(lambda event: self._save(event.args)), js_handler=typed)
            with ui.row().classes("kr-actions"):
                self.button = ui.button(say("plan.save"), icon="save", on_click=reports_errors(self.save))
                self.button.props("no-caps unelevated color=primary").set_enabled(False)
                self.undo = ui.button(say("plan.discard"), on_click=self._discard).props("no-caps flat")
                self.undo.set_visibility(False)
            self.problem = ui.element("div").props('role="status"')

    def reload(self) -> None:
        """Show the text of the plan as it is now."""
        self.problem.clear()
        self.editor.set_value(self.draft.text)
        self._mark()

    def _edited(self) -> None:
        self.draft.text = self.editor.value or ""
        self._mark()

    def _mark(self) -> None:
        is_changed = not self.draft.is_saved
        self.button.set_enabled(is_changed)
        self.undo.set_visibility(is_changed)

    def _discard(self) -> None:
        self.draft.discard()
        self.reload()

    def save(self) -> None:
        """Make the text the plan."""
        self._save(self.editor.value or "")

    def _save(self, text: str) -> None:
        """Make a text the plan; what is wrong in it is reported below it, and the text stays."""
        self.problem.clear()
        try:
            self.draft.save(text)
        except KrypsisError as error:
            with self.problem:
                notice(str(error))


KIND = "feasibility"
IDLE = 1.5
"""Seconds without a change after which the search is asked."""


class PlanVerdict:
    """What speaks against running the plan; found out anew after each change.

    Roles, hierarchies and parameters are compared with the data at once. Whether any release keeps the promises only
    the search knows, which is asked in a job of its own with a time limit.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.is_judged = self.fits = False
        self.judged_at = 0.0
        self.job: Job | None = None
        self.shown = ""
        self.place = ui.element("div").classes("kr-verdict").props('role="status"')

    def reload(self) -> None:
        """Judge the plan anew, as soon as there is time."""
        self.is_judged = False
        if self.job is not None and not self.job.is_over:  # it asks about a plan that has changed
            served().queue.cancel(self.project, self.job.id)

    async def judge(self) -> None:
        """Say whether the plan fits the data, unless that is said already; if it does, ask the search."""
        if self.is_judged:
            if self.fits:
                self._follow_search()
            return
        self.is_judged = True
        fit = await run.io_bound(_fit, self.project) or Fit()
        self.fits, self.judged_at = not fit.problems, time.monotonic()
        self.job = self._known_answer() if self.fits else None
        self._show(fit)

    def _show(self, fit: Fit) -> None:
        self.place.clear()
        self.shown = ""
        with self.place:
            for problem in fit.problems:
                notice(problem)
            for warning in fit.warnings:
                notice(warning, "warn")
            if not fit.problems:
                notice(say("plan.fits"), "good").classes("kr-grow")
                self.answer = ui.element("div").mark("feasibility")
                next_step(self.project, "run")
                self._show_answer()

    def _known_answer(self) -> Job | None:
        """Return the job that has answered for this plan and this data, if there is one."""
        state = state_of(self.project)
        jobs = [job for job in served().queue.jobs(self.project) if job.kind == KIND and job.state == "done"]
        return next((job for job in jobs if job.result.get("made_of") == state), None)

    def _follow_search(self) -> None:
        """Ask the search as soon as the plan rests and the project has no other work; then show what it answers."""
        if self.job is None:
            is_busy = any(not job.is_over for job in served().queue.jobs(self.project))
            if time.monotonic() - self.judged_at > IDLE and not is_busy:
                self.job = served().queue.submit(self.project, KIND)
        elif not self.job.is_over:
            self.job = served().queue.job(self.project, self.job.id)
        self._show_answer()

    def _show_answer(self) -> None:
        text, kind = _answer(self.job)
        if text != self.shown:
            self.shown = text
            self.answer.clear()
            with self.answer:
                notice(text, kind)


def _answer(job: Job | None) -> tuple[str, str]:
    """Return what is known about feasible solutions, and how good that is."""
    if job is None or job.state == "cancelled":
        return say("plan.not-checked"), "warn"
    if not job.is_over:
        return say("plan.checking"), "warn"
    if job.state != "done":
        return say("plan.not-found-out", reason=job.error or job.state), "warn"
    feasible = job.result.get("feasible")
    if feasible is None:
        return say("plan.undecided"), "warn"
    if feasible:
        return say("plan.feasible"), "good"
    return say("plan.infeasible", reason=job.result.get("reason", "")), "bad"


def _fit(project: Project) -> Fit:
    try:
        plan = project.plan()
        return pages_of(plan.kind).fit(project, plan)
    except KrypsisError as error:
        return Fit((str(error),))
