"""What attacks find, in the figures and words that all attacks have; and a form to try those on any kind of data."""

from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from nicegui import ui

from krypsis import registry
from krypsis.attacks.base import CONFIDENCE, SMALLEST, percent
from krypsis.io.yaml_file import packaged_yaml
from krypsis.projects.attack_trials import attacks_on
from krypsis.projects.jobs import Job
from krypsis.projects.published_release import PublishedRelease
from krypsis.report.text import sentence
from krypsis.web import texts
from krypsis.web.parts.forms import fields_of, show_field
from krypsis.web.parts.frame import heading, notice, reports_errors
from krypsis.web.parts.plan_draft import Chosen
from krypsis.web.parts.progress import follow
from krypsis.web.served import served
from krypsis.web.texts import language, say

WORDS = ("title", "knowledge", "success", "baseline")
"""What every attack says about itself."""
SIDES = ("before", "after")
KIND = "attack"
"""The job that tries attacks."""


@cache
def translated_words(code: str) -> Mapping[str, Mapping[str, str]]:
    """Return the words of attacks by name in a language other than English."""
    return packaged_yaml(texts.__name__, f"attacks_{code}.yaml")


def words_of(name: str) -> Mapping[str, str]:
    """Return what an attack says about itself; in English where it was not translated."""
    cls = registry.find("attack", name)
    own = {word: str(getattr(cls, word)) for word in WORDS}
    return own if language() == "en" else translated_words(language()).get(cls.name, own)


def show_success(spec: str, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
    """Show an attack and how often it succeeds on the data before and on the release.

    Parameters
    ----------
    spec
        the attack with its parameters.
    before, after
        the figures of :class:`~krypsis.attacks.base.AttackSuccess` by name; ``before`` is left out where there are
        none.
    """
    name, _, parameters = spec.partition(":")
    words = words_of(name)
    heading(sentence(words["title"]).removesuffix(".") + (f" ({parameters})" if parameters else ""))
    with ui.element("dl").classes("kr-facts"):
        for word in WORDS[1:]:
            ui.html(escape(say(f"attack.word-{word}")), sanitize=False, tag="dt")
            with ui.element("dd"):
                ui.label(sentence(words[word]))
    for side, found in zip(SIDES, (before, after), strict=True):
        if found is not None:
            _show_side(side, found)
    ui.label(say("attack.guess", share=_share(after["baseline"]))).classes("kr-quiet")
    for line in after["cannot_say"]:
        ui.label(line).classes("kr-quiet").props('lang="en"')


def _show_side(side: str, found: Mapping[str, Any]) -> None:
    text = say(
        f"attack.succeeds-{side}",
        rate=_share(found["rate"]),
        targets=f"{found['targets']:,.0f}",
        confidence=percent(CONFIDENCE),
        low=percent(found["low"]),
        high=percent(found["high"]),
    )
    certain = say("attack.certain", certain=f"{found['certain']:,.0f}")
    ui.label(f"{text} {certain}")
    with ui.element("div").classes("kr-track").props('aria-hidden="true"'):
        ui.element("div").classes(f"kr-fill kr-fill-{side}").style(f"width: {min(found['rate'], 1) * 100:.2f}%")


def _share(rate: float) -> str:
    return say("attack.less", share=percent(SMALLEST)) if 0 < rate < SMALLEST else percent(rate)


class RegisteredAttacks:
    """The attacks on data of a kind, tried by a job: all that a report shows, or one with its parameters."""

    def __init__(self, release: PublishedRelease) -> None:
        self.release = release
        self.known = attacks_on(release.manifest.kind)
        self.chosen = Chosen("")

    def show(self) -> None:
        """Show the form, and what was found the last time; or how far the attacks have come."""
        if not self.known:
            notice(say("attack.no-attacks"), "warn")
            return
        jobs = [job for job in served().queue.jobs(self.release.project) if job.kind == KIND]
        if jobs and not jobs[0].is_over:
            follow(self.release.project, jobs[0], lambda _: ui.navigate.reload())
            return
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("attack.which"))
            options = {"": say("attack.usual"), **{name: words_of(name)["title"] for name in self.known}}
            choice = ui.select(options, value="", label=say("attack.which")).classes("kr-wide").mark("attacks")
            choice.on_value_change(reports_errors(lambda event: self._choose(event.value)))
            self.fields()
            button = ui.button(say("attack.try"), icon="search", on_click=reports_errors(self.attack))
            button.mark("try").props("no-caps unelevated color=primary").classes("kr-fit")
        self._show_found(jobs)

    @ui.refreshable_method
    def fields(self) -> None:
        """Show the parameters of the chosen attack."""
        if self.chosen.name:
            ui.label(sentence(words_of(self.chosen.name)["knowledge"])).classes("kr-quiet")
            with ui.element("div").classes("kr-fields"):
                for field in fields_of(self.known[self.chosen.name]):
                    show_field(field, self.chosen.values.get(field.name, ""), self.chosen.values.__setitem__)

    def _choose(self, name: str) -> None:
        self.chosen = Chosen(name)
        self.fields.refresh()

    def attack(self) -> None:
        """Let a job try what is chosen."""
        specs = [self.chosen.spec] if self.chosen.name else []
        for spec in specs:
            registry.create("attack", spec)  # a mistake is reported here, not by a job
        served().queue.submit(self.release.project, KIND, release=self.release.number, attacks=specs)
        ui.navigate.reload()

    def _show_found(self, jobs: list[Job]) -> None:
        of_release = [job for job in jobs if job.parameters.get("release") == self.release.number]
        if of_release and of_release[0].state not in ("done", "cancelled"):
            notice(of_release[0].error or of_release[0].state)
        done = next((job for job in of_release if job.state == "done"), None)
        if done is None:
            return
        with ui.element("div").classes("kr-trials").props('aria-live="polite"'):
            for found in done.result["attacks"]:
                with ui.element("section").classes("kr-card kr-stack"):
                    show_success(found["spec"], found["before"], found["after"])
