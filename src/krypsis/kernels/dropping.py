"""Drops items from single records until none of them holds a given set."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def drop_from_holders(
    sets: IntArray, codes: IntArray, starts: IntArray, records: IntArray, record_starts: IntArray, dropped: BoolArray
) -> None:
    """Mark codes of records to drop, so that no record holds any of the sets.

    ``sets`` has a set per row, filled up with -1; ``records`` are those that hold each code, one list after the other.
    A code is dropped where it is in most of the sets that its record holds; ties go to the first of the set.
    """
    blame = np.zeros(len(codes), dtype=np.int64)
    places = np.empty(sets.shape[1], dtype=np.int64)
    for counting in (True, False):
        for one in sets:
            rarest = one[0]
            for code in one:
                if code >= 0 and (
                    record_starts[code + 1] - record_starts[code] < record_starts[rarest + 1] - record_starts[rarest]
                ):
                    rarest = code
            for holder in records[record_starts[rarest] : record_starts[rarest + 1]]:
                size = _find_all(one, codes, starts[holder], starts[holder + 1], dropped, places)
                if counting:
                    blame[places[:size]] += 1
                elif size:
                    dropped[places[np.argmax(blame[places[:size]])]] = True


@compiled
def _find_all(one: IntArray, codes: IntArray, start: int, end: int, dropped: BoolArray, places: IntArray) -> int:
    """Write where a record has the codes of a set; return how many, none unless it has them all and none is dropped."""
    size = 0
    for code in one:
        if code < 0:
            continue
        place = start + np.searchsorted(codes[start:end], code)
        if place == end or codes[place] != code or dropped[place]:
            return 0
        places[size] = place
        size += 1
    return size
