"""Disassociation: records cut into pieces."""
