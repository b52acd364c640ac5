"""The dossier of a release: what the run adds to it, its files, and its part of the report.

A dossier in words: each place that is filled, with its title and what stands there.
"""

import os
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from krypsis import registry
from krypsis.errors import UsageError
from krypsis.io.private import write_private_files, written_as_a_whole
from krypsis.kinds.base import kind_named
from krypsis.models.base import PrivacyModel
from krypsis.release.dossier import (
    NO_LEGAL_ADVICE,
    Anonymization,
    Dossier,
    LegalProfile,
    find_hints,
    load_profile,
    refuse_broken_rules,
)
from krypsis.release.dossier.profile import Category, Clause, country_name
from krypsis.release.dossier.values import Consent, Controller, NotedRun
from krypsis.release.release import Release
from krypsis.release.workshop import SHORT
from krypsis.report.blocks import Bullets, Fact, FactList, Panel, RiskFigures, Section, StyledText, Text, Words
from krypsis.report.text import readable
from krypsis.version import __version__

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


PUBLIC = (
    "controller.name",
    "controller.representative",
    "controller.contact",
    "controller.data_protection_officer",
    "purpose",
    "compatible_purposes",
    "legal_basis",
    "legal_provision",
    "interest_pursued",
    "data_subjects",
    "data_categories",
    "sensitive_categories",
    "exemptions",
    "recipients",
    "recipient_countries",
    "transfer_safeguards",
    "retention",
    "data_origin",
    "access_right_procedure",
)
"""What a subject is to be told. The rest helps an attacker, such as the security measures, or nobody much."""

WIDTH = 100
AnyRisk = TypeVar("AnyRisk", bound=RiskFigures)


def statement_text(dossier: Dossier, profile: LegalProfile, models: Sequence[PrivacyModel], guarantee: str = "") -> str:
    """Return what may be published about a release: who, why, for whom, the promises, and the rights of subjects."""
    return "\n".join(_lines(dossier, profile, models, guarantee)) + "\n"


def _lines(dossier: Dossier, profile: LegalProfile, models: Sequence[PrivacyModel], guarantee: str) -> Iterator[str]:
    done = dossier.anonymisation
    yield "Statement on a release of anonymized data"
    yield f"Release {done.release_id}, {done.date}"
    for said in describe(dossier, profile):
        if said.path in PUBLIC:
            yield from _paragraph(said.title, said.entries)
    yield from _paragraph("Promised about what is published", [model.promise() for model in models] or ["nothing"])
    if guarantee:
        yield from _paragraph("About the method", [guarantee])
    yield from _paragraph("Rights of the subjects", profile.rights)
    yield from _paragraph("Rules", [f"{profile.title}, as of {profile.as_of}", NO_LEGAL_ADVICE])
    yield from _paragraph("Made with", [f"Krypsis {done.tool_version}"])


def _paragraph(title: str, entries: Sequence[str]) -> Iterator[str]:
    yield ""
    yield title
    for entry in entries:
        yield from textwrap.wrap(
            readable(entry, LONGEST_ENTRY), WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )


LONGEST_ENTRY = 2000
"""More than anybody writes at one place, and not enough to make a page useless."""

NOT_MEASURED = "The risk was not measured: there are no groups to compare before with after in this kind of release."


def complete_dossier(
    dossier: Dossier,
    release: Release,
    risk: Sequence[RiskFigures] = (),
    runs: Sequence[NotedRun] = (),
    audit_log_sha256: str = "",
) -> Dossier:
    """Return the dossier with what was done to the data.

    ``risk`` is that of :func:`risk_of`; of several sets, the one most at risk is noted. ``runs`` are those of the audit
    log, and ``audit_log_sha256`` is its checksum.

    Raises
    ------
    DossierRefused
        if a rule of the profile rests on a promise and the release makes none, or another rule is broken.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["F", "F"]}), {"sex": "QI"}, models="k-anonymity:k=2")
    >>> complete_dossier(Dossier(profile="eu-gdpr", purpose="research"), release)
    Traceback (most recent call last):
    krypsis.errors.DossierRefused: dossier breaks 10 rules of the profile eu-gdpr:
    ...
    """
    done = _anonymization(release, risk).model_copy(update={"runs": tuple(runs), "audit_log_sha256": audit_log_sha256})
    complete = dossier.model_copy(update={"anonymisation": done})
    refuse_broken_rules(complete)
    return complete


def write_dossier(dossier: Dossier, release: Release, folder: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write a complete dossier and the statement for the public next to the folder of a saved release.

    ``release/`` gets ``release.<id>.dossier.json``, which only its owner can read (mode 0600), and
    ``release.<id>.statement.txt``, which may be published. Both carry the id, so that those of a release that is
    replaced stay: it may already be in other hands.

    Raises
    ------
    OutputError
        if the files cannot be written.
    """
    record, statement = dossier_paths(folder, release.release_id)
    text = statement_text(dossier, load_profile(dossier.profile), _models(release), release.guarantee)
    write_private_files({record: (dossier.model_dump_json(indent=2) + "\n").encode()})
    with written_as_a_whole(statement) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
    return record, statement


def dossier_paths(folder: str | os.PathLike[str], release_id: str) -> tuple[Path, Path]:
    """Return where the dossier of a saved release and its statement lie."""
    if not release_id:
        raise UsageError("a dossier names its release, and this one has no id yet; save it first: release.save(folder)")
    place = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link away from the release
    stem = f"{place.name}.{release_id[:SHORT]}"
    return place.with_name(f"{stem}.dossier.json"), place.with_name(f"{stem}.statement.txt")


def risk_of(release: Release) -> tuple[RiskFigures, ...]:
    """Return the risk before and after for every set of attributes that an attacker may know, as its kind sees it.

    Nothing where there are no groups to compare.
    """
    return kind_named(release.kind).risk(release)


def most_at_risk(sets: Sequence[AnyRisk]) -> AnyRisk:
    """Return the set of attributes under which the published data is most at risk; of equals, the first."""
    return max(sets, key=lambda risk: risk.figure("highest-prosecutor-risk").after or 0.0)


def dossier_section(dossier: Dossier) -> Section:
    """Return what the report says of a dossier; the rest of the report says what was done to the data."""
    profile = load_profile(dossier.profile)
    about = f"What the publisher documents under {readable(profile.title)}, as of {profile.as_of}. {NO_LEGAL_ADVICE}"
    facts = tuple(Fact((said.title,), tuple(map(_entry, said.entries))) for said in describe(dossier, profile))
    hints = tuple(map(_entry, find_hints(dossier, profile)))
    cards = [Panel((), (FactList(facts),)), *([Panel(("To think of",), (Bullets(hints),))] if hints else [])]
    if runs := tuple(_entry(run.text) for run in dossier.anonymisation.runs):
        cards.append(Panel(("Runs of this project",), (Bullets(runs), _log_checksum(dossier.anonymisation))))
    return Section("dossier", ("Dossier",), (Text((about,), "quiet"), *cards))


def _log_checksum(done: Anonymization) -> Text:
    return Text((f"Checksum of the audit log after this run: {done.audit_log_sha256}",), "quiet")


def _entry(text: str) -> Words:
    return (StyledText(readable(text, LONGEST_ENTRY), "name"),)


def _anonymization(release: Release, risk: Sequence[RiskFigures]) -> Anonymization:
    models = _models(release)
    figures = most_at_risk(risk).figures if risk else ()
    return Anonymization(
        model=", ".join(dict.fromkeys(model.name for model in models)),
        parameters={model.spec: model.model_dump(mode="json", exclude_none=True) for model in models},
        achieved={verdict.promise: verdict.achieved for verdict in release.verdicts},
        algorithm=release.algorithm,
        attribute_roles={name: role.value for name, role in release.schema.roles.items()},
        risk_before={figure.name: figure.before for figure in figures},
        risk_after={figure.name: figure.after for figure in figures},
        information_loss=dict(release.metrics),
        remarks=tuple(_remarks(release, risk)),
        tool_version=__version__,
        release_id=release.release_id,
        date=datetime.now(tz=UTC).date().isoformat(),
    )


def _models(release: Release) -> list[PrivacyModel]:
    return [registry.create("model", spec) for spec in release.promises]


def _remarks(release: Release, risk: Sequence[RiskFigures]) -> list[str]:
    known = f"The risk is that from somebody who knows {', '.join(most_at_risk(risk).attributes)}." if risk else ""
    return [remark for remark in (release.guarantee, known or NOT_MEASURED) if remark]
