"""Attacks on published graphs."""
