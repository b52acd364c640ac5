"""The flat hierarchy: a value is published as it is, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from krypsis.hierarchies.base import TOP
from krypsis.hierarchies.builder import RuleBuilder


class Flat(RuleBuilder):
    """Every value becomes ``*``.

    Examples
    --------
    >>> Flat().build(["male", "female"], "sex").rows()
    [['male', '*'], ['female', '*']]
    """

    kind: ClassVar[str] = "flat"

    def columns(self, values: Sequence[str], name: str) -> list[list[str]]:  # noqa: ARG002
        return [list(values), [TOP] * len(values)]
