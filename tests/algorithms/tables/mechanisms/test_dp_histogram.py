"""Histograms with noise: what they count, what they cost, and that one person makes no difference."""

import random
from fractions import Fraction
from math import exp

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis.algorithms.tables.mechanisms.base import MechanismInput, bounded
from krypsis.algorithms.tables.mechanisms.dp_histogram import DpHistogram
from krypsis.algorithms.tables.mechanisms.noise import DiscreteLaplace, RandomSource
from krypsis.data.columns import CategoryColumn
from krypsis.errors import ColumnError, DataError, HierarchyError, UsageError
from krypsis.kinds.table.families import mechanism
from krypsis.kinds.table.plan import TablePlan
from krypsis.models.differential_privacy import DifferentialPrivacy
from krypsis.release.run import Run
from oracles.chances import chances_of

SEX = {"*": ["f", "m"]}
AGE = {"kind": "intervals", "cuts": [20, 40, 60]}
PEOPLE = pl.DataFrame({"age": [25, 30, 61, None], "sex": ["f", "m", "m", "f"], "who": ["a", "b", "b", "b"]})
ROLES = {"age": "QI", "sex": "sensitive", "who": "identifier"}


def released(data=PEOPLE, roles=ROLES, epsilon=1000, **parameters):
    """A release with nearly no noise unless told otherwise."""
    return krypsis.anonymize(
        data,
        roles,
        hierarchies={name: given for name, given in {"age": AGE, "sex": SEX}.items() if name in roles},
        models={
            "name": "differential-privacy",
            "epsilon": epsilon,
            **({"delta": 1e-6} if "noise" in parameters else {}),
        },
        algorithm={"name": "dp-histogram", **parameters},
    )


def counts_of(release):
    return {tuple(row[:-1]): row[-1] for row in release.table.rows()}


def test_every_declared_combination_is_counted_whether_it_occurs_or_not():
    found = counts_of(released())
    expected = {(age, sex): 0 for age in ("<20", "[20-40)", "[40-60)", ">=60", None) for sex in ("f", "m", None)}
    assert found == expected | {("[20-40)", "f"): 1, ("[20-40)", "m"): 1, (">=60", "m"): 1, (None, "f"): 1}


def test_columns_and_levels_are_chosen():
    found = counts_of(released(columns="sex"))
    assert found == {("f",): 2, ("m",): 2, (None,): 0}
    assert counts_of(released(columns="age", levels={"age": 2})) == {
        ("<20",): 0,
        ("[20-60)",): 2,
        (">=60",): 1,
        (None,): 1,
    }


def test_records_that_lack_a_value_can_be_left_out():
    assert counts_of(released(columns="age", missing="leave out")) == {
        ("<20",): 0,
        ("[20-40)",): 2,
        ("[40-60)",): 0,
        (">=60",): 1,
    }


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_noise_is_added_and_drawn_anew_each_time(noise):
    drawn = [tuple(counts_of(released(epsilon=0.5, noise=noise)).values()) for _ in range(3)]
    assert len(set(drawn)) > 1


def test_the_expected_count_is_the_true_one():
    data = pl.DataFrame({"sex": ["f"] * 300})
    releases = [released(data, {"sex": "QI"}, epsilon=1, columns="sex") for _ in range(60)]
    mean = np.mean([counts_of(release)["f",] for release in releases])
    assert abs(mean - 300) < 1.5  # more than five standard errors of the noise


@pytest.mark.parametrize(
    "options", [{"nonnegative": True}, {"total_share": 0.5, "nonnegative": True}, {"total_share": 0.5}]
)
def test_counts_are_made_to_add_up_and_not_to_fall_below_0(options):
    release = released(epsilon=0.3, **options)
    assert not options.get("nonnegative") or release.table["count"].min() >= 0
    assert sum(part.epsilon for part in release.mechanism_record.spent) == pytest.approx(0.3)
    assert len(release.mechanism_record.spent) == (2 if "total_share" in options else 1)
    if "total_share" in options:
        assert released(total_share=0.5).table["count"].sum() == 4


def test_records_are_as_many_as_the_counts_say():
    release = released(publish="records")
    assert sorted(release.table.rows(), key=str) == sorted(
        [("[20-40)", "f"), ("[20-40)", "m"), (">=60", "m"), (None, "f")], key=str
    )


def test_of_a_person_with_many_records_some_count():
    assert sum(counts_of(released(person="who")).values()) == 2
    assert sum(counts_of(released(person="who", records_per_person=2)).values()) == 3
    assert released(person="who", records_per_person=2, epsilon=4).mechanism_record.spent[0].scale == 0.5
    assert "one person" in released(person="who").mechanism_record.unit


def test_which_records_of_a_person_count_is_drawn_evenly():
    persons = np.array([1, 2, 2, 2])
    records = MechanismInput({"sex": CategoryColumn("sex", np.zeros(4, dtype=np.int32), ("f",))}, persons)
    chances, rest = chances_of(lambda source: tuple(bounded(records, 2, source).tolist()), Fraction(1, 10**6))
    assert rest == 0
    assert chances == {(0, 1, 2): Fraction(1, 3), (0, 1, 3): Fraction(1, 3), (0, 2, 3): Fraction(1, 3)}


REACH = range(-6, 7)
"""Noise beyond this is left out below: it has a chance of about 1 in 700."""


def tabulated(noise, source):
    """Draw Laplace noise in one step, from the chances of its formula."""
    weights = [round(exp(-abs(x) / noise.scale) * 10**6) for x in REACH]
    return REACH[source._next([Fraction(weight, sum(weights)) for weight in weights])]


@pytest.mark.parametrize("options", [{}, {"nonnegative": True}, {"total_share": 0.5}])
def test_one_record_more_changes_no_chance_by_more_than_e_to_epsilon(options, monkeypatch):
    """The chances of all outputs of two neighboring tables; with less noise some would differ by more."""
    monkeypatch.setattr(DiscreteLaplace, "draw", tabulated)
    epsilon = 2 if "total_share" in options else 1

    def outputs(codes):
        records = MechanismInput({"sex": CategoryColumn("sex", np.array(codes, dtype=np.int32), ("f", "m"))})
        promise = DifferentialPrivacy(epsilon=epsilon)

        def program(source):
            return tuple(DpHistogram(**options).make(records, promise, source).counts.tolist())

        chances, rest = chances_of(program, Fraction(0))
        assert rest == 0
        return chances

    one, other = outputs([0, 1]), outputs([0, 1, 1])
    likely = [output for output in one if one[output] > 0.002]
    ratios = [float(max(one[output] / other[output], other[output] / one[output])) for output in likely]
    assert len(ratios) > 20
    assert max(ratios) <= exp(epsilon) * 1.05  # for the noise that was left out
    if not options:
        assert max(ratios) == pytest.approx(exp(epsilon), rel=1e-3)


def test_a_test_may_bring_its_own_bits_and_gets_the_same_release():
    columns = {"sex": {"role": "QI", "hierarchy": SEX}}
    plan = TablePlan(columns=columns, promises=[DifferentialPrivacy(epsilon=1)], algorithm=DpHistogram())
    tables = [
        mechanism.release(plan.bind(PEOPLE), Run(), RandomSource(random.Random(seed).getrandbits)).table
        for seed in (7, 7, 8, 9, 10)
    ]
    assert tables[0].equals(tables[1])
    assert any(not tables[0].equals(table) for table in tables[2:])


def test_nothing_published_tells_how_many_records_there_were(tmp_path):
    saved = released(pl.concat([PEOPLE] * 1009), epsilon=1).save(tmp_path / "release")  # 4036 records
    for file in saved.folder.iterdir():
        assert b"4036" not in file.read_bytes()
    assert "4036" not in saved.release.summary()


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"columns": "agee"}, ColumnError, "Did you mean 'age'"),
        ({"columns": "who"}, ColumnError, "column 'who' not found"),
        (
            {"levels": {"age": 0}},
            HierarchyError,
            "level 0 chosen for 'age', whose declared values have the levels 1 to",
        ),
        ({"levels": {"sex": 2}}, HierarchyError, "levels 0 to 1"),
        ({"levels": {"zip": 2}}, ColumnError, "column 'zip' not found"),
        ({"levels": "1"}, UsageError, "1 level.s. chosen for 2 column"),
        ({"person": "whom"}, ColumnError, "Did you mean 'who'"),
        ({"person": "age"}, DataError, "does not say of 1 record"),
        ({"records_per_person": 2}, UsageError, "must know whose records"),
        ({"total_share": 1}, UsageError, "total_share of dp-histogram must be less than 1"),
        ({"epsilon": 0}, UsageError, "epsilon of differential-privacy must be more than 0, got 0"),
        ({"epsilon": float("inf")}, UsageError, "epsilon"),
        ({"epsilon": 1e-10}, UsageError, "promise a larger epsilon"),
        ({"epsilon": 1e-8, "publish": "records"}, UsageError, "more than the 10000000 that are drawn"),
    ],
)
def test_what_cannot_be_done_is_refused_in_plain_words(parameters, error, words):
    def often():
        for _ in range(20):  # noise of this size is below 0 in sum every other time
            released(**parameters)

    with pytest.raises(error, match=words):
        often()


def test_gaussian_noise_needs_a_delta():
    with pytest.raises(UsageError, match="promise it with a delta"):
        krypsis.anonymize(
            PEOPLE,
            {"sex": "QI"},
            hierarchies={"sex": SEX},
            models="differential-privacy:epsilon=1",
            algorithm="dp-histogram:noise=gaussian",
        )


@pytest.mark.parametrize("hierarchy", [None, "flat", "masking", {"kind": "intervals", "width": 5}, {"kind": "order"}])
def test_values_that_are_taken_from_the_data_are_refused(hierarchy):
    with pytest.raises(HierarchyError, match=r"'age' could have are not declared.*Declare all values"):
        krypsis.anonymize(
            PEOPLE, {"age": "QI"}, hierarchies={"age": hierarchy}, models="differential-privacy:epsilon=1"
        )


def test_a_value_outside_of_the_declared_ones_is_named():
    with pytest.raises(HierarchyError, match=r"lacks 1 value.*'m'"):
        krypsis.anonymize(
            PEOPLE, {"sex": "QI"}, hierarchies={"sex": {"*": ["f", "x"]}}, models="differential-privacy:epsilon=1"
        )


def test_too_many_combinations_are_counted_before_anything_is_done():
    many = {"*": [str(number) for number in range(1200)]}
    data = pl.DataFrame({"a": ["1"], "b": ["1"]})
    with pytest.raises(UsageError, match=r"1442401 combinations.*1201 of a × 1201 of b.*publish fewer columns"):
        krypsis.anonymize(
            data, {"a": "QI", "b": "QI"}, hierarchies={"a": many, "b": many}, models="differential-privacy:epsilon=1"
        )


def test_other_promises_and_levels_of_other_methods_are_refused():
    options = {"hierarchies": {"sex": SEX}, "algorithm": "dp-histogram"}
    with pytest.raises(UsageError, match="keeps the promise 'differential-privacy'"):
        krypsis.anonymize(PEOPLE, {"sex": "QI"}, models="k-anonymity:k=2", **options)
    with pytest.raises(UsageError, match="keeps the promise 'differential-privacy', alone"):
        krypsis.anonymize(
            PEOPLE, {"sex": "QI"}, models=["differential-privacy:epsilon=1", "k-anonymity:k=2"], **options
        )
    with pytest.raises(UsageError, match="min_level"):
        krypsis.anonymize(
            PEOPLE, {"sex": "QI"}, models="differential-privacy:epsilon=1", min_levels={"sex": 1}, **options
        )
    for algorithm in ("optimal", "noise", "anatomize"):
        with pytest.raises(UsageError, match="such as the algorithm 'dp-histogram'"):
            krypsis.anonymize(
                PEOPLE, {"age": "QI", "sex": "sensitive"}, models="differential-privacy:epsilon=1", algorithm=algorithm
            )
