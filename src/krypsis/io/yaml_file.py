"""YAML written by people: every scalar stays text, no key stands twice, and a small text stays small."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from krypsis.errors import UsageError

MOST_DEPTH = 50
"""How deep lists and mappings may be nested, aliases included."""
MOST_COPIES = 10_000
"""How many values aliases may add to those that are written."""


def read_yaml(path: Path, what: str, keys: str, how_to_get_one: str, error: type[UsageError]) -> dict[str, Any]:
    """Return the mapping in a file.

    Parameters
    ----------
    path
        of the file.
    what
        the file is, such as ``plan``; messages begin with it.
    keys
        that it should have, for the message if it holds something else.
    how_to_get_one
        is told if there is no such file.
    error
        to raise if it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise error(f"{what} {path} not found; {how_to_get_one}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise error(f"{what} {path} cannot be read: {problem}") from problem
    return parse_yaml(text, f"{what} {path}", keys, error)


def packaged_yaml(package: str, *path: str) -> dict[str, Any]:
    """Return the mapping in a file that comes with a package: texts in several languages, tables of facts.

    Examples
    --------
    >>> packaged_yaml("krypsis.advisor", "trees", "seed.yaml")["start"]
    'page01'
    """
    text = resources.files(package).joinpath(*path).read_text(encoding="utf-8")
    return dict(yaml.load(text, Loader=yaml.BaseLoader))  # noqa: S506  the base loader makes nothing but text


def parse_yaml(text: str, name: str, keys: str, error: type[UsageError]) -> dict[str, Any]:
    """Return the mapping in a text; ``name`` and ``keys`` are for the message if it holds something else."""
    try:
        # The base loader leaves every scalar as text: 'NO' stays 'NO' and '01234' stays '01234'.
        content = yaml.load(text, Loader=_UniqueKeys)  # noqa: S506  the base loader makes nothing but text
    except yaml.YAMLError as problem:
        raise error(f"{name} is not valid YAML: {problem}") from None
    if not isinstance(content, dict):
        raise error(f"{name} must be a mapping with {keys}; got {content!r:.80}")
    return content


class BoundedLoader(yaml.BaseLoader):
    """Refuses aliases that would multiply a small text, and nesting that would exhaust the stack, as it finds them.

    An alias is one more name of the same value, so reading it is cheap; whoever then walks through the values meets
    each of them as often as it is named, which grows exponentially with aliases of lists of aliases.
    """

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._open: list[_Measure] = []
        self._measures: dict[int, _Measure] = {}
        self._copies = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        is_alias = self.check_event(yaml.AliasEvent)
        self._check_depth(len(self._open) + 1, mark)
        self._open.append(_Measure())
        node = super().compose_node(parent, index)
        measure = self._open.pop()
        if is_alias:
            measure = self._measure_of_alias(node, mark)
        self._measures[id(node)] = measure
        self._check_depth(len(self._open) + measure.depth, mark)
        if self._open:
            self._open[-1].add(measure)
        return node

    def _measure_of_alias(self, node: yaml.Node | None, mark: yaml.Mark) -> "_Measure":
        if id(node) not in self._measures:  # it is still being read
            raise yaml.composer.ComposerError(None, None, "a value that contains itself", mark)
        measure = self._measures[id(node)]
        self._copies += measure.size
        if self._copies > MOST_COPIES:
            raise yaml.composer.ComposerError(
                None, None, f"aliases repeat more than {MOST_COPIES:,} values; write them out, or fewer", mark
            )
        return measure

    @staticmethod
    def _check_depth(depth: int, mark: yaml.Mark) -> None:
        if depth > MOST_DEPTH:
            raise yaml.composer.ComposerError(None, None, f"it is nested more than {MOST_DEPTH} deep", mark)


@dataclass
class _Measure:
    """How many values a node stands for, and how deep they are nested."""

    size: int = 1
    depth: int = 1

    def add(self, part: "_Measure") -> None:
        self.size += part.size
        self.depth = max(self.depth, part.depth + 1)


class _UniqueKeys(BoundedLoader):
    """Refuses a key that stands twice, of which YAML would keep the last without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be plain text", key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} stands twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


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
