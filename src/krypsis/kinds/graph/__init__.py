"""Graphs: vertices, such as people, and edges between them."""
