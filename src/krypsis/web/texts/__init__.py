"""The texts of the pages, in two languages: one file per page and language, all in one catalogue."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal, cast, get_args

from nicegui import app, context

from krypsis.errors import InternalError
from krypsis.io.yaml_file import packaged_yaml

Language = Literal["en", "el"]
LANGUAGES: Mapping[Language, str] = {"en": "English", "el": "Ελληνικά"}


def say(key: str, **values: object) -> str:
    """Return a text in the language of the visitor: ``say("data.rows", rows=12)``."""
    text = catalogue(language()).get(key)
    if text is None:
        raise InternalError(f"there is no text {key!r} in the catalogue of the pages")
    return text.format(**values) if values else text


def language() -> Language:
    """Return the language the visitor chose, or else the one their browser asks for."""
    chosen = app.storage.user.get("language")
    if chosen in get_args(Language):
        return cast("Language", chosen)
    request = context.client.request
    return "en" if request is None else asked_language(request.headers.get("accept-language", ""))


def asked_language(header: str) -> Language:
    """Return the language that a browser asks for first, if it is one of ours.

    Examples
    --------
    >>> asked_language("el-GR,el;q=0.9,en;q=0.8"), asked_language("fr, el;q=0.5"), asked_language("")
    ('el', 'en', 'en')
    """
    first = header.lower().strip()[:2]
    return next((language for language in LANGUAGES if language == first), "en")


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """Return all texts of a language, each under ``page.name``."""
    texts: dict[str, str] = {}
    for file in sorted((resources.files(__name__) / language).iterdir(), key=lambda file: file.name):
        page = file.name.removesuffix(".yaml")
        texts |= {f"{page}.{name}": text for name, text in packaged_yaml(__name__, language, file.name).items()}
    return texts
