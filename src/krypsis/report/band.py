"""Pictures of which records hold which items, as inline SVG: in the order of the file, and in band order."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from krypsis.arrays import IntArray
from krypsis.report.charts import svg
from krypsis.transactions import Transactions

CELLS = 160
"""Rows and columns of a picture, where there are as many records and items."""
SIDE = 400
"""Width and height of a picture in pixels."""
SHADES = 5


def band_pictures(transactions: Transactions, row_order: IntArray, column_order: IntArray) -> tuple[str, str]:
    """Return two drawings: records and items in the order in which they came, and in the orders given.

    Both have the same scale, so that the darkness of the one can be compared with that of the other.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["wine"], ["cream"], ["wine"]])
    >>> before, after = band_pictures(baskets, np.array([1, 0, 2]), np.array([0, 1]))
    >>> before.count("<path"), after.count('aria-label="2 items of 3 records, neighbors alike"')
    (1, 1)
    """
    as_they_came = density(transactions, np.arange(len(transactions)), np.arange(len(transactions.items)))
    in_order = density(transactions, row_order, column_order)
    most = max(int(as_they_came.max(initial=0)), int(in_order.max(initial=0)))
    what = f"{len(transactions.items):,} items of {len(transactions):,} records"
    return _drawn(as_they_came, most, f"{what}, as they came"), _drawn(in_order, most, f"{what}, neighbors alike")


def density(transactions: Transactions, row_order: IntArray, column_order: IntArray, cells: int = CELLS) -> IntArray:
    """Count the items of the records that fall into each cell of a grid of at most ``cells`` rows and columns.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["a", "b"], ["b"], ["c"], ["c", "d"]])
    >>> density(baskets, np.array([3, 2, 1, 0]), np.arange(4), cells=2).tolist()
    [[0, 3], [3, 0]]
    """
    rows, columns = _strips(row_order, cells), _strips(column_order, cells)
    height, width = min(cells, len(rows)), min(cells, len(columns))
    keys = rows[transactions.records] * max(width, 1) + columns[transactions.codes]
    return np.bincount(keys, minlength=height * width).reshape(height, width).astype(np.int64)


def _strips(order: IntArray, cells: int) -> IntArray:
    """Return for each number in which of ``cells`` strips of the order it stands, all nearly as wide."""
    strips = np.empty(len(order), dtype=np.int64)
    strips[order] = np.arange(len(order)) * min(cells, len(order)) // max(len(order), 1)
    return strips


def _drawn(grid: IntArray, most: int, title: str) -> str:
    """Return a grid as a drawing: the more of a cell is filled, the darker it is."""
    # On a scale of logarithms single items are seen beside the densest cells.
    shades = np.ceil(SHADES * np.log1p(grid) / np.log1p(max(most, 1))).astype(np.int64)
    paths = [_path(shades, shade) for shade in range(1, SHADES + 1)]
    height, width = grid.shape
    scale = f'<g transform="scale({SIDE / max(width, 1):.6g} {SIDE / max(height, 1):.6g})">'
    frame = f'<rect class="track" x="0" y="0" width="{SIDE}" height="{SIDE}" fill-opacity="0.25"/>'
    return svg([frame, scale, *paths, "</g>"], title, SIDE, SIDE)


def _path(shades: IntArray, shade: int) -> str:
    """Return the cells of one shade as one path of runs along the rows."""
    runs = []
    for row, line in enumerate((shades == shade).tolist()):
        column = 0
        for is_filled, cells in groupby(line):
            length = len(list(cells))
            if is_filled:
                runs.append(f"M{column} {row}h{length}v1h-{length}z")
            column += length
    return f'<path class="after" fill-opacity="{shade / SHADES:.2g}" d="{"".join(runs)}"/>' if runs else ""
