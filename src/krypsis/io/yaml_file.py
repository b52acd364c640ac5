"""YAML written by people: every scalar stays text, and no key stands twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from krypsis.errors import UsageError


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
        raise error(f"{what} {path} cannot be read: {problem}") from None
    return parse_yaml(text, f"{what} {path}", keys, error)


def parse_yaml(text: str, name: str, keys: str, error: type[UsageError]) -> dict[str, Any]:
    """Return the mapping in a text; ``name`` and ``keys`` are for the message if it holds something else."""
    try:
        # The base loader leaves every scalar as text: 'NO' stays 'NO' and '01234' stays '01234'.
        content = yaml.load(text, Loader=_UniqueKeys)  # noqa: S506  the base loader makes nothing but text
    except (yaml.YAMLError, RecursionError) as problem:
        raise error(f"{name} is not valid YAML: {problem}") from None
    if not isinstance(content, dict):
        raise error(f"{name} must be a mapping with {keys}; got {content!r:.80}")
    return content


class _UniqueKeys(yaml.BaseLoader):
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
