"""The page Run."""

from __future__ import annotations

from krypsis.projects import Project


def show(project: Project) -> None:
    """Show the page."""
