"""Kernels are loaded during other work, and a first call finds them whole."""

import subprocess
import sys

PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from krypsis.kernels.rows import number_keys
from krypsis.kernels.rows import load_kernels


def count(_):
    keys = np.array([7, 7, 9])
    return number_keys(keys, np.empty(3, np.int32), np.empty(3, np.int64))


with ThreadPoolExecutor(5) as pool:
    loading = pool.submit(load_kernels)
    print(set(pool.map(count, range(20))), loading.result())
"""


def test_threads_that_call_a_kernel_while_it_is_loaded_get_its_answer():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert result.stdout == "{2} None\n", result.stderr
