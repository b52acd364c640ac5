"""Population uniqueness."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.errors import UsageError
from krypsis.models.base import TableModel
from krypsis.models.unique_people import ESTIMATORS, Spectrum


class PopulationUniqueness(TableModel):
    """By estimate, at most a given share of the people of the population look like nobody else in it.

    Notes
    -----
    The table is taken for a random sample of a population whose size is known and whose records are not. From how many
    groups have 1, 2, 3, … records an estimator tells how many people of the population would stand alone:

    - ``zayatz``: how likely a group of one record comes from one person, if the groups of the population are
      distributed as those of the sample are; too high for small samples;
    - ``pitman``: the sampling formula of Pitman with the most likely parameters; good for small samples;
    - ``snb``: groups of the population follow a negative binomial distribution shifted by one; good for large samples;
    - ``dankar``: the decision rule of Dankar and others: ``pitman`` up to a tenth of the population, else the lower of
      ``snb`` and ``zayatz``; ``zayatz`` where the others give no estimate.

    Where an estimator finds no parameters there is no estimate, and the promise is not kept unless no record stands
    alone. Suppressed records are no part of the sample: ``people`` stays what it is. Estimates are no proof; a table of
    the population and ``k-map`` are.

    References
    ----------
    Dankar et al., "Estimating the re-identification risk of clinical data sets", BMC Med. Inform. Decis. Mak. 12:66,
    2012. Pitman: Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", J. Off. Stat.
    17(4), 2001. Zayatz, "Estimation of the number of unique population elements using a sample", ASA, 1991. SNB: Chen,
    Keller-McNulty, "Estimation of identification disclosure risk in microdata", J. Off. Stat. 14(1), 1998.

    Examples
    --------
    >>> from krypsis.groups import Groups
    >>> model = PopulationUniqueness(threshold=0.05, people=1000, estimator="zayatz")
    >>> round(model.measure(Groups.of_sizes([1, 1, 2, 4])), 4)
    0.0633
    """

    name: ClassVar[str] = "population-uniqueness"
    protects_from: ClassVar[str] = "linking records of people who stand alone in the population, as far as estimated"
    does_not_protect_from: ClassVar[str] = (
        "attackers who know that somebody is in the data, linking people who stand alone in spite of the estimate, and "
        "learning a sensitive value that all records of a group share"
    )
    reference: ClassVar[str] = (
        "Dankar et al., Estimating the re-identification risk of clinical data sets, BMC Med. Inform. 12:66, 2012"
    )
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    threshold: float = Field(gt=0, le=1, description="largest share of the population that may stand alone")
    people: int = Field(ge=1, description="number of people in the population that the table is a sample of")
    estimator: Literal["dankar", "pitman", "zayatz", "snb"] = Field(
        default="dankar", description="how the number of people who stand alone is estimated"
    )

    @property
    def required(self) -> float:
        return self.threshold

    def level(self, sizes: IntArray) -> float:
        spectrum = Spectrum.of(sizes)
        if spectrum.records > self.people:
            raise UsageError(
                f"people of {self.name} must be at least the number of records, {spectrum.records}, got {self.people}: "
                "the table is a sample of the population"
            )
        if spectrum.groups_of(1) == 0:
            return 0.0
        unique = ESTIMATORS[self.estimator](spectrum, self.people)
        return math.inf if math.isnan(unique) else unique / self.people

    def suffices(self, level: float) -> bool:
        return level <= self.threshold

    def promise(self) -> str:
        return (
            f"by the estimate of {self.estimator.capitalize()}, at most {self.threshold:g} of the {self.people} people "
            "of the population look like nobody else in it"
        )
