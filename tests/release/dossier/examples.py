"""Dossiers that keep every rule, to be broken one rule at a time."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

FILLED = {"model": "k-anonymity", "algorithm": "optimal", "tool_version": "0.1.0", "date": "2026-01-31"}

GREEK: dict[str, Any] = {
    "profile": "gr-2472-1997",
    "controller": {"name": "Νοσοκομείο Ευαγγελισμός"},
    "purpose": "έρευνα για το άσθμα",
    "legal_basis": "contract",
    "authority_notification": "ΓΝ/ΕΞ/123, 2017-03-01",
    "recipients": ["universities"],
    "retention": "5 years",
    "security_measures": ["encrypted disks"],
    "data_origin": "files of the hospital",
    "processing_methods": ["storage", "use", "transmission"],
    "access_right_procedure": "a letter to the hospital",
}

EUROPEAN: dict[str, Any] = {
    "profile": "eu-gdpr",
    "controller": {"name": "City hospital", "contact": "data@hospital.example"},
    "purpose": "research on asthma",
    "legal_basis": "contract",
    "data_subjects": ["patients"],
    "data_categories": ["identification", "employment"],
    "recipients": ["universities"],
    "retention": "5 years",
    "security_measures": ["encrypted disks"],
    "data_origin": "files of the hospital",
    "access_right_procedure": "a letter to the hospital",
}

SOUND = {"gr-2472-1997": GREEK, "eu-gdpr": EUROPEAN}


def changed(content: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the content with other values at some places, such as ``controller.name``."""
    result = deepcopy(content)
    for path, value in changes.items():
        *folders, last = path.split(".")
        place = result
        for name in folders:
            place = place.setdefault(name, {})
        place[last] = value
    return result
