"""Incognito."""
