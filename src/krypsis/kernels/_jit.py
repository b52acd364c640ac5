"""Compiles a hot loop when it is first called.

numba costs a fraction of a second to import, so nothing is compiled before it is needed. The machine code is kept
between runs where a folder for it can be written; where none can, it is compiled anew in each process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, update_wrapper
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger(__name__)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, compiled by numba on the first call; ``.reference`` is the plain Python function."""

    @cache
    def machine_code() -> Callable[P, R]:
        return _compile(function)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return machine_code()(*args, **kwargs)

    update_wrapper(call, function)
    call.reference = function  # type: ignore[attr-defined]
    return call


def _compile(function: Callable[P, R]) -> Callable[P, R]:
    import numba  # noqa: PLC0415  imported late on purpose

    try:
        return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError as error:  # numba finds no folder for its cache
        log.info("kernel %s is compiled without a cache: %s", function.__name__, error)
        return cast("Callable[P, R]", numba.njit(nogil=True)(function))
