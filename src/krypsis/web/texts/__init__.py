"""The texts of the pages, in two languages: one file per page and language, all in one catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal, get_args

import yaml
from nicegui import app

from krypsis.errors import InternalError

Language = Literal["en", "el"]
LANGUAGES: Mapping[Language, str] = {"en": "English", "el": "Ελληνικά"}


def say(key: str, **values: object) -> str:
    """Return a text in the language of the visitor: ``say("data.rows", rows=12)``."""
    text = catalogue(language()).get(key)
    if text is None:
        raise InternalError(f"there is no text {key!r} in the catalogue of the pages")
    return text.format(**values) if values else text


def language() -> Language:
    """Return the language the visitor chose."""
    chosen = app.storage.user.get("language", "en")
    return chosen if chosen in get_args(Language) else "en"


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """Return all texts of a language, each under ``page.name``."""
    texts: dict[str, str] = {}
    for file in sorted((resources.files(__name__) / language).iterdir(), key=lambda file: file.name):
        page = file.name.removesuffix(".yaml")
        content = yaml.safe_load(file.read_text("utf-8"))
        texts |= {f"{page}.{name}": text for name, text in content.items()}
    return texts
