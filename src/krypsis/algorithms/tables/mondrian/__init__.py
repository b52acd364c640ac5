"""Mondrian, strict and relaxed."""
