"""Krypsis makes personal data safe to publish.

Every model, algorithm, metric and attack is a class of this package, too: ``krypsis.KAnonymity(k=5)``,
``krypsis.Mondrian()``. Which names there are, and where they are defined, stands in ``__init__.pyi``: editors read it,
and so does this module, which imports a name when it is first used.
"""

from functools import cache as _cache
from importlib import import_module as _import_module

from krypsis.version import __version__ as __version__


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that ``import krypsis`` stays light."""
    if name.startswith("_") or name not in (homes := _homes()):
        raise AttributeError(f"module 'krypsis' has no attribute {name!r}")
    found = getattr(_import_module(homes[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*_homes(), "__version__"])


@_cache
def _homes() -> dict[str, str]:
    """Return the module of every public name, as the stub says."""
    stub = __spec__.loader.get_data(f"{__path__[0]}/__init__.pyi").decode()  # also from an archive
    words = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    return {imported[3]: imported[1] for imported in words if not imported[3].startswith("_")}
