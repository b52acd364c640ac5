"""Ontologies: axioms about classes and individuals, from which more follows."""
