"""Attacks on sensitive values: homogeneity, and background knowledge that rules out some values."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import BoolArray, FloatArray
from krypsis.attacks.exposure import ROUNDING, Exposure, SensitiveValueAttack, ValueCounts, measure
from krypsis.data.hierarchies.base import Label
from krypsis.specs import names_of


def _number_or_values(given: object) -> object:
    """Return a number that is written as text as such, and the values of a list such as ``flu,cold``."""
    if isinstance(given, str):
        return int(given) if given.lstrip("-").isdecimal() else names_of(given)
    return tuple(given) if isinstance(given, Iterable) else given


RuledOut = Annotated[Annotated[int, Field(ge=0, strict=True)] | tuple[Label, ...], BeforeValidator(_number_or_values)]
"""How many values an attacker can rule out, or which."""


class HomogeneityAttack(SensitiveValueAttack):
    """Learns the sensitive value of a person from the records that look alike, which may all have the same.

    The attacker takes the records that show what is known of a person; the chance of a value is its share among them.
    A record is exposed if the chance of its own value reaches ``certainty``: with 1, if all records that look like it
    have the same value. Nobody has to be found for that.

    References
    ----------
    Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", TKDD 1(1), 2007, section 2.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["3*", "3*", "4*", "4*"], "disease": ["flu", "flu", "flu", "hiv"]})
    >>> found = HomogeneityAttack(known=["age"], sensitive="disease").find(table)
    >>> found.exposed, found.sample, found.average_chance
    (2.0, (0, 1), 0.75)
    """

    name: ClassVar[str] = "homogeneity"
    title: ClassVar[str] = "homogeneity"
    knowledge: ClassVar[str] = "that a person is in the table, and some columns of everybody"
    success: ClassVar[str] = (
        "the attacker, who guesses a value as often as it occurs among the records that look like the person, guesses "
        "the right one"
    )
    baseline: ClassVar[str] = "the same guess by somebody who only knows how often each value occurs in the whole table"
    reference: ClassVar[str] = (
        "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007, section 2"
    )

    def find(self, target: Any) -> Exposure:
        """Return of how many records the sensitive value is learned.

        Parameters
        ----------
        target
            a table in any form that :func:`krypsis.anonymize` takes, a release, or the folder of a release.
        """
        view = self.view(target)
        sensitive = self.wanted(view)
        counts, values = view.value_counts(sensitive)
        # A value of a block is disclosed with probability c(v) / |block|.
        exposed, average, highest, sure = measure(counts.weight / counts.totals, counts.weight, self.certainty)
        whole = np.bincount(counts.value, counts.weight)
        return Exposure(
            attack=self.name,
            known=view.known,
            sensitive=sensitive,
            records=view.records,
            exposed=exposed,
            sample=view.first_rows_with(counts, sure, values, self.sample),
            average_chance=average,
            highest_chance=highest,
            baseline=float(whole @ whole) / view.records**2 if view.records else 0.0,
            certainty=self.certainty,
            note=view.note,
        )


class BackgroundKnowledgeAttack(SensitiveValueAttack):
    """Learns the sensitive value of a person after ruling out values that the person certainly does not have.

    The attacker takes the records that show what is known of a person, strikes out those with values that are ruled
    out, and takes the shares of the rest as chances. With nothing ruled out it is :class:`HomogeneityAttack`.

    Notes
    -----
    Of records in groups of ``l`` different values, somebody who rules out ``l - 1`` of them learns the last one: this
    is what the ``l`` of l-diversity counts.

    Who can rule out all values of the column but one knows the value without looking at any table, as of a column with
    two values. Nothing is learned from the table then: no record counts as exposed, and the note says why.

    References
    ----------
    Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", TKDD 1(1), 2007, section 2.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["3*"] * 3 + ["4*"], "disease": ["heart", "heart", "viral", "cancer"]})
    >>> found = BackgroundKnowledgeAttack(known=["age"], sensitive="disease", ruled_out=["heart"]).find(table)
    >>> found.records, found.exposed, found.sample
    (2.0, 2.0, (2, 3))
    """

    name: ClassVar[str] = "background"
    aliases: ClassVar[tuple[str, ...]] = ("background-knowledge",)
    title: ClassVar[str] = "background knowledge"
    knowledge: ClassVar[str] = (
        "that a person is in the table, some columns of everybody, and some sensitive values that the person does not "
        "have"
    )
    success: ClassVar[str] = (
        "the attacker, who guesses a value as often as it occurs among the records that look like the person and are "
        "not ruled out, guesses the right one"
    )
    baseline: ClassVar[str] = (
        "the same guess by somebody who rules out the same values and only knows how often each value occurs in the "
        "whole table"
    )
    reference: ClassVar[str] = (
        "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007, section 2"
    )

    ruled_out: RuledOut = Field(
        default=1,
        description="how many values of everybody the attacker can rule out, those that help most; or the values "
        "themselves: then the attack is on the people who have none of them",
    )

    def find(self, target: Any) -> Exposure:
        """Return of how many records the sensitive value is learned.

        Parameters
        ----------
        target
            a table in any form that :func:`krypsis.anonymize` takes, a release, or the folder of a release.
        """
        view = self.view(target)
        sensitive = self.wanted(view)
        counts, values = view.value_counts(sensitive)
        possible = _possible(counts, self.ruled_out)
        # Instance-level knowledge: remove the excluded values from the block and renormalize.
        chances = _chances(counts, self.ruled_out, possible)
        exposed, average, highest, sure = measure(chances[possible], counts.weight[possible], self.certainty)
        baseline = _baseline(counts, self.ruled_out)
        known_before = len(np.unique(counts.value)) > 1 and baseline >= 1 - ROUNDING
        if known_before:
            exposed, sure = 0.0, np.zeros_like(sure)
        chosen = np.zeros(len(possible), dtype=np.bool_)
        chosen[np.flatnonzero(possible)[sure]] = True
        return Exposure(
            attack=self.name,
            known=view.known,
            sensitive=sensitive,
            records=float(counts.weight[possible].sum()),
            exposed=exposed,
            sample=view.first_rows_with(counts, chosen, values, self.sample),
            average_chance=average,
            highest_chance=highest,
            baseline=baseline,
            certainty=self.certainty,
            note=" ".join(filter(None, [view.note, _known_before(counts, sensitive) if known_before else ""])),
        )


def _known_before(counts: ValueCounts, sensitive: str) -> str:
    number = len(np.unique(counts.value))
    return (
        f"Not counted: {sensitive!r} has {number} different values, so whoever can rule out as many as assumed here "
        "knows the value without the table."
    )


def _possible(counts: ValueCounts, ruled_out: RuledOut) -> BoolArray:
    """Return which entries are about people of whom the attacker knows what is said."""
    if isinstance(ruled_out, int):
        return np.ones(len(counts.look), dtype=np.bool_)
    excluded = set(ruled_out)
    allowed = np.array([label not in excluded for label in counts.values], dtype=np.bool_)
    return allowed[counts.value] if len(counts.value) else np.zeros(0, dtype=np.bool_)


def _chances(counts: ValueCounts, ruled_out: RuledOut, possible: BoolArray) -> FloatArray:
    """Return the chance of each entry after the other values were ruled out."""
    if not isinstance(ruled_out, int):
        left = np.bincount(counts.look, counts.weight * possible).astype(np.float64)[counts.look]
        return np.divide(counts.weight, left, out=np.zeros(len(left)), where=possible)
    # The worst case: the values ruled out are the most frequent others of the block.
    return counts.weight / np.maximum(counts.totals - _heaviest_others(counts, ruled_out), counts.weight)


def _heaviest_others(counts: ValueCounts, number: int) -> FloatArray:
    """Return for each entry how many records of the same look have one of the most frequent other values."""
    order = np.lexsort((-counts.weight, counts.look))
    look, weight = counts.look[order], counts.weight[order]
    start = np.searchsorted(look, look)
    rank = np.arange(len(look)) - start
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    end = np.searchsorted(look, look, side="right")
    # Who is among the heaviest makes room for one more.
    taken = np.minimum(start + number + (rank < number), end)
    heaviest = np.empty(len(look))
    heaviest[order] = sums[taken] - sums[start] - np.where(rank < number, weight, 0.0)
    return heaviest


def _baseline(counts: ValueCounts, ruled_out: RuledOut) -> float:
    """Return how likely the attacker is right who knows only how often each value occurs, and what to rule out."""
    whole = np.bincount(counts.value, counts.weight).astype(np.float64)
    present = np.flatnonzero(whole)
    whole_table = ValueCounts(np.zeros(len(present), dtype=np.int64), present, whole[present], counts.values)
    possible = _possible(whole_table, ruled_out)
    _, average, _, _ = measure(_chances(whole_table, ruled_out, possible)[possible], whole_table.weight[possible], 1.0)
    return average
