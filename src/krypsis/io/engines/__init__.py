"""Engines count, group and rewrite data where it lies; one file each, named like the engine, found by its name."""

import importlib
import os
import pkgutil
from inspect import isabstract
from pathlib import Path

import polars as pl

from krypsis.errors import UnknownNameError, UsageError, did_you_mean
from krypsis.io.addresses import ELSEWHERE, is_address, without_password
from krypsis.io.engines.base import Engine
from krypsis.io.memory import available_memory
from krypsis.io.read import PARQUET, TEXT, file_kind, needed_memory


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


def engine_for(data: object, memory: int | None = None) -> type[Engine]:
    """Return the engine that suits data in any form: where it lies decides, and of a file its size.

    Raises
    ------
    UsageError
        if it is the address of something that no engine works on.

    Examples
    --------
    >>> engine_for("visits/*.parquet").name, engine_for("postgresql://host/clinic?table=visits").name
    ('duckdb', 'postgresql')
    """
    if isinstance(data, str | os.PathLike) and not is_address(data):
        return find_engine(_engine_of_file(Path(data), memory))
    if isinstance(data, pl.DataFrame):
        return find_engine("memory")
    engines = map(find_engine, engine_names())
    if (found := next((engine for engine in engines if engine.takes(data)), None)) is not None:
        return found
    if is_address(data):
        raise UsageError(f"{without_password(data)} cannot be worked on where it lies; {ELSEWHERE}")
    return find_engine("memory")


def _engine_of_file(path: Path, memory: int | None) -> str:
    if is_pattern(path) or path.is_dir():
        return "duckdb"
    if path.suffix.lower() not in (*PARQUET, *TEXT) or not path.is_file() or not path.stat().st_size:
        return "memory"
    return "duckdb" if needed_memory(path, file_kind(path)) > (memory or available_memory() // 2) else "memory"


def is_pattern(path: Path) -> bool:
    """Say whether a path stands for several files; a file of that very name counts as itself."""
    return any(sign in path.name for sign in "*?") and not path.exists()


def _is_engine(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Engine) and not isabstract(found)
