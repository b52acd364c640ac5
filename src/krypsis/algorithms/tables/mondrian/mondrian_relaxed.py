"""Mondrian, relaxed."""

from __future__ import annotations

from typing import ClassVar

from krypsis.algorithms.tables.mondrian.search import PartitioningSearch
from krypsis.data.frequency import Grain


class RelaxedMondrian(PartitioningSearch):
    """Halves the table again and again: a group never has ``2·k`` records or more.

    Notes
    -----
    As ``mondrian``, but records at the median go to either side, so that the two sides differ by one record at most,
    and records with equal quasi-identifiers may be published differently. With k-anonymity alone every part ends with
    ``k`` to ``2·k − 1`` records. Parts that look alike are one group to a reader, which is then larger.

    Smaller groups need not lose less: ranges overlap. Trees are halved in the order of their leaves.

    Cost: ``n log n`` for ``n`` records; it does not gain from equal ones.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006, section 4.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> people = pl.DataFrame({"age": [25, 26, 26, 26, 26, 27]})
    >>> release = krypsis.anonymize(people, {"age": "quasi-identifier"}, models="k-anonymity:k=3",
    ...                             algorithm="mondrian-relaxed")
    >>> sorted(release.table["age"])
    ['[25-26]', '[25-26]', '[25-26]', '[26-27]', '[26-27]', '[26-27]']
    """

    name: ClassVar[str] = "mondrian-relaxed"
    relaxed: ClassVar[bool] = True
    grain: ClassVar[Grain] = "record"
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"
