"""The release dossier: what a publisher documents, checked against a legal profile. No legal advice."""

from krypsis.release.dossier.profile import NO_LEGAL_ADVICE, LegalProfile, load_profile, profile_names
from krypsis.release.dossier.rules import DossierProblem, find_hints, find_problems, read_dossier, refuse_broken_rules
from krypsis.release.dossier.template import template
from krypsis.release.dossier.values import Anonymization, Dossier

__all__ = [
    "NO_LEGAL_ADVICE",
    "Anonymization",
    "Dossier",
    "DossierProblem",
    "LegalProfile",
    "find_hints",
    "find_problems",
    "load_profile",
    "profile_names",
    "read_dossier",
    "refuse_broken_rules",
    "template",
]
