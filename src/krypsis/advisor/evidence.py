"""What the data says about the questions: answers to confirm, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from krypsis.advisor.texts import Texts
from krypsis.advisor.tree import Taken
from krypsis.errors import shorten
from krypsis.kinds.sets.plan import SetsPlan
from krypsis.kinds.table.plan import TablePlan

if TYPE_CHECKING:
    from krypsis.datasets.dataset import Dataset
    from krypsis.plan import Plan
    from krypsis.schema import Schema
    from krypsis.transactions import Transactions


@dataclass(frozen=True)
class Finding:
    """The answer that the data suggests, and the figures behind it."""

    answer: Taken
    key: str
    figures: Mapping[str, object] = field(default_factory=dict)

    def words(self, texts: Texts) -> str:
        """Return the evidence as a sentence."""
        return texts.evidence[self.key].format(**self.figures)


@dataclass(frozen=True)
class Evidence:
    """Findings by question, and what the data says about parameters.

    ``values`` may hold ``person``, a column that tells persons apart; ``number``, the sensitive attribute that holds
    numbers where others do not; ``spread``, a tenth of the range of these numbers; ``nearness``, a twentieth of the
    range of the middle half of them; ``distance``, how values of all sensitive attributes are compared; ``known`` and
    ``hidden``, the quasi-identifiers and the sensitive attributes; ``guarded``, the first of several sensitive ones.
    """

    findings: Mapping[str, Finding] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)


def evidence_of(data: object, schema: Schema | None = None, *, tables: int = 1, earlier_releases: int = 0) -> Evidence:
    """Return what a table says about the questions.

    Parameters
    ----------
    data
        a frame, the path of a file, or a dataset.
    schema
        the roles of the columns; guessed from names and values unless given.
    tables
        how many tables are published together.
    earlier_releases
        how many earlier versions of the table, with other records, have been published.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.schema import Schema
    >>> table = pl.DataFrame({"id": [1, 2, 3], "age": [30, 40, 50], "disease": ["flu", "flu", "cold"]})
    >>> roles = Schema.of({"id": "identifier", "age": "quasi-identifier", "disease": "sensitive"})
    >>> found = evidence_of(table, roles).findings
    >>> found["page03a"].answer, found["page02b"].answer, found["page02b"].figures["share"]
    ('yes', 'no', 0.6666666666666666)
    """
    from krypsis.advisor.findings import Facts, findings, values  # noqa: PLC0415  questions alone need no frames
    from krypsis.datasets.dataset import Dataset  # noqa: PLC0415

    dataset: Dataset = Dataset.of(data)
    facts = Facts.of(dataset, schema, tables, earlier_releases)
    return Evidence(findings(facts), values(facts))


def evidence_of_sets(sets: Transactions, sensitive: Sequence[str] = ()) -> Evidence:
    """Return what sets of items say about the questions.

    Parameters
    ----------
    sets
        the records.
    sensitive
        the items that were named as sensitive; that none was named says nothing, for every item may be.

    Examples
    --------
    >>> from krypsis.transactions import Transactions
    >>> found = evidence_of_sets(Transactions.of_sets([["bread", "test"], ["bread"]]), ["test"]).findings
    >>> found["set_valued"].answer, found["set_sensitive"].figures["items"]
    ('yes', "'test'")
    """
    figures = {"records": len(sets), "items": len(sets.items)}
    is_sets = {name: Finding("yes", "sets", figures) for name in ("set_valued", "page07")}
    found = {"graph": Finding("no", "sets", figures), **is_sets}
    if sensitive:
        found["set_sensitive"] = Finding("yes", "sensitive-items", {"items": shorten(map(repr, sensitive))})
    return Evidence(found)


def evidence_of_plan(plan: Plan) -> Evidence:
    """Return what the data of a plan says about the questions, with the roles of the plan."""
    from krypsis.advisor.history import earlier_versions  # noqa: PLC0415

    if isinstance(plan, SetsPlan):
        return evidence_of_sets(plan.read_data(), plan.items.sensitive)
    task = TablePlan.require(plan).bind(plan.read_data())
    tables = 1 + len(task.tables)
    return evidence_of(task.dataset, task.schema, tables=tables, earlier_releases=earlier_versions(plan))
