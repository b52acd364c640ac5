"""Parameters about attributes, as mappings or, on a command line, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator

from krypsis.algorithms.tables.boxes.axes import AxisKind, Publish
from krypsis.specs import split_list, unquoted


def by_attribute(given: object) -> object:
    """Return a mapping from text such as ``age=numeric, zip=ordered``; anything else stays as it is.

    Examples
    --------
    >>> by_attribute("age=numeric, zip=ordered")
    {'age': 'numeric', 'zip': 'ordered'}
    >>> by_attribute("ranges")
    'ranges'
    """
    if not isinstance(given, str) or "=" not in given:
        return given
    pairs = (unquoted(part).rpartition("=") for part in split_list(given))
    return {name.strip(): value.strip() for name, _, value in pairs}


def listed(given: object) -> object:
    """Return a list from text with commas; anything else stays as it is.

    Examples
    --------
    >>> listed("sex, age")
    ['sex', 'age']
    """
    return [unquoted(part) for part in split_list(given)] if isinstance(given, str) else given


Kinds = Annotated[Mapping[str, AxisKind], BeforeValidator(by_attribute)]
Publishing = Annotated[Publish | Mapping[str, Publish], BeforeValidator(by_attribute)]
Names = Annotated[tuple[str, ...], BeforeValidator(listed)]
