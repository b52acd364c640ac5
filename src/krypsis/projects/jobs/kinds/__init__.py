"""The kinds of jobs: one file each, with ``run(project, progress, **parameters)`` that returns what JSON can hold."""

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from krypsis.errors import UnknownNameError, UsageError, did_you_mean

Work = Callable[..., dict[str, Any]]

YIELDING = ("feasibility",)
"""Kinds of jobs that answer a question of a page; they end as soon as the project has other work."""


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds.

    Examples
    --------
    >>> {"check", "read", "run"} <= set(kinds())
    True
    """
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def check_kind(name: str) -> str:
    """Return the name of a kind, unless there is none of this name."""
    if name not in kinds():
        known = kinds()
        raise UnknownNameError(f"{name!r} is no kind of job; kinds: {', '.join(known)}.{did_you_mean(name, known)}")
    return name


def work_of(kind: str) -> Work:
    """Return what a kind of job does."""
    work: Work = import_module(f"{__name__}.{check_kind(kind)}").run
    return work


def check_parameters(kind: str, parameters: Mapping[str, Any]) -> None:
    """Raise unless a kind of job takes these parameters."""
    _, _, *own = inspect.signature(work_of(kind)).parameters  # after the project and its progress
    for name in parameters:
        if name not in own:
            known = ", ".join(own) or "none"
            raise UsageError(f"{kind} has no parameter {name!r}; parameters: {known}.{did_you_mean(name, own)}")
