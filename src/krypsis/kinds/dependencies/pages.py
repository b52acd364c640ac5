"""What the web pages of tables with dependencies add to the shared ones: secrets, rules, and why cells followed."""

from typing import Any

from nicegui import run, ui

from krypsis.kinds.dependencies.plan import DependenciesPlan
from krypsis.plan import Plan
from krypsis.projects.published_release import PublishedRelease
from krypsis.release.order import private_record_of
from krypsis.report.text import readable, sentence
from krypsis.web.kind_pages import KindPages
from krypsis.web.parts.frame import heading, reports_errors
from krypsis.web.parts.plan_draft import Draft
from krypsis.web.parts.plan_form import MethodForms
from krypsis.web.parts.tables import plain_table
from krypsis.web.texts import say

MOST_SHOWN = 20


class LinesForm:
    """A part of the plan that is a list of texts, one per line."""

    def __init__(self, draft: Draft, key: str, title: str, text: str, label: str) -> None:
        self.draft, self.key = draft, key
        with ui.element("section").classes("kr-card kr-stack"):
            heading(title)
            ui.label(text).classes("kr-quiet")
            self.lines = ui.textarea(label, value="\n".join(self._planned())).mark(key)
            self.lines.props("outlined autogrow").classes("kr-field-wide")
            self.lines.on("blur", reports_errors(lambda _: self._set()))
            if self._has_mappings():
                self.lines.disable()

    def reload(self) -> None:
        """Show what the plan says now, unless that is what the form says."""
        shown = "\n".join(self._planned())
        if shown != self.lines.value:
            self.lines.set_value(shown)
        self.lines.set_enabled(not self._has_mappings())

    def _planned(self) -> list[str]:
        plan = DependenciesPlan.require(self.draft.plan())
        return list(plan.secrets) if self.key == "secrets" else [one.rule for one in plan.dependencies]

    def _has_mappings(self) -> bool:
        """Say whether a rule has a public mapping, which one line does not show."""
        rules = DependenciesPlan.require(self.draft.plan()).dependencies
        return self.key != "secrets" and any(one.public is not None for one in rules)

    def _set(self) -> None:
        wanted = [line.strip() for line in (self.lines.value or "").splitlines() if line.strip()]
        if wanted != self._planned():
            self.draft.apply(lambda plan: plan.set((self.key,), wanted))


class DependenciesPages(KindPages):
    """The pages of a table with dependencies."""

    kind = "dependencies"

    def plan_forms(self, draft: Draft) -> list[Any]:
        """Show the forms of the plan."""
        return [
            LinesForm(
                draft,
                "secrets",
                say("dependencies.secrets"),
                say("dependencies.secrets-text"),
                say("dependencies.secrets-label"),
            ),
            LinesForm(
                draft,
                "dependencies",
                say("dependencies.rules"),
                say("dependencies.rules-text"),
                say("dependencies.rules-label"),
            ),
            MethodForms(draft, ("algorithm",)),
        ]

    def run_facts(self, plan: Plan) -> dict[str, str]:
        """Return what is secret and which rules are known."""
        found = DependenciesPlan.require(plan)
        facts = {
            say("dependencies.secrets"): found.secrets,
            say("dependencies.rules"): [one.rule for one in found.dependencies],
        }
        return {name: "; ".join(readable(str(one)) for one in each) for name, each in facts.items() if each}

    def result_figures(self, release: PublishedRelease) -> dict[str, str]:
        """Return how many records are published."""
        return {say("dependencies.records"): f"{release.manifest.rows:,}"}

    async def show_result(self, release: PublishedRelease) -> None:
        """Show which secret cells followed before, and what was blanked to prevent that."""
        record = await run.io_bound(private_record_of, release.folder) or {}
        found = record.get("secrets", ())
        if not found:
            return
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("dependencies.broken"))
            head = [say("dependencies.secret"), say("dependencies.because"), say("dependencies.blank")]
            plain_table(head, [_row(one) for one in found[:MOST_SHOWN]], say("dependencies.broken"))


def _row(found: dict[str, Any]) -> tuple[str, str, str]:
    because = "; ".join(sentence(one["sentence"]) for one in found["steps"])
    return found["readable"], because, ", ".join(found["blanked"])
