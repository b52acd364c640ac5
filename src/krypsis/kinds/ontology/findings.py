"""What an ontology says about the questions of the advisor."""

from dataclasses import dataclass

from krypsis.data.ontologies import Ontology
from krypsis.kinds.base import DataEvidence, DataFacts, Finding
from krypsis.plan import Plan


@dataclass(frozen=True)
class OntologyFacts(DataFacts):
    """An ontology, which answers the question what kind of data it is; what is secret, it cannot say.

    Examples
    --------
    >>> OntologyFacts(Ontology.of_text("ClassAssertion(:Patient :ann)")).evidence.findings["ontology"].answer
    'yes'
    """

    ontology: Ontology

    @property
    def evidence(self) -> DataEvidence:
        """What the ontology says about the questions."""
        figures = {"axioms": len(self.ontology), "individuals": len(self.ontology.individuals)}
        is_ontology = Finding("yes", "ontology", figures)
        no_other = Finding("no", "ontology", figures)
        return DataEvidence(
            {"graph": no_other, "set_valued": no_other, "ontology": is_ontology, "dependent_table": no_other}
        )

    def data_for(self, plan: Plan) -> Ontology:  # noqa: ARG002  every plan is about the same ontology
        return self.ontology
