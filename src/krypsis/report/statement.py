"""The statement for the public: what a controller tells openly about a release, as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from krypsis.dossier import NO_LEGAL_ADVICE, Dossier, LegalProfile
from krypsis.dossier.description import describe
from krypsis.models.base import PrivacyModel
from krypsis.report.text import readable

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
"""What a subject is to be told. The rest tells an attacker something, such as the security measures, or nobody much."""

WIDTH = 100
LONGEST_ENTRY = 2000


def statement_text(dossier: Dossier, profile: LegalProfile, models: Sequence[PrivacyModel], guarantee: str = "") -> str:
    """Return what may be told about a release: who, why, for whom, what is promised, and the rights of subjects."""
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
