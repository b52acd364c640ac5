"""k-map, by a population table or estimated from the sample."""

from bisect import bisect_left
from functools import cached_property
from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import BoolArray
from krypsis.data.groups import Groups
from krypsis.models.base import GroupModel


class EstimatedKMap(GroupModel):
    """Everybody in the data very likely looks like at least ``k`` people of the population they come from.

    Notes
    -----
    The table is a random sample that holds the share ``fraction`` of the population. Of ``k`` people who look alike it
    holds a number that follows a Poisson distribution with mean ``k · fraction``; a group is seen only if it holds one
    at least. The smallest size that at most the share ``significance`` of such groups reach is enough: a group of that
    size shows that more than ``k`` people look alike. It is never more than ``k``.

    So this is k-anonymity with a smaller ``k``, and has its monotonicity. The table of a population and ``k-map`` are
    better where there is one.

    References
    ----------
    El Emam, Dankar, "Protecting privacy using k-anonymity", J. Am. Med. Inform. Assoc. 15(5), 2008, estimator D4.
    Pannekoek, "Statistical methods for some simple disclosure limitation rules", Statistica Neerlandica 53(1), 1999.

    Examples
    --------
    >>> model = EstimatedKMap(k=10, fraction=0.1)
    >>> model.smallest, model.accepts(Groups.of_sizes([4, 5]))
    (5, array([False,  True]))
    """

    name: ClassVar[str] = "estimated-k-map"
    protects_from: ClassVar[str] = "finding out which person of the population a record belongs to, as far as estimated"
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows that somebody is in the data, groups that are rarer in the population than estimated, "
        "and learning a sensitive value that all people alike share"
    )
    reference: ClassVar[str] = "El Emam, Dankar, Protecting privacy using k-anonymity, JAMIA 15(5), 2008"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of people of the population who look like a record")
    fraction: float = Field(gt=0, le=1, description="share of the population that the table holds")
    significance: float = Field(
        default=0.01,
        gt=0,
        lt=1,
        description="share of groups of k people that may be accepted though no more look like them",
    )

    @property
    def required(self) -> float:
        return float(self.smallest)

    @cached_property
    def smallest(self) -> int:
        """The number of records in a group that is enough."""
        from scipy.special import pdtrc  # noqa: PLC0415  it takes long to load and few promises need it

        mean = self.k * self.fraction

        def unlikely(records: int) -> bool:
            """Say whether few of the groups that are seen have more records."""
            return bool(pdtrc(records, mean) / pdtrc(0, mean) <= self.significance)

        return min(bisect_left(range(self.k), 1, key=unlikely) + 1, self.k)

    def accepts(self, groups: Groups) -> BoolArray:
        accepted: BoolArray = groups.sizes >= self.smallest
        return accepted

    def measure(self, groups: Groups) -> float:
        return float(groups.sizes.min()) if len(groups) else 0.0

    def promise(self) -> str:
        return (
            f"every record very likely looks like at least {self.k} people of the population, because its group has at "
            f"least {self.smallest} records"
        )


class KMap(GroupModel):
    """Everybody in the data looks like at least ``k`` people of the population they come from.

    Notes
    -----
    Weaker than k-anonymity: the other people need not be in the data. It protects where nobody can know who is in the
    data, only who is in the population. Joining groups adds up the people, and what is accepted stays accepted whatever
    joins it; a group without records is not published and so accepted.

    References
    ----------
    Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> import numpy as np
    >>> KMap(k=3).accepts(Groups(np.array([1, 2]), population=np.array([4, 2])))
    array([ True, False])
    """

    name: ClassVar[str] = "k-map"
    protects_from: ClassVar[str] = "finding out which person of the population a record belongs to"
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows that somebody is in the data, and learning a sensitive value that all people alike share"
    )
    reference: ClassVar[str] = (
        "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, IJUFKS 10(5), 2002"
    )
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of people of the population who look like a record")

    @property
    def required(self) -> float:
        return float(self.k)

    def accepts(self, groups: Groups) -> BoolArray:
        accepted: BoolArray = (groups.people(self.spec) >= self.k) | (groups.sizes == 0)
        return accepted

    def measure(self, groups: Groups) -> float:
        people = groups.people(self.spec)[groups.sizes > 0]
        return float(people.min()) if len(people) else 0.0

    def promise(self) -> str:
        return f"every record looks like at least {self.k} people of the population"
