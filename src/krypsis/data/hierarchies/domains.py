"""Declared domains: every value that a column could have, known without looking at the data.

Which values occur reveals something about the people who have them. A promise about chances needs the values that could
occur.
"""

import os
from dataclasses import dataclass
from decimal import Decimal

from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.hierarchies.csv import CsvFile
from krypsis.data.hierarchies.decimals import EXACT, number_text
from krypsis.data.hierarchies.intervals import Intervals
from krypsis.data.hierarchies.order import Order
from krypsis.data.hierarchies.resolve import HierarchySpec, builder, resolve
from krypsis.data.hierarchies.taxonomy import Taxonomy
from krypsis.errors import HierarchyError


@dataclass(frozen=True, eq=False)
class DeclaredDomain:
    """The hierarchy of all declared values, the missing one included, and the lowest level that can be published."""

    hierarchy: Hierarchy
    lowest: int = 0

    def labels(self, level: int, name: str) -> tuple[Label, ...]:
        """Return every label that a value could have at a level.

        Raises
        ------
        HierarchyError
            if there is no such level, or it has no end of values.
        """
        if not self.lowest <= level <= self.hierarchy.height:
            raise HierarchyError(
                f"level {level} chosen for {name!r}, whose declared values have the levels {self.lowest} to "
                f"{self.hierarchy.height}"
            )
        return tuple(dict.fromkeys(self.hierarchy.column(level)))


def declared_domain(spec: HierarchySpec, name: str, folder: str | os.PathLike[str] | None = None) -> DeclaredDomain:
    """Return the values that a hierarchy declares for the column ``name``.

    A taxonomy, a CSV file, a given order and a finished hierarchy name all their values; intervals with cuts all their
    intervals.

    Raises
    ------
    HierarchyError
        if the hierarchy is made from the values of the data.

    Examples
    --------
    >>> declared_domain({"*": ["f", "m"]}, "sex").labels(0, "sex")
    ('f', 'm', None)
    >>> declared_domain({"kind": "intervals", "cuts": [18, 65]}, "age").labels(1, "age")
    ('<18', '[18-65)', '>=65', None)
    """
    if isinstance(spec, Hierarchy):
        return DeclaredDomain(spec.with_missing())
    made = builder(spec, name)
    if isinstance(made, Intervals) and made.cuts is not None:
        below = EXACT.subtract(made.cuts[0], Decimal(1))
        values = [number_text(number) for number in (below, *made.cuts)]
        return DeclaredDomain(resolve(made, [*values, None], name), lowest=1)
    if isinstance(made, CsvFile | Taxonomy) or (isinstance(made, Order) and made.order is not None):
        return DeclaredDomain(resolve(made, [None], name, folder))
    raise HierarchyError(
        f"the values that {name!r} could have are not declared: a hierarchy of kind {made.kind!r} is made of those "
        "that occur, which discloses something about their owners. Declare all values: as a taxonomy such as {'*': "
        "[f, m]}, as a CSV file, as {kind: order, order: […]}, or as {kind: intervals, cuts: […]}"
    )
