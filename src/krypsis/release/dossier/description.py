"""A dossier in words: each place that is filled, with its title and what stands there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from krypsis.release.dossier.profile import Category, Clause, LegalProfile, country_name
from krypsis.release.dossier.values import Consent, Controller, Dossier

ELSEWHERE = ("profile", "anonymisation")
"""What has a place of its own wherever a dossier is shown."""


@dataclass(frozen=True)
class Statement:
    """What a dossier says at one place."""

    path: str
    title: str
    entries: tuple[str, ...]


def describe(dossier: Dossier, profile: LegalProfile) -> tuple[Statement, ...]:
    """Return what a dossier says, in the order of its fields; words of the law come with their meaning.

    Examples
    --------
    >>> from krypsis.release.dossier.profile import load_profile
    >>> dossier = Dossier(profile="eu-gdpr", legal_basis="contract", recipient_countries=["GR"])
    >>> for said in describe(dossier, load_profile("eu-gdpr")):
    ...     print(said.title, said.entries)
    Legal basis ('contract: needed for a contract with the subject (GDPR Art. 6(1)(b))',)
    Countries of recipients ('Greece (GR)',)
    """
    return tuple(_statements(dossier, profile))


def _statements(dossier: Dossier, profile: LegalProfile) -> Iterator[Statement]:
    for name, field in Dossier.model_fields.items():
        value = getattr(dossier, name)
        if isinstance(value, Controller):
            yield from _controller(value)
        elif name not in ELSEWHERE and (entries := _entries(name, value, profile)):
            yield Statement(name, str(field.title), entries)


def _controller(controller: Controller) -> Iterator[Statement]:
    for name, field in Controller.model_fields.items():
        if value := getattr(controller, name):
            yield Statement(f"controller.{name}", str(field.title), (value,))


def _entries(name: str, value: object, profile: LegalProfile) -> tuple[str, ...]:
    words: Mapping[str, Mapping[str, Clause | Category]] = {
        "legal_basis": profile.legal_bases,
        "sensitive_categories": profile.sensitive_categories,
        "exemptions": profile.exemptions,
    }
    match value:
        case Consent():
            return tuple(str(field.title) for key, field in Consent.model_fields.items() if getattr(value, key))
        case dict():
            known = profile.transfers.safeguards
            return tuple(f"{_country(code)}: {_meaning(word, known)}" for code, word in value.items())
        case tuple() if name == "recipient_countries":
            return tuple(map(_country, value))
        case tuple():
            return tuple(_meaning(word, words.get(name, {})) for word in value)
        case _:
            return (_meaning(str(value), words.get(name, {})),) if value else ()


def _meaning(word: str, known: Mapping[str, Clause | Category]) -> str:
    one = known.get(word)
    if one is None:
        return word
    return f"{word}: {one.boundary if isinstance(one, Category) else one.title} ({one.source})"


def _country(code: str) -> str:
    return f"{country_name(code)} ({code})" if country_name(code) else code
