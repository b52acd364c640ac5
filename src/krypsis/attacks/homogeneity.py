"""The homogeneity attack: records that look alike may all tell the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from krypsis.attacks.exposure import SHOWN, Exposure, check_limits, first_rows, measure
from krypsis.attacks.knowledge import Seen


def homogeneity(
    data: Any, known: Sequence[str], sensitive: str, *, certainty: float = 1.0, sample: int = SHOWN
) -> Exposure:
    """Return of how many records a sensitive value is learned by somebody who knows some columns of everybody.

    The attacker takes the records that show what is known of a person; the chance of a value is its share among them.
    A record is exposed if the chance of its own value reaches ``certainty``: with 1, if all records that look like it
    have the same value. Nobody has to be found for that.

    Parameters
    ----------
    data
        a table in any form that :func:`krypsis.anonymize` takes, a release, or the folder of a release.
    known
        the columns that the attacker knows, none if only that the person is in the table.
    sensitive
        the column that the attacker wants to learn.
    certainty
        the chance from which on a record counts as exposed.
    sample
        how many exposed rows to name.

    Returns
    -------
    Exposure
        ``average_chance`` is how likely the attacker holds the true value, ``baseline`` the same for somebody who knows
        only how often each value occurs in the table.

    References
    ----------
    Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", TKDD 1(1), 2007, section 2.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["3*", "3*", "4*", "4*"], "disease": ["flu", "flu", "flu", "hiv"]})
    >>> found = homogeneity(table, ["age"], "disease")
    >>> found.exposed, found.sample, found.average_chance
    (2.0, (0, 1), 0.75)
    """
    check_limits(certainty, sample)
    seen = Seen.of(data, known)
    told, values = seen.told(sensitive)
    exposed, average, highest, sure = measure(told.weight / told.totals, told.weight, certainty)
    whole = np.bincount(told.value, told.weight)
    return Exposure(
        attack="homogeneity",
        known=seen.known,
        sensitive=sensitive,
        records=seen.table.height,
        exposed=exposed,
        sample=first_rows(seen.rows_of(told, sure, values), sample),
        average_chance=average,
        highest_chance=highest,
        baseline=float(whole @ whole) / seen.table.height**2 if seen.table.height else 0.0,
        certainty=certainty,
        note=seen.note,
    )
