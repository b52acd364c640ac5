"""Ontologies: class expressions, axioms, and their normal forms."""

from krypsis.data.ontologies.builder import OntologyBuilder
from krypsis.data.ontologies.normal_forms import NormalForms, normalize
from krypsis.data.ontologies.ontology import AxiomType, Ontology, Operator

__all__ = ["AxiomType", "NormalForms", "Ontology", "OntologyBuilder", "Operator", "normalize"]
