"""Change what a plan says about a column."""

from __future__ import annotations

from krypsis.errors import PlanError, column_not_found
from krypsis.io.yaml_file import parse_yaml
from krypsis.plan.editing import Content, with_value, without
from krypsis.plan.plan import KEYS


def with_column(text: str, column: str, key: str, value: Content | None) -> str:
    r"""Return the text of a plan that says something else about a column; ``None`` says nothing any more.

    Examples
    --------
    >>> plan = "columns:\n  age: QI   # known\n"
    >>> print(with_column(plan, "age", "weight", 2), end="")
    columns:
      age: {role: QI, weight: 2}   # known
    """
    columns = parse_yaml(text, "the plan", KEYS, PlanError).get("columns", {})
    if column not in columns:
        raise column_not_found(column, list(columns))
    if not isinstance(columns[column], dict):  # the short form says the role and nothing else
        text = with_value(text, ("columns", column), {"role": columns[column]})
    path = ("columns", column, key)
    return without(text, path) if value is None else with_value(text, path, value)
