"""Methods for ontologies: completion, classification, and publishing without letting secrets be inferred."""
