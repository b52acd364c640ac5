"""Compiles a hot loop when it is first called.

numba costs a fraction of a second to import, so nothing is compiled before it is needed. The machine code is kept
between runs where a folder for it can be written; where none can, it is compiled anew in each process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import cache, update_wrapper
from pickle import UnpicklingError
from threading import RLock
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

_compiling = RLock()
"""numba is loaded and set up by one thread at a time."""

log = logging.getLogger(__name__)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, compiled by numba on the first call; ``.reference`` is the plain Python function."""

    @cache
    def machine_code() -> Callable[P, R]:
        with _compiling:
            return _compile(function)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return machine_code()(*args, **kwargs)

    update_wrapper(call, function)
    call.reference = function  # type: ignore[attr-defined]
    call.machine_code = machine_code  # type: ignore[attr-defined]
    return call


def _called(function: Callable[P, R]) -> dict[str, Any]:
    """Return the compiled functions that a function calls, as numba knows them."""
    plain = cast("FunctionType", function)
    known: dict[str, Any] = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
    return {name: found.machine_code() for name, found in known.items() if hasattr(found, "machine_code")}


def _calling_machine_code(function: Callable[P, R], called: Mapping[str, Any]) -> Callable[P, R]:
    """Return the function with the compiled functions that it calls as numba knows them."""
    plain = cast("FunctionType", function)
    if not called:
        return function
    copy = FunctionType(plain.__code__, {**plain.__globals__, **called}, plain.__name__, plain.__defaults__)
    return cast("Callable[P, R]", update_wrapper(copy, function))


def _compile(function: Callable[P, R]) -> Callable[P, R]:
    import numba  # noqa: PLC0415  imported late on purpose

    # NUMBA_DISABLE_JIT=1, as people set it to debug or to measure coverage
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    called = _called(function)
    function = _calling_machine_code(function, called)
    try:
        kept = numba.njit(cache=True, nogil=True)(function)
        _compile_anew_with(kept, called.values())
        _compile_anew_if_unreadable(kept)
        _go_on_if_not_kept(kept)
    except RuntimeError as error:  # numba finds no folder for its cache
        log.info("kernel %s is compiled without a cache: %s", function.__name__, error)
        kept = numba.njit(nogil=True)(function)
    _compile_once_for_all_numbers(kept)
    return cast("Callable[P, R]", kept)


def _compile_once_for_all_numbers(kernel: Any) -> None:
    """Have a kernel that is called with a constant by another one compiled as for any number.

    numba would compile it twice: for the constant with which a variable begins, and for what the variable becomes.
    Compiling is what takes longest in a first run.
    """
    from numba.core import types  # noqa: PLC0415  imported late on purpose

    unliteral: Callable[[Any], Any] = types.unliteral
    template = kernel.get_call_template
    kernel.get_call_template = lambda args, kws: template(
        tuple(unliteral(one) for one in args), {name: unliteral(one) for name, one in kws.items()}
    )


def _compile_anew_with(kept: Any, called: Iterable[Any]) -> None:
    """Have machine code that is kept on disk made anew when a function that it calls has changed.

    numba looks only at the file of the function itself; what is called from other files is part of its machine code.
    """
    file = _kept_file(kept)
    stamps = {repr(file._source_stamp), *(stamp for other in called for stamp in _kept_file(other)._source_stamp)}  # noqa: SLF001
    file._source_stamp = tuple(sorted(stamps))  # noqa: SLF001


def _compile_anew_if_unreadable(kept: Any) -> None:
    """Have machine code made anew where what was kept names a type that is no longer there.

    Files of an older version stay where they are when a newer one is installed, and numba reads all of such a file
    before it looks at how old it is.
    """
    file = _kept_file(kept)
    read = file._load_index  # noqa: SLF001

    def read_or_nothing() -> Any:
        try:
            return read()
        except (AttributeError, ImportError, EOFError, OSError, UnpicklingError) as error:
            log.info("kernel %s is compiled anew: %s", kept.__name__, error)
            return {}

    file._load_index = read_or_nothing  # noqa: SLF001


def _go_on_if_not_kept(kept: Any) -> None:
    """Use machine code although it cannot be kept, for example because the disk is full."""
    save = kept._cache.save_overload  # noqa: SLF001

    def save_or_not(signature: Any, data: Any) -> None:
        try:
            save(signature, data)
        except OSError as error:
            log.info("kernel %s is compiled without a cache: %s", kept.__name__, error)

    kept._cache.save_overload = save_or_not  # noqa: SLF001


def _kept_file(kernel: Any) -> Any:
    file = getattr(kernel._cache, "_cache_file", None)  # noqa: SLF001  numba offers no other way
    if file is None:
        raise RuntimeError(f"{kernel.__name__} is not kept")
    return file
