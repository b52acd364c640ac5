"""Mechanisms: a table is made anew by chance, and the chances are what is promised."""
