"""Legal profiles: what a law asks of a dossier, as data with the day on which it was true. No legal advice."""

import difflib
from collections.abc import Iterator
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from krypsis.errors import UsageError, did_you_mean, explain
from krypsis.io.yaml_file import packaged_yaml, read_yaml
from krypsis.release.dossier.values import Anonymization, Dossier


def country_name(code: str) -> str:
    """Return the English name of a country, or nothing if the code is none.

    Examples
    --------
    >>> country_name("GR"), country_name("XX")
    ('Greece', '')
    """
    name: str = _data()["codes"].get(code, "")
    return name


def country_hint(text: str) -> str:
    """Return which code may be meant by a text that is none.

    Examples
    --------
    >>> country_hint("UK"), country_hint("germny"), country_hint("qqqq")
    (" Did you mean 'GB' (United Kingdom)?", " Did you mean 'DE' (Germany)?", '')
    """
    codes: dict[str, str] = _data()["codes"]
    names = {name.lower(): code for code, name in codes.items()}
    near = difflib.get_close_matches(text.lower(), names, n=1)
    meant = _data()["also_written"].get(text.upper()) or (names[near[0]] if near else "")
    return f" Did you mean {meant!r} ({codes[meant]})?" if meant else ""


@cache
def _data() -> dict[str, Any]:
    return packaged_yaml("krypsis.release.dossier", "countries.yaml")


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


NO_LEGAL_ADVICE = (
    "A profile is a summary for a tool, not the law, and no legal advice; ask your data protection officer or a lawyer."
)


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Clause(_Data):
    """Something a law allows, with what must stand in a dossier that relies on it."""

    title: str = Field(min_length=1)
    source: str = Field(min_length=1)
    needs: tuple[str, ...] = ()
    needs_if_sensitive: tuple[str, ...] = ()


class Exemption(Clause):
    """A reason why sensitive categories may be processed; without ``covers``, those no other exemption names."""

    covers: tuple[str, ...] = ()


class Category(_Data):
    """A sensitive category and where it ends; ``includes`` are words for what falls under it."""

    title: str = Field(min_length=1)
    source: str = Field(min_length=1)
    boundary: str = Field(min_length=1)
    includes: tuple[str, ...] = ()


class Requirement(_Data):
    """One of these places in a dossier must be filled."""

    any_of: tuple[str, ...] = Field(min_length=1)
    source: str = Field(min_length=1)
    why: str = Field(min_length=1)


class Hint(_Data):
    """What to think of if one place is filled and another is not."""

    when: str
    unless: str = ""
    source: str = Field(min_length=1)
    text: str = Field(min_length=1)


class Transfers(_Data):
    """To which countries data may go, on a day."""

    as_of: date
    source: str = Field(min_length=1)
    free: tuple[str, ...]
    adequate: dict[str, str] = Field(description="country with adequate protection → the condition, if there is one")
    safeguards: dict[str, Clause] = Field(default_factory=dict)


class LegalProfile(_Data):
    """What a law asks of a dossier.

    Examples
    --------
    >>> profile = load_profile("gr-2472-1997")
    >>> len(profile.sensitive_categories), profile.exemptions["research_anonymous"].needs
    (7, ('anonymisation', 'security_measures'))
    """

    name: str = Field(min_length=1)
    title: str = Field(min_length=1)
    status: str = Field(min_length=1)
    as_of: date
    requirements: tuple[Requirement, ...]
    legal_bases: dict[str, Clause]
    sensitive_categories: dict[str, Category]
    not_sensitive: dict[str, str] = Field(description="word → why it is no sensitive category")
    permit_suffices: bool = Field(description="whether a permit of the authority allows sensitive categories")
    sensitive_source: str = Field(min_length=1)
    exemptions: dict[str, Exemption]
    transfers: Transfers
    hints: tuple[Hint, ...] = ()
    rights: tuple[str, ...] = ()
    data_categories: tuple[str, ...] = Field(default=(), description="words that describe ordinary data")
    operations: tuple[str, ...] = Field(default=(), description="words for what is done with data")

    def covered_by(self, exemption: str) -> frozenset[str]:
        """Return the sensitive categories that an exemption is about."""
        if named := self.exemptions[exemption].covers:
            return frozenset(named)
        special = {category for other in self.exemptions.values() for category in other.covers}
        return frozenset(self.sensitive_categories) - special

    @model_validator(mode="after")
    def _check(self) -> Self:
        if wrong := [path for path in self._paths() if field_at(path) is None]:
            raise ValueError(f"{wrong[0]!r} is no place in a dossier")
        if wrong := [path for one in self.exemptions.values() for path in one.covers if path not in self._categories]:
            raise ValueError(f"an exemption covers {wrong[0]!r}, which is no sensitive category here")
        if wrong := [code for code in (*self.transfers.free, *self.transfers.adequate) if not country_name(code)]:
            raise ValueError(f"{wrong[0]!r} is no two-letter code of a country")
        return self

    @property
    def _categories(self) -> frozenset[str]:
        return frozenset(self.sensitive_categories)

    def _paths(self) -> Iterator[str]:
        for requirement in self.requirements:
            yield from requirement.any_of
        for clause in (*self.legal_bases.values(), *self.exemptions.values(), *self.transfers.safeguards.values()):
            yield from (*clause.needs, *clause.needs_if_sensitive)
        for hint in self.hints:
            yield from (path for path in (hint.when, hint.unless) if path)


def profile_names() -> list[str]:
    """Return the names of the profiles that come with the toolkit.

    Examples
    --------
    >>> profile_names()
    ['eu-gdpr', 'gr-2472-1997']
    """
    folder = resources.files("krypsis.release.dossier").joinpath("profiles")
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def load_profile(name: str, folder: Path = Path()) -> LegalProfile:
    """Return a profile by its name, or from a YAML file of one's own, seen from a folder.

    Raises
    ------
    UsageError
        if there is none of that name, or the file is none.
    """
    if is_file_name(name):
        return _own(folder / name)
    if name not in (known := profile_names()):
        raise UsageError(
            f"legal profile {name!r} is not known; profiles: {', '.join(known)}, or a file of your own such as "
            f"rules.yaml.{did_you_mean(name, known)}"
        )
    return _built_in(name)


def full_name(name: str, folder: Path) -> str:
    """Return the name of a profile so that it means the same from everywhere: a file gets its whole path."""
    return str((folder / name).resolve()) if is_file_name(name) else name


def is_file_name(name: str) -> bool:
    """Return whether a profile is a file of one's own rather than one that comes with the toolkit."""
    return name.endswith((".yaml", ".yml"))


@cache
def _built_in(name: str) -> LegalProfile:
    return _parsed(packaged_yaml("krypsis.release.dossier", "profiles", f"{name}.yaml"), name)


def _own(path: Path) -> LegalProfile:
    copy = "copy one from krypsis/release/dossier/profiles, or name a profile: " + ", ".join(profile_names())
    return _parsed(read_yaml(path, "legal profile", "keys such as name and requirements", copy, UsageError), str(path))


def _parsed(content: dict[str, Any], name: str) -> LegalProfile:
    try:
        return LegalProfile(**content)
    except ValidationError as error:
        raise UsageError(f"legal profile {name}: {explain(error, LegalProfile)}") from None
