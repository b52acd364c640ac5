"""Dependency safety of a table whose cells follow from others."""

from typing import ClassVar, Literal

from krypsis.models.base import PrivacyModel


class DependencySafety(PrivacyModel):
    """No blank cell of a sensitive column follows from the published cells and the rules that everybody knows.

    The rules are part of the plan, and of what is published. The level is the number of cells that follow, also where
    only some values are excluded.

    References
    ----------
    Su, Özsoyoglu, "Controlling FD and MVD inferences in multilevel relational database systems", IEEE Transactions on
    Knowledge and Data Engineering 3(4), 1991; Farkas, Jajodia, "The inference problem: a survey", SIGKDD Explorations
    4(2), 2002.

    Examples
    --------
    >>> DependencySafety().promise()
    'no blank cell of a sensitive column follows from published cells and known rules'
    """

    name: ClassVar[str] = "dependency-safety"
    kind: ClassVar[str] = "dependencies"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    protects_from: ClassVar[str] = (
        "computing a secret cell, or excluding some of its values, by rules such as zip → city from other cells of the "
        "record and from other records"
    )
    does_not_protect_from: ClassVar[str] = (
        "conclusions that are likely and not certain, rules that were not given, and noticing that a cell is blank and "
        "guessing why"
    )
    reference: ClassVar[str] = (
        "Su, Özsoyoglu, Controlling FD and MVD inferences in multilevel relational database systems, IEEE Transactions "
        "on Knowledge and Data Engineering 3(4), 1991"
    )

    @property
    def required(self) -> float:
        return 0.0

    def promise(self) -> str:
        return "no blank cell of a sensitive column follows from published cells and known rules"
