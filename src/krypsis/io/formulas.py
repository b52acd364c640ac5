"""Cells that a spreadsheet would take for a formula and carry out."""

from __future__ import annotations

import polars as pl

FORMULA = r"^[\s\x00]*[=+\-@＝＋－＠]|^[\t\r\n]"
NUMBER = r"^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with an apostrophe before every text that a spreadsheet could carry out; numbers stay.

    References
    ----------
    OWASP, "CSV Injection".

    Examples
    --------
    >>> without_formulas(pl.DataFrame({"=a": ["=1+2", "-5", "-5 to 0", "@x", None, "plain"]})).to_dict(as_series=False)
    {"'=a": ["'=1+2", '-5', "'-5 to 0", "'@x", None, 'plain']}
    """
    cells = table.with_columns(_harmless(pl.col(pl.String)))
    harmless = pl.DataFrame({"name": table.columns}, schema={"name": pl.String}).select(_harmless(pl.col("name")))
    return cells.rename(dict(zip(table.columns, _distinct(harmless["name"].to_list()), strict=True)))


def _harmless(text: pl.Expr) -> pl.Expr:
    dangerous = text.str.contains(FORMULA) & ~text.str.contains(NUMBER)
    return pl.when(dangerous).then(pl.lit("'") + text).otherwise(text).name.keep()


def _distinct(names: list[str]) -> list[str]:
    """Return the names with more apostrophes where two have become one."""
    taken: dict[str, None] = {}
    for name in names:
        while name in taken:
            name = f"'{name}"  # noqa: PLW2901
        taken[name] = None
    return list(taken)
