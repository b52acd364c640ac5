"""From what a user wrote about a column to its hierarchy."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ValidationError

import krypsis.data.hierarchies
from krypsis.data.hierarchies.base import TOP, Hierarchy, HierarchyBuilder, Label, RuleBuilder
from krypsis.data.hierarchies.csv import CsvFile, read_csv
from krypsis.data.hierarchies.taxonomy import Taxonomy
from krypsis.errors import HierarchyError, did_you_mean, explain_parameters, shorten
from krypsis.registry import concrete_classes


class Flat(RuleBuilder):
    """Every value becomes ``*``.

    Examples
    --------
    >>> Flat().build(["male", "female"], "sex").rows()
    [['male', '*'], ['female', '*']]
    """

    kind: ClassVar[str] = "flat"

    def columns(self, values: Sequence[str], name: str) -> list[list[str]]:  # noqa: ARG002
        return [list(values), [TOP] * len(values)]


HierarchySpec = Hierarchy | HierarchyBuilder | str | os.PathLike[str] | Mapping[str, Any] | None
"""What a user may write: a hierarchy, a builder or its options, the name of a file, or nothing."""

LONGEST_FILE_NAME = 255
LARGEST_LOOKED_AT = 5_000_000
"""How many bytes a file may have to be looked into for a suggestion."""


def resolve(
    spec: HierarchySpec, values: Sequence[Label], name: str, folder: str | os.PathLike[str] | None = None
) -> Hierarchy:
    """Return the hierarchy that a spec means for the column ``name``; it holds all ``values``.

    Parameters
    ----------
    spec
        a hierarchy; a builder; the name of a CSV file; the kind of a builder that needs no options, such as ``flat``;
        a mapping with a ``kind`` and options; a mapping without ``kind``, which is a taxonomy; or ``None``, which is
        flat.
    values
        the distinct values of the column as text, ``None`` where missing.
    name
        the column, for messages.
    folder
        where relative file names start; the current folder unless given.

    Examples
    --------
    >>> resolve({"kind": "intervals", "width": "5"}, ["31", "38"], "age").column(1)
    ['[30-35)', '[35-40)']
    """
    if isinstance(spec, Hierarchy):
        return spec.covering(values, name)
    return _in_folder(builder(spec, name), folder, name).build(values, name).covering(values, name)


def describe(spec: HierarchySpec) -> str:
    """Return a short name of the hierarchy for a manifest: no values, no options, no folders.

    Examples
    --------
    >>> describe("hierarchies/age.csv"), describe({"kind": "intervals", "width": 5}), describe(None)
    ('csv age.csv', 'intervals', 'flat')
    """
    if isinstance(spec, Hierarchy):
        return "given"
    made = builder(spec, "hierarchy")
    return f"csv {_file_name(made.file)}" if isinstance(made, CsvFile) else made.kind


def follows_from_data(spec: HierarchySpec, name: str) -> bool:
    """Say whether the values below a node are those of the data: publishing the hierarchy would list them.

    Examples
    --------
    >>> follows_from_data({"kind": "masking"}, "zip"), follows_from_data({"*": ["f", "m"]}, "sex")
    (True, False)
    """
    return not isinstance(spec, Hierarchy) and not isinstance(builder(spec, name), CsvFile | Taxonomy)


def builder(spec: HierarchySpec, name: str) -> HierarchyBuilder:
    """Return the builder that a spec stands for.

    Raises
    ------
    HierarchyError
        if the spec cannot be understood.
    """
    match spec:
        case None:
            return Flat()
        case HierarchyBuilder():
            return spec
        case str() if spec.strip() in builders():
            return _create(builders()[spec.strip()], {}, name)
        case str() | os.PathLike():
            return _csv_file(spec, name)
        case Mapping() if "kind" in spec:
            return _create(_find(spec["kind"], name), {key: spec[key] for key in spec if key != "kind"}, name)
        case Mapping():
            _check_not_forgotten(spec, name)
            return _create(Taxonomy, {"tree": dict(spec)}, name)
    raise HierarchyError(
        f"hierarchy of {name!r} must be the name of a CSV file, a mapping such as {{kind: intervals, width: 5}}, "
        f"a Hierarchy or a builder; got {_short(spec)} ({type(spec).__name__})"
    )


def builders() -> dict[str, type[HierarchyBuilder]]:
    """Return every builder by its kind, in alphabetical order.

    Examples
    --------
    >>> list(builders())
    ['csv', 'dates', 'flat', 'icd9', 'intervals', 'masking', 'order', 'taxonomy']
    """
    found = concrete_classes(krypsis.data.hierarchies, HierarchyBuilder)
    return {cls.kind: cls for cls in sorted(found, key=lambda cls: cls.kind)}


def _find(kind: object, name: str) -> type[HierarchyBuilder]:
    known = builders()
    if isinstance(kind, str) and kind in known:
        return known[kind]
    raise HierarchyError(
        f"hierarchy of {name!r}: kind {kind!r} is not known; kinds: {', '.join(known)}.{did_you_mean(str(kind), known)}"
    )


def _create(cls: type[HierarchyBuilder], options: Mapping[str, Any], name: str) -> HierarchyBuilder:
    known = list(cls.model_fields)
    for key in options:
        if key not in known:
            raise HierarchyError(
                f"hierarchy of {name!r}: {cls.kind} has no option {key!r}; "
                f"options: {', '.join(known) or 'none'}.{did_you_mean(str(key), known)}"
            )
    try:
        return cls(**options)
    except ValidationError as error:
        said = explain_parameters(error, cls.kind, cls, with_meaning=True)
        raise HierarchyError(f"hierarchy of {name!r}: {said}") from None


def _short(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:60] + "…"


def _check_not_forgotten(spec: Mapping[str, Any], name: str) -> None:
    """Options without their kind would make a strange taxonomy."""
    if not spec:
        raise HierarchyError(f"hierarchy of {name!r} is an empty mapping; name a kind: {', '.join(builders())}")
    written = ", ".join(map(str, spec))
    for kind, cls in builders().items():
        if kind in [value for value in spec.values() if isinstance(value, str)] or _looks_like_options(spec, cls):
            raise HierarchyError(f"hierarchy of {name!r} has {written} and no kind; write 'kind: {kind}' next to it")


def _looks_like_options(spec: Mapping[str, Any], cls: type[HierarchyBuilder]) -> bool:
    if not set(spec) <= set(cls.model_fields):
        return False
    if any(isinstance(value, str | int | float) for value in spec.values()):
        return True
    try:
        cls(**spec)
    except ValidationError:
        return False
    return True


def _csv_file(spec: str | os.PathLike[str], name: str) -> CsvFile:
    text = os.fspath(spec)
    if not text.strip() or "\0" in text or len(os.fsencode(Path(text).name)) > LONGEST_FILE_NAME:
        raise HierarchyError(f"hierarchy of {name!r}: {_short(text)} is not the name of a file")
    return CsvFile(file=Path(spec))


def _in_folder(made: HierarchyBuilder, folder: str | os.PathLike[str] | None, name: str) -> HierarchyBuilder:
    if not isinstance(made, CsvFile):
        return made
    path = Path(folder or ".") / made.file
    if not path.is_file():
        there = sorted(entry.name for entry in path.parent.glob("*.csv") if _is_hierarchy(entry))
        options = [*there, *(kind for kind in builders() if not path.suffix)]
        raise HierarchyError(
            f"hierarchy of {name!r}: no file {path.name} in {path.parent.resolve()}; hierarchy files there: "
            f"{shorten(there) or 'none'}.{did_you_mean(path.name, options)}"
        )
    return made.model_copy(update={"file": path})


def _is_hierarchy(path: Path) -> bool:
    """Say whether a file can be read as a hierarchy; the data lies next to it and must not be suggested."""
    if path.stat().st_size > LARGEST_LOOKED_AT:
        return False
    try:
        read_csv(path)
    except HierarchyError:
        return False
    return True


def _file_name(path: Path) -> str:
    """Return the last part, also of a path written on another system."""
    return re.split(r"[\\/]", str(path).rstrip("\\/"))[-1]
