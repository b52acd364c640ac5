"""Why a column has its role, in English and Greek."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from krypsis.data.schema import Role
from krypsis.io.yaml_file import packaged_yaml

Language = Literal["en", "el"]


IN_DOUBT = "in-doubt"
"""The reason of a guess where nothing tells what a column is."""


@dataclass(frozen=True)
class Guess:
    """A role and why."""

    role: Role
    reason: str
    key: str = field(default="", repr=False)
    """Under which the reason stands in ``reasons.yaml``; none if it is not one of those."""
    values: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def because(cls, role: Role, key: str, **values: str) -> Guess:
        """Return a guess for a reason of ``reasons.yaml``."""
        return cls(role, _texts()["reasons"][key]["en"].format(**values), key, values)

    def said(self, language: Language) -> str:
        """Return the reason in a language.

        Examples
        --------
        >>> guess = Guess.because(Role.SENSITIVE, "speaks-of", what="health")
        >>> guess.reason, guess.said("el")
        ('the name speaks of health', 'το όνομα δείχνει υγεία')
        """
        if language == "en" or not self.key:
            return self.reason
        words = _texts()["words"]
        values = {name: words.get(value, value) for name, value in self.values.items()}
        return str(_texts()["reasons"][self.key][language].format(**values))


def sentence_of(key: str, language: Language, values: Mapping[str, str]) -> str:
    """Return a sentence of ``reasons.yaml`` in a language.

    Examples
    --------
    >>> sentence_of("published-unique", "en", {"columns": "'pay'", "role": "sensitive", "share": "99 %"})
    "'pay' (sensitive) is published as it is, and 99 % of its values are unique: ..."
    """
    known = _texts()["roles"] if language != "en" else {}
    return str(
        _texts()["sentences"][key][language].format(**{**values, "role": known.get(values["role"], values["role"])})
    )


@cache
def _texts() -> dict[str, Any]:
    return packaged_yaml("krypsis.profile", "reasons.yaml")
