"""A privacy model is a promise about what is published."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Domain, Groups, Histogram
from krypsis.errors import shorten
from krypsis.specs import names_of, write_spec
from krypsis.texts.cards import Card

Names = Annotated[tuple[str, ...], BeforeValidator(names_of)]
"""Names of columns, also as one text with commas between."""

TOLERANCE = 1e-12
"""Levels are computed in floating point; a level this near to the promised one counts as equal to it."""

CELLS_PER_ENTRY = 4
"""Up to this many cells per entry, a dense table of groups × values is small and faster than sorting the entries."""


class PrivacyModel(BaseModel, ABC):
    """A promise, with its parameters declared as fields.

    A subclass in its own file under ``krypsis/models`` is found by the registry; nothing else has to be changed. One
    that is defined elsewhere is used as an object, or by its name after :func:`krypsis.register`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "table"
    protects_from: ClassVar[str] = "not stated"
    does_not_protect_from: ClassVar[str] = "not stated"
    reference: ClassVar[str] = "not stated"
    needs_sensitive: ClassVar[bool] = False
    needs_population: ClassVar[bool] = False
    """Whether it compares the groups with the population that the records come from."""
    needs_original: ClassVar[bool] = False
    """Whether it is decided by comparing what is published with the original table."""
    needs_hierarchy: ClassVar[bool] = False
    """Whether it is about nodes in the hierarchy of a sensitive attribute; the release states it then."""
    compares_with_whole: ClassVar[bool] = False
    """Whether a group is compared with the sensitive values of the whole table.

    Where suppressed records are removed, a search keeps the promise compared with all records and with the published
    ones; a release states the second, which needs nothing that is not published.
    """
    covers_all_sensitive: ClassVar[bool] = False
    """Whether it is about the values of every sensitive column, whatever columns it names."""
    ties_values_to_records: ClassVar[bool] = False
    """Whether it is about the sensitive value of each record, which a table in groups does not show."""
    better: ClassVar[Literal["higher", "lower"]]

    def uses_hierarchy(self, domain: Domain) -> bool:  # noqa: ARG002  for those that measure by the type of values
        """Say whether the hierarchy of a sensitive attribute decides the promise; the release publishes it then."""
        return self.needs_hierarchy

    @property
    def spec(self) -> str:
        """The promise as one word, such as ``k-anonymity:k=5``, which the registry can read back."""
        fields = sorted(type(self).model_fields.items(), key=lambda item: not item[1].is_required())
        given = {name: value for name, _ in fields if (value := getattr(self, name)) is not None}
        return write_spec(self.name, given)

    @property
    def promised_size(self) -> int | None:
        """The number of records that every group has at least, where the promise names one."""
        return None

    @property
    def largest_share(self) -> float | None:
        """The share of a group below which every sensitive value stays, where the promise limits it."""
        return None

    @property
    def is_settled(self) -> bool:
        """Whether the promise means the same whatever the values of the sensitive attributes are."""
        return True

    def settled(self, domains: Mapping[str, Domain]) -> "tuple[PrivacyModel, ...]":  # noqa: ARG002  for others
        """Return the promise with everything named that depends on the values of the sensitive attributes."""
        return (self,)

    @property
    @abstractmethod
    def required(self) -> float:
        """The level that is promised."""

    @abstractmethod
    def promise(self) -> str:
        """Return the promise as one plain sentence."""


class GroupModel(PrivacyModel):
    """A promise that can be decided group by group.

    ``monotone``: the union of two accepted groups is accepted.
    ``monotone_with_suppression``: the union of an accepted group with anything is accepted.
    Searches prune by what is stated here and by nothing else; a property test checks both statements.
    """

    monotone: ClassVar[bool] = False
    monotone_with_suppression: ClassVar[bool] = False
    needs_disjoint: ClassVar[bool] = False
    """Whether it is decided only where nobody of the population looks like the records of two groups."""

    @property
    def judges_absent(self) -> bool:
        """Whether people of the population of whom nothing is published break it: then nothing may be suppressed."""
        return False

    def sets_of(self, attributes: Sequence[str]) -> tuple[tuple[str, ...], ...] | None:  # noqa: ARG002  for others
        """Return the sets of attributes whose groups the promise is about, of the quasi-identifiers given.

        ``None``: the quasi-identifier sets of the table, as for most promises.
        """
        return None

    def combinations(self, sensitive: Sequence[str]) -> tuple[tuple[str, ...], ...]:  # noqa: ARG002  for others
        """Return the columns whose values, taken together, the promise counts in each group.

        They may be columns that are not published, such as the number of a person. A single sensitive attribute is
        counted anyway. None for most promises.
        """
        return ()

    @property
    def least_size(self) -> int:
        """A group with fewer records is never accepted; searches need not look at its sensitive values."""
        return 1

    @abstractmethod
    def accepts(self, groups: Groups) -> BoolArray:
        """Say for each group whether it keeps the promise."""

    @abstractmethod
    def measure(self, groups: Groups) -> float:
        """Return the level achieved by the worst group, 0 when there is no group."""

    def least_suppressed(self, groups: Groups) -> IntArray:
        """Return for each group how many of its records are suppressed at least when it is cut into accepted groups.

        Searches use it to see, at a general node, what all nodes below have to suppress. This follows from the two
        statements on monotonicity; a model that knows more may say so.
        """
        refused = ~self.accepts(groups)
        if self.monotone_with_suppression:
            return np.where(refused, groups.sizes, 0)
        return np.where(refused & self.monotone, 1, 0)


class TableModel(GroupModel):
    """A promise about all groups together, such as an average: it holds for all of them or for none.

    A search that may suppress records suppresses the smallest groups until the rest keeps the promise.
    """

    monotone: ClassVar[bool] = False
    monotone_with_suppression: ClassVar[bool] = False

    @abstractmethod
    def level(self, sizes: IntArray) -> float:
        """Return the level that groups of these sizes achieve together; there is at least one."""

    @abstractmethod
    def suffices(self, level: float) -> bool:
        """Say whether a level keeps the promise."""

    def accepts(self, groups: Groups) -> BoolArray:
        return np.full(len(groups), not len(groups) or self.suffices(self.level(groups.sizes)))

    def measure(self, groups: Groups) -> float:
        return self.level(groups.sizes) if len(groups) else 0.0

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.zeros(len(groups), dtype=np.int64)

    def refused(self, groups: Groups, refused: BoolArray) -> BoolArray:
        """Return which groups are left out, besides those already refused, so that the rest keeps the promise.

        The smallest go first, as few as are enough where leaving out more never makes it worse. Of groups of the same
        size those go first that come first.
        """
        kept = np.flatnonzero(~refused)
        order = kept[np.argsort(groups.sizes[kept], kind="stable")]
        fewest, most = 0, len(order)
        middle = 0  # most often nothing has to be left out
        while fewest < most:
            if self.suffices(self.level(groups.sizes[order[middle:]])):
                most = middle
            else:
                fewest = middle + 1
            middle = (fewest + most) // 2
        left_out = refused.copy()
        left_out[order[:fewest]] = True
        return left_out


class SensitiveModel(GroupModel):
    """A promise about the sensitive values inside each group.

    A subclass says which level each group achieves and which levels are enough. With several sensitive attributes
    each must be good enough.
    """

    needs_sensitive: ClassVar[bool] = True

    attribute: str | None = Field(
        default=None, description="the sensitive attribute it is about; all of them, each by itself, unless given"
    )

    @property
    def subject(self) -> str:
        """The attribute as a sentence names it."""
        return "every sensitive attribute" if self.attribute is None else self.attribute

    def least_suppressed(self, groups: Groups) -> IntArray:
        least = super().least_suppressed(groups)
        for histogram in groups.histograms(self.attribute).values():
            least = np.maximum(least, groups.sizes - self.most_kept(histogram, groups.sizes))
        return least

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:  # noqa: ARG002  for those that know more
        """Return for each group an upper limit to the records that a union of accepted parts of it can have."""
        return sizes

    def accepts(self, groups: Groups) -> BoolArray:
        histograms = groups.histograms(self.attribute)
        answers = [self.suffices(self.levels(histogram, groups.sizes)) for histogram in histograms.values()]
        return np.asarray(np.logical_and.reduce(answers))

    def measure(self, groups: Groups) -> float:
        histograms = groups.histograms(self.attribute)
        if not len(groups):
            return 0.0
        levels = np.stack([self.levels(histogram, groups.sizes) for histogram in histograms.values()])
        return float(levels.min() if self.better == "higher" else levels.max())

    @abstractmethod
    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        """Return the level that each group achieves for one attribute."""

    @abstractmethod
    def suffices(self, levels: FloatArray) -> BoolArray:
        """Say which levels keep the promise."""


MOST_NAMED = 30
"""So many sensitive attributes, items or axioms are named in a sentence."""


class Basis(BaseModel):
    """What a verdict was judged on, and which of it is only the publisher's word.

    Examples
    --------
    >>> Basis(quasi_identifiers=(("age", "zip"),), not_judged=("visits",)).sentences()
    ('Judged on: an attacker knows age, zip; sensitive: none.', 'Not judged: visits.')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    quasi_identifiers: tuple[tuple[str, ...], ...] = ()
    """The attributes that an attacker was assumed to know, or several such sets."""
    further_knowledge: str = ""
    """What else the attacker was assumed to know, in words, such as the edges of a graph."""
    sensitive: tuple[str, ...] = ()
    not_judged: tuple[str, ...] = ()
    """Columns that are published and that no promise is about."""
    publishers_word: tuple[str, ...] = ()
    """What the files of a release state and cannot show."""

    def sentences(self) -> tuple[str, ...]:
        """Return it in plain words."""
        names = "; or ".join(", ".join(names) for names in self.quasi_identifiers)
        known = " and ".join(filter(None, (names, self.further_knowledge))) or "nothing"
        hidden = shorten(self.sensitive, MOST_NAMED) or "none"  # of axioms there may be thousands
        found = [f"Judged on: an attacker knows {known}; sensitive: {hidden}."]
        if self.not_judged:
            found.append(f"Not judged: {', '.join(self.not_judged)}.")
        if self.publishers_word:
            found.append(f"The publisher's word, which the files cannot show: {'; '.join(self.publishers_word)}.")
        return tuple(found)


class Verdict(BaseModel):
    """What the checker found about one promise.

    A verdict is true only if the promise was shown to hold: an undecided one is as false as a broken one.

    Examples
    --------
    >>> undecided = Verdict(promise="differential-privacy:epsilon=1", holds=None, required=1, sentence="Undecided.")
    >>> undecided.decided, bool(undecided)
    (False, False)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    promise: str
    """The promise as a spec, such as ``k-anonymity:k=5``."""
    holds: bool | None
    """``None`` if what was examined does not decide it: no published file shows how noise was drawn."""
    required: float
    achieved: float | None = None
    """The level that was found; ``None`` if it cannot be measured on what was given."""
    sentence: str
    offending: tuple[dict[str, object], ...] = ()
    """A sample of groups that break the promise, each as published values with its size."""
    basis: Basis | None = None
    """What it was judged on, where published files were checked."""

    def __bool__(self) -> bool:
        return self.holds is True

    def _repr_html_(self) -> str:
        """Show in a notebook what was found; values of groups stay out, for what was checked may not be published."""
        achieved = "" if self.achieved is None else f"{self.achieved:.6g}"
        facts = {"required": f"{self.required:.6g}", "achieved": achieved}
        groups = f"{len(self.offending)} of the groups that break it: verdict.offending" if self.offending else ""
        return Card(f"Verdict on {self.promise}", facts, [(self.holds, self.sentence)], note=groups).html()

    @property
    def decided(self) -> bool:
        """Whether what was examined shows that the promise holds, or that it does not."""
        return self.holds is not None


def all_hold(verdicts: Iterable[Verdict]) -> bool | None:
    """Say whether all promises hold: false if one is broken, ``None`` if one is undecided or there is none.

    Examples
    --------
    >>> kept = Verdict(promise="k-anonymity:k=2", holds=True, required=2, achieved=2, sentence="Kept.")
    >>> open_ = kept.model_copy(update={"holds": None})
    >>> all_hold([kept]), all_hold([kept, open_]), all_hold([open_, kept.model_copy(update={"holds": False})])
    (True, None, False)
    >>> all_hold([]) is None
    True
    """
    found = [verdict.holds for verdict in verdicts]
    if False in found:
        return False
    return None if None in found or not found else True
