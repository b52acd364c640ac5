"""Change one entry of a plan's text, and leave everything else as its author wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import yaml

from krypsis.errors import UsageError
from krypsis.io.yaml_file import BoundedLoader
from krypsis.profile.yaml_text import flow, scalar

Content = str | int | float | bool | Mapping[str, Any] | Sequence[Any]


class _Obstacle(Exception):  # noqa: N818  of an edit, not an error of the user
    """A plan is written in a way that keeps one entry from being changed by itself."""


def with_value(text: str, path: Sequence[str], value: Content) -> str:
    r"""Return the text of a plan with another value of one entry; comments stay where they are.

    Parameters
    ----------
    text
        of the plan.
    path
        the keys that lead to the entry, such as ``("columns", "age", "role")``. The last of them may be new.
    value
        to write there, on one line.

    Raises
    ------
    UsageError
        if the plan is written in a way that cannot be changed piece by piece; the message says what to write.

    Examples
    --------
    >>> plan = "columns:\n  age: QI   # known to neighbors\nmetric: loss   # usual\n"
    >>> print(with_value(with_value(plan, ["metric"], "entropy"), ["suppression"], "2%"), end="")
    columns:
      age: QI   # known to neighbors
    metric: entropy   # usual
    suppression: "2%"
    """
    wanted = _read(text)
    _set(wanted, path, value)
    return _checked(wanted, lambda: _replaced(text, path, flow(value)), path, value)


def without(text: str, path: Sequence[str]) -> str:
    r"""Return the text of a plan without one entry; nothing changes where there is none.

    Examples
    --------
    >>> without("metric: loss\nsuppression: 2%\n", ["suppression"])
    'metric: loss\n'
    """
    wanted = _read(text)
    home = _at(wanted, path[:-1])
    if not isinstance(home, dict) or path[-1] not in home:
        return text
    del home[path[-1]]
    return _checked(wanted, lambda: _removed(text, path), path, "nothing")


def _checked(wanted: Any, change: Callable[[], str], path: Sequence[str], value: Any) -> str:
    """Return what a change makes of a text, after making sure that it says what is wanted and nothing else."""
    try:
        changed = change()
        if _content(changed) != _as_read(wanted):
            raise _Obstacle("something else would change")  # noqa: TRY301  the same answer as to all other obstacles
    except (yaml.YAMLError, _Obstacle) as error:
        raise UsageError(
            "the plan is written in a way that cannot be changed piece by piece; write into it yourself, at "
            f"{'.'.join(path)}: {value if value == 'nothing' else flow(value)}"
        ) from error
    return changed


def _replaced(text: str, path: Sequence[str], written: str) -> str:
    home = _mapping(text, path[:-1])
    found = _pair(home, path[-1])
    if found is None:
        return _added(text, home, f"{scalar(path[-1])}: {written}")
    key, value = found
    if isinstance(value, yaml.CollectionNode) and not value.flow_style:
        colon = text.index(":", key.end_mark.index) + 1
        return f"{text[:colon]} {written}{text[_end(value) :]}"
    begin, end = value.start_mark.index, value.end_mark.index
    return text[:begin] + " " * (begin == end) + written + text[end:]


def _added(text: str, home: yaml.MappingNode, line: str) -> str:
    """Put a new entry at the end of a mapping."""
    end = _end(home)
    if home.flow_style:
        closing = home.end_mark.index - 1
        return text[:closing].rstrip() + (", " if home.value else "") + line + text[closing:]
    newline = "\r\n" if "\r\n" in text else "\n"
    stop = text.find("\n", end)
    stop, before = (len(text), newline) if stop < 0 else (stop + 1, "")
    return f"{text[:stop]}{before}{' ' * home.start_mark.column}{line}{newline}{text[stop:]}"


def _removed(text: str, path: Sequence[str]) -> str:
    home = _mapping(text, path[:-1])
    pairs = home.value
    place = next(number for number, (key, _) in enumerate(pairs) if key.value == path[-1])
    key, value = pairs[place]
    begin, end = key.start_mark.index, max(_end(value), key.end_mark.index + 1)
    if home.flow_style:
        if place + 1 < len(pairs):
            end = pairs[place + 1][0].start_mark.index
        elif place:
            begin = _end(pairs[place - 1][1])
        return text[:begin] + text[end:]
    if len(pairs) == 1:
        raise _Obstacle("a mapping in lines cannot be empty")
    stop = text.find("\n", end)
    return text[: text.rfind("\n", 0, begin) + 1] + ("" if stop < 0 else text[stop + 1 :])


def _mapping(text: str, path: Sequence[str]) -> yaml.MappingNode:
    """Return the mapping that a path leads to."""
    node = yaml.compose(text, Loader=BoundedLoader)
    for name in path:
        found = _pair(node, name)
        if found is None:
            raise _Obstacle(f"there is no {name}")
        node = found[1]
    if not isinstance(node, yaml.MappingNode):
        raise _Obstacle(f"{path} is no mapping")
    return node


def _pair(home: yaml.Node | None, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    if not isinstance(home, yaml.MappingNode):
        raise _Obstacle(f"{name} is not in a mapping")
    return next(((key, value) for key, value in home.value if key.value == name), None)


def _end(node: yaml.Node) -> int:
    """Return where a value ends; what is written in lines ends with its last item, not with what follows."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _set(content: Any, path: Sequence[str], value: Content) -> None:
    home = _at(content, path[:-1])
    if not isinstance(home, dict):
        raise UsageError(
            f"the plan has no part {'.'.join(path[:-1])!r} with keys of its own, so nothing can be set in it"
        )
    home[path[-1]] = deepcopy(value)


def _at(content: Any, path: Sequence[str]) -> Any:
    for name in path:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def _as_read(content: Any) -> Any:
    """Return a content as it is read back: every scalar as text."""
    return _content(flow(content))


def _read(text: str) -> Any:
    """Return the content of a plan that somebody wrote."""
    try:
        return _content(text)
    except yaml.YAMLError as error:
        raise UsageError(f"the plan is not valid YAML: {error}") from None


def _content(text: str) -> Any:
    return yaml.load(text, Loader=BoundedLoader)  # noqa: S506  it makes nothing but text
