"""Multi-attribute l-diversity."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Groups, Histogram, JointDomain
from krypsis.models.base import GroupModel, SensitiveModel
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity
from krypsis.models.recursive_l_diversity import RecursiveLDiversity

Variant = Literal["distinct", "entropy", "frequency", "recursive"]


class MultiAttributeLDiversity(GroupModel):
    """Each sensitive attribute stays diverse also for somebody who knows all the others of a person.

    Notes
    -----
    For every sensitive attribute by itself, the others count as quasi-identifiers: records that look alike and agree in
    all other sensitive attributes must be l-diverse in this one. With one sensitive attribute it is plain l-diversity.
    The more sensitive attributes there are, the larger groups have to be. The source lists the attribute itself among
    those that are known, with mixed-up indices (erratum 9 of its list); it is left out.

    The level is that of the worst of these smaller groups. For ``recursive`` it is the sum of the counts from rank l on
    over the largest count, which must be more than 1/c.

    The union of accepted groups is accepted, since so are the unions of the smaller groups. Anything that joins may
    bring a smaller group of its own, which is why nothing more can be said, whatever the variant.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    section 4.3.

    Examples
    --------
    >>> promise = MultiAttributeLDiversity(l=2)
    >>> promise.combinations(["disease", "pay"])
    (('disease', 'pay'),)
    >>> promise.accepts(Groups.of_histograms([{"flu": 2, "hiv": 1}, {"flu": 2}]))
    array([ True, False])
    """

    name: ClassVar[str] = "multi-attribute-l-diversity"
    protects_from: ClassVar[str] = (
        "learning one sensitive value of a person by knowing the others, and so ruling out the records that do not "
        "have them"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), groups whose shares are far from those of "
        "the whole table (skewness), and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    needs_sensitive: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: float = Field(  # noqa: E741 - the name in the literature
        ge=1, allow_inf_nan=False, description="how diverse; a whole number, other than for entropy"
    )
    variant: Variant = Field(default="distinct", description="what diverse means")
    c: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="for recursive: how often the most frequent value may occur",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.c is None) == (self.variant == "recursive"):
            raise ValueError(
                "multi-attribute-l-diversity needs c for variant 'recursive', and only there; "
                f"got variant {self.variant!r} and c={self.c}"
            )
        if self.variant != "entropy" and self.l % 1:
            raise ValueError(f"l of multi-attribute-l-diversity must be a whole number, got {self.l}")
        return self

    @property
    def required(self) -> float:
        return self.l if self.c is None else 1 / self.c

    @property
    def strict(self) -> bool:
        """Whether a level that equals the required one is not enough."""
        return self.variant == "recursive"

    def promise(self) -> str:
        alike = "records that look alike"
        return self._of_one().promise().replace(alike, f"{alike} and agree in all other sensitive attributes", 1)

    def combinations(self, sensitive: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        return (tuple(sensitive),) if sensitive else ()

    def accepts(self, groups: Groups) -> BoolArray:
        of_one = self._of_one()
        accepted = np.ones(len(groups), dtype=np.bool_)
        for histogram, sizes, group in self._smaller_groups(groups):
            accepted[group[~of_one.suffices(of_one.levels(histogram, sizes))]] = False
        return accepted

    def measure(self, groups: Groups) -> float:
        of_one = self._of_one()
        levels = [of_one.levels(histogram, sizes) for histogram, sizes, _ in self._smaller_groups(groups)]
        if not len(groups):
            return 0.0
        return float(min(self._rising(level).min() for level in levels))

    def _rising(self, levels: FloatArray) -> FloatArray:
        """Return levels of which higher ones are better."""
        return 1 / levels if self.variant == "recursive" else levels

    def _of_one(self) -> SensitiveModel:
        """Return the promise about one attribute."""
        match self.variant:
            case "distinct":
                return DistinctLDiversity(l=int(self.l))
            case "entropy":
                return EntropyLDiversity(l=self.l)
            case "frequency":
                return FrequencyLDiversity(l=int(self.l))
        return RecursiveLDiversity(l=int(self.l), c=self.c or 1)

    def _smaller_groups(self, groups: Groups) -> Iterator[tuple[Histogram, IntArray, IntArray]]:
        """Yield for each attribute its values in the smaller groups, their sizes and the group that each is part of."""
        names = tuple(groups.histograms())
        together = groups.combination(names)
        if not isinstance(together.domain, JointDomain):  # one attribute: there are no others to know
            yield together, groups.sizes, np.arange(len(groups))
            return
        for place in range(len(names)):
            yield _smaller(together, together.domain, place)


def _smaller(together: Histogram, joint: JointDomain, place: int) -> tuple[Histogram, IntArray, IntArray]:
    others, width = _others(joint, place), max(len(joint), 1)
    keys, numbers = np.unique(together.group * width + others[together.value], return_inverse=True)
    domain, values = joint.columns[place], joint.codes[:, place]
    whole = np.bincount(values, together.whole, minlength=len(domain)).astype(np.int64)
    histogram = Histogram(numbers.astype(np.int64), values[together.value], together.count, whole, domain)
    sizes = np.bincount(numbers, together.count, minlength=len(keys)).astype(np.int64)
    return histogram, sizes, keys // width


def _others(joint: JointDomain, place: int) -> IntArray:
    """Return for each combination the number of its values in all columns but one."""
    numbers = np.zeros(len(joint), dtype=np.int64)
    for other, domain in enumerate(joint.columns):
        if other != place:
            _, numbers = np.unique(numbers * len(domain) + joint.codes[:, other], return_inverse=True)
    return numbers
