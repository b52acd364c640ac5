"""U: the CPU time of one ``numpy.sort`` of 10 million random int64 in this process, so that machines compare."""

import os
import subprocess
from collections.abc import Callable
from functools import cache
from statistics import median
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


def child(command: list[str]) -> tuple[float, float]:
    """Return the CPU seconds of a command with all its threads, and the most memory it used, in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
