"""The steps of the journey, each a page of its own."""

from __future__ import annotations

from typing import Final

STEPS: Final = ("data", "hierarchies", "advisor", "plan", "run", "explore", "result", "attack")
"""The pages of a project in order; each is shown by ``show(project)`` in the file of its name in ``pages``."""

NEED_TABLE: Final = frozenset(STEPS) - {"data"}
"""The pages that make sense only after the data was read."""


def address(project: str, step: str) -> str:
    """Return where the page of a step is.

    Examples
    --------
    >>> address("patients", "plan")
    '/projects/patients/plan'
    """
    return f"/projects/{project}/{step}"
