"""δ-disclosure privacy."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import SensitiveModel
from krypsis.models.shares import largest_by, lifts, most_kept


class DeltaDisclosure(SensitiveModel):
    """In every group each sensitive value is about as frequent as in the whole table, up to a factor of ``e^delta``.

    Notes
    -----
    For every value that the whole table has, ``|ln(p / q)| < delta``, where ``p`` is its
    share in the group and ``q`` that in the whole table. A value that a group does not have reveals as much as one that
    it has too often: such a group is refused. The level of a group is the largest ``|ln(p / q)|``, infinite if a value
    is not there.

    It is monotone: ``p`` of a union lies between those of its parts, and so between ``q·e^-delta`` and ``q·e^delta``.

    ARX takes logarithms to base 2, so its delta is 1/ln 2 of this one, and does not look at values that a group lacks;
    two groups may then keep the promise and break it as one.

    References
    ----------
    Brickell, Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data publishing", KDD
    2008, Definition 4.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> whole = {"flu": 60, "cancer": 40}
    >>> groups = Groups.of_histograms([{"flu": 5, "cancer": 5}, {"flu": 9, "cancer": 1}, {"flu": 4}], whole=whole)
    >>> DeltaDisclosure(delta=0.5).accepts(groups)
    array([ True, False, False])
    """

    name: ClassVar[str] = "delta-disclosure"
    protects_from: ClassVar[str] = (
        "learning that a person's sensitive value is much more likely, or much less likely, than the whole table "
        "reveals about everybody (skewness, and ruling values out)"
    )
    does_not_protect_from: ClassVar[str] = (
        "linking a person to a record (combine it with k-anonymity), what the whole table itself reveals, values that "
        "differ in name and are alike in meaning (similarity), and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Brickell, Shmatikov, The cost of privacy: destruction of data-mining utility in anonymized data publishing, "
        "KDD 2008"
    )
    compares_with_whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    delta: float = Field(
        gt=0,
        allow_inf_nan=False,
        description="limit to the natural logarithm of the share in a group over that in the whole table",
    )

    @property
    def required(self) -> float:
        return self.delta

    def promise(self) -> str:
        factor = f"{np.exp(self.delta):.4g}"
        return (
            f"in every group of records that look alike, each value of {self.subject} is less than {factor} times as "
            f"frequent as in the whole table, and more than 1/{factor} times"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        farthest = largest_by(histogram.group, np.abs(np.log(lifts(histogram, sizes))), len(sizes))
        known = histogram.whole[histogram.value] > 0
        present = np.bincount(histogram.group[known], minlength=len(sizes))
        return np.where(present < np.count_nonzero(histogram.whole), np.inf, farthest)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return what can be kept: of ``n`` records at most ``q·e^delta·n`` and at least ``q·e^-delta·n`` have a value.

        So ``n`` is at most ``c·e^delta / q`` for the count ``c`` of each value; without one of them nothing is kept.
        """
        shares, factor = histogram.whole / max(int(histogram.whole.sum()), 1), float(np.exp(min(self.delta, 700)))
        upper = most_kept(histogram, sizes, np.minimum(shares * factor, 1))
        complete = np.bincount(histogram.group[shares[histogram.value] > 0], minlength=len(sizes))
        enough = np.where(complete < np.count_nonzero(shares), 0, np.inf)
        scarce = np.full(len(histogram.count), np.inf)
        usual = shares[histogram.value]
        np.divide(histogram.count * factor, usual, out=scarce, where=usual > 0)
        np.minimum.at(enough, histogram.group, scarce)
        return np.minimum(upper, np.floor(np.minimum(enough, sizes) * (1 + 1e-12) + 1e-9)).astype(np.int64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels < self.delta
