"""Agreement of clusters, before and after."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.errors import UsageError
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.utility.features import features, scikit_learn
from krypsis.kinds.table.utility.tables import Tables


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
