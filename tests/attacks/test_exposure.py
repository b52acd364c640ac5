"""What somebody learns from one table who knows some columns of everybody, against counting record by record."""

from collections import Counter
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.attacks.homogeneity import BackgroundKnowledgeAttack, HomogeneityAttack
from krypsis.attacks.linkage import LinkageAttack
from krypsis.data.schema import Schema
from krypsis.errors import ColumnError, UsageError
from krypsis.kinds.table.make import release_of, release_of_publication
from krypsis.kinds.table.publication import BucketedTables

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
    found = LinkageAttack(known=known, certainty=certainty).find(frame(rows))
    compare(found, [1 / len(others) for others in alike(rows, known)], certainty)
    assert found.baseline == pytest.approx(1 / len(rows))


@given(rows=records, known=knowledge, certainty=certainties)
def test_a_value_is_as_likely_as_often_it_occurs_among_records_that_look_alike(rows, known, certainty):
    found = HomogeneityAttack(known=known, sensitive="disease", certainty=certainty).find(frame(rows))
    same = [Counter(one[2] for one in others) for others in alike(rows, known)]
    compare(found, [count[row[2]] / count.total() for row, count in zip(rows, same, strict=True)], certainty)
    assert found.baseline == pytest.approx(
        HomogeneityAttack(known=[], sensitive="disease").find(frame(rows)).average_chance
    )


@given(rows=records, known=knowledge, number=st.integers(0, 3), certainty=certainties)
def test_the_values_that_help_most_are_ruled_out(rows, known, number, certainty):
    def best(row, others):
        counts = Counter(one[2] for one in others)
        rest = [counts[value] for value in counts if value != row[2]]
        choices = combinations(rest, min(number, len(rest)))
        return max(counts[row[2]] / (counts.total() - sum(struck)) for struck in choices)

    found = BackgroundKnowledgeAttack(known=known, sensitive="disease", ruled_out=number, certainty=certainty).find(
        frame(rows)
    )
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

    found = BackgroundKnowledgeAttack(
        known=known, sensitive="disease", ruled_out=sorted(struck, key=str), certainty=certainty
    ).find(frame(rows))
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
    two_tables = BucketedTables(table.drop("disease"), schema, group_column="group", sensitive_table=sensitive_table)
    for publication in (two_tables, BucketedTables(table, schema, group_column="group")):
        release = release_of_publication(publication)
        found = HomogeneityAttack(known=known, sensitive="disease").find(release)
        assert found.average_chance == pytest.approx(
            sum(chance**2 for one in expected for chance in one.values()) / len(rows)
        )
        assert found.exposed == sum(len(one) == 1 for one in expected)
        assert found.sample == tuple(row for row, one in enumerate(expected) if len(one) == 1)
        one_out = BackgroundKnowledgeAttack(known=known, sensitive="disease", ruled_out=1).find(release)
        trivial = len({row[2] for row in rows}) == 2
        assert one_out.exposed == (0 if trivial else pytest.approx(sum(len(one) <= 2 for one in expected)))


def test_a_release_exposes_nobody_whom_the_table_before_exposed(tmp_path):
    rows = [(str(age), "a", disease) for age, disease in zip(range(30, 40), "xyxyxyxyxx", strict=True)]
    intervals = {"age": {"kind": "intervals", "width": 5, "origin": 0}}
    release = krypsis.anonymize(
        frame(rows), ROLES, models=["k-anonymity:k=5", "distinct-l-diversity:l=2"], hierarchies=intervals
    )
    assert (
        LinkageAttack(known=["age"]).find(frame(rows)).exposed
        == HomogeneityAttack(known=["age"], sensitive="disease").find(frame(rows)).exposed
        == 10
    )
    for published in (release, release.save(tmp_path / "release").folder, release.table):
        assert (
            LinkageAttack(known=["age", "zip"]).find(published).exposed
            == HomogeneityAttack(known=["age"], sensitive="disease").find(published).exposed
            == 0
        )
        assert LinkageAttack(known=["age", "zip"]).find(published).highest_chance == 0.2
        trivial = BackgroundKnowledgeAttack(known=["age", "zip"], sensitive="disease").find(
            published
        )  # two values: who rules out one needs no table
        assert (trivial.exposed, trivial.sample) == (0, ())
        assert "'disease' has 2 different values" in trivial.note


def test_ruling_out_a_value_is_a_finding_where_a_group_has_fewer_values_than_the_table():
    rows = [("31", "a", "x"), ("31", "a", "y"), ("40", "a", "x"), ("40", "a", "y"), ("40", "a", "z")]
    found = BackgroundKnowledgeAttack(known=["age"], sensitive="disease").find(frame(rows))
    assert (found.exposed, found.sample, found.note) == (2, (0, 1), "")


def test_changed_and_invented_records_are_told_as_such():
    rows = frame([(str(age), "a", "x") for age in range(30, 60)])
    noisy = krypsis.anonymize(rows, ROLES, algorithm="noise:columns=age")
    assert "may be somebody else's" in LinkageAttack(known=["age"]).find(noisy).note
    assert LinkageAttack(known=["age"]).find(rows).note == ""


def test_a_release_without_records_exposes_nobody():
    empty = release_of(frame([]), Schema.of(ROLES), ())
    for found in (
        LinkageAttack(known=["age"]).find(empty),
        HomogeneityAttack(known=["age"], sensitive="disease").find(empty),
        BackgroundKnowledgeAttack(known=[], sensitive="disease").find(empty),
    ):
        assert (found.records, found.exposed, found.share, found.sample, found.average_chance) == (0, 0, 0, (), 0)


def test_the_sample_is_as_long_as_wanted_and_the_result_is_ready_for_json():
    rows = frame([(str(age), "a", "x") for age in range(30)])
    assert LinkageAttack(known=["age"], sample=3).find(rows).sample == (0, 1, 2)
    told = HomogeneityAttack(known=["age"], sensitive="disease", sample=1).find(rows).as_dict()
    assert told["known"] == ["age"]
    assert (told["share"], told["sample"], told["sensitive"]) == (1.0, [0], "disease")


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("linkage:known=agee", ColumnError, "Did you mean 'age'"),
        ("linkage", UsageError, "name them with 'known'"),
        ("linkage:known=age,certainty=0", UsageError, "certainty of linkage must be more than 0, got 0"),
        ("linkage:known=age,certainty=1.1", UsageError, "certainty of linkage must be at most 1, got 1.1"),
        ("linkage:known=age,sample=-1", UsageError, "sample of linkage must be at least 0, got -1"),
        ("homogeneity:known=age", UsageError, "say which column the attacker wants to learn"),
        ("homogeneity:known=age,sensitive=zap", ColumnError, "Did you mean 'zip'"),
        ("homogeneity:known=zip,sensitive=zip", UsageError, "leave it out of known"),
        ("background:known=age,sensitive=disease,ruled_out=-1", UsageError, "must be at least 0, got -1"),
        ({"name": "background", "known": ["age"], "ruled_out": True}, UsageError, "must be a whole number, got True"),
    ],
)
def test_wrong_use_is_refused_with_what_to_do(spec, error, words):
    with pytest.raises(error, match=words):
        registry.create("attack", spec).find(frame([("1", "a", "x")]))


def test_ruled_out_values_are_a_number_or_a_list_also_as_text():
    rows = frame([("31", "a", "x"), ("31", "a", "y"), ("31", "a", "z"), ("40", "a", "w")])
    options = "background:known=age,sensitive=disease"
    assert registry.create("attack", f"{options},ruled_out=2") == registry.create("attack", options).model_copy(
        update={"ruled_out": 2}
    )
    assert registry.create("attack", f'{options},ruled_out="x,y"').find(rows).sample == (2, 3)


def test_a_release_says_itself_what_is_known_and_what_is_sensitive():
    rows = [(str(age), "a", disease) for age, disease in zip(range(30, 40), "xyxyxyxyxx", strict=True)]
    release = release_of(frame(rows), Schema.of(ROLES), ())
    found = HomogeneityAttack().find(release)
    assert (found.known, found.sensitive) == (("age", "zip"), "disease")
    assert found == HomogeneityAttack(known=["age", "zip"], sensitive="disease").find(frame(rows))


def test_sets_of_items_have_no_columns_to_know():
    baskets = krypsis.Transactions.of_sets([["a", "b"]] * 3)
    release = krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")
    with pytest.raises(UsageError, match="sets of items"):
        LinkageAttack(known=[]).find(release)


@given(rows=records, known=knowledge, changes=st.lists(st.booleans(), min_size=12, max_size=12), certainty=certainties)
def test_where_values_were_changed_only_a_right_match_counts(rows, known, changes, certainty):
    published = [("50", *row[1:]) if change else row for row, change in zip(rows, changes, strict=False)]
    places = [("age", "zip").index(name) for name in known]

    def chance(row, own):
        shown = [other for other in published if all(other[at] == row[at] for at in places)]
        return 1 / len(shown) if all(own[at] == row[at] for at in places) else 0

    found = LinkageAttack(known=known, certainty=certainty).find(frame(published), before=frame(rows))
    compare(found, [chance(row, own) for row, own in zip(rows, published, strict=True)], certainty)


def test_changed_records_are_compared_row_by_row_with_as_many():
    with pytest.raises(UsageError, match="has 2 rows and the published one 1"):
        LinkageAttack(known=["age"]).find(frame([("1", "a", "x")]), before=frame([("1", "a", "x")] * 2))
