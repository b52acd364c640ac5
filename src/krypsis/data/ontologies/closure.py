"""What follows from the normal forms of an ontology."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from krypsis.arrays import BoolArray, CodeArray
from krypsis.data.ontologies.normal_forms import BOTTOM, NormalForms


@dataclass(frozen=True, eq=False, repr=False)
class Closure:
    """All inclusions between atoms that the rules derive, those that were stated among them.

    Tautologies (C ⊑ C, C ⊑ ⊤, ⊥ ⊑ C) are left out, and so is all else that is said of ⊥. That C ⊑ ⊥ implies C ⊑ D for
    every D is not written out either: ask :meth:`is_empty`.
    """

    forms: NormalForms
    sub: CodeArray
    """C ⊑ D: one row each, in ascending order."""
    some: CodeArray
    """C ⊑ ∃r.D: one row (C, r, D) each, in ascending order."""
    selves: CodeArray
    """C ⊑ ∃r.Self: one row (C, r) each, in ascending order."""
    figures: dict[str, Any] = field(default_factory=dict)
    """How it was computed: firings, rounds, page reads and writes, as far as the engine counts them."""

    def __repr__(self) -> str:
        return f"Closure({len(self.sub):,} + {len(self.some):,} + {len(self.selves):,} inclusions)"

    @property
    def is_empty(self) -> BoolArray:
        """Which atoms have no members in any model: they are included in ⊥."""
        found = np.zeros(self.forms.atoms, dtype=np.bool_)
        found[self.sub[self.sub[:, 1] == BOTTOM, 0]] = True
        found[BOTTOM] = True
        return found

    @property
    def is_inconsistent(self) -> bool:
        """Whether the axioms contradict each other: ⊤, or an individual, is included in ⊥."""
        empty = self.is_empty
        return bool(empty[0] or empty[self.forms.first_individual : self.forms.first_fresh].any())
