"""What machine learning finds before and after: the accuracy of a decision tree and the agreement of clusters."""

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import TOP, Label
from krypsis.errors import UsageError, column_not_found, shorten
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.utility.tables import Tables, labels
from krypsis.metrics.scale import bounds_of


def scikit_learn(module: str) -> Any:
    """Return a module of scikit-learn.

    Raises
    ------
    UsageError
        if the extra is not installed.
    """
    try:
        return import_module(f"sklearn.{module}")
    except ModuleNotFoundError as error:
        raise UsageError(
            "trees and clusters need the utility extra (scikit-learn); install it: pip install 'krypsis[utility]', "
            "or pip install -e '.[utility]' in a clone"
        ) from error


MOST_LABELS = 50
"""A column of text becomes one column per label for so many labels, the most frequent ones; the others share one."""


def features(dataset: Dataset, columns: Sequence[str]) -> FloatArray:
    """Return the columns as numbers, one row per record.

    A column of numbers and intervals becomes the numbers and the middles of the intervals, ``*`` and missing values
    becoming "not a number". Any other column becomes one column per label, 1 where a record has it and 0 where not.
    """
    return np.hstack([_column(labels(dataset, column)) for column in columns])


def _column(values: Sequence[Label]) -> FloatArray:
    middles = {label: _middle(label) for label in set(values)}
    if any(middle is None for middle in middles.values()):
        return _indicators(values)
    return np.array([[middles[value]] for value in values], dtype=np.float64)


def _middle(label: Label) -> float | None:
    """Return the middle of an interval, "not a number" where nothing is published, ``None`` for other text."""
    if label is None or label == TOP:
        return np.nan
    bounds = bounds_of(label)
    if bounds is None:
        return None
    ends = [end for end in bounds if np.isfinite(end)]  # an open interval is known by its one end
    return sum(ends) / len(ends)


def _indicators(values: Sequence[Label]) -> FloatArray:
    counted = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))
    place = {label: min(number, MOST_LABELS) for number, (label, _) in enumerate(counted)}
    table = np.zeros((len(values), max(place.values()) + 1))
    table[np.arange(len(values)), [place[value] for value in values]] = 1
    return table


@dataclass(frozen=True)
class ClusterAgreement:
    """How far the clusters of the release are those of the original table."""

    clusters: int
    adjusted_rand: float

    formula: ClassVar[str] = "(pairs − expected pairs) / (½ (pairs before + pairs after) − expected pairs)"
    range: ClassVar[str] = "-0.5 to 1 (the same clusters); 0 is what chance gives"
    better: ClassVar[str] = "higher"

    @property
    def sentence(self) -> str:
        """The figure in plain words."""
        return (
            f"of 1 (the same {self.clusters} clusters before and after) and 0 (no more alike than by chance), "
            f"the clusters reach {self.adjusted_rand:.2f}"
        )


def cluster_agreement(
    original: Any,
    published: Any,
    *,
    clusters: int = 3,
    columns: Sequence[str] | None = None,
    seed: int = 0,
    suppressed_rows: Iterable[int] | None = None,
) -> ClusterAgreement:
    """Return the adjusted Rand index of the clusters found by k-means before and after.

    Every column counts as much as any other. Suppressed records cannot be distinguished any more: after, they are a
    cluster of their own.

    Parameters
    ----------
    original, published
        the table before, and the release, its folder or its table, with the records in the same order.
    clusters
        how many clusters k-means looks for.
    columns
        the columns to look at; all that both tables have unless given.
    seed
        the seed of k-means.
    suppressed_rows
        which original rows are not published, counted from 0; a release that was just made knows.

    Notes
    -----
    Hubert and Arabie, "Comparing partitions", Journal of Classification 2, 1985. ``pairs`` counts the pairs of records
    that are together in both partitions, ``pairs before`` and ``pairs after`` those that are together in one.

    Raises
    ------
    UsageError
        if it is not known which records were left out, or there are fewer records than clusters; without the extra
        ``utility``.
    """
    tables = Tables.of(original, published, suppressed_rows)
    names = tables.columns(columns)
    kept = tables.published_rows()
    if not 2 <= clusters <= tables.after.rows:
        raise UsageError(
            f"clusters must be at least 2 and at most the {tables.after.rows} published records, got {clusters}"
        )
    after = np.full(tables.rows, clusters, dtype=np.int64)
    after[kept] = _clustered(tables.after, names, clusters, seed)
    before = _clustered(tables.before, names, clusters, seed)
    score = scikit_learn("metrics").adjusted_rand_score(before, after)
    return ClusterAgreement(clusters, float(score))


def _clustered(dataset: Dataset, columns: Sequence[str], clusters: int, seed: int) -> IntArray:
    """Return the number of the cluster of each record."""
    means = scikit_learn("cluster").KMeans(clusters, n_init=5, random_state=seed)
    points = np.hstack([_leveled(features(dataset, [column])) for column in columns])
    with warnings.catch_warnings():
        # Generalized records coincide, so there may be fewer different points than clusters.
        warnings.simplefilter("ignore", scikit_learn("exceptions").ConvergenceWarning)
        return np.asarray(means.fit_predict(points), dtype=np.int64)


def _leveled(column: FloatArray) -> FloatArray:
    """Return what a column became with mean 0 and, all together, variance 1; what is not known is at the mean."""
    known = ~np.isnan(column)
    means = np.where(known, column, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centered = np.where(known, column - means, 0.0)
    spread = float(np.sqrt((centered**2).sum(axis=1).mean()))
    return centered / spread if spread > 0 else centered


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
