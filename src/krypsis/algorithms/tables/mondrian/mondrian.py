"""Mondrian, strict."""

from __future__ import annotations

from typing import ClassVar

from krypsis.algorithms.tables.mondrian.search import PartitioningSearch


class Mondrian(PartitioningSearch):
    """Cuts the table at medians into boxes that do not overlap, as small as the promises allow.

    Notes
    -----
    Records are points, attributes are axes. A part is cut on the axis it is widest in, as a share of the whole axis, at
    the median: the smallest value up to which at least half of the records lie, or the value before it. If any cut
    leaves ``k`` records on both sides, one of these two does (the thesis takes values with *more* than half, for which
    that is wrong: erratum 5). If it is refused, the next axis is tried. Records with equal quasi-identifiers stay
    together. Nothing is suppressed.

    With k-anonymity alone, and no trees, a group has at most ``2·d·(k − 1) + m`` records, ``d`` the number of
    attributes and ``m`` the largest number of records with equal quasi-identifiers. The result is not the smallest
    possible loss: to find that is NP-hard.

    Beyond the paper: any model decides which cuts are made; every part must be accepted, so every published group is,
    also where a model is not monotone. An attribute with a tree is cut along it: the child of the lowest common
    ancestor with most records is taken away from the others; if that is refused, the children are halved in their
    order. Missing values are taken away from the others first. Widths are those of the metric, weighted.

    Cost: ``n log n`` for ``n`` distinct tuples and ``choose=width``; the other choices try each cut and cost as many
    times more as there are attributes.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006; "Workload-aware anonymization",
    KDD 2006 (choose=classification).

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> people = pl.DataFrame({"age": [25, 26, 27, 28], "zip": ["53711", "53711", "53710", "53712"]})
    >>> release = krypsis.anonymize(people, dict.fromkeys(people.columns, "quasi-identifier"),
    ...                             models="k-anonymity:k=2", algorithm="mondrian")
    >>> sorted(set(release.table.rows()))
    [('[25-26]', '53711'), ('[27-28]', '[53710-53712]')]
    """

    name: ClassVar[str] = "mondrian"
    relaxed: ClassVar[bool] = False
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"
