"""Texts as YAML scalars that every loader reads back as the same text."""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml

PLAIN = re.compile(r"[^\W\d_][\w./-]*(?: [\w./-]+)*")
RESERVED = {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"}
LONGEST_KEY = 500
"""Longer keys need a question mark in front; YAML readers do not look further for the colon."""


def scalar(text: str) -> str:
    r"""Return the text plain if nothing can be misunderstood, else in double quotes.

    Examples
    --------
    >>> print(scalar("marital status"), scalar("yes"), scalar("01234"), scalar("a: b\n"))
    marital status "yes" "01234" "a: b\n"
    """
    if PLAIN.fullmatch(text) and text.lower() not in RESERVED and text.isprintable():
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def flow(value: object) -> str:
    """Return a value on one line: mappings and lists of them, numbers, texts.

    Examples
    --------
    >>> flow({"kind": "intervals", "width": 5, "labels": ["no: 1", "2"]})
    '{kind: intervals, width: 5, labels: ["no: 1", "2"]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(key))}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else scalar(str(value))


def entry(key: str, value: str, indent: str = "", width: int = 0) -> str:
    """Return ``key: value`` as lines of a block mapping, the value at least ``width`` characters after the key begins.

    Examples
    --------
    >>> entry("age", "5", indent="  ", width=6)
    '  age:   5'
    """
    name = scalar(key)
    if len(name) > LONGEST_KEY:
        return f"{indent}? {name}\n{indent}: {value}"
    return f"{indent}{name + ':':<{width}} {value}"


def item(text: str) -> str:
    """Return a text as an item of a list: as people write it where every reader takes it for the same text.

    Examples
    --------
    >>> print(item("t-closeness:t=0.2"), item("t-closeness:t=0.2,attribute=a: b"))
    t-closeness:t=0.2 "t-closeness:t=0.2,attribute=a: b"
    """
    try:
        is_same = yaml.load(f"- {text}   # x", Loader=yaml.BaseLoader) == [text]  # noqa: S506  makes nothing but text
    except yaml.YAMLError:
        is_same = False
    return text if is_same and text.isprintable() else scalar(text)


def comment(text: str) -> str:
    """Return the text as it may stand in a comment: on one line, printable."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if letter.isprintable():
        return letter
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    code = ord(letter)
    return named.get(letter) or (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )
