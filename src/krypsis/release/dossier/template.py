"""A dossier to fill in, as commented YAML."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from krypsis.io.yaml_file import scalar
from krypsis.release.dossier.profile import NO_LEGAL_ADVICE, Category, Clause, LegalProfile
from krypsis.release.dossier.rules import RUN_FILLS
from krypsis.release.dossier.values import Dossier

WIDTH = 118


def template(profile: LegalProfile, name: str = "") -> str:
    """Return a dossier to fill in under a profile; ``name`` is what the profile is called in it.

    Examples
    --------
    >>> from krypsis.release.dossier.profile import load_profile
    >>> print("".join(template(load_profile("eu-gdpr")).splitlines(keepends=True)[-3:]))
    <BLANKLINE>
    # The data protection impact assessment: where it lies, or why none is needed.
    impact_assessment: ""
    """
    fields = Dossier.model_fields
    asked = (_field(profile, key, fields[key]) for key in fields if key not in ("profile", RUN_FILLS))
    return (
        "\n".join(
            [*_head(profile), f"profile: {scalar(name or profile.name)}", *(line for lines in asked for line in lines)]
        )
        + "\n"
    )


def _head(profile: LegalProfile) -> Iterator[str]:
    yield from _comment(f"A release dossier under {profile.title}, as of {profile.as_of}.")
    yield from _comment(profile.status)
    yield from _comment(NO_LEGAL_ADVICE)
    yield from _comment(
        "Fill in what applies and leave the rest empty; 'krypsis dossier check FILE' says what is missing. Name the "
        "file in a plan (dossier: FILE); 'krypsis run' adds what was done to the data."
    )


def _field(profile: LegalProfile, key: str, field: FieldInfo) -> Iterator[str]:
    yield ""
    yield from _comment(_sentence(str(field.description)) + _required(profile, key))
    yield from _choices(profile, key)
    if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
        yield f"{key}:"
        yield from _parts(profile, key, field.annotation)
    else:
        yield f"{key}: {_nothing(field.get_default(call_default_factory=True))}"


def _parts(profile: LegalProfile, key: str, model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        required = _required(profile, f"{key}.{name}")
        yield f"  {name}: {_nothing(field.default)}   # {field.description}{'.' * bool(required)}{required}"


def _required(profile: LegalProfile, path: str) -> str:
    """Say whether a place must be filled, and under which rule."""
    for requirement in profile.requirements:
        if path in requirement.any_of:
            others = [other for other in requirement.any_of if other != path]
            unless = f" unless '{others[0]}' is filled" if others else ""
            return f" Required{unless}: {requirement.source}."
    return ""


def _choices(profile: LegalProfile, key: str) -> Iterator[str]:
    vocabularies: Mapping[str, Mapping[str, Clause | Category]] = {
        "legal_basis": profile.legal_bases,
        "sensitive_categories": profile.sensitive_categories,
        "exemptions": profile.exemptions,
        "transfer_safeguards": profile.transfers.safeguards,
    }
    for name, one in vocabularies.get(key, {}).items():
        boundary = f" Boundary: {one.boundary}." if isinstance(one, Category) else ""
        yield from _comment(f"{name}: {one.title} ({one.source}).{boundary}", indent="  ")
    words: Mapping[str, Iterable[str]] = {
        "data_categories": profile.data_categories,
        "processing_methods": profile.operations,
        "recipient_countries": sorted({*profile.transfers.free, *profile.transfers.adequate}),
    }
    if known := list(words.get(key, ())):
        adequate = (
            f"Adequate protection as of {profile.transfers.as_of}: " if key == "recipient_countries" else "Such as: "
        )
        yield from _comment(adequate + ", ".join(known) + ".", indent="  ")


def _nothing(default: Any) -> str:
    """Return how a value that was not given is written."""
    match default:
        case bool():
            return str(default).lower()
        case tuple():
            return "[]"
        case dict():
            return "{}"
        case _:
            return '""'


def _comment(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"# {indent}", subsequent_indent=f"# {indent}{indent}")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."
