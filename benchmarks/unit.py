"""U: the CPU time of one ``numpy.sort`` of 10 million random int64 in this process, so that machines compare."""

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from statistics import median
from time import perf_counter, process_time

import numpy as np

REPEATS = 5

# A child counts the memory of the process that started it, so a small process has to start what is measured.
LAUNCHER = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


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
    launched = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCHER, *command], check=True, capture_output=True, text=True
    )
    code, seconds, peak = launched.stdout.split()
    if int(code):
        raise subprocess.CalledProcessError(int(code), command)
    return float(seconds), float(peak) / 1024
