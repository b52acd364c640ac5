"""Judge a promise against isolation: guesses that follow from a published table are tried on the original one."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.arrays import FloatArray
from krypsis.checker.base import judges
from krypsis.checker.coverage import read_span
from krypsis.checker.evidence import required
from krypsis.checker.table import TableCase
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.io.columns import numeric_column
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.base import Verdict
from krypsis.models.ct_isolation import Audit, CTIsolation


def audit(model: CTIsolation, published: pl.DataFrame, original: pl.DataFrame, columns: Sequence[str]) -> Audit:
    """Try the guesses that follow from a published table on the original one.

    Examples
    --------
    >>> crowd = pl.DataFrame({"age": [30, 30, 31, 31, 90]})
    >>> audit(CTIsolation(c=2, t=2), pl.DataFrame({"age": ["[30-32)"]}), crowd, ["age"]).isolated
    0
    >>> audit(CTIsolation(c=2, t=2), crowd, crowd, ["age"]).isolated
    1
    """
    originals = np.stack([_numbers(original, name) for name in columns], axis=1)
    positions = np.stack([_positions(published, name) for name in columns], axis=1)
    return model.audit(originals, positions)


@judges(CTIsolation, pl.DataFrame)
def judge_isolation(model: CTIsolation, published: pl.DataFrame, case: TableCase) -> Verdict:
    """Return the verdict about a promise against isolation."""
    original = required(case.original, model.spec).table
    if published.is_empty():
        sentence = "Not kept: the published table has no rows, so there is nothing to judge."
        return Verdict(promise=model.spec, holds=False, required=model.required, achieved=1.0, sentence=sentence)
    # q (c,t)-isolates p if the ball B(q, c·|p - q|) holds fewer than t points; guesses: published positions and around.
    found = audit(model, published, original, case.attributes)
    refuted = found.share > model.share
    # Guesses can refute it, but no number of them proves it.
    words = "Not kept" if refuted else "Undecided, since guesses can only refute it"
    return Verdict(
        promise=model.spec,
        holds=False if refuted else None,
        required=model.required,
        achieved=found.share,
        sentence=(
            f"{words}: {model.promise()} (allowed {model.share:.6g}, found {found.share:.6g}: {found.guesses} guesses "
            f"isolate {found.isolated} of {found.records} records, as many blind ones {found.by_chance})."
        ),
    )


def _numbers(table: pl.DataFrame, name: str) -> FloatArray:
    """Return a column of the original table as numbers."""
    if name not in table.columns:
        raise column_not_found(name, table.columns)
    numbers = numeric_column(table.get_column(name)).values
    if missing := int(np.isnan(numbers).sum()):
        raise DataError(
            f"column {name!r} lacks a number in {missing} record(s), which are then at no distance from anything; "
            "leave these records or this column out"
        )
    return numbers


def _positions(table: pl.DataFrame, name: str) -> FloatArray:
    """Return where published values are: numbers as they are, ranges of numbers in their middle."""
    if name not in table.columns:
        raise column_not_found(name, table.columns)
    texts = text_of(table.get_column(name)).rename(PLAIN)
    place = {label: _position(label, name) for label in texts.unique().to_list()}
    return np.array([place[label] for label in texts.to_list()], dtype=np.float64)


def _position(label: str | None, name: str) -> float:
    if label is not None and (number := parse_number(label)) is not None:
        return float(number)
    span = None if label is None else read_span(label)
    if span is None or span.kind != "number" or span.low is None or span.high is None:
        raise UsageError(
            f"{label!r} of column {name!r} is neither a number nor a range of numbers, so no guess follows from it; "
            "check numbers, or ranges such as [30-40)"
        )
    return float(span.low + span.high) / 2
