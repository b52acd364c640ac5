"""Work on several threads, with the same result as on one."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def number_of_threads(given: int | None) -> int:
    """Return how many threads work: as many as there are processors unless given.

    Examples
    --------
    >>> number_of_threads(3)
    3
    """
    return given or os.cpu_count() or 1


def work_on_each(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """Return the results in the order of the items, however many threads there are.

    Examples
    --------
    >>> work_on_each(len, ["a", "bcd"], threads=2)
    [1, 3]
    """
    if threads == 1 or len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
