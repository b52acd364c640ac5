"""Places in a dossier, such as ``controller.name``: whether something stands there, and what should."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from krypsis.release.dossier.values import Anonymization, Dossier


def field_at(path: str) -> FieldInfo | None:
    """Return the declaration of a place, or nothing if a dossier has no such place.

    Examples
    --------
    >>> field_at("consent.written").description
    'given in writing'
    """
    model: type[BaseModel] = Dossier
    found: FieldInfo | None = None
    for name in path.split("."):
        found = model.model_fields.get(name)
        if found is None:
            return None
        model = found.annotation if _is_part(found.annotation) else BaseModel  # type: ignore[assignment]
    return found


def is_filled(dossier: Dossier, path: str) -> bool:
    """Return whether something stands at a place.

    Examples
    --------
    >>> dossier = Dossier(profile="eu-gdpr", consent={"free": True})
    >>> [is_filled(dossier, path) for path in ("consent.free", "consent.written", "purpose", "anonymisation")]
    [True, False, False, False]
    """
    value: object = dossier
    for name in path.split("."):
        value = getattr(value, name)
    return value.is_filled if isinstance(value, Anonymization) else bool(value)


def _is_part(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
