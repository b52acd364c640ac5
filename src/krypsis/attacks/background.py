"""The background-knowledge attack: who can rule out some values of a person learns more from the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from krypsis.arrays import BoolArray, FloatArray
from krypsis.attacks.exposure import ROUNDING, SHOWN, Exposure, check_limits, first_rows, measure
from krypsis.attacks.knowledge import Seen, Told
from krypsis.errors import UsageError
from krypsis.hierarchies.base import Label

RuledOut = int | Iterable[Label]
"""How many values an attacker can rule out, or which."""


def background(
    data: Any,
    known: Sequence[str],
    sensitive: str,
    *,
    ruled_out: RuledOut = 1,
    certainty: float = 1.0,
    sample: int = SHOWN,
) -> Exposure:
    """Return of how many records a sensitive value is learned by somebody who can rule out other values.

    The attacker takes the records that show what is known of a person, strikes out those with values that the person
    certainly does not have, and takes the shares of the rest as chances. A record is exposed if the chance of its own
    value reaches ``certainty``.

    Parameters
    ----------
    data
        a table in any form that :func:`krypsis.anonymize` takes, a release, or the folder of a release.
    known
        the columns that the attacker knows, none if only that the person is in the table.
    sensitive
        the column that the attacker wants to learn.
    ruled_out
        a number: the attacker can rule out that many values of everybody, those that help most. Or the values
        themselves: then the attack is on the people who have none of them. ``None`` stands for a missing value.
    certainty
        the chance from which on a record counts as exposed.
    sample
        how many exposed rows to name.

    Returns
    -------
    Exposure
        as that of :func:`krypsis.attacks.homogeneity.homogeneity`, which is this attack with nothing ruled out.

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
    >>> found = background(table, ["age"], "disease", ruled_out=["heart"])
    >>> found.records, found.exposed, found.sample
    (2.0, 2.0, (2, 3))
    """
    check_limits(certainty, sample)
    seen = Seen.of(data, known)
    told, values = seen.told(sensitive)
    possible = _possible(told, ruled_out)
    chances = _chances(told, ruled_out, possible)
    exposed, average, highest, sure = measure(chances[possible], told.weight[possible], certainty)
    baseline = _baseline(told, ruled_out)
    known_before = len(np.unique(told.value)) > 1 and baseline >= 1 - ROUNDING
    if known_before:
        exposed, sure = 0.0, np.zeros_like(sure)
    chosen = np.zeros(len(possible), dtype=np.bool_)
    chosen[np.flatnonzero(possible)[sure]] = True
    return Exposure(
        attack="background",
        known=seen.known,
        sensitive=sensitive,
        records=float(told.weight[possible].sum()),
        exposed=exposed,
        sample=first_rows(seen.rows_of(told, chosen, values), sample),
        average_chance=average,
        highest_chance=highest,
        baseline=baseline,
        certainty=certainty,
        note=" ".join(filter(None, [seen.note, _known_before(told, sensitive) if known_before else ""])),
    )


def _known_before(told: Told, sensitive: str) -> str:
    number = len(np.unique(told.value))
    return (
        f"Not counted: {sensitive!r} has {number} different values, so whoever can rule out as many as assumed here "
        "knows the value without the table."
    )


def _possible(told: Told, ruled_out: RuledOut) -> BoolArray:
    """Return which entries are about people of whom the attacker knows what is said."""
    if isinstance(ruled_out, int):
        if isinstance(ruled_out, bool) or ruled_out < 0:
            raise UsageError(f"ruled_out must be a number of values, 0 or more, or the values, got {ruled_out!r}")
        return np.ones(len(told.look), dtype=np.bool_)
    if isinstance(ruled_out, str):
        raise UsageError(f"ruled_out must be a number or a list of values, got the text; write [{ruled_out!r}]")
    excluded = set(ruled_out)
    allowed = np.array([label not in excluded for label in told.values], dtype=np.bool_)
    return allowed[told.value] if len(told.value) else np.zeros(0, dtype=np.bool_)


def _chances(told: Told, ruled_out: RuledOut, possible: BoolArray) -> FloatArray:
    """Return the chance of each entry after the other values were ruled out."""
    if not isinstance(ruled_out, int):
        left = np.bincount(told.look, told.weight * possible).astype(np.float64)[told.look]
        return np.divide(told.weight, left, out=np.zeros(len(left)), where=possible)
    return told.weight / np.maximum(told.totals - _heaviest_others(told, ruled_out), told.weight)


def _heaviest_others(told: Told, number: int) -> FloatArray:
    """Return for each entry how many records of the same look have one of the most frequent other values."""
    order = np.lexsort((-told.weight, told.look))
    look, weight = told.look[order], told.weight[order]
    start = np.searchsorted(look, look)
    rank = np.arange(len(look)) - start
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    end = np.searchsorted(look, look, side="right")
    # Who is among the heaviest makes room for one more.
    taken = np.minimum(start + number + (rank < number), end)
    heaviest = np.empty(len(look))
    heaviest[order] = sums[taken] - sums[start] - np.where(rank < number, weight, 0.0)
    return heaviest


def _baseline(told: Told, ruled_out: RuledOut) -> float:
    """Return how likely the attacker is right who knows only how often each value occurs, and what to rule out."""
    whole = np.bincount(told.value, told.weight).astype(np.float64)
    present = np.flatnonzero(whole)
    one = Told(np.zeros(len(present), dtype=np.int64), present, whole[present], told.values)
    possible = _possible(one, ruled_out)
    _, average, _, _ = measure(_chances(one, ruled_out, possible)[possible], one.weight[possible], 1.0)
    return average
