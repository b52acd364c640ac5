"""Makes no machine code for functions that only compiled functions call.

numba turns every function that a kernel calls into machine code twice: on its own, and as a part of the kernel, into
which it is copied. Nobody can call the first unless it has a wrapper for Python, and making it takes up to a fifth of
the time of a first run. Here such a function is optimized and kept for its callers, so that their machine code is what
it would be. (Leaving its optimization to the callers would save as much again and make some kernels 15 % slower.)
"""

import logging
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any

log = logging.getLogger(__name__)

ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of variables begin that hold the constants and the module of a function."""

WRAPPER = "_ZN7cpython"
"""How the names of functions begin that Python calls."""

_depth = 0
"""How many kernels are being compiled, one for the other; numba compiles in one thread at a time."""


def without_machine_code_of_callees(kernel: Any) -> None:
    """Have a kernel compiled without machine code of what it calls, where this numba allows that."""
    try:
        _change_numba()
    except (AttributeError, ImportError) as error:
        log.info("what kernels call is compiled on its own, too: %s", error)
        return
    compiler = kernel._compiler  # noqa: SLF001  numba offers no other way
    compiler.compile = _counted(compiler.compile)


def _counted(compile_: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(compile_)
    def compile_without(*args: Any, **kwargs: Any) -> Any:
        global _depth  # noqa: PLW0603  numba has no place to hand it over
        _depth += 1
        try:
            return compile_(*args, **kwargs)
        finally:
            _depth -= 1

    return compile_without


@cache
def _change_numba() -> None:
    """Change the steps of numba that are about machine code."""
    names = ("numba.core.codegen", "numba.core.cpu", "numba._dynfunc", "numba.core.environment")
    codegen, cpu, functions, environments = map(import_module, names)  # imported late on purpose
    _change_contexts(cpu.CPUContext, functions.make_function, environments.lookup_environment)
    _change_libraries(codegen.JITCodeLibrary)


def _change_libraries(library_class: Any) -> None:
    """Let what a kernel calls not be turned into machine code on its own."""
    emit = library_class._finalize_final_module  # noqa: SLF001
    finalize, get_pointer = library_class.finalize, library_class.get_pointer_to_function

    def finalize_marked(self: Any) -> None:
        self.is_callee = _depth > 0 and not _has_wrapper(self)
        finalize(self)

    def emit_unless_callee(self: Any) -> None:
        if _is_callee(self):
            self._finalized = True
        else:
            emit(self)

    def get_pointer_after_emission(self: Any, name: str) -> Any:
        if _is_callee(self):  # somebody needs it after all, for example as a function of C
            self.is_callee = False
            emit(self)
        return get_pointer(self, name)

    library_class.finalize = finalize_marked
    library_class._finalize_final_module = emit_unless_callee  # noqa: SLF001
    library_class.get_pointer_to_function = get_pointer_after_emission


def _change_contexts(context_class: Any, make_function: Callable[..., Any], lookup: Callable[[str], Any]) -> None:
    """Have numba know callees without machine code, and a kernel refer to what they refer to."""
    get_executable = context_class.get_executable

    def get_executable_or_key(self: Any, library: Any, function: Any, environment: Any) -> Any:
        library._ensure_finalized()  # noqa: SLF001
        if _is_callee(library):
            # A key under which numba finds the function for its callers; it cannot be called.
            return make_function(function.lookup_module(), function.qualname, "", 0, environment, (library,))
        executable = get_executable(self, library, function, environment)
        for name in _environments(library):
            if (found := lookup(name)) is not None:
                library.codegen.set_env(name, found)
        return executable

    context_class.get_executable = get_executable_or_key


def _has_wrapper(library: Any) -> bool:
    functions = library._final_module.functions  # noqa: SLF001
    return any(function.name.startswith(WRAPPER) for function in functions)


def _is_callee(library: Any) -> bool:
    return getattr(library, "is_callee", False)


def _environments(library: Any) -> list[str]:
    """Return the names of the variables that point to the constants of a function and of its callees."""
    variables = library._final_module.global_variables  # noqa: SLF001
    return [variable.name for variable in variables if variable.name.startswith(ENVIRONMENT)]
