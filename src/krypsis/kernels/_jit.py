"""Compiles a hot loop when it is first called.

numba costs a fraction of a second to import, so nothing is compiled before it is needed. The machine code is kept
between runs where a folder for it can be written; where none can, it is compiled anew in each process.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial, update_wrapper
from importlib import import_module
from pickle import UnpicklingError
from threading import RLock
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from krypsis.kernels._callees import without_machine_code_of_callees

P = ParamSpec("P")
R = TypeVar("R")

_compiling = RLock()
"""numba is loaded and set up by one thread at a time."""

log = logging.getLogger(__name__)

MOST_PLAIN_WORK = 3_000_000
"""Turns of loops that a process runs plainly before it compiles a kernel: a second or two."""

MOST_AT_ONCE = 100_000
"""Of more turns in one call there will be many more: such a kernel is compiled at once."""

_listeners: list[Callable[[], object]] = []
"""Who wants to hear that something is compiled, which may take seconds, and not only loaded."""


@contextmanager
def hearing_of_compilation(listener: Callable[[], object]) -> Iterator[None]:
    """Call the listener whenever a kernel is compiled, in the thread that needs it.

    Examples
    --------
    >>> with hearing_of_compilation(lambda: print("compiling")):
    ...     pass
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, compiled by numba on the first call; ``.reference`` is the plain Python function."""

    @cache
    def machine_code() -> Callable[P, R]:
        with _compiling:
            return _compile(function)

    @cache
    def called_code() -> Any:
        return _compile_for_callers(function)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return machine_code()(*args, **kwargs)

    update_wrapper(call, function)
    call.reference = function  # type: ignore[attr-defined]
    call.machine_code = machine_code  # type: ignore[attr-defined]
    call.called_code = called_code  # type: ignore[attr-defined]
    call.plain_code = cache(lambda: _wrapping(_calling(function, "plain_code")))  # type: ignore[attr-defined]
    call.is_kept = cache(lambda: _is_kept(machine_code()))  # type: ignore[attr-defined]
    call.plain_work = 0  # type: ignore[attr-defined]
    return call


def for_work(kernel: Callable[P, R], amount: int) -> Callable[P, R]:
    """Return what does some work soonest: the compiled function, or its plain form where compiling takes longer.

    Machine code is used wherever there is some already. Little work is done plainly until it has added up to about
    half of the time that compiling would take; both give the same answer. ``amount`` counts turns of innermost loops.

    Examples
    --------
    >>> from krypsis.kernels.rows import sum_of_chosen
    >>> import numpy as np
    >>> for_work(sum_of_chosen, 3)(np.array([4, 5, 6]), np.array([True, False, True]))
    10
    """
    known = cast("Any", kernel)
    if amount > MOST_AT_ONCE or known.plain_work + amount > MOST_PLAIN_WORK or known.is_kept():
        return kernel
    known.plain_work += amount
    return cast("Callable[P, R]", known.plain_code())


def _wrapping(function: Callable[P, R]) -> Callable[P, R]:
    """Return a plain function whose whole numbers wrap around without a warning, as in machine code."""
    return np.errstate(over="ignore")(function)


def _is_kept(code: Any) -> bool:
    """Say whether machine code lies on disk, or none is to be made at all."""
    if not hasattr(code, "overloads"):  # numba is switched off
        return True
    file = getattr(code._cache, "_cache_file", None)  # noqa: SLF001
    return file is not None and bool(file._load_index())  # noqa: SLF001


def _called(function: Callable[P, R]) -> dict[str, Any]:
    """Return the compiled functions that a function calls, by the name that it has for them."""
    plain = cast("FunctionType", function)
    known: dict[str, Any] = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
    return {name: found for name, found in known.items() if hasattr(found, "called_code")}


def _calling(function: Callable[P, R], form: str) -> Callable[P, R]:
    """Return the function with the compiled functions that it calls in one of their forms."""
    plain = cast("FunctionType", function)
    called = {name: getattr(found, form)() for name, found in _called(function).items()}
    if not called:
        return function
    copy = FunctionType(plain.__code__, {**plain.__globals__, **called}, plain.__name__, plain.__defaults__)
    return cast("Callable[P, R]", update_wrapper(copy, function))


def _compile(function: Callable[P, R]) -> Callable[P, R]:
    import numba  # noqa: PLC0415  imported late on purpose

    # NUMBA_DISABLE_JIT=1, as people set it to debug or to measure coverage
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return _wrapping(function)
    _announce_compilation()
    compile_lightly: Any = partial(numba.njit, nogil=True, no_cfunc_wrapper=True)  # C calls no kernel
    stamped, function = function, _calling(function, "called_code")
    try:
        kept = compile_lightly(function, cache=True)
        _compile_anew_with(kept, _stamps(stamped))
        _compile_anew_if_unreadable(kept)
        _load_without_compiler(kept)
        _go_on_if_not_kept(kept)
    except RuntimeError as error:  # numba finds no folder for its cache
        log.info("kernel %s is compiled without a cache: %s", function.__name__, error)
        _load_arrays_without_scipy()
        kept = compile_lightly(function)
    without_machine_code_of_callees(kept)
    return cast("Callable[P, R]", kept)


@cache
def _load_arrays_without_scipy() -> None:
    """Load what numba knows about arrays, but not scipy, which it loads to see whether there is linear algebra.

    No kernel uses any, and loading it takes a tenth of a second. Code that does use it makes numba look again.
    """
    from numba.np import linalg  # noqa: PLC0415  imported late on purpose

    library: Any = linalg
    look, library.ensure_blas = library.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        library.ensure_blas = look


@cache
def _announce_compilation() -> None:
    from numba.core import event  # noqa: PLC0415  imported late on purpose

    class Herald(event.Listener):
        def on_start(self, event: object) -> None:  # noqa: ARG002  what a listener is given
            for listener in tuple(_listeners):
                listener()

        def on_end(self, event: object) -> None:
            """Hear that it is done, which nobody asks for."""

    register: Callable[[str, Any], None] = event.register
    register("numba:compile", Herald())


def _compile_for_callers(function: Callable[P, R]) -> Any:
    """Return what other kernels call: without what Python and C would need to call it, and kept in its callers only.

    Leaving that out saves a fifth of the time that a kernel with many parts takes to compile.
    """
    import numba  # noqa: PLC0415  imported late on purpose

    compile_bare: Any = partial(numba.njit, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    kernel = compile_bare(_calling(function, "called_code"))
    _compile_once_for_all_numbers(kernel)
    return kernel


def _compile_once_for_all_numbers(kernel: Any) -> None:
    """Have a kernel that is called with a constant or a short integer by another one compiled as for any number.

    numba would compile it twice: for the constant with which a variable begins, and for what the variable becomes, or
    for codes (32 bits) and for counts (64 bits). Compiling is what takes longest in a first run.
    """
    template = kernel.get_call_template
    kernel.get_call_template = lambda args, kws: template(
        tuple(map(_any_number, args)), {name: _any_number(one) for name, one in kws.items()}
    )


def _any_number(kind: Any) -> Any:
    from numba.core import types  # noqa: PLC0415  imported late on purpose

    unliteral: Callable[[Any], Any] = types.unliteral
    kind = unliteral(kind)
    return types.int64 if kind in types.signed_domain else kind


def _compile_anew_with(kept: Any, stamps: Iterable[str]) -> None:
    """Have machine code that is kept on disk made anew when a function that it calls has changed.

    numba looks only at the file of the function itself; what is called from other files is part of its machine code.
    """
    _kept_file(kept._cache)._source_stamp = tuple(sorted(stamps))  # noqa: SLF001


def _stamps(function: Callable[..., object]) -> set[str]:
    """Return what changes with the file of a function or with that of a compiled function that it calls."""
    from numba.core import caching  # noqa: PLC0415  imported late on purpose

    cache_of: Callable[[Any], Any] = caching.FunctionCache
    called = (found.reference for found in _called(function).values())
    own = repr(_kept_file(cache_of(function))._source_stamp)  # noqa: SLF001
    return {own}.union(*map(_stamps, called))


def _compile_anew_if_unreadable(kept: Any) -> None:
    """Have machine code made anew where what was kept names a type that is no longer there.

    Files of an older version stay where they are when a newer one is installed, and numba reads all of such a file
    before it looks at how old it is.
    """
    file = _kept_file(kept._cache)  # noqa: SLF001
    read = file._load_index  # noqa: SLF001

    def read_or_nothing() -> Any:
        try:
            return read()
        except (AttributeError, ImportError, EOFError, OSError, UnpicklingError) as error:
            log.info("kernel %s is compiled anew: %s", kept.__name__, error)
            return {}

    file._load_index = read_or_nothing  # noqa: SLF001


def _load_without_compiler(kept: Any) -> None:
    """Have machine code that is kept on disk loaded alone, without all that numba needs to make some.

    numba loads its implementations of Python and numpy first, which takes 0.15 s in every process. It is left to do so
    where nothing is kept, where the code needs something of them, and where this numba works in another way.
    """
    load_with_compiler = kept._cache.load_overload  # noqa: SLF001

    def load(signature: Any, context: Any) -> Any:
        try:
            found = _loaded_alone(kept._cache, signature, context)  # noqa: SLF001
        except Exception as error:  # noqa: BLE001  of a numba with other insides; what is wrong with the code is raised below
            log.info("kernel %s is loaded with the compiler: %r", kept.__name__, error)
            found = None
        if found is not None:
            return found
        _load_arrays_without_scipy()
        return load_with_compiler(signature, context)

    kept._cache.load_overload = load  # noqa: SLF001


def _loaded_alone(on_disk: Any, signature: Any, context: Any) -> Any:
    """Return what is kept for a signature; nothing where there is nothing, or where it needs more than is loaded."""
    from numba.core.runtime.nrt import rtsys  # noqa: PLC0415  imported late on purpose

    rtsys.initialize(context)  # machine code calls it for the memory of arrays
    data = on_disk._cache_file.load(on_disk._index_key(signature, context.codegen()))  # noqa: SLF001
    if data is None:
        return None
    (_, _, (_, bitcode)), *_ = data
    if missing := _missing_symbols(bitcode):
        log.info("kernel %s is loaded with the compiler, for it needs %s", on_disk, ", ".join(missing))
        return None
    return on_disk._impl.rebuild(context, data)  # noqa: SLF001


def _missing_symbols(bitcode: bytes) -> list[str]:
    """Return what a kernel refers to and what is not loaded; LLVM would end the process in search of it."""
    binding: Any = import_module("llvmlite.binding")  # imported late on purpose
    module = binding.parse_bitcode(bitcode)
    needed = [one.name for one in (*module.functions, *module.global_variables) if one.is_declaration]
    return [name for name in needed if not name.startswith("llvm.") and not binding.address_of_symbol(name)]


def _go_on_if_not_kept(kept: Any) -> None:
    """Use machine code although it cannot be kept, for example because the disk is full."""
    save = kept._cache.save_overload  # noqa: SLF001

    def save_or_not(signature: Any, data: Any) -> None:
        try:
            save(signature, data)
        except OSError as error:
            log.info("kernel %s is compiled without a cache: %s", kept.__name__, error)

    kept._cache.save_overload = save_or_not  # noqa: SLF001


def _kept_file(kept: Any) -> Any:
    file = getattr(kept, "_cache_file", None)  # numba offers no other way
    if file is None:
        raise RuntimeError("numba keeps no machine code")
    return file
