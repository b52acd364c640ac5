"""Algorithms for several tables that are linked by the subject of their rows."""
