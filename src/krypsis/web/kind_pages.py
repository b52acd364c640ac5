"""What the pages of a kind of data add to the shared ones, found in ``kinds/<kind>/pages.py``."""

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from nicegui import ui

from krypsis.kinds.table.plan_fit import Fit
from krypsis.registry import parts_of_kinds
from krypsis.report.text import percent
from krypsis.web.parts.attack_success import RegisteredAttacks
from krypsis.web.parts.frame import notice
from krypsis.web.texts import say

if TYPE_CHECKING:
    from krypsis.plan import Plan
    from krypsis.projects import Project
    from krypsis.projects.published_release import PublishedRelease
    from krypsis.web.parts.plan_draft import Draft


class KindPages:
    """What every kind has: the plan as text, and the report of its releases. A kind may add more."""

    kind: ClassVar[str] = ""
    """The kind of data, as plans name it."""

    def plan_forms(self, draft: "Draft") -> list[Any]:  # noqa: ARG002  of kinds that have forms
        """Show forms of the plan and return them; without forms, the text is to be edited."""
        notice(say("plan.text-only"), "warn")
        return []

    def fit(self, project: "Project", plan: "Plan") -> Fit:  # noqa: ARG002  of kinds that know their data
        """Return what speaks against running a plan of this kind, before the search is asked."""
        plan.check()
        plan.bind(plan.read_data())
        return Fit()

    def run_facts(self, plan: "Plan") -> dict[str, str]:  # noqa: ARG002  of kinds that have more to say
        """Return what the page of a run says about the plan, besides promises and algorithm."""
        return {}

    def result_figures(self, release: "PublishedRelease") -> dict[str, str]:
        """Return how much was published and left out."""
        manifest = release.manifest
        records = manifest.suppressed.records
        share = f" ({percent(records / manifest.rows_before)})" if manifest.rows_before else ""
        return {say("result.records"): f"{manifest.rows:,}", say("result.suppressed"): f"{records:,}{share}"}

    async def show_result(self, release: "PublishedRelease") -> None:
        """Show what was published, besides the summary and the report."""

    async def show_lab(self, release: "PublishedRelease") -> None:
        """Show what attacks find, and let the visitor try some."""
        ui.label(say("attack.registered")).classes("kr-quiet")
        RegisteredAttacks(release).show()


@cache
def pages_of(kind: str) -> KindPages:
    """Return what the pages of a kind add."""
    found = [cls for module in parts_of_kinds("pages") for cls in vars(module).values() if _is_pages(cls)]
    return next((cls() for cls in found if cls.kind == kind), KindPages())


def _is_pages(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, KindPages)
