"""Attacks on published ontologies."""
