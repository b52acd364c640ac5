"""Recursive histograms and isolation: boxes, guesses, and the definition counted out slowly."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.algorithms.tables.mechanisms.recursive_histogram import halved
from krypsis.checker.isolation import audit
from krypsis.errors import ColumnError, DataError, Infeasible, PromiseBroken, UsageError
from krypsis.models.ct_isolation import CTIsolation

NORMAL = pl.DataFrame(
    {name: np.random.default_rng(place).normal(50, 10, 400).round(1) for place, name in enumerate(["age", "pay"])}
)
ROLES = {"age": "QI", "pay": "QI"}


def isolates(guess, point, points, c, t):
    """The definition: fewer than t points within c times the distance of the guess."""
    return sum(math.dist(guess, other) <= c * math.dist(guess, point) for other in points) < t


def released(data=NORMAL, roles=ROLES, promise="ct-isolation:c=2,t=5", **parameters):
    return krypsis.anonymize(data, roles, models=promise, algorithm={"name": "recursive-histogram", **parameters})


grid = st.tuples(st.integers(0, 6), st.integers(0, 6))


@given(
    points=st.lists(grid, min_size=1, max_size=9),
    guesses=st.lists(grid, min_size=1, max_size=4),
    c=st.sampled_from([1.5, 2.0, 3.0]),
    t=st.integers(2, 5),
)
def test_isolation_is_what_the_definition_counts(points, guesses, c, t):
    found = CTIsolation(c=c, t=t).isolated(np.array(points, dtype=float), np.array(guesses, dtype=float))
    slow = [any(isolates(guess, point, points, c, t) for guess in guesses) for point in points]
    assert found.tolist() == slow


def test_a_point_far_from_all_others_is_isolated_and_one_in_a_crowd_is_not():
    model = CTIsolation(c=2, t=3)
    points = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [100.0, 0.0]])
    assert model.isolated(points, points).tolist() == [False, False, False, True]
    assert model.isolated(points, np.array([[50.0, 0.0]])).tolist() == [False] * 4


@given(
    points=st.lists(st.tuples(st.floats(0, 15.9), st.floats(0, 15.9)), min_size=1, max_size=40),
    fewest=st.integers(1, 10),
)
def test_boxes_hold_their_records_and_few_of_them(points, fewest):
    data = np.array(points)
    boxes = halved(data, [(0, 16)] * 2, fewest, [4, 4])
    lows, highs = (np.array(ends, dtype=float)[boxes.box_of] for ends in (boxes.lows, boxes.highs))
    assert (lows <= data).all()
    assert (data < highs).all()
    sizes = np.bincount(boxes.box_of)
    narrowest = (np.array(boxes.highs, dtype=float) - np.array(boxes.lows, dtype=float)).max(axis=1) <= 1
    assert ((sizes < fewest) | narrowest).all()
    assert (sizes > 0).all()


def test_the_release_counts_every_record_once_and_holds_against_the_original():
    release = released()
    assert release.table.columns == ["age", "pay", "count"]
    assert release.table["count"].sum() == NORMAL.height
    (verdict,) = krypsis.check(release.table, "ct-isolation:c=2,t=5", quasi_identifiers=["age", "pay"], original=NORMAL)
    assert verdict.holds is None
    assert verdict.achieved <= 0.05
    assert "guesses can only refute it" in verdict.sentence


def test_the_original_table_itself_isolates_many():
    promise = "ct-isolation:c=2,t=5"
    (verdict,) = krypsis.check(NORMAL, promise, quasi_identifiers=["age", "pay"], original=NORMAL)
    assert verdict.holds is False
    assert verdict.achieved > 0.5


def test_the_audit_tries_centers_of_boxes_points_and_points_around_them():
    found = audit(CTIsolation(c=2, t=2), pl.DataFrame({"age": ["[40-60)", "[40-60)"]}), NORMAL, ["age"])
    assert found.guesses == 5
    assert audit(CTIsolation(c=2, t=2), NORMAL, NORMAL, ["age"]).guesses == 5 * NORMAL["age"].n_unique()


def test_a_smaller_share_gives_larger_boxes():
    rows = [released(promise=f"ct-isolation:c=2,t=5,share={share}").table.height for share in (0.5, 0.05)]
    assert rows[0] > rows[1]


def test_points_are_drawn_anew_where_the_promise_allows():
    release = released(promise="ct-isolation:c=40,t=5", publish="points")
    assert release.table.height == NORMAL.height
    assert release.table.schema == NORMAL.schema
    same = sum(one == other for one, other in zip(release.table.rows(), NORMAL.rows(), strict=True))
    assert same < 20  # a point may fall where the record was


def test_columns_that_stay_the_same_and_two_records_are_no_obstacle():
    data = pl.DataFrame({"age": [30] * 30, "pay": [5] * 30})
    assert released(data).table["count"].to_list() == [30]
    with pytest.raises(Infeasible, match="even with all records in one box"):
        released(pl.DataFrame({"age": [30, 40], "pay": [5, 9]}))


def test_no_smallest_or_largest_number_is_published():
    data = pl.DataFrame({"age": [18.37, *[40.0] * 40, 93.61], "pay": [1.0] * 42})
    text = str(released(data, promise="ct-isolation:c=2,t=5,share=0.2").table.rows())
    assert "18.37" not in text
    assert "93.6" not in text


def test_it_survives_saving_and_is_checked_with_the_original(tmp_path):
    saved = released().save(tmp_path / "release")
    (undecided,) = krypsis.check(saved.folder)
    assert "give the original table" in undecided.sentence
    (verdict,) = krypsis.check(saved.folder, original=NORMAL)
    assert (undecided.holds, undecided.achieved, verdict.holds) == (None, None, None)
    assert verdict.achieved is not None
    with pytest.raises(PromiseBroken, match="but the published data has"):  # it was made from another table
        krypsis.check(saved.folder, original=NORMAL.head(40))
    assert krypsis.Release.load(saved.folder).verdicts[0].holds is None


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"bounds": "age=0 to 50"}, UsageError, "'age' has numbers outside of its bounds 0 to 50"),
        ({"bounds": {"zip": (0, 9)}}, ColumnError, "column 'zip' not found"),
        ({"bounds": "age=9 to 1"}, UsageError, "must ascend"),
        ({"bounds": "age=x to y"}, UsageError, "two numbers for each column"),
        ({"bounds": 5}, UsageError, "two numbers for each column"),
        ({"columns": "agee"}, ColumnError, "Did you mean 'age'"),
        ({"promise": "ct-isolation:c=1,t=5"}, UsageError, "c of ct-isolation must be more than 1, got 1"),
        ({"promise": "ct-isolation:c=2,t=1"}, UsageError, "t of ct-isolation must be at least 2, got 1"),
        ({"promise": "ct-isolation:c=2,t=5,share=1.5"}, UsageError, "share of ct-isolation must be at most 1"),
        ({"data": NORMAL.with_columns(age=pl.lit("x"))}, DataError, "age"),
        ({"data": pl.DataFrame({"age": [1.0, None], "pay": [1, 2]})}, DataError, "lacks a number in 1 record"),
    ],
)
def test_what_cannot_be_done_is_refused_in_plain_words(parameters, error, words):
    with pytest.raises(error, match=words):
        released(**parameters)


@pytest.mark.parametrize("label", ["Athens", "<18", None])
def test_a_label_without_a_place_is_named(label):
    with pytest.raises(UsageError, match="neither a number nor a range of numbers"):
        audit(CTIsolation(c=2, t=2), pl.DataFrame({"age": [label]}, schema={"age": pl.String}), NORMAL, ["age"])


@pytest.mark.parametrize("days", [pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 3, 1), eager=True), ["2020-01-01"]])
def test_dates_are_not_published_as_days_since_1970(days):
    table = pl.DataFrame({"when": days})
    with pytest.raises(UsageError, match="column 'when' holds dates"):
        krypsis.anonymize(table, {"when": "QI"}, models="ct-isolation:c=2,t=3", algorithm="recursive-histogram")
