"""A limit for the memory of a process."""

from __future__ import annotations

import sys


def limit_memory(size: int) -> None:
    """Let this process take no more than so many bytes from now on; systems without such limits go without."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  there is none on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
