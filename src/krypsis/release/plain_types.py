"""Types of columns that were read from a text file: a Parquet file has numbers where the text file had numbers."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import polars as pl

from krypsis.io.texts import PLAIN, numbered_values, text_of

FORMS: tuple[tuple[str, pl.DataType], ...] = (
    (r"^(0|-?[1-9][0-9]{0,17})$", pl.Int64()),
    (r"^-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$", pl.Float64()),
    (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", pl.Date()),
    (r"^(true|false)$", pl.Boolean()),
)
"""How a value of each type is written. A code such as ``01234`` is none; a Float64 holds 15 digits exactly."""


def with_types_of_texts(table: pl.DataFrame, wanted: Collection[str]) -> pl.DataFrame:
    """Return a table whose wanted columns of texts have the types that these texts have, as a Parquet file holds them.

    A CSV copy of the same release then has the one spelling that a number has, ``12.5`` for ``12.50``. What is
    published decides, and not what was suppressed.
    """
    if not wanted:
        return table
    return pl.DataFrame([typed(column) if column.name in wanted else column for column in table])


def typed(column: pl.Series) -> pl.Series:
    """Return a column of texts with the type that all of them have; as it is where there is none.

    The texts may be kept as categories; the list of these may have more than the column.

    Examples
    --------
    >>> [typed(pl.Series(texts)).dtype for texts in (["31", None], ["1.5", "2"], ["01234", "5"], ["2024-02-30"])]
    [Int64, Float64, String, String]
    """
    if isinstance(column.dtype, pl.Enum) and (found := numbered_values(column)) is not None:
        different = typed(text_of(found[0]))
        return column if different.dtype == pl.String else different.gather(found[1])
    if column.dtype != pl.String or column.null_count() == len(column):
        return column
    texts = column.rename(PLAIN)
    for form, dtype in FORMS:
        if texts.str.contains(form).all() and (values := _values(texts, dtype)) is not None:
            return values.rename(column.name)
    return column


def types_of_texts(parts: Callable[[], Iterable[pl.DataFrame]], wanted: Sequence[str]) -> dict[str, pl.DataType]:
    """Return the types that columns of texts have over all parts of a table; those that have none are left out.

    The parts are read once. Of numbers with decimals the distinct texts are kept meanwhile, since two of them may be
    the same number; all other types have one text for each value.

    Examples
    --------
    >>> frames = [pl.DataFrame({"age": ["31"], "pay": ["1.5"]}), pl.DataFrame({"age": ["x"], "pay": ["2"]})]
    >>> types_of_texts(lambda: frames, ["age", "pay"])
    {'pay': Float64}
    """
    found = {name: _TypeOfTexts() for name in wanted}
    for frame in parts() if found else ():
        for name, one in found.items():
            one.add(frame.get_column(name))
    return {name: dtype for name, one in found.items() if (dtype := one.dtype()) is not None}


def cast_texts(table: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return a table whose columns of texts have types that were found by :func:`types_of_texts`."""
    return pl.DataFrame(
        [
            column if column.name not in types else _cast(column.rename(PLAIN), types[column.name]).rename(column.name)
            for column in table
        ]
    )


class _TypeOfTexts:
    """Which types all texts so far have."""

    def __init__(self) -> None:
        self._possible = list(FORMS)
        self._decimals = pl.Series(PLAIN, [], dtype=pl.String)
        self._is_anything = False

    def add(self, column: pl.Series) -> None:
        if column.dtype != pl.String:
            self._possible = []
        texts = column.rename(PLAIN).drop_nulls().unique() if self._possible else pl.Series(PLAIN, [], dtype=pl.String)
        self._is_anything = self._is_anything or bool(len(texts))
        self._possible = [
            (form, dtype)
            for form, dtype in self._possible
            if texts.str.contains(form).all() and not _cast(texts, dtype).has_nulls()
        ]
        if any(dtype == pl.Float64 for _, dtype in self._possible):
            self._decimals = pl.concat([self._decimals, texts]).unique()

    def dtype(self) -> pl.DataType | None:
        types = [dtype for _, dtype in self._possible] if self._is_anything else []
        exact = [dtype for dtype in types if dtype != pl.Float64 or _values(self._decimals, dtype) is not None]
        return exact[0] if exact else None


def keeps_spelling(column: pl.Series) -> bool:
    """Say whether the values of a column of texts, as its type has them, are written as the texts were.

    Examples
    --------
    >>> [keeps_spelling(pl.Series(texts)) for texts in (["31", None], ["1.5", "2"], ["12.50"], ["012"], ["2.0"])]
    [True, True, False, True, False]
    """
    return text_of(typed(column)).equals(column)


def _values(texts: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Return the values of texts, unless a text is none or two texts are the same value."""
    values = _cast(texts, dtype)
    if dtype == pl.Boolean:
        return values
    is_exact = values.null_count() == texts.null_count() and values.n_unique() == texts.n_unique()
    return values if is_exact else None


def _cast(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return texts as values of a type, missing where they are none."""
    if dtype == pl.Boolean:
        return texts == "true"
    return texts.str.to_date(strict=False) if dtype == pl.Date() else texts.cast(dtype, strict=False)
