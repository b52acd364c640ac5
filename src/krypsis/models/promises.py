"""Read the promises of a manifest.

The checker does not go through the registry, which knows the algorithms: it looks among the models only.
"""

from __future__ import annotations

import re
from functools import cache

from pydantic import ValidationError

import krypsis.models
from krypsis.discovery import concrete_classes, is_of_package
from krypsis.errors import DataError, did_you_mean
from krypsis.models.base import PrivacyModel

PARAMETER = re.compile(r'(?P<name>\w+)=(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^,]*))(?:,|$)')


def read_promise(spec: str) -> PrivacyModel:
    """Return the model a spec such as ``k-anonymity:k=5`` stands for.

    Examples
    --------
    >>> read_promise("k-anonymity:k=5")
    KAnonymity(k=5)
    """
    name, _, rest = spec.partition(":")
    known = _models()
    if name not in known:
        raise DataError(
            f"the release promises {spec!r}, which this version of krypsis cannot check; "
            f"models: {', '.join(known)}.{did_you_mean(name, known)}"
        )
    try:
        return known[name].model_validate(_parameters(rest, spec))
    except ValidationError as error:
        raise DataError(f"the release promises {spec!r}, which is not understood: {error.errors()[0]['msg']}") from None


def _parameters(text: str, spec: str) -> dict[str, str]:
    """Read ``name=value,…``; a value may stand in quotes, with quotes inside it doubled."""
    found = list(PARAMETER.finditer(text))
    names = [match["name"] for match in found]
    # Whoever reads the promise must read the same as we do: nothing twice, nothing that is passed over.
    if len(set(names)) < len(names) or "".join(match[0] for match in found) != text:
        raise DataError(f"the release promises {spec!r}, which is not understood: expected name:parameter=value,…")
    return {
        match["name"]: match["plain"] if match["quoted"] is None else match["quoted"].replace('""', '"')
        for match in found
    }


@cache
def _models() -> dict[str, type[PrivacyModel]]:
    found = concrete_classes(krypsis.models, PrivacyModel)
    ours = [cls for cls in found if is_of_package(cls, krypsis.models)]
    return {name: cls for cls in ours for name in (cls.name, *cls.aliases)}
