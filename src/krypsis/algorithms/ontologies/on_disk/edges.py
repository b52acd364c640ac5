"""Axioms that grow in number, as edges of a graph: one number of 64 bits each.

C ⊑ D is an edge from C to D with the label :data:`SUB`, C ⊑ ∃r.D one with the label of r, and C ⊑ ∃r.Self one with the
label :data:`SELF`, where r takes the place of the other end. The number is, from its highest bit on,

- in relations sorted by the left end: left end, label, right end, and a bit that says whether the edge is new;
- in relations sorted by the right end: right end, label, left end, and the same bit, which is not used there. The
  right end of C ⊑ ∃r.Self is the node Self, and its label that of r.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.ontologies.normal_forms import BOTTOM, TOP, NormalForms
from krypsis.errors import UsageError

SUB, SELF, FIRST_ROLE = 0, 1, 2
"""Labels of edges; that of a role is its number more than the last."""
MOST_BITS = 62


@dataclass(frozen=True)
class EdgeLayout:
    """Where the ends and the label of an edge stand in its number.

    Examples
    --------
    >>> layout = EdgeLayout(atoms=10, roles=1, first_individual=7, first_fresh=9)
    >>> layout.rows(layout.by_left(np.array([7]), np.array([FIRST_ROLE]), np.array([8]))).tolist()
    [[3, 7, 2, 8]]
    """

    atoms: int
    roles: int
    first_individual: int
    first_fresh: int

    def __post_init__(self) -> None:
        if 2 * self.atom_bits + self.label_bits + 1 > MOST_BITS:
            raise UsageError(
                f"completion on disk takes up to 2^{(MOST_BITS - 1 - self.label_bits) // 2} names with "
                f"{self.roles:,} roles, got {self.atoms:,} names; complete the ontology in parts"
            )

    @classmethod
    def of(cls, forms: NormalForms) -> Self:
        """Return the layout for the atoms and roles of normal forms."""
        return cls(forms.atoms, forms.roles, forms.first_individual, forms.first_fresh)

    @property
    def atom_bits(self) -> int:
        """How many bits an end takes: Self follows the atoms."""
        return max(self.atoms, self.roles, 1).bit_length()

    @property
    def label_bits(self) -> int:
        """How many bits a label takes."""
        return (self.roles + FIRST_ROLE).bit_length()

    def by_left(self, left: IntArray, label: IntArray | int, right: IntArray | int) -> IntArray:
        """Return numbers of new edges, as they are sorted by the left end."""
        high = (left.astype(np.int64) << self.label_bits) | label
        return (((high << self.atom_bits) | right) << 1) | 1

    def by_right(self, keys: IntArray) -> IntArray:
        """Return numbers of edges as they are sorted by the right end."""
        left, label, right = self.ends(keys)
        is_self = label == SELF
        label = np.where(is_self, FIRST_ROLE + right, label)
        right = np.where(is_self, self.atoms, right)
        return (((right << self.label_bits) | label) << self.atom_bits | left) << 1

    def from_right(self, keys: IntArray) -> IntArray:
        """Return numbers as they are sorted by the left end, of edges that were sorted by the right end."""
        right, label, left = self.ends(keys)
        is_self = right == self.atoms
        return self.by_left(left, np.where(is_self, SELF, label), np.where(is_self, label - FIRST_ROLE, right))

    def ends(self, keys: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return the first end, the label and the other end of numbers."""
        mask, label_mask = (1 << self.atom_bits) - 1, (1 << self.label_bits) - 1
        label = (keys >> (self.atom_bits + 1)) & label_mask
        return keys >> (self.atom_bits + self.label_bits + 1), label, (keys >> 1) & mask

    def rows(self, keys: IntArray) -> IntArray:
        """Return type, left end, label and right end of edges sorted by the left end, as the source writes them."""
        left, label, right = self.ends(keys)
        is_self = label == SELF
        role_label = np.where(is_self, FIRST_ROLE + right, label)
        return np.stack([self.types(keys), left, role_label, np.where(is_self, self.atoms, right)], axis=1)

    def types(self, keys: IntArray) -> IntArray:
        """Return the types of axioms: 1, 3, 5, 6, 7, 9 or 10."""
        left, label, right = self.ends(keys)
        left_is_nominal = (left >= self.first_individual) & (left < self.first_fresh)
        right_is_nominal = (right >= self.first_individual) & (right < self.first_fresh)
        cases = [
            (label == SELF, 7),
            (label != SUB, 3),
            (left_is_nominal & right_is_nominal, 5),
            (left_is_nominal, 6),
            (right == BOTTOM, 10),
            (left == TOP, 9),
        ]
        return np.select([case for case, _ in cases], [kind for _, kind in cases], default=1).astype(np.int64)
