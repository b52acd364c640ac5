"""The limits of a search, from what a user wrote."""

from __future__ import annotations

from math import floor
from numbers import Integral

from krypsis.algorithms.tables.lattice.evaluation import Limits
from krypsis.errors import UsageError
from krypsis.frequency import FrequencySet
from krypsis.pipeline.task import Task
from krypsis.schema import Role


def limits_of(task: Task, frequency: FrequencySet) -> Limits:
    """Return how many records may be suppressed and how far attributes may be generalized."""
    for name in (*task.min_levels, *task.max_levels):
        task.schema.require(name, Role.QUASI_IDENTIFIER)
    return Limits(
        suppressed=_suppressed(task, frequency.rows),
        keep=task.suppressed == "keep",
        lowest=tuple(task.min_levels.get(name, 0) for name in frequency.attributes),
        highest=tuple(
            task.max_levels.get(name, height)
            for name, height in zip(frequency.attributes, frequency.heights, strict=True)
        ),
    )


def _suppressed(task: Task, rows: int) -> int | None:
    given = None if task.suppression is None else suppression_limit(task.suppression, rows)
    if not task.needs_every_record or task.suppressed == "keep":
        return given
    if given:
        raise UsageError(
            "a promise about who could be who, such as kk-anonymity, compares all original records with all published "
            "ones, so none may be removed; allow no suppression, or keep suppressed records with suppressed='keep'"
        )
    return 0


def suppression_limit(limit: str | float, rows: int) -> int:
    """Return how many records may be suppressed: a share (``0.02``, ``"2%"``) or a count (``10``), inclusive.

    Examples
    --------
    >>> suppression_limit(0.02, 30162), suppression_limit("2%", 50), suppression_limit(10, 50)
    (603, 1, 10)
    """
    expected = f"suppression must be a share between 0 and 1 such as 0.02 or '2%', or a count of records, got {limit!r}"
    if isinstance(limit, bool):
        raise UsageError(expected)
    try:
        share, count = _share_or_count(limit)
    except (TypeError, ValueError):
        raise UsageError(expected) from None
    if share is not None:
        if not 0 <= share <= 1:
            raise UsageError(expected)
        return floor(share * rows + 1e-9)  # 0.07 * 100 is just below 7
    if count < 0:
        raise UsageError(expected)
    return min(count, rows)


def _share_or_count(limit: str | float) -> tuple[float | None, int]:
    if isinstance(limit, str):
        text = limit.strip()
        if text.endswith("%"):
            return float(text[:-1]) / 100, 0
        return (None, int(text)) if text.lstrip("-").isdigit() else (float(text), 0)
    return (None, int(limit)) if isinstance(limit, Integral) else (float(limit), 0)
