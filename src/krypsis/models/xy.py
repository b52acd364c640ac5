"""Promises about two sets of attributes: which values of ``y`` go with the same values of ``x``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.groups import Groups
from krypsis.errors import column_not_found
from krypsis.models.base import GroupModel, Names
from krypsis.models.shares import largest_counts


class XYModel(GroupModel):
    """A promise about the values of ``y`` in the groups that ``x`` forms.

    ``y`` is a column that says who a record is about, which is not published, or one that is published as it is.
    Several columns count as one: a value of them is a combination of their values. A missing value is a value of its
    own.
    """

    y: Names = Field(min_length=1, description="what is counted: the column that names the person, or sensitive ones")
    x: Names | None = Field(
        default=None, min_length=1, description="what the attacker goes by; all quasi-identifiers unless given"
    )

    def sets_of(self, attributes: Sequence[str]) -> tuple[tuple[str, ...], ...] | None:
        if self.x is None:
            return None
        for name in self.x:
            if name not in attributes:
                raise column_not_found(name, attributes)
        return (self.x,)

    def combinations(self, sensitive: Sequence[str]) -> tuple[tuple[str, ...], ...]:  # noqa: ARG002
        return (self.y,)

    @property
    def alike(self) -> str:
        """The groups as a sentence names them."""
        return "look alike" if self.x is None else f"are alike in {', '.join(self.x)}"

    @property
    def counted(self) -> str:
        """What is counted as a sentence names it."""
        return ", ".join(self.y)

    def distinct(self, groups: Groups) -> IntArray:
        """Return the number of different values of ``y`` in each group."""
        return np.bincount(groups.combination(self.y).group, minlength=len(groups)).astype(np.int64)

    def largest_shares(self, groups: Groups) -> FloatArray:
        """Return the share of the most frequent value of ``y`` in each group."""
        return largest_counts(groups.combination(self.y), len(groups)) / np.maximum(groups.sizes, 1)
