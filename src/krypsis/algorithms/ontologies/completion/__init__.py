"""Completion: everything that follows from an ontology by the rules of inference."""
