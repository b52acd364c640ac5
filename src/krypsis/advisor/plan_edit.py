"""Changing what a plan promises without losing a word of its text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import yaml

from krypsis import registry
from krypsis.errors import UsageError
from krypsis.io.yaml_file import BoundedLoader
from krypsis.profile.yaml_text import scalar

MARK = "\ufeff"
"""What some editors put at the beginning of a file."""
LINE = re.compile(r"[^\n]*\n|[^\n]+")


def edited_plan(text: str, promises: Sequence[str], algorithm: str, note: str = "advised") -> str:
    r"""Return the text of a plan with other promises and another algorithm.

    Everything else stays as it is. Promises that go stay as comments, with what was written beside them.

    Raises
    ------
    UsageError
        if the plan is written in a way that cannot be changed line by line; the message says what to write.

    Examples
    --------
    >>> plan = "promises:\n  - k-anonymity:k=5   # mine\nalgorithm: auto   # quick\n"
    >>> print(edited_plan(plan, ["t-closeness:t=0.2"], "mondrian"), end="")
    promises:
      - t-closeness:t=0.2   # advised
      # - k-anonymity:k=5   # mine
    algorithm: mondrian   # quick
    """
    body = text.removeprefix(MARK)
    try:
        changed = _with_algorithm(_with_promises(body, promises, note), algorithm)
        if not _differs_only_there(body, changed, promises, algorithm):
            raise ValueError("something else would change")  # noqa: TRY301  the same answer as to all other obstacles
    except (yaml.YAMLError, LookupError, TypeError, ValueError) as error:
        raise UsageError(
            "the plan is written in a way that cannot be changed line by line; write into it yourself:\n"
            + plan_lines(promises, algorithm)
        ) from error
    return MARK * text.startswith(MARK) + changed


def commented_out(text: str, name: str) -> str:
    r"""Return the text of a plan with one entry as a comment; nothing changes where there is none.

    Examples
    --------
    >>> print(commented_out("metric: loss\nsuppression: 2%   # at most\n", "suppression"), end="")
    metric: loss
    # suppression: 2%   # at most
    """
    body = text.removeprefix(MARK)
    try:
        if name not in _content(body):
            return text
        key, value = _entry(body, name)
        lines = _Lines(body)
        first, last = lines.at(key.start_mark.index), lines.at(_last_character(value))
        old = [_commented(line) for line in lines[first : last + 1]]
        changed = "".join([*lines[:first], *old, *lines[last + 1 :]])
        before = _content(body)
        before.pop(name)
        if _content(changed) != before:
            raise ValueError("something else would change")  # noqa: TRY301  the same answer as to all other obstacles
    except (yaml.YAMLError, LookupError, TypeError, ValueError) as error:
        raise UsageError(
            f"the plan is written in a way that cannot be changed line by line; remove {name!r} from it yourself"
        ) from error
    return MARK * text.startswith(MARK) + changed


def uncommented(text: str, name: str) -> str:
    r"""Return the text of a plan with an entry that is there as a comment of one line.

    Examples
    --------
    >>> uncommented("metric: loss\n# suppression: 2%\n", "suppression")
    'metric: loss\nsuppression: 2%\n'
    """
    if name in _content(text.removeprefix(MARK)):
        return text
    changed = re.sub(rf"^# ({re.escape(name)}: )", r"\1", text, count=1, flags=re.MULTILINE)
    try:
        is_entry = isinstance(_content(changed.removeprefix(MARK)).get(name), str)
    except yaml.YAMLError:
        is_entry = False
    return changed if is_entry else text


def plan_lines(promises: Sequence[str], algorithm: str) -> str:
    """Return promises and algorithm as lines of a plan.

    Examples
    --------
    >>> print(plan_lines(["k-anonymity:k=5"], "auto"))
    promises:
      - k-anonymity:k=5
    algorithm: auto
    """
    return "\n".join(["promises:", *(f"  - {_written(one)}" for one in promises), f"algorithm: {scalar(algorithm)}"])


def _with_promises(text: str, promises: Sequence[str], note: str) -> str:
    key, value = _entry(text, "promises")
    lines = _Lines(text)
    first, last = lines.at(key.start_mark.index), lines.at(_last_character(value))
    is_block = isinstance(value, yaml.SequenceNode) and not value.flow_style
    begin = lines.at(value.start_mark.index) if is_block else first
    kept = dict(_kept_items(value, promises, lines)) if is_block else {}
    new = [spec for spec in promises if _canonical(spec) not in kept.values()]
    indent = " " * value.start_mark.column if is_block else "  "
    head = lines[first:begin] if is_block else [f"promises:{lines.newline}"]
    added = [f"{indent}- {_written(spec)}   # {note}{lines.newline}" for spec in new]
    old = [line if place in kept else _commented(line) for place, line in lines.numbered(begin, last + 1)]
    return "".join([*lines[:first], *head, *added, *old, *lines[last + 1 :]])


def _kept_items(value: yaml.Node, promises: Sequence[str], lines: _Lines) -> list[tuple[int, str]]:
    """Return the lines of the items that stay, with what they promise."""
    wanted = {_canonical(spec) for spec in promises}
    return [
        (line, spec)
        for item in value.value
        if isinstance(item, yaml.ScalarNode) and (spec := _canonical(item.value)) in wanted
        for line in range(lines.at(item.start_mark.index), lines.at(_last_character(item)) + 1)
    ]


def _with_algorithm(text: str, algorithm: str) -> str:
    lines = _Lines(text)
    wanted = f"algorithm: {scalar(algorithm)}"
    if "algorithm" not in _content(text):
        return "".join(lines[:]) + wanted + lines.newline
    key, value = _entry(text, "algorithm")
    if isinstance(value, yaml.ScalarNode) and value.start_mark.line == value.end_mark.line:
        if value.value == algorithm:
            return text
        begin, end = value.start_mark.index, value.end_mark.index
        return text[:begin] + " " * (begin == end) + scalar(algorithm) + text[end:]
    first, last = lines.at(key.start_mark.index), lines.at(_last_character(value))
    old = [_commented(line) for line in lines[first : last + 1]]
    return "".join([*lines[:first], wanted + lines.newline, *old, *lines[last + 1 :]])


class _Lines:
    """The lines of a text, which all have an end, and the line of each character."""

    def __init__(self, text: str) -> None:
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._lines = LINE.findall(text)
        if self._lines and not self._lines[-1].endswith("\n"):
            self._lines[-1] += self.newline
        self._begins = [0, *accumulate(map(len, self._lines))]

    def __getitem__(self, places: slice) -> list[str]:
        return self._lines[places]

    def at(self, character: int) -> int:
        return bisect_right(self._begins, character) - 1

    def numbered(self, begin: int, end: int) -> list[tuple[int, str]]:
        return list(enumerate(self._lines[begin:end], begin))


def _entry(text: str, name: str) -> tuple[yaml.Node, yaml.Node]:
    """Return the nodes of a key and its value."""
    root = yaml.compose(text, Loader=BoundedLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise ValueError("the plan is not a list of keys")
    found = [(key, value) for key, value in root.value if key.value == name]
    if len(found) != 1 or found[0][1].start_mark.index < found[0][0].end_mark.index:
        raise ValueError("the value is missing, stands twice or stands elsewhere")
    return found[0]


def _last_character(node: yaml.Node) -> int:
    """Return where a value ends; a list that is written as lines ends with its last item, not with what follows."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_character(last[1] if isinstance(last, tuple) else last)
    return max(int(node.end_mark.index) - 1, int(node.start_mark.index))


def _commented(line: str) -> str:
    """Return a line as a comment at the same place; comments and empty lines stay."""
    content = line.lstrip(" ")
    is_text = content.strip() and not content.startswith("#")
    return line[: len(line) - len(content)] + "# " + content if is_text else line


def _written(spec: str) -> str:
    """Return a promise as an item of a list: plain where it reads back the same."""
    plain = not set(spec) & set("\"'#{}[]&*!|>%@`\n") and ": " not in spec and not spec.endswith(":")
    return spec if plain and _read(f"- {spec}") == [spec] else scalar(spec)


def _differs_only_there(before: str, after: str, promises: Sequence[str], algorithm: str) -> bool:
    """Whether two plans say the same apart from what was to be changed."""
    old, new = _content(before), _content(after)
    promised = sorted(map(_canonical, new.pop("promises")))
    old.pop("promises")
    return promised == sorted(map(_canonical, promises)) and new == old | {"algorithm": algorithm}


def _canonical(spec: Any) -> str:
    """Return a promise as the registry writes it, or as it is where nothing there has its name."""
    try:
        return str(registry.create("model", spec).spec)
    except UsageError:
        return str(spec)


def _content(text: str) -> dict[str, Any]:
    return dict(_read(text))


def _read(text: str) -> Any:
    return yaml.load(text, Loader=BoundedLoader)  # noqa: S506  it makes nothing but text
