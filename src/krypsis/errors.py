"""Every error and warning of the toolkit.

::

    KrypsisError
    ├── UsageError (ValueError)          something the user wrote is wrong
    │   ├── ColumnError (KeyError)       a column that does not exist, or exists twice
    │   ├── HierarchyError               a hierarchy that cannot be used
    │   ├── PlanError                    a plan file that cannot be understood
    │   ├── UnknownNameError (KeyError)  no model, algorithm or metric has that name
    │   ├── Undecidable                  a promise that what was given does not decide
    │   ├── MemoryShort                  rows that do not fit into memory together
    │   ├── BudgetExhausted              an answer that the budget of differential privacy does not allow
    │   └── DataError                    a file or table that cannot be read
    │       └── TooLarge                 more was sent than a server takes
    ├── OutputError (OSError)            a release that cannot be written
    ├── Infeasible                       no release satisfies this; carries the closest result
    │   └── Unfinished                   none was found before the search had to stop
    ├── PromiseBroken                    the checker refuses a release
    ├── PrivacyRefused                   a strict run that would disclose something beyond its promises
    ├── DossierRefused                   a dossier breaks rules of its legal profile
    ├── HistoryBusy                      somebody else is working on a history
    └── InternalError (RuntimeError)     a contradiction inside the toolkit: our bug, please report it

    KrypsisWarning (UserWarning)
    ├── DataWarning                      data is not used exactly as it was given
    ├── ExtensionWarning                 another package that extends the toolkit cannot be used
    ├── PrivacyWarning                   the result keeps its promises and still discloses something
    └── SearchWarning                    the result may not be the best there is

A message says what was expected, what came, what is available and what to do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Columns = TypeVar("Columns", bound=Mapping[str, Any])
Choice = TypeVar("Choice", bound=str)


class KrypsisError(Exception):
    """Base of all errors of the toolkit."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class UsageError(KrypsisError, ValueError):
    """Something the user wrote is wrong."""


class ColumnError(UsageError, KeyError):
    """A column does not exist, or exists twice."""


class HierarchyError(UsageError):
    """A hierarchy cannot be used with this data."""


class PlanError(UsageError):
    """A plan cannot be understood."""


class UnknownNameError(UsageError, KeyError):
    """No model, algorithm or metric has that name."""


class Undecidable(UsageError):  # noqa: N818  an answer rather than an error
    """What was given does not decide a promise: something is missing that is not published."""


class MemoryShort(UsageError):  # noqa: N818  an answer rather than an error
    """Rows do not fit into memory together."""


class BudgetExhausted(UsageError):  # noqa: N818  an answer rather than an error
    """The budget of differential privacy does not allow this answer."""


class DataError(UsageError):
    """A file or table cannot be read."""


class TooLarge(DataError):  # noqa: N818  an answer rather than an error
    """More was sent than a server takes."""


class OutputError(KrypsisError, OSError):
    """A release cannot be written."""


class Infeasible(KrypsisError):  # noqa: N818  an answer rather than an error
    """No release satisfies the promises within the limits.

    ``closest`` says, as names and numbers, what would have been possible.
    """

    def __init__(self, message: str, closest: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.closest = closest or {}


class Unfinished(Infeasible):
    """A search had to stop before it found anything that keeps the promises."""


class PromiseBroken(KrypsisError):  # noqa: N818  an answer rather than an error
    """The checker refuses a release."""


class PrivacyRefused(KrypsisError):  # noqa: N818  an answer rather than an error
    """A strict run, or check, met a risk that would otherwise be a :class:`PrivacyWarning`."""


class DossierRefused(KrypsisError):  # noqa: N818  an answer rather than an error
    """A dossier breaks rules of its legal profile."""


class HistoryBusy(KrypsisError):  # noqa: N818  an answer rather than an error
    """Somebody else is working on a history."""


class InternalError(KrypsisError, RuntimeError):
    """A contradiction inside the toolkit."""


class KrypsisWarning(UserWarning):
    """Base of all warnings of the toolkit.

    ``translations`` are the same message in other languages, by their codes, for the pages of the server.
    """

    def __init__(self, message: str = "", translations: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.translations = dict(translations or {})


class DataWarning(KrypsisWarning):
    """Data is not used exactly as it was given: a part is not read, or spellings of one value are one."""


class ExtensionWarning(KrypsisWarning):
    """Another package offers a model, an algorithm or a metric that cannot be used."""


class MemoryWarning(KrypsisWarning):
    """A run takes more memory than it was given."""


class PrivacyWarning(KrypsisWarning):
    """The promises hold and the release still discloses something."""


class SearchWarning(KrypsisWarning):
    """The promise holds and a better release may exist."""


def did_you_mean(name: str, available: Iterable[str]) -> str:
    """Return a hint with the nearest available name, or an empty string.

    Examples
    --------
    >>> did_you_mean("zipcod", ["age", "zipcode"])
    " Did you mean 'zipcode'?"
    """
    available = list(available)
    near = [one for one in available if one.casefold() == name.casefold()] or difflib.get_close_matches(
        name, available, 1
    )
    return f" Did you mean {near[0]!r}?" if near else ""


def column_not_found(name: str, columns: Iterable[str]) -> ColumnError:
    """Return the error for a column that is not in the table."""
    columns = list(columns)
    shown = ", ".join(map(_quoted, columns[:20])) + (", …" if len(columns) > 20 else "")
    hint = _delimiter_hint(columns) or did_you_mean(name, columns)
    return ColumnError(f"column {name!r} not found; columns: {shown}.{hint}")


def _quoted(name: str) -> str:
    """Return a name as it stands in a list: in quotes if one could not see where it begins or ends."""
    return name if re.fullmatch(r"[\w.-]+(?: [\w.-]+)*", name) else repr(name)


def _delimiter_hint(columns: Sequence[str]) -> str:
    """Recognize a table that was read with the wrong delimiter: all names in one."""
    if len(columns) != 1 or not (found := [mark for mark in ";,\t|" if mark in columns[0]]):
        return ""
    mark = max(found, key=columns[0].count)
    return f" The only column looks like several: read the file with the delimiter {mark!r}"


def wrong_role(name: str, role: str, wanted: str, columns: Iterable[str]) -> ColumnError:
    """Return the error for a column that exists and has another role than it should."""
    known = ", ".join(columns) or "none"
    return ColumnError(f"column {name!r} has the role {role!r}, expected {wanted!r}; columns of that role: {known}")


def check_mapping(given: Columns, what: str, example: str) -> Columns:
    """Return what a program gave, unless it is no mapping from column names."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{what} must be a mapping such as {example}, got {type(given).__name__}")
    if strangers := [name for name in given if not isinstance(name, str)]:
        raise UsageError(
            f"{what} names the column {strangers[0]!r} ({type(strangers[0]).__name__}); names of columns are text: "
            f"write {str(strangers[0])!r}"
        )
    return given


def check_levels(given: Mapping[str, int], what: str) -> Mapping[str, int]:
    """Return levels by column that a program gave, unless they are something else."""
    for column, level in check_mapping(given, what, "{'age': 1}").items():
        if isinstance(level, bool) or not isinstance(level, Integral):
            raise UsageError(f"{what} of {column!r} must be a whole number, got {level!r}")
    return given


def check_choice(given: Choice, what: str, choices: Sequence[str]) -> Choice:
    """Return what a program gave, unless it is none of the choices."""
    if given in choices:
        return given
    hint = did_you_mean(str(given).lower(), choices)
    raise UsageError(f"{what} must be {' or '.join(map(repr, choices))}, got {given!r}.{hint}")


def shorten(items: Iterable[object], most: int = 10) -> str:
    """Return the items as a list for a message, cut after ``most``.

    Examples
    --------
    >>> shorten(range(12), most=3)
    '0, 1, 2 and 9 more'
    """
    shown = [str(item) for item in items]
    rest = len(shown) - most
    return ", ".join(shown[:most]) + (f" and {rest} more" if rest > 0 else "")


EXPECTED = {
    "tuple_type": "a list such as [a, b]",
    "too_short": "at least one entry",
    "string_type": "a text or a number",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "model_type": "a mapping with keys and values",
    "dict_type": "a mapping with keys and values",
}
"""What to say instead of the words of the validation, by the beginning of its type."""
SHOULD_BE = "Input should be "


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return one sentence per place where something does not fit the model, with the keys that are known there.

    What is wrong with an entry makes its list too short, which says nothing more.

    Examples
    --------
    >>> from pydantic import BaseModel, ValidationError
    >>> class Point(BaseModel, extra="forbid"):
    ...     width: int
    >>> try:
    ...     Point(widht=3)
    ... except ValidationError as error:
    ...     print(explain(error, Point))
    'width' is missing; unknown key 'widht'; keys here: width. Did you mean 'width'?
    """
    problems = error.errors()
    places = [_place(problem) for problem in problems]
    sentences: dict[tuple[str, ...], str] = {}
    for problem, place in zip(problems, places, strict=True):
        has_wrong_entry = any(other[: len(place)] == place and len(other) > len(place) for other in places)
        if not (problem["type"] == "too_short" and has_wrong_entry):
            sentences.setdefault(place, _sentence(problem, ".".join(place), model))
    return "; ".join(sentences.values())


BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def explain_parameters(error: ValidationError, name: str, cls: type[BaseModel], *, with_meaning: bool = False) -> str:
    """Return one sentence per parameter of a model, an algorithm, a metric or a hierarchy that does not fit.

    Parameters
    ----------
    error, cls
        what the validation of a class says.
    name
        as which people know the class.
    with_meaning
        whether to say what a parameter means where its value does not fit.

    Examples
    --------
    >>> from pydantic import BaseModel, Field, ValidationError
    >>> class Bins(BaseModel):
    ...     width: int = Field(gt=0, description="how wide a bin is")
    >>> try:
    ...     Bins(width=-1)
    ... except ValidationError as error:
    ...     print(explain_parameters(error, "bins", Bins))
    width of bins must be more than 0, got -1
    """
    sentences: dict[str, str] = {}
    for problem in error.errors():
        field = str(problem["loc"][0]) if problem["loc"] else ""
        sentences.setdefault(field, _of_parameter(problem, field, name, cls, with_meaning=with_meaning))
    return "; ".join(sentences.values())


def _of_parameter(problem: Any, field: str, name: str, cls: type[BaseModel], *, with_meaning: bool) -> str:
    message = str(problem["msg"]).removeprefix("Value error, ")
    if not field or (problem["type"] == "value_error" and with_meaning):
        return message
    meaning = cls.model_fields[field].description
    if problem["type"] == "missing":
        return f"{name} needs {field}: {meaning}"
    given = f"{problem['input']!r:.60}"
    if bound := _bound_of(problem):
        is_none = bound.startswith("a number")
        said = f"{field} of {name} must be {bound}, got " + ("'nan', which is none" if is_none else given.strip("'"))
    elif (expected := expected_by(problem)) is not None:
        said = f"{field} of {name} must be {expected}, got {given}"
    else:
        said = f"{field} of {name}: {message}, got {given}"
    return said + f" ({meaning})" * bool(with_meaning and meaning)


def _bound_of(problem: Any) -> str | None:
    """Return the bound that a number has missed, in words."""
    bounds = problem.get("ctx", {})
    found = next((f"{words} {bounds[key]:g}" for key, words in BOUNDS.items() if key in bounds), None)
    is_none = str(problem["input"]).strip().lower() == "nan"
    return f"a number {found}" if found and is_none else found


def first_problem(error: ValidationError) -> str:
    """Return the place and the words of the first problem, for files that no person has written."""
    first = error.errors()[0]
    place = ".".join(str(step) for step in first["loc"])
    return f"{place}{': ' * bool(place)}{first['msg'].removeprefix('Value error, ')}"


def _place(problem: Any) -> tuple[str, ...]:
    """Return where a problem is, without the names of the types that were tried there."""
    parts = (str(part) for part in problem["loc"])
    return tuple(part for part in parts if part not in ("str", "dict[str,any]") and "is-instance[" not in part)


def _sentence(problem: Any, place: str, model: type[BaseModel]) -> str:
    kind = str(problem["type"])
    if not place:  # about the whole, such as two keys that do not go together; it names them itself
        return str(problem["msg"])
    if kind == "extra_forbidden":
        known = _known_keys(model, problem["loc"][:-1])
        key = str(problem["loc"][-1])
        return f"unknown key {place!r}; keys here: {', '.join(known)}.{did_you_mean(key, known)}"
    if kind == "missing":
        return f"{place!r} is missing"
    if kind == "value_error":
        return f"{place}: {problem['msg'].removeprefix('Value error, ')}"
    expected = expected_by(problem) or str(problem["msg"]).replace("greater than or equal to", "at least")
    return f"{place}: expected {expected}, got {problem['input']!r:.60}"


def expected_by(problem: Any) -> str | None:
    """Return what the validation expected, in plain words, where it says that at all."""
    kind, message = str(problem["type"]), str(problem["msg"])
    known = next((words for beginning, words in EXPECTED.items() if kind.startswith(beginning)), None)
    if known is None and message.startswith(SHOULD_BE):
        return message.removeprefix(SHOULD_BE).replace("greater than or equal to", "at least")
    return known


def _known_keys(model: type[BaseModel], place: Sequence[Any]) -> list[str]:
    """Return the keys that a person may write at a place; what is not written out is not asked for either."""
    for part in place:
        field = model.model_fields.get(str(part))
        model = (_model_in(field.annotation) if field is not None else None) or model
    return [name for name, field in model.model_fields.items() if not field.exclude]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a type holds, such as the one of ``dict[str, Column]``."""
    if isinstance(annotation, type) and hasattr(
        annotation, "model_fields"
    ):  # a model of pydantic, which is not loaded for errors alone
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
