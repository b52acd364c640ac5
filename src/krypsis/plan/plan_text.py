"""Change entries of a plan's text, and leave everything else as its author wrote it.

ruamel.yaml writes the changed plan with the quotes and braces of its author. It would also lay out the rest anew
(aligned values, lists over several lines, line ends) and misplace some comments, so only the words that differ are
taken from it; comments do not pass through it at all.
"""

import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from krypsis import registry
from krypsis.errors import UsageError, column_not_found
from krypsis.io.yaml_file import comment, flow, item, parse_yaml, scalar
from krypsis.plan.layout import VALUE, merged, without_comments

Content = str | int | float | bool | Mapping[str, Any] | Sequence[Any]
Path = Sequence[str | int]
BYTE_ORDER_MARK = "\ufeff"
ITEM = "- "


@dataclass(frozen=True)
class PlanText:
    r"""The text of a plan. Every change returns another text; comments, order and layout stay.

    A change raises ``UsageError`` where the plan is written in a way that cannot be changed piece by piece; the message
    says what to write.

    Examples
    --------
    >>> plan = PlanText("columns:\n  age: QI   # known to neighbors\nmetric: loss   # usual\n")
    >>> print(plan.set(["metric"], "entropy").set(["suppression"], "2%").set_column("age", "weight", 2))
    columns:
      age: {role: QI, weight: 2}   # known to neighbors
    metric: entropy   # usual
    suppression: "2%"
    """

    text: str

    def __str__(self) -> str:
        return self.text

    def set(self, path: Path, value: Content) -> "PlanText":
        """Write a value, on one line, at a path such as ``("columns", "age", "role")``; its last key may be new."""
        return self._edited(path, flow(value))

    def remove(self, path: Path, *, as_comment: bool = False) -> "PlanText":
        r"""Remove an entry, or turn its lines into comments; nothing changes where there is none.

        Examples
        --------
        >>> str(PlanText("metric: loss\nsuppression: 2%   # at most\n").remove(["suppression"], as_comment=True))
        'metric: loss\n# suppression: 2%   # at most\n'
        """
        home = _at(self._content, path[:-1])
        is_there = isinstance(home, list) or (isinstance(home, dict) and path[-1] in home)
        return self._edited(path, None, as_comment=as_comment) if is_there else self

    def restore(self, name: str) -> "PlanText":
        r"""Turn a comment of one line back into the entry that it was; nothing changes where there is none.

        Examples
        --------
        >>> str(PlanText("metric: loss\n# suppression: 2%\n").restore("suppression"))
        'metric: loss\nsuppression: 2%\n'
        """
        if name in self._content:
            return self
        restored = PlanText(re.sub(rf"^# ({re.escape(name)}: )", r"\1", self.text, count=1, flags=re.MULTILINE))
        try:
            return restored if isinstance(restored._content.get(name), str) else self
        except UsageError:
            return self

    def set_column(self, column: str, key: str, value: Content | None) -> "PlanText":
        """Say something else about a column; ``None`` says nothing any more."""
        columns = self._content.get("columns", {})
        if column not in columns:
            raise column_not_found(column, list(columns))
        path = ("columns", column)
        # The short form says the role and nothing else.
        plan = self if isinstance(columns[column], dict) else self.set(path, {"role": columns[column]})
        return plan.remove((*path, key)) if value is None else plan.set((*path, key), value)

    def set_promises(self, specs: Sequence[str], note: str | None = None) -> "PlanText":
        r"""Promise something else. A promise that stays keeps its line with its comment.

        A new one says in a comment what it means, in the place of one that goes. With a ``note`` that is its comment,
        new ones come first, and those that go stay as comments.

        Examples
        --------
        >>> plan = PlanText("promises:\n  - distinct-l-diversity:l=2   # mine\n  - k-anonymity:k=5   # five\n")
        >>> print(plan.set_promises(["distinct-l-diversity:l=2", "k-anonymity:k=3"]))
        promises:
          - distinct-l-diversity:l=2   # mine
          - k-anonymity:k=3   # every record looks like at least 2 others in the attributes an attacker may know
        """
        items = [_canonical(one) for one, _ in self._promises_in_lines]
        comments = {_canonical(one): text for one, text in self._promises_in_lines}
        if not items or not specs:
            return self.set(("promises",), list(specs))
        wanted = {_canonical(spec): spec for spec in specs}
        if note:  # new ones first, the others as they stand
            new = [one for one in wanted if one not in items]
            wanted = {one: wanted[one] for one in (*new, *items) if one in wanted}
        plan, place = self, 0
        for promise, spec in wanted.items():
            stays = next((number for number in range(place, len(items)) if items[number] in wanted), None)
            if stays is not None and items[stays] == promise:
                place = stays + 1
                continue
            means = comments.get(promise) or note or comment(registry.create("model", spec).promise())
            is_instead = not note and place < len(items) and items[place] not in wanted
            plan = plan._edited(("promises", place), item(spec), note=means, is_new_item=not is_instead)
            items[place : place + is_instead] = [promise]
            place += 1
        for number in reversed(range(len(items))):
            is_unwanted = items[number] not in wanted
            if is_unwanted or number >= place:
                plan = plan.remove(("promises", number), as_comment=bool(note) and is_unwanted)
        return plan

    def set_choice(self, promises: Sequence[str], algorithm: str, note: str = "advised") -> "PlanText":
        r"""Promise something else, by another algorithm; what goes stays as comments.

        Examples
        --------
        >>> plan = PlanText("promises:\n  - k-anonymity:k=5   # mine\nalgorithm: auto   # quick\n")
        >>> print(plan.set_choice(["t-closeness:t=0.2"], "mondrian"))
        promises:
          - t-closeness:t=0.2   # advised
          # - k-anonymity:k=5   # mine
        algorithm: mondrian   # quick
        """
        try:
            plan, content = self, self._content
            if "promises" not in content:
                raise UsageError("the plan has no promises")  # noqa: TRY301  the same answer as to all obstacles
            if not self._promises_in_lines:
                plan = plan._edited(("promises",), ITEM + item(promises[0]), note=note, as_comment=True)
            is_long = not isinstance(content.get("algorithm", ""), str)
            plan = plan.set_promises(promises, note)
            return plan._edited(("algorithm",), scalar(algorithm), as_comment=is_long)  # noqa: SLF001
        except UsageError as error:
            raise UsageError(
                "the plan is written in a way that cannot be changed line by line; write into it yourself:\n"
                + choice_lines(promises, algorithm)
            ) from error

    @cached_property
    def _content(self) -> dict[str, Any]:
        return parse_yaml(self.text, "the plan", "data, columns and promises", UsageError)

    @cached_property
    def _promises_in_lines(self) -> list[tuple[Any, str]]:
        """The promises of a list that is written in lines, one below the other, each with the comment behind it."""
        found = self._content.get("promises")
        root: Any = yaml.compose(self.text, Loader=yaml.BaseLoader)
        node: Any = next((value for key, value in root.value if key.value == "promises"), None)
        if not isinstance(found, list) or node.flow_style:
            return []
        rests = (self.text[one.end_mark.index :].partition("\n")[0].strip() for one in node.value)
        return [(one, rest.lstrip("# ") * rest.startswith("#")) for one, rest in zip(found, rests, strict=True)]

    def _edited(
        self, path: Path, written: str | None, *, note: str = "", as_comment: bool = False, is_new_item: bool = False
    ) -> "PlanText":
        """Return the plan with a value as it is to be written, or without it, after making sure that all else stays."""
        wanted: Any = json.loads(json.dumps(self._content))  # a copy in which no part is there twice
        _change(wanted, path, written and yaml.load(written, Loader=yaml.BaseLoader), is_new_item)  # noqa: S506
        if wanted == self._content:
            return self
        mark = BYTE_ORDER_MARK * self.text.startswith(BYTE_ORDER_MARK)
        text, value = self.text.removeprefix(mark), (written or "").removeprefix(ITEM)
        try:
            from ruamel.yaml.scalarstring import PlainScalarString  # noqa: PLC0415  as below

            data, here = _load(without_comments(text)), PlainScalarString(VALUE)  # any other text gets the old quotes
            home = _at(data, path[:-1])
            column = home.lc.col if is_new_item or path[-1] not in home else None
            _change(data, path, written and ([here] if written.startswith(ITEM) else here), is_new_item)
            new = _dump(data)
            plan = PlanText(mark + merged(text, new, value, column=column, note=note, as_comment=as_comment))
            if plan._content != wanted:
                raise ValueError("something else would change")  # noqa: TRY301  the same answer as to all obstacles
        except Exception as error:  # whatever ruamel.yaml raises where it cannot read or write
            raise UsageError(
                "the plan is written in a way that cannot be changed piece by piece; write into it yourself, at "
                f"{'.'.join(map(str, path))}: {written or 'nothing'}"
            ) from error
        return plan


def choice_lines(promises: Sequence[str], algorithm: str) -> str:
    """Return promises and algorithm as lines of a plan.

    Examples
    --------
    >>> print(choice_lines(["k-anonymity:k=5"], "auto"))
    promises:
      - k-anonymity:k=5
    algorithm: auto
    """
    return "\n".join(["promises:", *(f"  - {item(one)}" for one in promises), f"algorithm: {scalar(algorithm)}"])


def _at(content: Any, path: Path) -> Any:
    for name in path:
        is_there = isinstance(content, list) or (isinstance(content, dict) and name in content)
        content = content[name] if is_there else None
    return content


def _change(content: Any, path: Path, value: Any, is_new_item: bool) -> None:
    *parents, key = path
    home = _at(content, parents)
    if not (isinstance(home, dict) or (isinstance(home, list) and isinstance(key, int))):
        place = ".".join(map(str, parents))
        raise UsageError(f"the plan has no part {place!r} with keys of its own, so nothing can be set in it")
    entries: Any = home
    if value is None:
        del entries[key]
    elif is_new_item:
        entries.insert(key, value)
    else:
        entries[key] = value


def _canonical(spec: Any) -> str:
    """Return a promise as the registry writes it, or as it is where nothing there has its name."""
    try:
        return str(registry.create("model", spec).spec) if isinstance(spec, str) else repr(spec)
    except UsageError:
        return str(spec)


def _load(text: str) -> Any:
    return _round_trip().load(text.replace("\r\n", "\n"))


def _dump(data: Any) -> str:
    stream = io.StringIO()
    _round_trip().dump(data, stream)
    return stream.getvalue()


def _round_trip() -> Any:
    """Return a reader and writer that keeps quotes and braces, and leaves every scalar as text."""
    from ruamel.yaml import YAML  # noqa: PLC0415  it takes time, and few commands change plans
    from ruamel.yaml.resolver import VersionedResolver  # noqa: PLC0415

    class Resolver(VersionedResolver):
        processing_version = (1, 1)  # as plans are read elsewhere
        versioned_resolver = {"": [("tag:yaml.org,2002:null", re.compile("$"))]}  # noqa: RUF012  never changed

    both = YAML()
    both.Resolver = Resolver
    both.preserve_quotes = True
    both.width = sys.maxsize
    both.indent(mapping=2, sequence=4, offset=2)
    return both
