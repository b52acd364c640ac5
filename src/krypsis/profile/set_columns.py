"""Where the sets are in a table: which column says whose item a row is, and which one holds the items."""

from __future__ import annotations

import polars as pl

from krypsis.errors import UsageError


def guess_set_columns(frame: pl.DataFrame, name: str) -> dict[str, str]:
    """Return the columns of a table of sets: ``item`` alone for a column of lists, else ``key`` and ``item``.

    Raises
    ------
    UsageError
        if that cannot be guessed; a single column of lists can, or two columns of which the first repeats.

    Examples
    --------
    >>> guess_set_columns(pl.DataFrame({"customer": [7, 7, 8], "product": ["milk", "bread", "milk"]}), "sales.csv")
    {'key': 'customer', 'item': 'product'}
    """
    lists = [column for column, dtype in frame.schema.items() if isinstance(dtype, pl.List | pl.Array)]
    if len(lists) == 1:
        return {"item": lists[0]}
    if frame.width == 2 and not lists:
        first, second = frame.columns
        if frame.get_column(first).n_unique() < frame.height:
            return {"key": first, "item": second}
    if lists:
        raise UsageError(f"{name} has several columns of lists: {', '.join(lists)}; name the one to publish: --item")
    raise UsageError(
        f"{name} does not say by itself which sets it holds; name the columns of record and items: "
        f"--key and --item. Columns: {', '.join(frame.columns)}"
    )
