"""Read the promises of a manifest.

The checker reads them by itself, and asks the registry for models only.
"""

import re

from pydantic import ValidationError

from krypsis import registry
from krypsis.errors import DataError, UnknownNameError, did_you_mean
from krypsis.models.base import PrivacyModel

PARAMETER = re.compile(r'(?P<name>\w+)=(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^,]*))(?:,|$)')


def has_unknown_model(spec: str) -> bool:
    """Say whether a promise names a model that is not known here: one of the publisher's own making, or misspelt.

    Examples
    --------
    >>> has_unknown_model("my-model:k=5"), has_unknown_model("k-anonymity:k=5")
    (True, False)
    """
    name = spec.partition(":")[0]
    try:
        registry.find("model", name)
    except UnknownNameError:
        return registry.NAME.fullmatch(name) is not None
    return False


def read_promise(spec: str) -> PrivacyModel:
    """Return the model a spec such as ``k-anonymity:k=5`` stands for.

    Examples
    --------
    >>> read_promise("k-anonymity:k=5")
    KAnonymity(k=5)
    """
    name, _, rest = spec.partition(":")
    try:
        model: type[PrivacyModel] = registry.find("model", name)
    except UnknownNameError:
        known = registry.classes("model")
        raise DataError(
            f"the release promises {spec!r}, which krypsis cannot check here; models: {', '.join(known)}."
            f"{did_you_mean(name, known)} A model of your own must be registered first, one of a package installed"
        ) from None
    try:
        return model.model_validate(_parameters(rest, spec))
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
