"""Change what a plan promises, line by line."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from krypsis import registry
from krypsis.io.yaml_file import BoundedLoader
from krypsis.plan.editing import with_value
from krypsis.profile.yaml_text import comment, item


def with_promises(text: str, promises: Sequence[str]) -> str:
    r"""Return the text of a plan with other promises.

    A promise that stays keeps its line with all that is written there; a new one, or one with another parameter, says
    in a comment what it means.

    Raises
    ------
    UsageError
        if the plan is written in a way that cannot be changed piece by piece, or if a promise cannot be understood.

    Examples
    --------
    >>> plan = "promises:\n  - distinct-l-diversity:l=2   # mine\n  - k-anonymity:k=5   # five\nmetric: loss\n"
    >>> print(with_promises(plan, ["distinct-l-diversity:l=2", "k-anonymity:k=3"]), end="")
    promises:
      - distinct-l-diversity:l=2   # mine
      - k-anonymity:k=3   # every record looks like at least 2 others in the attributes an attacker may know
    metric: loss
    """
    written = with_value(text, ("promises",), list(promises))  # raises where the plan cannot be changed
    items = _items_in_lines(text)
    if not items or not promises:
        return written
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * (items[0].start_mark.column - 2)
    first, last = items[0].start_mark.line, _last_line(items[-1])
    new = [_line(spec, items, place, lines, indent, newline) for place, spec in enumerate(promises)]
    between = [line for line in lines[first : last + 1] if line.lstrip().startswith("#")]
    changed = "".join([*lines[:first], *new, *between, *lines[last + 1 :]])
    return changed if _content(changed) == _content(written) else written


def _line(spec: str, items: Sequence[yaml.Node], place: int, lines: Sequence[str], indent: str, newline: str) -> str:
    """Return the line of a promise: the one it has, or a new one."""
    for node in [*items[place : place + 1], *items]:
        if isinstance(node, yaml.ScalarNode) and node.value == spec and node.start_mark.line == node.end_mark.line:
            line = lines[node.start_mark.line]
            return line if line.endswith("\n") else line + newline
    means = comment(registry.create("model", spec).promise())
    return f"{indent}- {item(spec)}   # {means}{newline}"


def _items_in_lines(text: str) -> list[yaml.Node]:
    """Return the promises of a list that is written in lines, one below the other."""
    root = yaml.compose(text, Loader=BoundedLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    found = next((value for key, value in pairs if key.value == "promises"), None)
    is_block = isinstance(found, yaml.SequenceNode) and not found.flow_style
    return list(found.value) if is_block and found is not None else []


def _last_line(node: yaml.Node) -> int:
    """Return the line in which an item ends, and not the one in which the next begins."""
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value
    if not is_block:
        return int(node.end_mark.line)
    last = node.value[-1]
    return _last_line(last[1] if isinstance(last, tuple) else last)


def _content(text: str) -> object:
    return yaml.load(text, Loader=BoundedLoader)  # noqa: S506  it makes nothing but text
