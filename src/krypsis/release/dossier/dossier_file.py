"""Reading a dossier that a person or a run has written, and refusing one that breaks the rules of its profile."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from krypsis.errors import DossierRefused, UsageError, explain
from krypsis.io.paths import usable_path
from krypsis.io.yaml_file import read_yaml
from krypsis.release.dossier.profile import NO_LEGAL_ADVICE, full_name, load_profile, profile_names
from krypsis.release.dossier.rules import find_problems
from krypsis.release.dossier.values import Dossier

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
