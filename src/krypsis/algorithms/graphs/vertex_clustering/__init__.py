"""Vertex clustering: groups of vertices published as super-vertices."""
