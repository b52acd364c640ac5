"""The rows of the hierarchy of a sensitive attribute that a release publishes."""

from krypsis.data.hierarchies.base import Hierarchy, Label


def rows_in_use(hierarchy: Hierarchy, values: set[Label]) -> tuple[tuple[Label, ...], ...]:
    """Return the rows of values that occur: the others would reveal which values the publisher was prepared for.

    A value that is published more generally may be any below it: all of these are published.
    """
    nodes = {label for labels in hierarchy.labels[1:] for label in labels}
    general = {value for value in values if value not in hierarchy.code_of and value in nodes}
    rows = hierarchy.covering(values - general, "a sensitive attribute").rows()
    return tuple(tuple(row) for row in rows if row[0] in values or not general.isdisjoint(row))
