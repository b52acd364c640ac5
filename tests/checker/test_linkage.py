"""The links between original and published records, against all pairs and all assignments."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.checker import Given, linkage
from krypsis.checker.linkage import Linkage
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import ColumnError, DataError, UsageError
from oracles import links as slow

VALUES = ("1", "2", "3", "4", None)
TREE = Hierarchy.from_rows(
    [["1", "a", "*"], ["2", "a", "*"], ["3", "b", "*"], ["4", "b", "*"], [None, None, "*"]], "tree"
)
FAMILY = ("1k-anonymity", "k1-anonymity", "kk-anonymity", "global-1k-anonymity")


def covers(label, row):
    return all(
        shown in [TREE.label(value, level) for level in range(3)] for shown, value in zip(label, row, strict=True)
    )


@st.composite
def pairs(draw, most=6):
    """An original table, and labels for each record; some records may get labels that do not generalize them."""
    width = draw(st.integers(1, 2))
    rows = draw(st.lists(st.tuples(*[st.sampled_from(VALUES)] * width), min_size=1, max_size=most))
    honest = draw(st.booleans())
    labels = []
    for row in rows:
        of = row if honest else draw(st.sampled_from(rows))
        labels.append(tuple(TREE.label(value, draw(st.integers(0, 2))) for value in of))
    return rows, draw(st.permutations(labels))


def frame(rows):
    return pl.DataFrame(rows, schema=[(f"q{place}", pl.String) for place in range(len(rows[0]))], orient="row")


def linked(rows, labels):
    names = [f"q{place}" for place in range(len(rows[0]))]
    return Linkage.of(frame(rows), frame(labels), names, dict.fromkeys(names, TREE))


def by_row(tuples, counts):
    return {tuples.row(place): int(count) for place, count in enumerate(counts)}


@given(pairs())
def test_links_are_those_of_all_pairs(pair):
    rows, labels = pair
    links = linked(rows, labels)
    assert by_row(links.originals, links.of_originals) == dict(
        zip(rows, slow.links_of_originals(rows, labels, covers), strict=True)
    )
    assert by_row(links.published, links.of_published) == dict(
        zip(labels, slow.links_of_published(rows, labels, covers), strict=True)
    )


@given(pairs())
@settings(deadline=None)
def test_matches_are_those_of_all_assignments(pair):
    rows, labels = pair
    links = linked(rows, labels)
    expected = slow.matches_of_originals(rows, labels, covers)
    assert by_row(links.originals, links.matches_of_originals) == dict(zip(rows, expected, strict=True))
    assert links.has_assignment == (min(expected) > 0)


@given(pairs(), st.integers(1, 4))
@settings(deadline=None)
def test_the_promises_imply_each_other_as_they_should(pair, k):
    """(k,k) is (1,k) and (k,1); global (1,k) implies (1,k); k-anonymity of an honest table implies all."""
    rows, labels = pair
    names = [f"q{place}" for place in range(len(rows[0]))]
    models = [f"{name}:k={k}" for name in (*FAMILY, "k-anonymity")]
    hierarchies = dict.fromkeys(names, TREE)
    verdicts = krypsis.check(
        frame(labels), models, quasi_identifiers=names, original=frame(rows), hierarchies=hierarchies
    )
    one_k, k_one, both, globally, classic = (verdict.holds for verdict in verdicts)
    assert both == (one_k and k_one)
    assert one_k or not globally
    if linked(rows, labels).has_assignment and classic:
        assert both
        assert globally


@given(pairs(), st.integers(1, 8))
def test_blocks_of_any_size_find_the_same_links(pair, size):
    rows, labels = pair
    whole = linked(rows, labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkage, "BLOCK", size)
        small = linked(rows, labels)
        assert small.of_originals.tolist() == whole.of_originals.tolist()
        assert small.of_published.tolist() == whole.of_published.tolist()


def test_links_beyond_a_word_of_bits_are_found():
    rows = [(str(number),) for number in range(1, 200)]
    labels = [(f"[{number} to {number + 1}]",) for number in range(1, 200)]
    links = Linkage.of(frame(rows), frame(labels), ["q0"])
    assert by_row(links.originals, links.of_originals) == {
        (str(number),): 1 if number == 1 else 2 for number in range(1, 200)
    }
    assert sum(links.of_published) == 2 * 199 - 1


def test_too_many_links_to_keep_are_refused_with_what_can_be_done(monkeypatch):
    monkeypatch.setattr(linkage, "MOST_LINKS", 3)
    rows = [("1",), ("2",), ("3",), ("4",)]
    links = linked(rows, [("*",)] * 4)
    assert links.of_originals.tolist() == [4] * 4
    with pytest.raises(UsageError, match=r"more than 3 links.*check kk-anonymity"):
        _ = links.matches_of_originals


def test_a_published_table_that_cannot_come_from_the_original_is_said_to_be_so():
    published, original = pl.DataFrame({"q": ["a", "a", "b"]}), pl.DataFrame({"q": ["1", "3", "3"]})
    (verdict,) = krypsis.check(
        published, "global-1k-anonymity:k=1", quasi_identifiers=["q"], original=original, hierarchies={"q": TREE}
    )
    assert not verdict
    assert "cannot come from this original" in verdict.sentence


def test_an_offending_record_is_shown_with_its_links():
    published, original = pl.DataFrame({"q": ["a", "a", "3"]}), pl.DataFrame({"q": ["1", "2", "3"]})
    (verdict,) = krypsis.check(
        published, "kk-anonymity:k=2", quasi_identifiers=["q"], original=original, hierarchies={"q": TREE}
    )
    assert verdict.achieved == 1
    assert {"values": {"q": "3"}, "size": 1, "record": "published", "counts": "original"} in verdict.offending
    assert "break the promise" in verdict.sentence


def test_the_worst_of_several_quasi_identifier_sets_counts():
    original = pl.DataFrame({"a": ["1", "1"], "b": ["1", "2"]})
    options = {"original": original, "hierarchies": {"b": TREE}}
    (verdict,) = krypsis.check(original, "kk-anonymity:k=2", quasi_identifiers=[["a"], ["b"]], **options)
    assert (verdict.holds, verdict.achieved) == (False, 1)
    (verdict,) = krypsis.check(original, "kk-anonymity:k=2", quasi_identifiers=[["a"]], **options)
    assert verdict.holds


def test_hierarchies_may_be_given_as_in_a_task():
    original = pl.DataFrame({"age": [31, 34, 47, 48]})
    published = pl.DataFrame({"age": ["[30-40)", "[30-40)", "[40-50)", "[40-50)"]})
    options = {"original": original, "hierarchies": {"age": {"kind": "intervals", "width": 10}}}
    (verdict,) = krypsis.check(published, "kk-anonymity:k=2", quasi_identifiers=["age"], **options)
    assert verdict.holds


def test_an_original_with_other_records_is_refused():
    table = pl.DataFrame({"q": ["1", "1"]})
    with pytest.raises(DataError, match="3 records and the published one 2"):
        krypsis.check(table, "kk-anonymity:k=2", quasi_identifiers=["q"], original=pl.DataFrame({"q": ["1"] * 3}))


def test_an_original_without_the_column_is_refused():
    table = pl.DataFrame({"age": ["1", "1"]})
    with pytest.raises(ColumnError, match="Did you mean 'agee'"):
        krypsis.check(table, "kk-anonymity:k=2", quasi_identifiers=["age"], original=pl.DataFrame({"agee": ["1", "1"]}))


def test_missing_cells_as_wildcards_are_refused():
    table = pl.DataFrame({"q": ["1", None]})
    with pytest.raises(UsageError, match="cannot be checked with missing cells as wildcards"):
        krypsis.check(table, "kk-anonymity:k=2", quasi_identifiers=["q"], original=table, missing="wildcard")


def test_a_table_without_records_keeps_nothing():
    from krypsis.checker import check_table  # noqa: PLC0415

    (verdict,) = check_table(
        pl.DataFrame({"q": []}, schema={"q": pl.String}), [registry.create("model", "kk-anonymity:k=1")], Given(["q"])
    )
    assert (verdict.holds, verdict.achieved) == (False, 0)


def test_numbers_published_as_they_were_are_the_same_numbers():
    """A column of floating point numbers is 31.0 in a CSV file and 31 as text."""
    original, published = pl.DataFrame({"age": [31.0, 31.0]}), pl.DataFrame({"age": ["31.0", "31.0"]})
    (verdict,) = krypsis.check(published, "kk-anonymity:k=2", quasi_identifiers=["age"], original=original)
    assert verdict.holds
