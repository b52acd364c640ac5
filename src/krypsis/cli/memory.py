"""The memory that a command may take, where the system sets a limit."""

import ctypes
import os

from krypsis.io.memory import memory_limit

LEAST = 600 * 1024**2
"""Bytes of address space that loading the libraries takes, with some to work."""
M_ARENA_MAX = -8
THRIFT = {
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "2",
    "_RJEM_MALLOC_CONF": "background_thread:false",
}
"""With these, libraries reserve little memory; each thread would get its share."""


def no_memory() -> str:
    """Say that there was too little memory, and which limit the process has."""
    most = memory_limit()
    limit = "" if most is None else f" (the process may take {most // 1024**2:,} MB, see ulimit -v)"
    return f"not enough memory{limit}; give the process more memory, or work with less data"


def take_little_memory() -> None:
    """Let libraries that are loaded from now on reserve little memory."""
    os.environ.update({name: os.environ.get(name, value) for name, value in THRIFT.items()})
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_ARENA_MAX, 1)


def load_what_hangs_without_memory() -> None:
    """Load libraries that wait for ever if they get no memory while they start; only where there is a limit.

    OpenBLAS asks again and again for its buffers. Polars waits for threads that could not be started.

    Raises
    ------
    MemoryError
        if the limit is too low for that.
    """
    limit = memory_limit()
    if limit is None:
        return
    if limit < LEAST:
        raise MemoryError
    import polars as pl  # noqa: PLC0415
    import scipy.linalg  # noqa: F401, PLC0415

    pl.LazyFrame({"a": [1]}).select(pl.col("a").sum()).collect()
