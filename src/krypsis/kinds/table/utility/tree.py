"""Accuracy of a decision tree, before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from krypsis.data.hierarchies.base import Label
from krypsis.errors import UsageError, column_not_found, shorten
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.utility.features import features, scikit_learn
from krypsis.kinds.table.utility.tables import Tables, labels


@dataclass(frozen=True)
class TreeAccuracy:
    """How often a decision tree predicts the class of a record it has not seen."""

    target: str
    before: float
    """On the original table."""
    after: float
    """On the release; suppressed records are judged by the most common class of the release."""
    guess: float
    """Without any other column: the share of the most common class."""

    formula: ClassVar[str] = (
        "records whose class is predicted correctly, by a tree that was grown without them / records"
    )
    range: ClassVar[str] = "0 (always wrong) to 1 (always right)"
    better: ClassVar[str] = "higher"

    @property
    def lost(self) -> float:
        """Accuracy before minus accuracy after."""
        return self.before - self.after

    @property
    def sentence(self) -> str:
        """The figures in plain words."""
        return (
            f"a decision tree predicts {self.target} correctly for {self.before:.1%} of the original records and for "
            f"{self.after:.1%} with the release; guessing the most common class is right for {self.guess:.1%}"
        )


def tree_accuracy(
    original: Any,
    published: Any,
    target: str,
    *,
    columns: Sequence[str] | None = None,
    folds: int = 5,
    smallest_leaf: int = 20,
    seed: int = 0,
) -> TreeAccuracy:
    """Return how well a decision tree learns a column from the others, before and after.

    The records are dealt into ``folds`` parts; the class of the records of each part is predicted by a tree grown on
    the others. On the release this happens among the published records. A suppressed record has nothing to be predicted
    from: it counts as right if its class is the most common one of the release.

    Parameters
    ----------
    original, published
        the table before, and the release, its folder or its table.
    target
        the column to predict; it must be published as it is.
    columns
        the columns to predict it from; all that both tables have unless given.
    folds, smallest_leaf, seed
        how many parts, how many records a leaf of the tree has at least, and the seed of the dealing.

    Raises
    ------
    UsageError
        if the target was generalized or there are fewer records than folds; without the extra ``utility``.
    """
    tables = Tables.of(original, published)
    names = tables.columns(columns, without=target)
    classes, kept = _classes(tables, target)
    if folds < 2 or len(kept) < folds:
        raise UsageError(f"folds must be at least 2 and at most the {len(kept)} published records, got {folds}")
    grower = _Grower(names, folds, smallest_leaf, seed)
    suppressed = Counter(classes) - Counter(kept)
    common = Counter(kept).most_common(1)[0][0]
    right = grower.right(tables.after, kept) + suppressed[common]
    return TreeAccuracy(
        target=target,
        before=grower.right(tables.before, classes) / tables.rows,
        after=right / tables.rows,
        guess=Counter(classes).most_common(1)[0][1] / tables.rows,
    )


@dataclass(frozen=True)
class _Grower:
    columns: Sequence[str]
    folds: int
    smallest_leaf: int
    seed: int

    def right(self, dataset: Dataset, classes: Sequence[Label]) -> int:
        """Return how many records are predicted correctly by trees that have not seen them."""
        tree = scikit_learn("tree").DecisionTreeClassifier(min_samples_leaf=self.smallest_leaf, random_state=self.seed)
        selection = scikit_learn("model_selection")
        deal = selection.KFold(self.folds, shuffle=True, random_state=self.seed)
        place = {label: code for code, label in enumerate(dict.fromkeys(classes))}
        codes = np.array([place[label] for label in classes])
        predicted = selection.cross_val_predict(tree, features(dataset, self.columns), codes, cv=deal)
        return int((predicted == codes).sum())


def _classes(tables: Tables, target: str) -> tuple[list[Label], list[Label]]:
    """Return the class of each record before and after."""
    for dataset in (tables.before, tables.after):
        if target not in dataset.columns:
            raise column_not_found(target, dataset.columns)
    before, after = labels(tables.before, target), labels(tables.after, target)
    if more := Counter(after) - Counter(before):
        raise UsageError(
            f"{target!r} cannot be compared: the published table has more records with {shorten(map(repr, more), 3)} "
            "than the original; choose a target that is published as it is"
        )
    return before, after
