"""Discovery: every class of a package, found by importing all its modules."""

from __future__ import annotations

import importlib
import pkgutil
from inspect import isabstract
from types import ModuleType
from typing import Any


def concrete_classes(package: ModuleType, base: type[Any]) -> list[type[Any]]:
    """Return every subclass of ``base`` that is not abstract, after importing all modules of a package.

    Classes of other packages are among them once their module was imported.

    Examples
    --------
    >>> import krypsis.models
    >>> from krypsis.models.base import GroupModel
    >>> "KAnonymity" in {cls.__name__ for cls in concrete_classes(krypsis.models, GroupModel)}
    True
    """
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    return [cls for cls in _subclasses(base) if not isabstract(cls)]


def is_of_package(cls: type, package: ModuleType) -> bool:
    """Say whether a class is defined in a module of a package."""
    return cls.__module__.startswith(package.__name__ + ".")


def summary(cls: type[Any]) -> str:
    """Return what a class says about itself in the first paragraph of its docstring, as one line.

    Examples
    --------
    >>> from krypsis.hierarchies import Flat
    >>> summary(Flat)
    'Every value becomes *.'
    """
    return " ".join((cls.__doc__ or "").split("\n\n")[0].split()).replace("``", "")


def _subclasses(cls: type[Any]) -> list[type[Any]]:
    return [found for child in cls.__subclasses__() for found in (child, *_subclasses(child))]
