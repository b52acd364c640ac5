"""k-anonymity revisited: the four candidates of the specification, and what the promises say about themselves."""

import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.data.hierarchies.base import Hierarchy

ORIGINAL = pl.DataFrame(
    {"race": ["white", "black", "asian", "asian", "asian"], "zip": ["94138", "94139", "94141", "94141", "94142"]}
)
RACE = Hierarchy.from_rows([[race, "person"] for race in ("white", "black", "asian")])
ZIP = Hierarchy.from_rows([[code, code[:4] + "*", "941**"] for code in ("94138", "94139", "94141", "94142")])
PERSONS = [("person", "9413*")] * 2

CANDIDATES = {
    "classic": (PERSONS + [("asian", "9414*")] * 3, True, True),
    "revisited": (PERSONS + [("asian", "94141")] + [("asian", "9414*")] * 2, False, True),
    "one private tuple": (PERSONS + [("asian", "9414*")] * 2 + [("asian", "94142")], False, False),
    "one published tuple": (PERSONS + [("asian", "94141")] * 2 + [("asian", "9414*")], False, False),
}


def check(rows, *models):
    published = pl.DataFrame(rows, schema=["race", "zip"], orient="row")
    return krypsis.check(
        published,
        list(models),
        quasi_identifiers=["race", "zip"],
        original=ORIGINAL,
        hierarchies={"race": RACE, "zip": ZIP},
    )


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_candidates_of_the_specification(name):
    """Section 5: sufficient is k-anonymity, necessary only that every tuple of either side has k on the other."""
    rows, classic, revisited = CANDIDATES[name]
    verdicts = check(rows, "k-anonymity:k=2", "kk-anonymity:k=2")
    assert [verdict.holds for verdict in verdicts] == [classic, revisited]


def test_a_published_tuple_that_matches_one_private_tuple_breaks_k1_alone():
    one_k, k_one = check(CANDIDATES["one private tuple"][0], "1k-anonymity:k=2", "k1-anonymity:k=2")
    assert (one_k.holds, k_one.holds) == (True, False)
    assert k_one.offending[0]["values"] == {"race": "asian", "zip": "94142"}


def test_a_private_tuple_that_matches_one_published_tuple_breaks_1k_alone():
    one_k, k_one = check(CANDIDATES["one published tuple"][0], "1k-anonymity:k=2", "k1-anonymity:k=2")
    assert (one_k.holds, k_one.holds) == (False, True)
    assert one_k.offending[0]["values"] == {"race": "asian", "zip": "94142"}


def test_who_looks_at_all_persons_together_can_rule_out_links():
    """Only the first two records can be a and b, so neither is left for d: (2,2) holds, and d is known all the same."""
    original = pl.DataFrame({"q": ["a", "b", "c", "d", "e"]})
    published = pl.DataFrame({"q": ["{a, b, d}", "{a, b}", "{c, e}", "{c, d}", "{c, e}"]})
    both, globally = krypsis.check(
        published, ["kk-anonymity:k=2", "global-1k-anonymity:k=2"], quasi_identifiers=["q"], original=original
    )
    assert (both.holds, both.achieved) == (True, 2)
    assert (globally.holds, globally.achieved) == (False, 1)
    assert globally.offending[0]["values"] == {"q": "d"}


def test_their_literal_names_are_known():
    assert registry.create("model", "(k,k)-anonymity:k=3").name == "kk-anonymity"
