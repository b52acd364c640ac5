"""Kernels work where numba can keep nothing on disk."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from krypsis.kernels._jit import compiled

PROGRAM = """
import logging, sys
logging.basicConfig(level=logging.INFO)
import numba.core.caching as caching
caching.CacheImpl._locator_classes = []          # as if no folder could be written
import numpy as np
from krypsis.kernels.grouping import number_keys
numbers, first = np.empty(3, np.int32), np.empty(3, np.int64)
print(number_keys(np.array([7, 7, 9]), numbers, first), numbers.tolist())
"""


def test_a_kernel_is_compiled_without_a_cache_folder_and_says_so(tmp_path: Path):
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.stdout == "2 [0, 0, 1]\n", result.stderr
    assert "compiled without a cache" in result.stderr


def test_importing_the_kernels_does_not_import_numba():
    code = "import sys, krypsis.kernels.grouping; print('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


@compiled
def doubled(number: float) -> float:
    return 2 * number


@compiled
def sum_of_doubled(numbers: np.ndarray) -> float:
    total = 0.0
    for number in numbers:
        total += doubled(number)
    return total


def test_a_kernel_may_call_another_of_its_module():
    numbers = np.arange(5.0)
    assert sum_of_doubled(numbers) == sum_of_doubled.reference(numbers) == 20
