"""Privacy skyline: attackers whose knowledge is bounded in three dimensions."""

from dataclasses import replace
from itertools import product
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Groups, Histogram
from krypsis.models.base import TOLERANCE, SensitiveModel
from krypsis.models.recursive_l_diversity import count_at_and_from
from krypsis.models.shares import largest_by, most_kept


class Skyline(SensitiveModel):
    """Nobody is surer than ``c`` of a person's sensitive value, knowing ``l``, ``k`` and ``m`` facts of three kinds.

    Notes
    -----
    The attacker knows ``l`` values that the person does not have, the values of ``k`` other people, and ``m`` people of
    whom each has a value only if the person has it, too (a family, of a disease that is passed on). What can be known
    is not foreseen; the worst choice counts. Give the promise several times, with other numbers, for a skyline.

    All ways to give the values of a group to its members are held equally likely. With ``n`` records in the group,
    ``f`` of them with the value, the attacker is sure of it by ``f / (f + A·S·O)``. ``A`` are the records that are left
    of the others, without the ``l`` most frequent other values and ``k1`` known people, ``S`` the probability that none
    of ``m1`` people in the group has the value, and ``O`` that none of ``m2`` people in one other group has it, of whom
    ``k2`` without it are known; the largest result for ``k1 + k2 ≤ k``, ``m1 + m2 ≤ m`` and any other group counts.
    With ``followers=group`` the ``m`` people are in the person's own group. The level of a group is that probability.

    The known people and those who share the value are different ones, as in the paper: somebody who is both would tell
    the value.

    With people elsewhere (``followers=table``) the answer for a group depends on the other groups. Those that are
    unsafe by themselves are refused for that, and endanger no others then; groups that are suppressed never make it
    worse. Methods that judge groups one by one may make releases that the checker refuses; those that judge all groups
    of a table, such as ``optimal``, do not.

    It is monotone. A group is safe if ``A·S·O > f·(1-c)/c``, where ``S`` and ``O`` are products of ``1 - f/M`` with
    ``M`` a size less a constant. Divided by ``f``, the logarithm of the left side is a sum of ``log A`` and
    ``log(1 - 1/M)``, which are concave in ``A`` and ``M``. So the safe ``(f, A, M)`` are a convex cone: sums of safe
    ones are safe. ``A`` and ``M`` of a union are at least the sums of those of its parts, and more of them is safer.
    For the same reason ``O`` of a union is at least the smaller one of its parts, so uniting other groups does no harm.

    References
    ----------
    Chen, LeFevre, Ramakrishnan, "Privacy skyline: privacy with multidimensional adversarial knowledge", VLDB 2007.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "hiv": 2, "cold": 2}, {"flu": 3, "hiv": 3}])
    >>> Skyline(l=1, k=0, m=0, c=0.6).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "skyline"
    protects_from: ClassVar[str] = (
        "guessing a person's sensitive value after ruling values out, knowing other people's values, and knowing "
        "people who share it with the person"
    )
    does_not_protect_from: ClassVar[str] = (
        "attackers who know more than l, k and m say, or that some values are more likely for some people, values that "
        "are alike in meaning (similarity), and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Chen et al., Privacy skyline: privacy with multidimensional adversarial knowledge, VLDB 2007"
    )
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    l: int = Field(ge=0, description="how many values the attacker may rule out")  # noqa: E741
    k: int = Field(ge=0, description="how many other people's values the attacker may know")
    m: int = Field(ge=0, description="of how many people the attacker may know that they share the person's value")
    c: float = Field(gt=0, le=1, description="how sure the attacker must not be")
    followers: Literal["table", "group"] = Field(
        default="table", description="where the people may be who share the value: anywhere, or in the person's group"
    )
    strict: bool = Field(default=True, description="refuse a group that reaches c exactly, as the definition does")

    @property
    def required(self) -> float:
        return self.c

    def promise(self) -> str:
        elsewhere = "" if self.followers == "table" else " in the same group"
        return (
            f"whoever can rule out {self.l} value(s) of {self.subject} for a person, knows those of {self.k} other "
            f"people and of {self.m} people{elsewhere} that they share the person's is "
            f"{'less' if self.strict else 'not more'} sure of it than {self.c:g}"
        )

    def accepts(self, groups: Groups) -> BoolArray:
        if self.followers == "group":
            return super().accepts(groups)
        alone = self.model_copy(update={"followers": "group"}).accepts(groups)
        safe = {name: _of_groups(histogram, alone) for name, histogram in groups.sensitive.items()}
        return alone & super().accepts(Groups(groups.sizes, safe))

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        others = _others_left(histogram, len(sizes), self.l)
        sizes_here = sizes[histogram.group]
        least = np.full(len(histogram.count), np.inf)
        for known, share in product(range(self.k + 1), range(self.m + 1)):
            elsewhere = self._elsewhere(histogram, sizes_here, self.k - known, self.m - share)
            if elsewhere is None:
                continue
            here = _none_has_it(sizes_here - known - 1, histogram.count, share)
            least = np.minimum(least, np.maximum(others - known, 0) * here * elsewhere)
        sure = histogram.count / (histogram.count + least)
        return largest_by(histogram.group, sure, len(sizes))

    def least_suppressed(self, groups: Groups) -> IntArray:
        least = super().least_suppressed(groups)
        if self.followers == "group" or not self.m:
            return least
        # What makes a group unsafe may be another group, and one record less there may save many groups.
        return np.where(least > 1, least, 0)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return what can be kept: who knows nothing is as sure of a value as its share, which is at most c then."""
        return most_kept(histogram, sizes, self.c)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels < self.c - TOLERANCE if self.strict else levels <= self.c + TOLERANCE

    def _elsewhere(self, histogram: Histogram, sizes: IntArray, known: int, share: int) -> FloatArray | float | None:
        """Return for each entry how likely none of some people in one other group has its value, at worst.

        Nothing if they must be in the same group. ``sizes`` are those of the groups of the entries.
        """
        if not share:
            return 1.0
        if self.followers == "group":
            return None
        # Whoever knows all that do not have the value knows that the next one has it.
        chance = _none_has_it(sizes - np.minimum(known, sizes - histogram.count), histogram.count, share)
        return _least_elsewhere(histogram, chance)


def _of_groups(histogram: Histogram, chosen: BoolArray) -> Histogram:
    """Return the entries of some groups."""
    entries = chosen[histogram.group]
    group, value, count = histogram.group[entries], histogram.value[entries], histogram.count[entries]
    return replace(histogram, group=group, value=value, count=count)


def _others_left(histogram: Histogram, group_count: int, ruled_out: int) -> IntArray:
    """Return for each entry how many records of its group have another value that is not among the most frequent."""
    at, onward = count_at_and_from(histogram, group_count, ruled_out + 1)
    return np.asarray(onward[histogram.group] - np.minimum(histogram.count, at[histogram.group]))


def _none_has_it(people: IntArray, having: IntArray, drawn: int) -> FloatArray:
    """Return how likely none of some people, drawn from all, has a value: ``C(people - having, d) / C(people, d)``.

    If there are fewer people, all of them are drawn.
    """
    chance = np.ones(len(people))
    for number in range(drawn):
        left = np.maximum(people - number, 0)
        chance *= np.where(left > 0, np.maximum(left - having, 0) / np.maximum(left, 1), 1)
    return chance


def _least_elsewhere(histogram: Histogram, chance: FloatArray) -> FloatArray:
    """Return for each entry the least chance of the same value in another group, 1 if no other group has it."""
    values = len(histogram.whole)
    least, second, holder = np.ones(values), np.ones(values), np.full(values, -1)
    np.minimum.at(least, histogram.value, chance)
    is_least = chance == least[histogram.value]
    holder[histogram.value[is_least]] = histogram.group[is_least]
    rest = holder[histogram.value] != histogram.group
    np.minimum.at(second, histogram.value[rest], chance[rest])
    return np.where(rest, least[histogram.value], second[histogram.value])
