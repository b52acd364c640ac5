"""(X,Y)-anonymity, (X,Y)-linkability and (X,Y)-privacy."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Groups
from krypsis.errors import column_not_found
from krypsis.models.base import GroupModel, Names
from krypsis.models.shares import largest_counts


class XYModel(GroupModel):
    """A promise about the values of ``y`` in the groups that ``x`` forms.

    ``y`` is a column that says who a record is about, which is not published, or one that is published as it is.
    Several columns count as one: a value of them is a combination of their values. A missing value is a value of its
    own.
    """

    y: Names = Field(min_length=1, description="what is counted: the column that names the person, or sensitive ones")
    x: Names | None = Field(
        default=None, min_length=1, description="what the attacker goes by; all quasi-identifiers unless given"
    )

    def sets_of(self, attributes: Sequence[str]) -> tuple[tuple[str, ...], ...] | None:
        if self.x is None:
            return None
        for name in self.x:
            if name not in attributes:
                raise column_not_found(name, attributes)
        return (self.x,)

    def combinations(self, sensitive: Sequence[str]) -> tuple[tuple[str, ...], ...]:  # noqa: ARG002
        return (self.y,)

    @property
    def alike(self) -> str:
        """The groups as a sentence names them."""
        return "look alike" if self.x is None else f"are alike in {', '.join(self.x)}"

    @property
    def counted(self) -> str:
        """What is counted as a sentence names it."""
        return ", ".join(self.y)

    def distinct(self, groups: Groups) -> IntArray:
        """Return the number of different values of ``y`` in each group."""
        return np.bincount(groups.combination(self.y).group, minlength=len(groups)).astype(np.int64)

    def largest_shares(self, groups: Groups) -> FloatArray:
        """Return the share of the most frequent value of ``y`` in each group."""
        return largest_counts(groups.combination(self.y), len(groups)) / np.maximum(groups.sizes, 1)


class XYAnonymity(XYModel):
    """Records that are alike in ``x`` have at least ``k`` different values of ``y``.

    Notes
    -----
    With the number of a person as ``y`` it counts people where k-anonymity counts records: of somebody who has three
    records, three may be a whole group. With one record per person both are the same. With a sensitive attribute as
    ``y`` it is distinct l-diversity. The thesis calls ``y`` a sensitive attribute in the first case (erratum E26); a
    key is meant.

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", KDD 2006.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"ann": 3}, {"bob": 2, "cat": 1}], attribute="patient")
    >>> XYAnonymity(y=("patient",), k=2).accepts(groups)
    array([False,  True])
    """

    name: ClassVar[str] = "xy-anonymity"
    protects_from: ClassVar[str] = (
        "linking records to a person where one person may have several records: at best 1 in k guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning a sensitive value that all records of a group share, a person whose records are most of the group, "
        "and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Wang, Fung, Anonymizing sequential releases, KDD 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of different values of y in a group")

    @property
    def required(self) -> float:
        return float(self.k)

    def promise(self) -> str:
        return f"every group of records that {self.alike} has at least {self.k} different values of {self.counted}"

    def accepts(self, groups: Groups) -> BoolArray:
        return self.distinct(groups) >= self.k

    def measure(self, groups: Groups) -> float:
        distinct = self.distinct(groups)
        return float(distinct.min()) if len(distinct) else 0.0


class XYLinkability(XYModel):
    """No value of ``y`` belongs to more than the share ``h`` of the records that are alike in ``x``.

    Notes
    -----
    With the number of a person as ``y``, nobody has more than this share of a group. With a sensitive attribute it
    bounds the confidence in each of its values. The thesis prints ``0 < k ≤ 1`` as the range of the bound
    (erratum E27); it is ``0 < h ≤ 1``.

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", KDD 2006.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"flu": 2, "hiv": 2}, {"flu": 3, "hiv": 1}], attribute="disease")
    >>> XYLinkability(y=("disease",), h=0.5).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "xy-linkability"
    protects_from: ClassVar[str] = (
        "guessing which value of y goes with the values of x that are known of a person: at most the share h of such "
        "guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "linking a record to a person where y is a sensitive attribute, values that differ in name and are alike in "
        "meaning (similarity), and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Wang, Fung, Anonymizing sequential releases, KDD 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    h: float = Field(gt=0, le=1, description="largest share of a group that may have the same value of y")

    @property
    def required(self) -> float:
        return self.h

    def promise(self) -> str:
        return f"each value of {self.counted} is at most {self.h:.6g} of every group of records that {self.alike}"

    def accepts(self, groups: Groups) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return self.largest_shares(groups) <= self.h

    def measure(self, groups: Groups) -> float:
        return float(self.largest_shares(groups).max(initial=0.0))


class XYPrivacy(XYModel):
    """Records alike in ``x`` have at least ``k`` different values of ``y``, none in more than the share ``h`` of them.

    Notes
    -----
    (X,Y)-anonymity and (X,Y)-linkability together, with ``k`` different values and not ``k`` records. The level is the
    largest share, and infinite where a group has fewer than ``k`` values, which no ``h`` allows.

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", KDD 2006.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"ann": 1, "bob": 1}, {"ann": 3, "bob": 1}, {"cat": 4}], attribute="patient")
    >>> XYPrivacy(y=("patient",), k=2, h=0.5).accepts(groups)
    array([ True, False, False])
    """

    name: ClassVar[str] = "xy-privacy"
    protects_from: ClassVar[str] = (
        "linking records to a person where one person may have several records (at best 1 in k guesses is right), and "
        "guessing which value of y goes with known values of x: at most the share h of such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), attributes that are neither in x nor in y, "
        "and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Wang, Fung, Anonymizing sequential releases, KDD 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    k: int = Field(ge=1, description="smallest number of different values of y in a group")
    h: float = Field(gt=0, le=1, description="largest share of a group that may have the same value of y")

    @property
    def required(self) -> float:
        return self.h

    def promise(self) -> str:
        return (
            f"every group of records that {self.alike} has at least {self.k} different values of {self.counted}, "
            f"each in at most {self.h:.6g} of them"
        )

    def accepts(self, groups: Groups) -> BoolArray:
        return self._levels(groups) <= self.h

    def measure(self, groups: Groups) -> float:
        return float(self._levels(groups).max(initial=0.0))

    def _levels(self, groups: Groups) -> FloatArray:
        return np.where(self.distinct(groups) >= self.k, self.largest_shares(groups), np.inf)
