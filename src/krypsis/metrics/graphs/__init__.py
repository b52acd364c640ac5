"""Figures of published graphs."""
