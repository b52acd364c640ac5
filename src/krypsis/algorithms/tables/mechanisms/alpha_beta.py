"""The αβ mechanism: combinations of values are left out by chance, and others inserted."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from krypsis.algorithms.tables.mechanisms.base import (
    DomainMechanism,
    MechanismInput,
    MechanismResult,
    categories_of,
    cell_count,
    cells_of,
    columns_of,
)
from krypsis.algorithms.tables.mechanisms.noise import RandomSource
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.d_gamma_privacy import DGammaPrivacy
from krypsis.models.mechanisms import MechanismRecord


@dataclass(frozen=True)
class PublishingChances:
    """What is in the data is published with the chance ``α + β``, what could be but is not with ``β``."""

    alpha: Fraction
    beta: Fraction

    @classmethod
    def of(cls, promise: DGammaPrivacy) -> "PublishingChances":
        """Return the chances that keep most of the data within a promise.

        Examples
        --------
        >>> chances = PublishingChances.of(DGammaPrivacy(d=0.01, gamma=0.2))
        >>> round(float(chances.alpha), 6), round(float(chances.beta), 6)
        (0.911616, 0.038384)
        """
        d, gamma = Fraction(str(promise.d)), Fraction(str(promise.gamma))
        # β/(α+β) >= d(1-γ)/(γ(1-d)): the posterior of a published tuple is at most γ.
        ratio = d * (1 - gamma) / (gamma * (1 - d))
        # α+β <= 1 - d/γ: the posterior of a tuple that is not published is at least d/γ times the prior.
        kept = 1 - d / gamma
        return cls((1 - ratio) * kept, ratio * kept)


class AlphaBeta(DomainMechanism):
    """Publishes combinations of values of which some are in the data and some are not, and nobody can tell which.

    Notes
    -----
    A combination that is in the data is published with the chance ``α + β``, one that is not with the chance ``β``,
    each by itself. With ``r = d(1-γ) / (γ(1-d))`` and ``S = 1 - d/γ``, the best chances are ``α = (1-r)·S`` and
    ``β = r·S``.

    The table is taken as a set: a combination that several records share is one. So columns that distinguish people
    suit it best. Every combination of declared values could be in the data, so there must not be too many of them.

    References
    ----------
    Rastogi, Suciu, Hong, "The boundary between privacy and utility in data publishing", VLDB 2007, Section 3.

    Examples
    --------
    >>> sex = {"*": ["f", "m"]}
    >>> import krypsis, polars as pl
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["f"]}), {"sex": "quasi-identifier"}, hierarchies={"sex": sex},
    ...                             algorithm="alpha-beta", models="d-gamma-privacy:d=0.1,gamma=0.5")
    >>> set(release.table["sex"]) <= {"f", "m", None}
    True
    """

    name: ClassVar[str] = "alpha-beta"
    keeps: ClassVar[type[PrivacyModel]] = DGammaPrivacy
    guarantee: ClassVar[str] = (
        "Some of the published combinations of values are in the data and some were made up by chance; nobody can tell "
        "which, and some of the data was left out. Each combination is there once, however many people share it. The "
        "promise says nothing about groups of records, and nothing about attackers who knew much before or whose "
        "beliefs about several people depend on each other. A second release of the same data would weaken it."
    )
    reference: ClassVar[str] = (
        "Rastogi, Suciu, Hong, The boundary between privacy and utility in data publishing, VLDB 2007"
    )

    def make(self, records: MechanismInput, promise: DGammaPrivacy, source: RandomSource) -> MechanismResult:
        columns, chances = categories_of(records), PublishingChances.of(promise)
        is_present = np.zeros(cell_count(columns), dtype=np.bool_)
        is_present[cells_of(columns)] = True
        kept, inserted = chances.alpha + chances.beta, chances.beta
        # Each true tuple is kept with probability α + β, each absent one inserted with β.
        published = [
            cell
            for cell, present in enumerate(is_present.tolist())
            if (chance := kept if present else inserted) and source.happens(chance.numerator, chance.denominator)
        ]
        mechanism_record = MechanismRecord(
            publishes="tuples",
            unit="one combination of values",
            domains={name: column.labels for name, column in columns.items()},
            chances={"alpha": float(chances.alpha), "beta": float(chances.beta)},
        )
        cells = np.array(published, dtype=np.int64)
        kept_cells = int(is_present[cells].sum())
        private = {
            "combinations": int(is_present.sum()),
            "kept": kept_cells,
            "inserted": len(cells) - kept_cells,
        }
        return MechanismResult(columns_of(cells, columns), None, mechanism_record, private)


def estimated_count(published: int, possible: int, alpha: float, beta: float) -> float:
    """Return an estimate, right on average, of how many combinations with some property are in the data.

    Parameters
    ----------
    published
        how many of the published combinations have the property.
    possible
        how many of all combinations of declared values have it.
    alpha, beta
        the chances, as the release states them: ``release.mechanism_record.chances``.

    Examples
    --------
    >>> round(estimated_count(published=50, possible=1000, alpha=0.911616, beta=0.038384), 2)
    12.74
    """
    if not 0 < alpha <= 1 or not 0 <= beta <= 1 or not 0 <= published <= possible:
        raise UsageError(
            "alpha and beta must be chances from 0 to 1, alpha not 0, and no more combinations published than possible;"
            f" got alpha={alpha!r}, beta={beta!r}, published={published!r}, possible={possible!r}"
        )
    # (|Q(V)| - β·|Q(D)|) / α.
    return (published - beta * possible) / alpha
