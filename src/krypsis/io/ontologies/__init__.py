"""Ontologies in files of many formats."""

from krypsis.io.ontologies.functional import read_functional_text
from krypsis.io.ontologies.read import read_ontology
from krypsis.io.ontologies.recognition import looks_like_ontology

__all__ = ["looks_like_ontology", "read_functional_text", "read_ontology"]
