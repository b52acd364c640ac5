"""Published sensitive values as nodes of their hierarchy: what covers what, and what two of them have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import HierarchyError, shorten
from krypsis.io.history import Version


@dataclass(frozen=True, eq=False)
class TaxonomyNodes:
    """Labels of a hierarchy: the level of each, and one of the values below it."""

    hierarchy: Hierarchy
    levels: IntArray
    below: IntArray

    @classmethod
    def of(cls, labels: Sequence[Label], hierarchy: Hierarchy) -> "TaxonomyNodes":
        """Find labels, each at the lowest level where it stands.

        Raises
        ------
        HierarchyError
            if a label is not in the hierarchy.

        Examples
        --------
        >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
        >>> TaxonomyNodes.of(["lungs", "ulcer"], disease).levels.tolist()
        [1, 0]
        """
        tree = hierarchy.with_missing() if None in labels else hierarchy
        found: dict[Label, tuple[int, int]] = {}
        for level in range(len(tree.labels)):
            for value, code in enumerate(tree.table[level].tolist()):
                found.setdefault(tree.labels[level][code], (level, value))
        if strangers := [label for label in labels if label not in found]:
            raise HierarchyError(
                f"{len(strangers)} published value(s) are not in the hierarchy: {shorten(map(repr, strangers), 5)}; "
                "give the hierarchy that the releases were made with"
            )
        places = np.array([found[label] for label in labels], dtype=np.int64).reshape(-1, 2)
        return cls(tree, places[:, 0], places[:, 1])

    def covers(self, upper: int, lower: int) -> bool:
        """Say whether a label is the same node as another one, or above it."""
        level, table = int(self.levels[upper]), self.hierarchy.table
        return level >= int(self.levels[lower]) and bool(
            table[level, self.below[upper]] == table[level, self.below[lower]]
        )

    def leaves(self, level: int) -> IntArray:
        """Return for each label how many values there are below it, or below its ancestor at a level."""
        return np.asarray(self.hierarchy.leaves[np.maximum(self.levels, level), self.below])

    def codes(self, level: int) -> IntArray:
        """Return for each label its code at a level, and a number that no other has for a label above that level."""
        codes = self.hierarchy.table[level, self.below].astype(np.int64)
        return np.where(self.levels <= level, codes, -1 - np.arange(len(codes)))


def coarsened(versions: Sequence[Version], hierarchy: Hierarchy) -> list[Version]:
    """Return the versions with each value replaced by the most general published one that covers it.

    A value that is published as it is in one release and generalized in another can be compared then; what is learned
    about the general value is true, and less than what is published.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> first = Version.of_signatures({"Ann": ["flu", "ulcer"]})
    >>> second = Version.of_signatures({"Ann": ["lungs", "ulcer"]})
    >>> [sorted(one.signatures()["Ann"]) for one in coarsened([first, second], disease)]
    [['lungs', 'ulcer'], ['lungs', 'ulcer']]
    """
    published = published_labels(versions)
    nodes = TaxonomyNodes.of(published, hierarchy)
    order = np.argsort(-nodes.levels, kind="stable").tolist()
    top = {published[one]: published[next(up for up in order if nodes.covers(up, one))] for one in order}
    if all(label == most for label, most in top.items()):
        return list(versions)
    return [_renamed(version, top) for version in versions]


def published_labels(versions: Sequence[Version]) -> list[Label]:
    """Return the different values of all releases."""
    labels = pl.concat([version.records.get_column("value").cast(pl.String) for version in versions])
    return labels.unique().sort(nulls_last=True).to_list()


def _renamed(version: Version, names: dict[Label, Label]) -> Version:
    value = pl.col("value").cast(pl.String).replace_strict(list(names), list(names.values()), return_dtype=pl.String)
    return replace(version, records=version.records.with_columns(value))
