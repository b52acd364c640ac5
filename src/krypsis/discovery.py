"""Discovery: what the folders of the kinds of data add, for rooms that lie below them."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from types import ModuleType

KINDS = "krypsis.kinds"
"""The package with a folder for every kind of data."""

USUAL_KIND = "table"
"""The kind of data where none is named."""


def parts_of_kinds(part: str) -> list[ModuleType]:
    """Return the modules of one name from the folders of all kinds of data, where they have it.

    Whoever lies below the kinds finds by it what they add: their plans, the forms of their releases, their checks.

    Examples
    --------
    >>> [module.__name__ for module in parts_of_kinds("kind")][-1]
    'krypsis.kinds.table.kind'
    """
    package = importlib.import_module(KINDS)
    folders = [found.name for found in pkgutil.iter_modules(package.__path__) if found.ispkg]
    names = [f"{KINDS}.{folder}.{part}" for folder in folders]
    return [importlib.import_module(name) for name in names if importlib.util.find_spec(name) is not None]
