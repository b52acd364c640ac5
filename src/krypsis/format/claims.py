"""What a release claims about itself: the part of its manifest that the checker needs.

The types a published column may have: those that survive a journey through a CSV file.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from typing import Any, Self

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.schema import Role
from krypsis.errors import DataError, PromiseBroken, first_problem, shorten
from krypsis.io.frames import replaced, worked_on
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.mechanisms import MechanismRecord

MANIFEST = "manifest.json"
SINGLE_FORMAT = 1
"""The version of a manifest whose tables are one file each."""
PARTED_FORMAT = 2
"""The version of a manifest whose first table is published in several files; readers of the first version refuse it."""
FORMATS = (SINGLE_FORMAT, PARTED_FORMAT)


class ManifestPart(BaseModel):
    """A part of the manifest: names beyond those declared are an error, so that nothing is published by accident."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedColumn(ManifestPart):
    """A published column."""

    name: str
    role: Role
    type: str


class PromiseClaim(ManifestPart):
    """A promise, with the level that is said to have been achieved."""

    promise: str
    required: float
    achieved: float
    sentence: str
    proven: bool = True
    """Whether the checker could decide it, or only found nothing that speaks against it."""


class Suppression(ManifestPart):
    """How many records were suppressed, and whether they were removed or kept with every value at the top."""

    records: int = Field(ge=0)
    mode: str


class PublishedFile(ManifestPart):
    """A file of the release, with the checksum that shows it was not changed."""

    name: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)


class SensitiveTable(ManifestPart):
    """The second table of a release in groups: group, sensitive value and how often it occurs there, in this order."""

    columns: tuple[PublishedColumn, PublishedColumn, PublishedColumn]
    rows: int = Field(ge=0)


class TableClaim(ManifestPart):
    """A further table of a release of several, linked to the first by the subject of its rows."""

    columns: tuple[PublishedColumn, ...]
    rows: int = Field(ge=0)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What an attacker may know of its rows."""
        return tuple(column.name for column in self.columns if column.role is Role.QUASI_IDENTIFIER)


class PublicRule(ManifestPart):
    """A rule between the cells of a record that everybody knows, as plans have it."""

    rule: str
    mapping: tuple[tuple[str, ...], ...] = ()
    """Of a functional dependency: values of the left columns and the one that goes with them, where that is public."""


class Claims(ManifestPart):
    """Everything that a manifest may say: what the checker verifies, and what remains the publisher's word."""

    format: int
    release_id: str
    kind: str = "table"
    """The kind of data that is published, such as ``table`` or ``transactions``."""
    columns: tuple[PublishedColumn, ...]
    quasi_identifier_sets: tuple[tuple[str, ...], ...]
    promises: tuple[PromiseClaim, ...]
    rows: int = Field(ge=0)
    suppressed: Suppression
    reference: dict[str, tuple[tuple[Label, NonNegativeInt], ...]] = Field(default_factory=dict)
    """Sensitive attribute → ``(value, count)`` in the whole table; a list, because a missing value has no name."""
    sensitive_hierarchies: dict[str, tuple[tuple[Label, ...], ...]] = Field(default_factory=dict)
    """Sensitive attribute → one row per value, for promises that measure distance in a hierarchy."""
    guarantee: str = ""
    """What the method guarantees beyond the promises, or that it guarantees nothing, in plain words."""
    group_column: str | None = None
    """The column that says which records form a group, where that cannot be seen from the quasi-identifiers."""
    sensitive_table: SensitiveTable | None = None
    subject_column: str | None = None
    """The column that says whose row it is, in every table of a release of several."""
    tables: dict[str, TableClaim] = Field(default_factory=dict)
    """The further tables by the names of their files."""
    parquet_writer: str = ""
    """What wrote the Parquet files, where there are any: the same writer makes the same bytes of the same values."""
    mechanism_record: MechanismRecord | None = None
    """How the table was made by chance, where a promise is about that."""
    sensitive_items: tuple[str, ...] = ()
    """Items of published sets that nobody should be able to attach to a person."""
    item_hierarchy: tuple[tuple[Label, ...], ...] = ()
    """One row per item, where some sets show an item and others something more general above it."""
    dependencies: tuple[PublicRule, ...] = ()
    """Rules by which cells follow from others."""
    files: tuple[PublishedFile, ...]
    tool: str
    created: str
    algorithm: str
    scheme: str = ""
    metric: str
    score: float | None
    metrics: dict[str, float]
    weights: dict[str, float]
    hierarchies: dict[str, str]
    levels: dict[str, int]
    heights: dict[str, int]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the manifest of a release folder."""
        path = folder / MANIFEST
        content = read_json(path)
        if content.get("format") not in FORMATS:
            raise DataError(
                f"{path} has format {content.get('format')!r}; this version of krypsis reads formats "
                f"{' and '.join(map(str, FORMATS))}. "
                "Use the version that wrote the release"
            )
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise DataError(f"{path} is not the manifest of a release: {first_problem(error)}") from None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The published sensitive attributes."""
        sensitive_columns = () if self.sensitive_table is None else self.sensitive_table.columns
        return tuple(column.name for column in (*self.columns, *sensitive_columns) if column.role is Role.SENSITIVE)

    @property
    def rows_before(self) -> int:
        """The number of records before suppression."""
        return self.rows + (self.suppressed.records if self.suppressed.mode == "remove" else 0)

    @property
    def distributions(self) -> dict[str, dict[Label, int]]:
        """The distribution of sensitive attributes in the whole table, where it is published."""
        return {name: dict(counts) for name, counts in self.reference.items()}

    @property
    def hierarchy_of_items(self) -> Hierarchy | None:
        """The hierarchy of the items, where it is published."""
        return Hierarchy.from_rows(self.item_hierarchy, "item") if self.item_hierarchy else None

    @property
    def hierarchies_of_sensitive(self) -> dict[str, Hierarchy]:
        """The hierarchies of sensitive attributes, where they are published."""
        return {name: Hierarchy.from_rows(rows, name) for name, rows in self.sensitive_hierarchies.items()}


def _instead(folder: Path) -> str:
    """Return what to do about a folder that is no release."""
    if (folder / "releases").is_dir():
        command = f"krypsis history check --folder {quote(str(folder))}"
        return f"It looks like a history; check all its releases together: {command}"
    return "To check a table made by another tool, name the file itself, its promises and its quasi-identifiers"


def read_json(path: Path) -> dict[str, Any]:
    """Return the content of a manifest, or say in plain words why there is none."""
    if path.is_symlink() or not path.is_file():
        raise DataError(f"{path.parent} is not a release: it has no file {MANIFEST}. {_instead(path.parent)}")
    try:
        content = json.loads(path.read_bytes(), object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}; the release is damaged") from None
    if not isinstance(content, dict):
        raise DataError(f"{path} must hold a JSON object, got {type(content).__name__}; the release is damaged")
    return content


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which no name stands twice: readers take the first or the last, and see different things."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


TYPES: dict[str, pl.DataType] = {
    str(dtype): dtype
    for dtype in (
        *(pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.UInt8(), pl.UInt16(), pl.UInt32(), pl.UInt64()),
        *(pl.Float32(), pl.Float64(), pl.Boolean(), pl.String(), pl.Date(), pl.Time()),
        *(pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns")),
    )
}


def publishable(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with columns of other types as text, and missing values in one form.

    Categories become text because a categorical column carries its whole dictionary into a Parquet file, with values
    that no published record has any more. "Not a number" becomes missing, which it means: published next to missing
    cells it would distinguish records that promises count as alike.

    Examples
    --------
    >>> publishable(pl.DataFrame({"sex": pl.Series(["*"], dtype=pl.Enum(["male", "*"]))})).schema
    Schema([('sex', String)])
    """
    table = replaced(table, (text_of(column) for column in table if str(column.dtype) not in TYPES))
    floats = (column for column in table if column.dtype.is_float())
    return replaced(table, (worked_on(column, lambda numbers: numbers.fill_nan(None)) for column in floats))


def restore_types(table: pl.DataFrame, columns: Iterable[PublishedColumn], names: Iterable[str]) -> pl.DataFrame:
    """Return a table whose named columns, if they were read as text, have the types they were published with."""
    types = {column.name: column.type for column in columns}
    text = [name for name in names if name in table.columns and table.schema[name] == pl.String]
    if unknown := [types[name] for name in text if types[name] not in TYPES]:
        raise DataError(f"the manifest names the type {unknown[0]!r}; types: {shorten(TYPES, len(TYPES))}")
    try:
        return replaced(
            table, (_restored(table.get_column(name).rename(PLAIN), TYPES[types[name]]).rename(name) for name in text)
        )
    except pl.exceptions.PolarsError as error:
        raise PromiseBroken(f"a column does not hold values of its type: {str(error).splitlines()[0]}") from None


def _restored(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.Boolean:
        return column.replace_strict({"true": True, "false": False}, return_dtype=pl.Boolean)
    if dtype.is_temporal():
        return column.str.strptime(dtype)  # type: ignore[arg-type] # a Date, Time or Datetime, as it wants
    return column.cast(dtype)
