"""What a table with dependencies says about the questions of the advisor."""

from dataclasses import dataclass

from krypsis.io.dataset import Dataset
from krypsis.kinds.base import DataEvidence, DataFacts, Finding
from krypsis.plan import Plan


@dataclass(frozen=True)
class DependencyFacts(DataFacts):
    """A table whose cells follow from others; which rules are known, it cannot say."""

    dataset: Dataset

    @property
    def evidence(self) -> DataEvidence:
        """What the table says about the questions."""
        figures = {"rows": self.dataset.rows, "columns": len(self.dataset.columns)}
        no_other = Finding("no", "table", figures)
        is_one = {name: Finding("yes", "dependencies", figures) for name in ("ontology", "dependent_table")}
        return DataEvidence({"graph": no_other, "set_valued": no_other, **is_one})

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.dataset.rows

    def data_for(self, plan: Plan) -> Dataset:  # noqa: ARG002  every plan is about the same table
        return self.dataset
