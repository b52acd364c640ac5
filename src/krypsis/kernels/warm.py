"""Loads the compiler before it is needed."""

from __future__ import annotations

import numpy as np

from krypsis.kernels.grouping import number_keys


def load_kernels() -> None:
    """Load numba and the kernel that every run begins with, which takes a good part of a second in a new process.

    Meant for a thread of its own, beside one that reads a file: reading leaves the interpreter free. Whoever calls a
    kernel in the meantime waits until it is loaded.

    Examples
    --------
    >>> load_kernels()
    """
    number_keys(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
