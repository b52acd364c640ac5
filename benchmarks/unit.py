"""U: the CPU time of one ``numpy.sort`` of 10 million random int64 in this process, so that machines compare."""

from collections.abc import Callable
from functools import cache
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from subprocess import run
from time import perf_counter, process_time

import numpy as np

REPEATS = 5


@cache
def unit() -> float:
    """Return U in seconds, the median of five."""
    numbers = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, 10_000_000)
    return cpu(lambda: np.sort(numbers))


def cpu(function: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the CPU seconds of a call in this process, the median of several."""
    times = []
    for _ in range(repeats):
        start = process_time()
        function()
        times.append(process_time() - start)
    return median(times)


def wall(function: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the elapsed seconds of a call, the median of several."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return median(times)


def child_cpu(command: list[str]) -> float:
    """Return the CPU seconds of a command with all its threads and children."""
    before = getrusage(RUSAGE_CHILDREN)
    run(command, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
