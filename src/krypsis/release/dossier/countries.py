"""Countries by their two-letter codes."""

from __future__ import annotations

import difflib
from functools import cache
from typing import Any

from krypsis.io.yaml_file import packaged_yaml


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
