"""The page Run: carry the plan out, follow the work, stop it."""

from html import escape

from nicegui import ui

from krypsis.plan import Plan
from krypsis.projects import Project
from krypsis.projects.jobs import Job
from krypsis.web.kind_pages import pages_of
from krypsis.web.parts.frame import address, heading, next_step, notice, reports_errors
from krypsis.web.parts.progress import follow
from krypsis.web.parts.promises import sentence_of
from krypsis.web.parts.tables import plain_table
from krypsis.web.served import served
from krypsis.web.texts import language, say

COLUMNS = ("when", "what-made", "state", "message")


def show(project: Project) -> None:
    """Show what will be done, or how far it has come, and what was done before."""
    jobs = [job for job in served().queue.jobs(project) if job.kind == "run"]
    current = next((job for job in jobs if not job.is_over), None)
    if current is not None:
        follow(project, current, lambda job: _arrive(project, job))
    else:
        if jobs:
            _outcome(project, jobs[0])
        _offer(project)
    _earlier(project, [job for job in jobs if job.is_over])


def _arrive(project: Project, job: Job) -> None:
    """Go where the work has led: to the release, or to what kept it from being made."""
    ui.navigate.to(address(project.name, "result" if job.state == "done" else "run"))


def _outcome(project: Project, job: Job) -> None:
    if job.state == "done":
        for warning in job.warnings_in(language()):
            notice(warning, "warn")
        for parts in job.result.get("improvement_parts", ()):
            notice(say("run.would-help", improvement=say(f"run.help-{parts['what']}", **parts)), "warn")
        notice(say("run.done", number=job.result["release"]), "good")
        next_step(project, "result").classes("kr-fit")
    elif job.state == "cancelled":
        notice(say("run.cancelled"), "warn")
    else:
        notice(f"{say(f'run.state-{job.state}')}: {job.error}")


def _offer(project: Project) -> None:
    plan = project.plan()  # what is wrong in it is reported by the page as a whole
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("run.what"))
        with ui.element("dl").classes("kr-facts"):
            for name, text in _facts(plan).items():
                ui.html(escape(name), sanitize=False, tag="dt")
                with ui.element("dd"):
                    ui.label(text)
        with ui.row().classes("kr-actions"):
            ui.button(say("run.start"), icon="play_arrow", on_click=reports_errors(lambda: _start(project))).props(
                "no-caps unelevated color=primary"
            )
            next_step(project, "plan").props("flat").set_text(say("run.change"))


def _facts(plan: Plan) -> dict[str, str]:
    return {
        say("run.promises"): " ".join(sentence_of(model) for model in plan.models()) or say("run.none"),
        say("run.algorithm"): say("plan.auto") if plan.algorithm == "auto" else str(plan.algorithm),
        **pages_of(plan.kind).run_facts(plan),
    }


def _start(project: Project) -> None:
    project.plan()  # a mistake is reported here, not by a job
    served().queue.submit(project, "run")
    ui.navigate.reload()


def _earlier(project: Project, jobs: list[Job]) -> None:
    if not jobs:
        return
    with ui.element("section").classes("kr-card kr-stack"):
        heading(say("run.earlier"))
        head = [say(f"run.{name}") for name in COLUMNS]
        plain_table(head, map(_row, jobs), say("run.earlier"))
        ui.link(say("run.audit"), f"/api/projects/{project.name}/audit", new_tab=True)


def _row(job: Job) -> tuple[str, ...]:
    when = f"{job.created:%Y-%m-%d %H:%M:%S}"
    return when, _what(job), say(f"run.state-{job.state}"), job.error or "–"


def _what(job: Job) -> str:
    return say("run.release", number=job.result["release"]) if "release" in job.result else "–"
