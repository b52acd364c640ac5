"""Rules by which cells of a table follow from others, and the cells that are secret."""

from krypsis.data.dependencies.rules import (
    Condition,
    Dependency,
    FunctionalDependency,
    SecretCells,
    ValueRule,
    columns_of_rule,
)
from krypsis.data.dependencies.syntax import parse_dependency, parse_secret

__all__ = [
    "Condition",
    "Dependency",
    "FunctionalDependency",
    "SecretCells",
    "ValueRule",
    "columns_of_rule",
    "parse_dependency",
    "parse_secret",
]
