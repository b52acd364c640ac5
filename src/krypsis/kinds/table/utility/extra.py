"""The library that trees and clusters come from, which is an extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from krypsis.errors import UsageError


def scikit_learn(module: str) -> Any:
    """Return a module of scikit-learn.

    Raises
    ------
    UsageError
        if the extra is not installed.
    """
    try:
        return import_module(f"sklearn.{module}")
    except ModuleNotFoundError as error:
        raise UsageError(
            "trees and clusters need the utility extra (scikit-learn); install it: pip install 'krypsis[utility]', "
            "or pip install -e '.[utility]' in a clone"
        ) from error
