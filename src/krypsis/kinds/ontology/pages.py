"""What the web pages of ontologies add to the shared ones: what is secret and public, and why secrets followed."""

from typing import Any

from nicegui import run, ui

from krypsis.kinds.ontology.plan import OntologyPlan
from krypsis.plan import Plan
from krypsis.projects.published_release import PublishedRelease
from krypsis.release.order import private_record_of
from krypsis.report.text import readable
from krypsis.web.kind_pages import KindPages
from krypsis.web.parts.frame import heading, reports_errors
from krypsis.web.parts.plan_draft import Draft
from krypsis.web.parts.plan_form import MethodForms
from krypsis.web.parts.tables import plain_table
from krypsis.web.texts import say

MOST_SHOWN = 20


class SecretForms:
    """The secrets, one per line, and whether axioms that name no individual are public."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("ontology.secrets"))
            ui.label(say("ontology.secrets-text")).classes("kr-quiet")
            self.secrets = ui.textarea(say("ontology.secrets-label"), value=self._text()).mark("secrets")
            self.secrets.props("outlined autogrow").classes("kr-field-wide")
            self.secrets.on("blur", reports_errors(lambda _: self._set_secrets()))
            self.schema = ui.checkbox(say("ontology.schema-public"), value=self._planned().public_schema)
            self.schema.mark("schema-public").on_value_change(
                reports_errors(lambda event: self._set_schema(event.value))
            )

    def reload(self) -> None:
        """Show what the plan says now, unless that is what the forms say."""
        if self._text() != self.secrets.value:
            self.secrets.set_value(self._text())
        self.schema.set_value(self._planned().public_schema)

    def _text(self) -> str:
        return "\n".join(self._planned().secrets)

    def _set_secrets(self) -> None:
        wanted = [line.strip() for line in (self.secrets.value or "").splitlines() if line.strip()]
        if wanted != list(self._planned().secrets):
            self.draft.apply(lambda plan: plan.set(("secrets",), wanted))

    def _set_schema(self, wanted: bool) -> None:
        if wanted != self._planned().public_schema:
            self.draft.apply(lambda plan: plan.set(("public_schema",), wanted))

    def _planned(self) -> OntologyPlan:
        return OntologyPlan.require(self.draft.plan())


class OntologyPages(KindPages):
    """The pages of an ontology."""

    kind = "ontology"

    def plan_forms(self, draft: Draft) -> list[Any]:
        """Show the forms of the plan."""
        return [SecretForms(draft), MethodForms(draft, ("algorithm",))]

    def run_facts(self, plan: Plan) -> dict[str, str]:
        """Return what is secret and what is public."""
        found = OntologyPlan.require(plan)
        given = found.public if isinstance(found.public, tuple) else (found.public,)
        public = [*map(str, given), *found.public_namespaces]
        if found.public_schema:
            public.append(say("ontology.schema-public"))
        facts = {say("ontology.secrets"): found.secrets, say("ontology.public"): public}
        return {name: ", ".join(map(readable, each)) for name, each in facts.items() if each}

    def result_figures(self, release: PublishedRelease) -> dict[str, str]:
        """Return how many axioms are published."""
        return {say("ontology.axioms"): f"{release.manifest.rows:,}"}

    async def show_result(self, release: PublishedRelease) -> None:
        """Show which secrets followed before, and what was removed to prevent that."""
        record = await run.io_bound(private_record_of, release.folder) or {}
        found = record.get("secrets", ())
        if not found:
            return
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("ontology.broken"))
            head = [say("ontology.secret"), say("ontology.because"), say("ontology.removed")]
            plain_table(head, [_row(one) for one in found[:MOST_SHOWN]], say("ontology.broken"))
            if len(found) > MOST_SHOWN:
                ui.label(say("ontology.more", count=f"{len(found) - MOST_SHOWN:,}")).classes("kr-quiet")


def _row(found: dict[str, Any]) -> tuple[str, str, str]:
    first = found["derivations"][0] if found["derivations"] else {"steps": (), "removed": ()}
    removed = dict.fromkeys(text for one in found["derivations"] for text in one["removed"])
    return found["readable"], "; ".join(one["sentence"] for one in first["steps"]), ", ".join(removed)
