"""Numbers of rows in a private record: a list of a few, one bit per row of many."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from krypsis.arrays import IntArray
from krypsis.errors import DataError

MOST_LISTED = 1_000
"""More numbers than this would take most of the record, and nobody reads them."""
BITMAP = "zlib_bitmap"


def written_rows(rows: Sequence[int]) -> Sequence[int] | dict[str, Any]:
    """Return the numbers of rows, ascending, as a private record has them.

    Examples
    --------
    >>> written_rows([3, 7]), written_rows(range(5_000))["rows"]
    ([3, 7], 5000)
    """
    if len(rows) <= MOST_LISTED:
        return list(rows)
    bits = np.zeros(rows[-1] + 1, dtype=np.bool_)
    bits[rows] = True
    return {"rows": len(rows), BITMAP: base64.b64encode(zlib.compress(np.packbits(bits).tobytes())).decode("ascii")}


def rows_in(written: Any) -> IntArray:
    """Return the numbers of rows that a private record has.

    Raises
    ------
    DataError
        if it has none.

    Examples
    --------
    >>> rows_in([3, 7]), int(rows_in(written_rows(range(5_000))).sum())
    (array([3, 7]), 12497500)
    """
    if not isinstance(written, Mapping):
        return np.asarray(written, dtype=np.int64)
    try:
        packed = zlib.decompress(base64.b64decode(written[BITMAP], validate=True))
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise DataError(f"the private record does not say which rows were suppressed: {error}; it is damaged") from None
    found = np.flatnonzero(np.unpackbits(np.frombuffer(packed, dtype=np.uint8)))
    if len(found) != written.get("rows"):
        raise DataError(
            f"the private record names {len(found)} suppressed rows and says they are {written.get('rows')}; "
            "it is damaged"
        )
    return found
