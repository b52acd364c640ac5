"""What sets of items say about the questions of the advisor."""

from collections.abc import Sequence
from dataclasses import dataclass

from krypsis.data.transactions import Transactions
from krypsis.errors import shorten
from krypsis.kinds.base import DataEvidence, DataFacts, Finding
from krypsis.plan import Plan


@dataclass(frozen=True)
class SetFacts(DataFacts):
    """Sets of items, and the items that were named as sensitive.

    Examples
    --------
    >>> found = SetFacts(Transactions.of_sets([["bread", "test"], ["bread"]]), ["test"]).evidence.findings
    >>> found["set_valued"].answer, found["set_sensitive"].figures["items"]
    ('yes', "'test'")
    """

    sets: Transactions
    sensitive: Sequence[str] = ()
    """That none was named says nothing, for every item may be sensitive."""

    @property
    def evidence(self) -> DataEvidence:
        """What the sets say about the questions."""
        figures = {"records": len(self.sets), "items": len(self.sets.items)}
        is_sets = {name: Finding("yes", "sets", figures) for name in ("set_valued", "page07")}
        found = {"graph": Finding("no", "sets", figures), **is_sets}
        if self.sensitive:
            found["set_sensitive"] = Finding("yes", "sensitive-items", {"items": shorten(map(repr, self.sensitive))})
        return DataEvidence(found)

    def data_for(self, plan: Plan) -> Transactions:  # noqa: ARG002  every plan is about the same sets
        return self.sets
