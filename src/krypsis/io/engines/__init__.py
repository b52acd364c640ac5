"""Engines count, group and rewrite data where it lies; one file each, named like the engine, found by its name."""

from __future__ import annotations

import importlib
import pkgutil
from inspect import isabstract

from krypsis.errors import UnknownNameError, did_you_mean
from krypsis.io.engines.base import Engine


def engine_names() -> list[str]:
    """Return the names of all engines.

    Examples
    --------
    >>> "memory" in engine_names()
    True
    """
    return [module.name for module in pkgutil.iter_modules(__path__) if module.name != "base"]


def find_engine(name: str) -> type[Engine]:
    """Return the engine of a name; only its own module is imported.

    Raises
    ------
    UnknownNameError
        if there is none.

    Examples
    --------
    >>> find_engine("memory").name
    'memory'
    """
    known = engine_names()
    if name not in known:
        raise UnknownNameError(f"engine {name!r} is not known; engines: {', '.join(known)}.{did_you_mean(name, known)}")
    module = importlib.import_module(f"{__name__}.{name}")
    found: type[Engine] = next(cls for cls in vars(module).values() if _is_engine(cls) and cls.name == name)
    return found


def _is_engine(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Engine) and not isabstract(found)
