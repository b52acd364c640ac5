"""Which algorithm ``auto`` takes, and that it says why."""

import numpy as np
import polars as pl
import pytest

import krypsis

ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "job": "quasi-identifier"}


def people(rows: int, kinds: int = 9) -> pl.DataFrame:
    """Return people who differ in much: levels that are the same for all lose a lot."""
    draw = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, rows),
            "zip": [f"{number:05}" for number in draw.integers(10_000, 12_000, rows)],
            "job": [f"job {number}" for number in draw.integers(0, kinds, rows)],
        }
    )


def released(table: pl.DataFrame, algorithm: str = "auto", **options):
    hierarchies = {"age": {"kind": "intervals", "width": 5}, "zip": {"kind": "masking", "side": "right"}}
    return krypsis.anonymize(
        table, ROLES, models="k-anonymity:k=5", hierarchies=hierarchies, algorithm=algorithm, **options
    )


def test_where_ranges_keep_much_more_auto_takes_them_and_says_what_levels_would_lose():
    table = people(600)
    levels, ranges, chosen = (released(table, name) for name in ("optimal", "mondrian", "auto"))
    assert ranges.score < 0.75 * levels.score
    assert chosen.score == ranges.score
    assert chosen.algorithm.startswith("mondrian")
    assert f"{levels.score:.3g}" in chosen.summary()
    assert "algorithm: optimal" in chosen.summary()
    assert all(verdict.holds for verdict in chosen.verdicts)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (people(90), {}),
        (people(600), {"metric": "precision"}),
        (people(600), {"max_levels": {"zip": 4}, "suppression": 1.0}),
        (pl.concat([people(20)] * 30), {}),
    ],
    ids=["few records", "another metric", "limits of levels", "levels that lose little"],
)
def test_else_auto_takes_the_best_levels(table, options):
    chosen = released(table, **options)
    assert chosen.algorithm.startswith("optimal")
    assert chosen.score == released(table, "optimal", **options).score


def test_levels_can_be_insisted_on():
    assert released(people(600), "optimal").levels.keys() == ROLES.keys()
