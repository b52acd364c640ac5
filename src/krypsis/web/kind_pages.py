"""What the pages of a kind of data add to the shared ones, found in ``kinds/<kind>/pages.py``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from krypsis.registry import parts_of_kinds
from krypsis.web.parts.frame import notice
from krypsis.web.texts import say

if TYPE_CHECKING:
    from krypsis.plan import Plan
    from krypsis.projects.published_release import PublishedRelease
    from krypsis.web.parts.plan_draft import Draft


class KindPages:
    """What every kind has: the plan as text, and the report of its releases. A kind may add more."""

    kind: ClassVar[str] = ""
    """The kind of data, as plans name it."""

    def plan_forms(self, draft: Draft) -> list[Any]:  # noqa: ARG002  of kinds that have forms
        """Show forms of the plan and return them; without forms, the text is to be edited."""
        notice(say("plan.text-only"), "warn")
        return []

    def run_facts(self, plan: Plan) -> dict[str, str]:  # noqa: ARG002  of kinds that have more to say
        """Return what the page of a run says about the plan, besides promises and algorithm."""
        return {}

    async def show_result(self, release: PublishedRelease) -> None:
        """Show what was published, besides the summary and the report."""


@cache
def pages_of(kind: str) -> KindPages:
    """Return what the pages of a kind add."""
    found = [cls for module in parts_of_kinds("pages") for cls in vars(module).values() if _is_pages(cls)]
    return next((cls() for cls in found if cls.kind == kind), KindPages())


def _is_pages(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, KindPages)
