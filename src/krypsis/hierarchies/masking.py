"""Masking hides the characters of a code one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from krypsis.errors import HierarchyError
from krypsis.hierarchies.base import TOP
from krypsis.hierarchies.builder import RuleBuilder

LONGEST = 256
MOST_LEVELS = 64


class Masking(RuleBuilder):
    """Each level replaces ``step`` more characters by ``*``, from the right or from the left.

    Made for codes whose characters go from general to special, such as zip codes and phone numbers. Shorter values are
    filled up with ``*`` on the masked side, so that all labels of a level have the same length.

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

    def columns(self, values: Sequence[str], name: str) -> Iterator[list[str]]:
        length = max(map(len, values), default=0)
        padded = [self._padded(value, length) for value in values]
        yield list(values)
        for level in range(1, self._levels(length, name) + 1):
            yield [self._masked(value, level * self.step) for value in padded]
        yield [TOP] * len(values)

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
        return value.ljust(length, TOP) if self.side == "right" else value.rjust(length, TOP)

    def _masked(self, value: str, count: int) -> str:
        return value[:-count] + TOP * count if self.side == "right" else TOP * count + value[count:]
