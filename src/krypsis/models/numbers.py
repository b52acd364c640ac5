"""Sensitive values as numbers, for promises that are about how far apart they are."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.data.groups import Domain
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.errors import UsageError, shorten


def numbers_of(domain: Domain, promise: str) -> FloatArray:
    """Return the values of a sensitive attribute as numbers, "not a number" where missing.

    ``promise`` is what a message calls the promise that needs numbers.

    Raises
    ------
    UsageError
        if one of them is no finite number.

    Examples
    --------
    >>> numbers_of(Domain(("30", "7.5", None)), "(k,e)-anonymity")
    array([30. ,  7.5,  nan])
    """
    parsed = [None if value is None else parse_number(value) for value in domain.values]
    numbers = np.array([np.nan if number is None else float(number) for number in parsed], dtype=np.float64)
    pairs = zip(domain.values, numbers, strict=True)
    if strange := [value for value, number in pairs if value is not None and not np.isfinite(number)]:
        raise UsageError(
            f"{promise} is about numbers; {domain.name} has {len(strange)} value(s) that are none: "
            f"{shorten(map(repr, strange), 5)}. Promise something about categories instead, such as "
            "'frequency-l-diversity:l=3'"
        )
    return numbers
