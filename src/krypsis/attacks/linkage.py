"""The linkage attack: who knows some columns of a person looks for the person's record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from krypsis.attacks.exposure import SHOWN, Exposure, check_limits, first_rows, measure
from krypsis.attacks.knowledge import Seen
from krypsis.datasets.frames import frame_of


def linkage(
    data: Any, known: Sequence[str], *, before: Any = None, certainty: float = 1.0, sample: int = SHOWN
) -> Exposure:
    """Return how many records are found by somebody who knows some columns of everybody.

    The attacker picks one of the records that show what is known of a person; the chance to be right is one over their
    number. A record is exposed if that chance reaches ``certainty``: with 1, if no other record looks like it.

    Parameters
    ----------
    data
        a table in any form that :func:`krypsis.anonymize` takes, a release, or the folder of a release.
    known
        the columns that the attacker knows, none if only that the person is in the table.
    before
        where values were changed: the same records before, row by row. Then the attacker knows these, and is right only
        where a record still shows them.
    certainty
        the chance from which on a record counts as exposed.
    sample
        how many exposed rows to name.

    Returns
    -------
    Exposure
        ``average_chance`` is the marketer's risk, ``highest_chance`` the prosecutor's, and ``expected`` the number of
        records found by guessing for everybody; ``baseline`` is the chance of somebody who knows nothing.

    Notes
    -----
    Published labels count as they stand: where those of different groups overlap, as after local recoding, an attacker
    who knows only the value finds more records that fit, and is less sure. A missing value fits a missing value only.

    References
    ----------
    Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 31, 40], "sex": ["F", "M", "M"]})
    >>> found = linkage(people, ["age"])
    >>> found.exposed, found.sample, round(found.expected)
    (1.0, (2,), 2)
    """
    check_limits(certainty, sample)
    seen = Seen.of(data, known)
    chances = (1.0 / seen.sizes)[seen.look]
    if before is not None:
        chances = chances * seen.unchanged_since(frame_of(before))
    exposed, average, highest, sure = measure(chances, np.ones(len(chances)), certainty)
    return Exposure(
        attack="linkage",
        known=seen.known,
        sensitive="",
        records=seen.table.height,
        exposed=exposed,
        sample=first_rows(sure, sample),
        average_chance=average,
        highest_chance=highest,
        baseline=1.0 / seen.table.height if seen.table.height else 0.0,
        certainty=certainty,
        note=seen.note if before is None else "",
    )
