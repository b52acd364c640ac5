"""Masking hides the characters of a code one after the other."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label, RuleBuilder
from krypsis.errors import HierarchyError

LONGEST = 256
MOST_LEVELS = 64


class Masking(RuleBuilder):
    """Each level replaces ``step`` more characters by ``*``, from the right or from the left.

    Made for codes whose characters go from general to special, such as zip codes and phone numbers. Shorter values are
    filled up with ``*`` on the masked side, so that all labels of a level have the same length; longer values than a
    given ``length`` are cut to it on that side.

    Notes
    -----
    Without ``length``, labels are as long as the longest value of the data while levels are searched, and as long as
    the longest published value when they are published: see :meth:`published`.

    Examples
    --------
    >>> Masking(levels=2).build(["32042", "32021"], "zip").rows()
    [['32042', '3204*', '320**', '*'], ['32021', '3202*', '320**', '*']]
    """

    kind: ClassVar[str] = "masking"

    side: Literal["left", "right"] = Field(default="right", description="the side from which characters are hidden")
    step: int = Field(default=1, ge=1, description="how many more characters each level hides")
    levels: int | None = Field(
        default=None, ge=1, le=MOST_LEVELS, description="how many levels before '*'; until nothing is left unless given"
    )
    length: int | None = Field(
        default=None,
        ge=1,
        le=LONGEST,
        description="the length of all labels; that of the longest published value unless given",
    )

    @property
    def depends_on_all_values(self) -> bool:
        return self.length is None

    def columns(self, values: Sequence[str], name: str) -> Iterator[list[str]]:
        length = self.length or _longest(values)
        padded = [self._padded(value, length) for value in values]
        yield list(values)
        for level in range(1, self._levels(length, name) + 1):
            yield [self._masked(value, level * self.step) for value in padded]
        yield [TOP] * len(values)

    def published(self, hierarchy: Hierarchy, shown: BoolArray) -> Hierarchy:
        """Return the hierarchy with labels as long as the longest value that is shown.

        Where a label hides nothing of these values, they are their own labels.

        Examples
        --------
        >>> built = Masking(levels=2).build(["123", "124", "12456"], "code")
        >>> Masking().published(built, np.array([True, True, False])).rows()[:2]
        [['123', '123', '123', '*'], ['124', '124', '124', '*']]
        """
        built, length = _longest(hierarchy.values), _longest(compress(hierarchy.values, shown))
        if self.length is not None or length == built:
            return hierarchy
        labels = list(hierarchy.labels)
        for level in range(1, hierarchy.height):
            hidden = level * self.step - (built - length)
            labels[level] = self._shortened(hierarchy, level, shown, length, whole=hidden <= 0)
        return Hierarchy(hierarchy.table, tuple(labels))

    def _shortened(
        self, hierarchy: Hierarchy, level: int, shown: BoolArray, length: int, *, whole: bool
    ) -> tuple[Label, ...]:
        labels, codes = list(hierarchy.labels[level]), hierarchy.table[level]
        for code in np.unique(codes[shown]).tolist():
            below = np.flatnonzero(shown & (codes == code))
            if (label := labels[code]) is None:
                continue
            cut = label[:length] if self.side == "right" else label[len(label) - length :]
            labels[code] = hierarchy.values[int(below[0])] if whole and len(below) == 1 else cut
        return tuple(labels)

    def _levels(self, length: int, name: str) -> int:
        if length > LONGEST:
            raise HierarchyError(
                f"hierarchy of {name!r}: masking is for codes of at most {LONGEST} characters, "
                f"the longest value has {length}; use kind 'flat' or a taxonomy"
            )
        needed = max(length - 1, 0) // self.step
        if self.levels is None and needed > MOST_LEVELS:
            raise HierarchyError(
                f"hierarchy of {name!r}: values of {length} characters need {needed} levels, more than {MOST_LEVELS}; "
                "give a larger 'step', or 'levels'"
            )
        return needed if self.levels is None else min(self.levels, needed)

    def _padded(self, value: str, length: int) -> str:
        if self.side == "right":
            return value.ljust(length, TOP)[:length]
        return value.rjust(length, TOP)[max(len(value) - length, 0) :]

    def _masked(self, value: str, count: int) -> str:
        return value[:-count] + TOP * count if self.side == "right" else TOP * count + value[count:]


def _longest(values: Iterable[Label]) -> int:
    return max((len(value) for value in values if value is not None), default=0)
