"""Say in plain words what became of a table with dependencies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from krypsis.kinds.table.summary import promise_lines

if TYPE_CHECKING:
    from krypsis.release.release import Release


def sections(release: Release) -> dict[str, Iterable[str]]:
    """Return the summary: what is published, promised and achieved, and what was blanked."""
    said = release.private.get("said", ())
    return {
        f"{release.table.height:,} records are published": (),
        "Promised and achieved": promise_lines(release),
        **({"What the method guarantees": (release.guarantee,)} if release.guarantee else {}),
        **({"What was blanked": tuple(said)} if said else {}),
    }
