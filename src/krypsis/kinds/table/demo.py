"""The built-in table: patients of a hospital that does not exist.

Everything is drawn from the tables in the folder ``hospital``. Names are put together from syllables, so that they
sound like names and belong to nobody.
"""

import csv
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.errors import UsageError
from krypsis.kinds.base import PLAN, Demo

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Texts = npt.NDArray[Any]
"""Texts, with ``None`` for a missing value."""

FIRST_DAY = date(2015, 1, 1)
DAYS = 730
BANDS = ("child", "young", "middle", "old")
BAND_STARTS = (18, 40, 65)
MARITAL = ("single", "married", "divorced", "widowed")
MARITAL_WEIGHTS = {"child": (1, 0, 0, 0), "young": (62, 33, 5, 0.2), "middle": (14, 66, 15, 5), "old": (6, 55, 7, 32)}
SYLLABLES = tuple(consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou")


def hospital(rows: int = 5000, seed: int = 2016) -> pl.DataFrame:
    """Return a table of invented hospital patients; the same rows and seed give the same table.

    Diagnosis depends on age and sex, admission on the season, ward and stay on the diagnosis, cost on ward and stay.
    Some cells are missing and some values are rare, as in real tables.

    Examples
    --------
    >>> hospital(3).select("age", "sex", "zip", "ward").shape
    (3, 4)
    """
    if rows < 1:
        raise UsageError(f"rows of the hospital table must be at least 1, got {rows}")
    # Only Generator.random is used: numpy promises no stable stream for the other distributions.
    draw = np.random.default_rng(seed)
    age, sex = _ages(draw, rows), np.where(draw.random(rows) < 0.53, "F", "M")
    band = np.searchsorted(BAND_STARTS, age, side="right")
    case = _cases(draw, band, sex)
    days = 1 + (2 * _column("days")[case] * _bell(draw, rows)).astype(np.int64)
    columns: dict[str, Any] = {
        "patient_id": [f"P{number:06d}" for number in range(1, rows + 1)],
        "patient_name": _names(draw, rows),
        "age": age,
        "sex": sex,
        "zip": _with_missing(draw, _zips(draw, rows), share=0.005),
        "marital_status": _with_missing(draw, _marital(draw, band), share=0.01),
        "job": _with_missing(draw, _jobs(draw, band), share=0.03),
        "admission_date": _admissions(draw, case),
        "ward": _texts("ward")[case],
        "diagnosis": _texts("diagnosis")[case],
        "days": days,
        "treatment_cost": _costs(draw, case, days),
    }
    return pl.DataFrame(columns)


def hospital_plan() -> str:
    """Return a plan for the hospital table, to be saved next to ``patients.csv``.

    Examples
    --------
    >>> hospital_plan().count("role: quasi-identifier")
    6
    """
    return _file("plan.yaml")


def _ages(draw: np.random.Generator, rows: int) -> Ints:
    """Draw children, adults and the old, each spread like a bell; a hospital sees more of the old than a street."""
    part = _choose(draw, np.tile([0.14, 0.40, 0.46], (rows, 1)))
    low, high = np.array([0, 18, 45])[part], np.array([18, 62, 106])[part]
    ages: Ints = (low + (high - low) * _bell(draw, rows)).astype(np.int64)
    return ages


def _cases(draw: np.random.Generator, band: Ints, sex: Texts) -> Ints:
    """Draw the row in ``diagnoses.csv`` of each patient."""
    by_band = np.stack([_column(name) for name in BANDS])
    only = _texts("sex")
    weights = by_band[band] * ((only == "") | (only == sex[:, None]))
    return _choose(draw, weights)


def _zips(draw: np.random.Generator, rows: int) -> Texts:
    areas = _table("areas.csv")
    area = _choose(draw, np.tile([float(row["share"]) for row in areas], (rows, 1)))
    streets = np.array([int(row["codes"]) for row in areas])[area]
    # Squaring makes the first codes of an area frequent and the last ones rare.
    code = (streets * draw.random(rows) ** 2).astype(np.int64)
    return np.array([f"{areas[where]['prefix']}{10 + which}" for where, which in zip(area, code, strict=True)], object)


def _marital(draw: np.random.Generator, band: Ints) -> Texts:
    weights = np.array([MARITAL_WEIGHTS[name] for name in BANDS])
    return np.array(MARITAL, object)[_choose(draw, weights[band])]


def _jobs(draw: np.random.Generator, band: Ints) -> Texts:
    jobs = _table("jobs.csv")
    weights = np.array([[float(row[name]) for row in jobs] for name in BANDS])
    return np.array([row["job"] for row in jobs], object)[_choose(draw, weights[band])]


def _admissions(draw: np.random.Generator, case: Ints) -> Texts:
    """Draw a day in two years; a winter diagnosis is more frequent from December to February, by its factor."""
    calendar = np.datetime64(FIRST_DAY) + np.arange(DAYS)
    is_winter = np.isin(calendar.astype("datetime64[M]").astype(np.int64) % 12, (11, 0, 1))
    factors = np.unique(_column("winter"))
    day = np.empty(len(case), dtype=np.int64)
    share = draw.random(len(case))
    for factor in factors:
        here = _column("winter")[case] == factor
        day[here] = np.searchsorted(_shares(np.where(is_winter, factor, 1.0)), share[here], side="right")
    return np.array(calendar[day])


def _costs(draw: np.random.Generator, case: Ints, days: Ints) -> list[float | None]:
    exact = _column("cost_per_day")[case] * days * (0.7 + 0.6 * _bell(draw, len(case)))
    missing = draw.random(len(case)) < 0.01
    # bills to the cent would be different for nearly every patient, and so name them
    return [None if gone else round(float(cost), -1) for cost, gone in zip(exact, missing, strict=True)]


def _names(draw: np.random.Generator, rows: int) -> list[str]:
    parts = np.array(SYLLABLES)[(len(SYLLABLES) * draw.random((rows, 5))).astype(np.int64)]
    return [f"{''.join(part[:2]).title()} {''.join(part[2:]).title()}" for part in parts]


def _with_missing(draw: np.random.Generator, values: Texts, share: float) -> list[str | None]:
    gone = draw.random(len(values)) < share
    return [None if empty else value for value, empty in zip(values, gone, strict=True)]


def _bell(draw: np.random.Generator, rows: int) -> Floats:
    """Numbers from 0 up to 1 that crowd around a half."""
    return (draw.random(rows) + draw.random(rows) + draw.random(rows)) / 3


def _choose(draw: np.random.Generator, weights: npt.ArrayLike) -> Ints:
    """Draw one position per row of weights."""
    limits = _shares(np.asarray(weights, dtype=np.float64))
    position: Ints = (limits <= draw.random(len(limits))[:, None]).sum(axis=1)
    return position


def _shares(weights: Floats) -> Floats:
    """Return the running sum of the weights along the last axis, ending in exactly 1."""
    running: Floats = np.cumsum(weights, axis=-1)
    shares: Floats = running / running[..., -1:]
    return shares


def _column(name: str) -> Floats:
    return np.array([float(row[name]) for row in _table("diagnoses.csv")])


def _texts(name: str) -> Texts:
    return np.array([row[name] for row in _table("diagnoses.csv")], object)


@cache
def _table(name: str) -> Sequence[dict[str, str]]:
    return tuple(csv.DictReader(_file(name).splitlines()))


def _file(name: str) -> str:
    return resources.files("krypsis.kinds.table").joinpath("hospital", name).read_text(encoding="utf-8")


def demo() -> Demo:
    """Return the patients with their plan.

    Examples
    --------
    >>> list(demo().files), demo().what
    (['patients.csv', 'plan.yaml'], '5,000 invented patients')
    """
    table = hospital()
    files = {"patients.csv": table.write_csv(), PLAN: hospital_plan()}
    return Demo("demo", files, f"{table.height:,} invented patients")
