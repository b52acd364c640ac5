"""Mechanisms: tables made by chance."""
