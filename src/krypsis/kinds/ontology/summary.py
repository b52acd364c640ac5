"""Say in plain words what became of an ontology."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from krypsis.kinds.table.summary import promise_lines

if TYPE_CHECKING:
    from krypsis.data.ontologies import Ontology
    from krypsis.release.release import Release


def sections(release: Release, axioms: Ontology) -> dict[str, Iterable[str]]:
    """Return the summary: what is published, promised and achieved, and what was removed."""
    said = release.private.get("said", ())
    return {
        f"{len(axioms):,} axioms are published": (),
        "Promised and achieved": promise_lines(release),
        **({"What the method guarantees": (release.guarantee,)} if release.guarantee else {}),
        **({"What was removed": tuple(said)} if said else {}),
    }
