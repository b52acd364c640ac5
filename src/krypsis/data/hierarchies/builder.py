"""A hierarchy builder makes the hierarchy of a column from its values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from krypsis.arrays import BoolArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.errors import HierarchyError, shorten


class HierarchyBuilder(BaseModel, ABC):
    """Makes the hierarchy of a column, with its options declared as fields.

    A subclass in its own file under ``krypsis/data/hierarchies`` can be named in a plan by its ``kind``; nothing else
    has to be changed. Plans hand every option over as text, so fields accept ``"5"`` where they mean 5.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    kind: ClassVar[str]

    @abstractmethod
    def build(self, values: Sequence[Label], name: str) -> Hierarchy:
        """Return the hierarchy of the column ``name`` with these distinct values.

        The result holds all of them. A missing value (``None``) keeps to itself until it becomes the top with all
        others.

        Raises
        ------
        HierarchyError
            if the values are not of the kind that this builder understands.
        """

    @property
    def depends_on_all_values(self) -> bool:
        """Whether labels or height of one value depend on the other values of the data."""
        return False

    def published(self, hierarchy: Hierarchy, shown: BoolArray) -> Hierarchy:  # noqa: ARG002
        """Return the hierarchy that was built, with labels that depend on the values that are ``shown`` only.

        Values and codes stay the same. Labels above values that are not shown are never published.
        """
        return hierarchy


class RuleBuilder(HierarchyBuilder):
    """A builder with a rule for the values that are there; missing values are cared for here."""

    def build(self, values: Sequence[Label], name: str) -> Hierarchy:
        values = list(values)
        if not values:
            raise HierarchyError(f"hierarchy of {name!r}: the column has no values to build from")
        columns = list(self.columns(_present(values, name), name))
        if not columns[0]:
            columns = [[None], [TOP]]
        return Hierarchy.from_columns(columns, f"hierarchy of {name!r}").covering(values, name)

    @abstractmethod
    def columns(self, values: Sequence[str], name: str) -> Iterable[Sequence[Label]]:
        """Return one column per level, from the values themselves up to the top.

        ``values`` are distinct and none is missing. The first column may hold more than them: a taxonomy knows its
        whole domain.
        """


def _present(values: Sequence[Label], name: str) -> list[str]:
    distinct = dict.fromkeys(values)
    if strangers := [value for value in distinct if not (value is None or isinstance(value, str))]:
        raise HierarchyError(
            f"hierarchy of {name!r}: values are text, or None where missing; got {shorten(map(repr, strangers), 5)}"
        )
    return [value for value in distinct if value is not None]
