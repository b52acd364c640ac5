"""What somebody learns from one table who knows some columns of everybody, against counting record by record."""

from collections import Counter
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.attacks.background import background
from krypsis.attacks.homogeneity import homogeneity
from krypsis.attacks.linkage import linkage
from krypsis.errors import ColumnError, UsageError
from krypsis.kinds.table.make import release_of
from krypsis.schema import Schema

ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "disease": "sensitive"}
records = st.lists(
    st.tuples(st.sampled_from(["31", "40", None]), st.sampled_from(["a", "b"]), st.sampled_from(["x", "y", "z", None])),
    min_size=1,
    max_size=12,
)
knowledge = st.lists(st.sampled_from(["age", "zip"]), unique=True)
certainties = st.sampled_from([1.0, 0.8, 0.5, 1 / 3])


def frame(rows):
    return pl.DataFrame(rows, schema={"age": pl.String, "zip": pl.String, "disease": pl.String}, orient="row")


def alike(rows, known):
    """For each record, the records that show the same in the known columns."""
    places = [("age", "zip").index(name) for name in known]
    return [[other for other in rows if all(other[at] == row[at] for at in places)] for row in rows]


def compare(found, chances, certainty, *, trivial=False):
    """Compare with the chances of single records; ``None`` is a record that the attack is not about."""
    tried = [chance for chance in chances if chance is not None]
    exposed = [row for row, chance in enumerate(chances) if chance is not None and chance >= certainty - 1e-12]
    exposed = [] if trivial else exposed
    assert ("Not counted" in found.note) == trivial
    assert found.records == len(tried)
    assert found.exposed == len(exposed)
    assert found.share == pytest.approx(len(exposed) / len(tried) if tried else 0)
    assert found.sample == tuple(exposed)
    assert found.average_chance == pytest.approx(sum(tried) / len(tried) if tried else 0)
    assert found.highest_chance == pytest.approx(max(tried, default=0))


@given(rows=records, known=knowledge, certainty=certainties)
def test_a_record_is_found_as_likely_as_few_records_look_like_it(rows, known, certainty):
    found = linkage(frame(rows), known, certainty=certainty)
    compare(found, [1 / len(others) for others in alike(rows, known)], certainty)
    assert found.baseline == pytest.approx(1 / len(rows))


@given(rows=records, known=knowledge, certainty=certainties)
def test_a_value_is_as_likely_as_often_it_occurs_among_records_that_look_alike(rows, known, certainty):
    found = homogeneity(frame(rows), known, "disease", certainty=certainty)
    same = [Counter(one[2] for one in others) for others in alike(rows, known)]
    compare(found, [count[row[2]] / count.total() for row, count in zip(rows, same, strict=True)], certainty)
    assert found.baseline == pytest.approx(homogeneity(frame(rows), [], "disease").average_chance)


@given(rows=records, known=knowledge, number=st.integers(0, 3), certainty=certainties)
def test_the_values_that_help_most_are_ruled_out(rows, known, number, certainty):
    def best(row, others):
        counts = Counter(one[2] for one in others)
        rest = [counts[value] for value in counts if value != row[2]]
        choices = combinations(rest, min(number, len(rest)))
        return max(counts[row[2]] / (counts.total() - sum(struck)) for struck in choices)

    found = background(frame(rows), known, "disease", ruled_out=number, certainty=certainty)
    values = {row[2] for row in rows}
    trivial = len(values) > 1 and number >= len(values) - 1
    chances = [best(row, others) for row, others in zip(rows, alike(rows, known), strict=True)]
    compare(found, chances, certainty, trivial=trivial)


@given(rows=records, known=knowledge, struck=st.sets(st.sampled_from(["x", "y", None, "q"])), certainty=certainties)
def test_named_values_are_struck_out_for_people_who_do_not_have_them(rows, known, struck, certainty):
    def chance(row, others):
        if row[2] in struck:
            return None
        left = [one[2] for one in others if one[2] not in struck]
        return left.count(row[2]) / len(left)

    found = background(frame(rows), known, "disease", ruled_out=sorted(struck, key=str), certainty=certainty)
    values = {row[2] for row in rows}
    trivial = len(values) > 1 and len(values - struck) == 1
    chances = [chance(row, others) for row, others in zip(rows, alike(rows, known), strict=True)]
    compare(found, chances, certainty, trivial=trivial)


@given(rows=records, known=knowledge, groups=st.lists(st.integers(1, 3), min_size=12, max_size=12))
def test_in_a_release_of_groups_every_value_of_the_group_may_be_the_persons(rows, known, groups):
    groups = groups[: len(rows)]
    told = {group: Counter() for group in groups}
    for group, row in zip(groups, rows, strict=True):
        told[group][row[2]] += 1

    def shares(others):
        """The value of a record drawn by chance among those that fit, and then by chance in its group."""
        weights = Counter()
        for group, fits in zip(groups, others, strict=True):
            for value, number in told[group].items() if fits else ():
                weights[value] += number / told[group].total()
        return {value: weight / weights.total() for value, weight in weights.items()}

    fitting = [[one in others for one in rows] for others in alike(rows, known)]
    expected = [shares(one) for one in fitting]
    sensitive_table = pl.DataFrame(
        [(group, value, number) for group, counts in told.items() for value, number in counts.items()],
        schema={"group": pl.Int64, "disease": pl.String, "count": pl.Int64},
        orient="row",
    )
    schema = Schema.of({**ROLES, "group": "insensitive"})
    table = frame(rows).with_columns(group=pl.Series(groups))
    apart = release_of(table.drop("disease"), schema, (), group_column="group", sensitive_table=sensitive_table)
    for release in (apart, release_of(table, schema, (), group_column="group")):
        found = homogeneity(release, known, "disease")
        assert found.average_chance == pytest.approx(
            sum(chance**2 for one in expected for chance in one.values()) / len(rows)
        )
        assert found.exposed == sum(len(one) == 1 for one in expected)
        assert found.sample == tuple(row for row, one in enumerate(expected) if len(one) == 1)
        one_out = background(release, known, "disease", ruled_out=1)
        trivial = len({row[2] for row in rows}) == 2
        assert one_out.exposed == (0 if trivial else pytest.approx(sum(len(one) <= 2 for one in expected)))


def test_a_release_exposes_nobody_whom_the_table_before_exposed(tmp_path):
    rows = [(str(age), "a", disease) for age, disease in zip(range(30, 40), "xyxyxyxyxx", strict=True)]
    intervals = {"age": {"kind": "intervals", "width": 5, "origin": 0}}
    release = krypsis.anonymize(
        frame(rows), ROLES, models=["k-anonymity:k=5", "distinct-l-diversity:l=2"], hierarchies=intervals
    )
    assert linkage(frame(rows), ["age"]).exposed == homogeneity(frame(rows), ["age"], "disease").exposed == 10
    for published in (release, release.save(tmp_path / "release").folder, release.table):
        assert linkage(published, ["age", "zip"]).exposed == homogeneity(published, ["age"], "disease").exposed == 0
        assert linkage(published, ["age", "zip"]).highest_chance == 0.2
        trivial = background(published, ["age", "zip"], "disease")  # two values: who rules out one needs no table
        assert (trivial.exposed, trivial.sample) == (0, ())
        assert "'disease' has 2 different values" in trivial.note


def test_ruling_out_a_value_is_a_finding_where_a_group_has_fewer_values_than_the_table():
    rows = [("31", "a", "x"), ("31", "a", "y"), ("40", "a", "x"), ("40", "a", "y"), ("40", "a", "z")]
    found = background(frame(rows), ["age"], "disease")
    assert (found.exposed, found.sample, found.note) == (2, (0, 1), "")


def test_changed_and_invented_records_are_told_as_such():
    rows = frame([(str(age), "a", "x") for age in range(30, 60)])
    noisy = krypsis.anonymize(rows, ROLES, algorithm="noise:columns=age")
    assert "may be somebody else's" in linkage(noisy, ["age"]).note
    assert linkage(rows, ["age"]).note == ""


def test_a_release_without_records_exposes_nobody():
    empty = release_of(frame([]), Schema.of(ROLES), ())
    for found in (linkage(empty, ["age"]), homogeneity(empty, ["age"], "disease"), background(empty, [], "disease")):
        assert (found.records, found.exposed, found.share, found.sample, found.average_chance) == (0, 0, 0, (), 0)


def test_the_sample_is_as_long_as_wanted_and_the_result_is_ready_for_json():
    rows = frame([(str(age), "a", "x") for age in range(30)])
    assert linkage(rows, ["age"], sample=3).sample == (0, 1, 2)
    told = homogeneity(rows, ["age"], "disease", sample=1).as_dict()
    assert told["known"] == ["age"]
    assert (told["share"], told["sample"], told["sensitive"]) == (1.0, [0], "disease")


@pytest.mark.parametrize(
    ("attack", "error", "words"),
    [
        (lambda: linkage(frame([("1", "a", "x")]), ["agee"]), ColumnError, "Did you mean 'age'"),
        (lambda: linkage(frame([("1", "a", "x")]), "age"), UsageError, r"write \['age'\]"),
        (lambda: linkage(frame([("1", "a", "x")]), ["age"], certainty=0), UsageError, "above 0 and up to 1, got 0"),
        (lambda: linkage(frame([("1", "a", "x")]), ["age"], sample=-1), UsageError, "0 or more, got -1"),
        (lambda: homogeneity(frame([("1", "a", "x")]), ["age"], "zap"), ColumnError, "Did you mean 'zip'"),
        (lambda: homogeneity(frame([("1", "a", "x")]), ["zip"], "zip"), UsageError, "leave it out of known"),
        (lambda: background(frame([("1", "a", "x")]), [], "disease", ruled_out=-1), UsageError, "0 or more"),
        (lambda: background(frame([("1", "a", "x")]), [], "disease", ruled_out="x"), UsageError, r"write \['x'\]"),
    ],
)
def test_wrong_use_is_refused_with_what_to_do(attack, error, words):
    with pytest.raises(error, match=words):
        attack()


def test_sets_of_items_have_no_columns_to_know():
    baskets = krypsis.Transactions.of_sets([["a", "b"]] * 3)
    release = krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")
    with pytest.raises(UsageError, match="sets of items"):
        linkage(release, [])


@given(rows=records, known=knowledge, changes=st.lists(st.booleans(), min_size=12, max_size=12), certainty=certainties)
def test_where_values_were_changed_only_a_right_match_counts(rows, known, changes, certainty):
    published = [("50", *row[1:]) if change else row for row, change in zip(rows, changes, strict=False)]
    places = [("age", "zip").index(name) for name in known]

    def chance(row, own):
        shown = [other for other in published if all(other[at] == row[at] for at in places)]
        return 1 / len(shown) if all(own[at] == row[at] for at in places) else 0

    found = linkage(frame(published), known, before=frame(rows), certainty=certainty)
    compare(found, [chance(row, own) for row, own in zip(rows, published, strict=True)], certainty)


def test_changed_records_are_compared_row_by_row_with_as_many():
    with pytest.raises(UsageError, match="has 2 rows and the published one 1"):
        linkage(frame([("1", "a", "x")]), ["age"], before=frame([("1", "a", "x")] * 2))
