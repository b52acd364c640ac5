"""What a legal profile finds about a dossier: problems, which must be solved, and hints. No legal advice.

Reading a dossier that a person or a run has written, and refusing one that breaks the rules of its profile.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from krypsis.errors import DossierRefused, UsageError, did_you_mean, explain
from krypsis.io.paths import usable_path
from krypsis.io.yaml_file import read_yaml
from krypsis.release.dossier.profile import (
    NO_LEGAL_ADVICE,
    Clause,
    LegalProfile,
    Requirement,
    country_hint,
    country_name,
    field_at,
    full_name,
    is_filled,
    load_profile,
    profile_names,
)
from krypsis.release.dossier.values import Dossier

RUN_FILLS = "anonymisation"


@dataclass(frozen=True)
class DossierProblem:
    """A rule that a dossier does not keep: where, which rule, and what to do."""

    field: str
    rule: str
    todo: str

    def __str__(self) -> str:
        return f"{self.field}: {self.rule}; {self.todo}"


def find_problems(dossier: Dossier, profile: LegalProfile, *, before_run: bool = False) -> tuple[DossierProblem, ...]:
    """Return every rule of a profile that a dossier does not keep.

    Before the run, what the run fills in is not asked for.

    Examples
    --------
    >>> from krypsis.release.dossier.profile import load_profile
    >>> dossier = Dossier(profile="gr-2472-1997", legal_basis="contract", recipient_countries=["BR"])
    >>> [problem.field for problem in find_problems(dossier, load_profile("gr-2472-1997"))][-2:]
    ['authority_notification', 'recipient_countries']
    """
    judge = _Judge(dossier, profile, before_run=before_run)
    return tuple(dict.fromkeys(judge.problems()))


def find_hints(dossier: Dossier, profile: LegalProfile) -> tuple[str, ...]:
    """Return what a publisher should think of although no rule is broken.

    Examples
    --------
    >>> from krypsis.release.dossier.profile import load_profile
    >>> dossier = Dossier(profile="eu-gdpr", compatible_purposes=["statistics"])
    >>> find_hints(dossier, load_profile("eu-gdpr"))
    ('compatible_purposes: keep a note of why these purposes are compatible with the first (GDPR Art. 6(4))',)
    """
    filled = partial(is_filled, dossier)
    wanted = (hint for hint in profile.hints if filled(hint.when) and not (hint.unless and filled(hint.unless)))
    return (*(f"{hint.when}: {hint.text} ({hint.source})" for hint in wanted), *_country_hints(dossier, profile))


def _country_hints(dossier: Dossier, profile: LegalProfile) -> Iterator[str]:
    transfers = profile.transfers
    named = [code for code in dossier.recipient_countries if code in transfers.adequate]
    for code in named:
        if condition := transfers.adequate[code]:
            yield f"recipient_countries: {country_name(code)} has adequate protection on a condition: {condition}"
    if named:
        yield (
            f"recipient_countries: the list of countries with adequate protection is that of {transfers.as_of}; "
            f"look up whether it still holds for {', '.join(named)}"
        )


@dataclass(frozen=True)
class _Judge:
    """A dossier under a profile."""

    dossier: Dossier
    profile: LegalProfile
    before_run: bool

    def problems(self) -> Iterator[DossierProblem]:
        for requirement in self.profile.requirements:
            yield from self._required(requirement)
        yield from self._legal_basis()
        yield from self._categories()
        yield from self._exemptions()
        yield from self._permission()
        yield from self._countries()

    def _filled(self, path: str) -> bool:
        return (self.before_run and path == RUN_FILLS) or is_filled(self.dossier, path)

    def _required(self, requirement: Requirement) -> Iterator[DossierProblem]:
        if not any(map(self._filled, requirement.any_of)):
            first, *others = requirement.any_of
            instead = "".join(f", or fill in '{path}'" for path in others)
            yield DossierProblem(
                first, f"it is missing: {requirement.why} ({requirement.source})", _fill_in(first) + instead
            )

    def _legal_basis(self) -> Iterator[DossierProblem]:
        name, known = self.dossier.legal_basis, self.profile.legal_bases
        if name and name not in known:
            yield _unknown("legal_basis", name, "legal basis", known)
        elif name:
            basis = known[name]
            more = basis.needs_if_sensitive if self.dossier.sensitive_categories else ()
            yield from self._needs(f"the legal basis '{name}'", basis, basis.needs)
            yield from self._needs(f"the legal basis '{name}' with sensitive categories", basis, more)

    def _exemptions(self) -> Iterator[DossierProblem]:
        known = self.profile.exemptions
        for name in self.dossier.exemptions:
            if name not in known:
                yield _unknown("exemptions", name, "exemption", known)
            else:
                yield from self._needs(f"the exemption '{name}'", known[name], known[name].needs)

    def _needs(self, who: str, clause: Clause, paths: Iterable[str]) -> Iterator[DossierProblem]:
        for path in paths:
            if not self._filled(path):
                yield DossierProblem(path, f"{who} needs it: {_meaning(path)} ({clause.source})", _fill_in(path))

    def _categories(self) -> Iterator[DossierProblem]:
        known = self.profile.sensitive_categories
        for name in self.dossier.sensitive_categories:
            if name in known:
                continue
            wider = next((category for category, one in known.items() if name in one.includes), None)
            if wider is not None:
                rule = f"'{name}' falls under '{wider}': {known[wider].boundary} ({known[wider].source})"
                yield DossierProblem("sensitive_categories", rule, f"write {wider}")
            elif name in self.profile.not_sensitive:
                rule = f"'{name}' is no sensitive category: {self.profile.not_sensitive[name]}"
                yield DossierProblem("sensitive_categories", rule, "leave it out")
            else:
                yield _unknown("sensitive_categories", name, "sensitive category", known)

    def _permission(self) -> Iterator[DossierProblem]:
        """Sensitive categories need a permit, where there are permits, or an exemption that is about them."""
        if self.profile.permit_suffices and self.dossier.authority_permit:
            return
        named = [name for name in self.dossier.exemptions if name in self.profile.exemptions]
        covered = {category for name in named for category in self.profile.covered_by(name)}
        open_ = [name for name in self.dossier.sensitive_categories if name not in covered]
        if left := [name for name in open_ if name in self.profile.sensitive_categories]:
            yield self._not_permitted(left)

    def _not_permitted(self, categories: list[str]) -> DossierProblem:
        permits = self.profile.permit_suffices
        wanted = "a permit of the authority or an exemption" if permits else "an exemption"
        fitting = [name for name in self.profile.exemptions if self.profile.covered_by(name) & set(categories)]
        return DossierProblem(
            "authority_permit" if permits else "exemptions",
            f"{', '.join(categories)} may be processed only with {wanted} ({self.profile.sensitive_source})",
            ("fill in the permit, or name " if permits else "name ")
            + f"what applies under 'exemptions': {', '.join(fitting)}",
        )

    def _countries(self) -> Iterator[DossierProblem]:
        transfers, given = self.profile.transfers, self.dossier.transfer_safeguards
        for code in self.dossier.recipient_countries:
            if not country_name(code):
                rule = f"'{code}' is no two-letter code of a country (ISO 3166-1)"
                yield DossierProblem("recipient_countries", rule, f"write a code such as GR.{country_hint(code)}")
            elif code not in (*transfers.free, *transfers.adequate, *given):
                yield self._not_adequate(code)
        for code, name in given.items():
            yield from self._safeguard(code, name)

    def _not_adequate(self, code: str) -> DossierProblem:
        transfers = self.profile.transfers
        rule = (
            f"{country_name(code)} ({code}) has no adequate protection of personal data, as of {transfers.as_of} "
            f"({transfers.source})"
        )
        safeguards = ", ".join(transfers.safeguards)
        instead = f", or name what protects the data there under 'transfer_safeguards': {safeguards}"
        return DossierProblem("recipient_countries", rule, "leave it out" + (instead if safeguards else ""))

    def _safeguard(self, code: str, name: str) -> Iterator[DossierProblem]:
        known, field = self.profile.transfers.safeguards, f"transfer_safeguards.{code}"
        if code not in self.dossier.recipient_countries:
            rule = f"'{code}' is not among the countries of recipients"
            yield DossierProblem(field, rule, "add it to 'recipient_countries' or leave it out")
        elif not known:
            rule = f"{self.profile.name} knows no safeguards of transfers ({self.profile.transfers.source})"
            yield DossierProblem(field, rule, f"leave out the safeguard and {code} among the countries")
        elif name not in known:
            yield _unknown(field, name, "safeguard", known)


def _unknown(field: str, name: str, what: str, known: Mapping[str, object]) -> DossierProblem:
    hint = did_you_mean(name, known)
    return DossierProblem(field, f"'{name}' is no {what} of this profile", f"choose among {', '.join(known)}.{hint}")


def _meaning(path: str) -> str:
    field = field_at(path)
    return str(field.description) if field is not None else path


def _fill_in(path: str) -> str:
    if path == RUN_FILLS:
        return "'krypsis run' fills it in, from a plan that makes a promise"
    if path.startswith("consent."):
        return f"write '{path.partition('.')[2]}: true' under 'consent' if it is so"
    return f"fill in '{path}': {_meaning(path)}"


HOW_TO_GET_ONE = "'krypsis dossier init' writes one to fill in"


def read_dossier(source: str | Path | Mapping[str, Any], folder: Path = Path()) -> Dossier:
    """Return a dossier from a YAML file, the JSON file of a run, or a mapping; files are seen from a folder.

    A profile in a file of one's own is remembered by its full path, which is seen from the file of the dossier.

    Raises
    ------
    UsageError
        if it cannot be understood, with every problem in one message.

    Examples
    --------
    >>> read_dossier({"profile": "eu-gdpr", "purpos": "research"})
    Traceback (most recent call last):
    krypsis.errors.UsageError: dossier: unknown key 'purpos'; keys here: profile, ... Did you mean 'purpose'?
    """
    if isinstance(source, Mapping):
        return _parsed(source, "dossier", folder)
    path = usable_path(folder / source)
    content = _read_json(path) if path.suffix.lower() == ".json" else _read_yaml(path)
    return _parsed(content, f"dossier {path}", path.parent)


def refuse_broken_rules(dossier: Dossier, *, name: str = "dossier", before_run: bool = False) -> None:
    """Raise unless a dossier keeps every rule of its profile.

    Raises
    ------
    DossierRefused
        with all rules that are broken: where, which, and what to do.

    Examples
    --------
    >>> refuse_broken_rules(Dossier(profile="gr-2472-1997"), name="dossier.yaml")
    Traceback (most recent call last):
    krypsis.errors.DossierRefused: dossier.yaml breaks 10 rules of the profile gr-2472-1997:
      - controller.name: it is missing: ...
    """
    profile = load_profile(dossier.profile)
    problems = find_problems(dossier, profile, before_run=before_run)
    if problems:
        count = f"{len(problems)} rule{'s' * (len(problems) > 1)}"
        lines = "".join(f"\n  - {problem}" for problem in problems)
        raise DossierRefused(f"{name} breaks {count} of the profile {profile.name}:{lines}\n{NO_LEGAL_ADVICE}")


def _parsed(content: Mapping[str, Any], name: str, folder: Path) -> Dossier:
    if not content.get("profile"):
        raise UsageError(f"{name}: 'profile' is missing; profiles: {', '.join(profile_names())}")
    try:
        dossier = Dossier.model_validate(dict(content))
    except ValidationError as error:
        raise UsageError(f"{name}: {explain(error, Dossier)}") from None
    load_profile(dossier.profile, folder)  # an unknown one is reported now
    return dossier.model_copy(update={"profile": full_name(dossier.profile, folder)})


def _read_yaml(path: Path) -> dict[str, Any]:
    return read_yaml(path, "dossier", "keys such as profile, controller and purpose", HOW_TO_GET_ONE, UsageError)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(f"dossier {path} not found; {HOW_TO_GET_ONE}") from None
    except OSError as error:
        raise UsageError(f"dossier {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"dossier {path} is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise UsageError(f"dossier {path} must hold a JSON object, got {type(content).__name__}")
    return content
