"""What disassociated sets have lost, on the figures of the source."""

from itertools import combinations

import numpy as np
import pytest

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.listed_items import LostTerms
from krypsis.metrics.transactions.relative_error import AverageRelativeError, MatchError, relative_errors
from krypsis.models.km_anonymity import KmAnonymity
from metrics.transactions.figures import CONSTRAINTS, FIGURE_3_2B, FIGURE_3_3, FIGURE_4_6, PATIENTS, SEARCHES, measured

EVERYTHING = "first_rank=0,last_rank=12"


def support(sets, items):
    return sum(set(items) <= one for one in sets)


@pytest.mark.parametrize(("published", "expected"), [(FIGURE_3_2B, 2 / 9), (FIGURE_3_3, 0)])
def test_frequent_items_that_are_only_listed(published, expected):
    assert measured("tlost:k=3", SEARCHES, published) == pytest.approx(expected)


def test_no_item_is_frequent_and_so_none_is_lost():
    assert measured("tlost:k=11", SEARCHES, FIGURE_3_2B) == 0


def test_the_frequent_items_are_those_of_the_promise():
    assert LostTerms.usual([KmAnonymity(k=3, m=2), KmAnonymity(k=7, m=1)]) == LostTerms(k=7)
    assert LostTerms.usual([]) == LostTerms()


@pytest.mark.parametrize(("published", "listed"), [(FIGURE_3_2B, 14), (FIGURE_3_3, 6)])
def test_items_of_records_that_are_only_listed(published, listed):
    # Supports of those in the term chunks: ikea 4, ruby 4, viagra 2, panic disorder 2, playboy 2.
    assert measured("listed-share", SEARCHES, published) == pytest.approx(listed / 44)


@pytest.mark.parametrize(
    ("pair", "before", "in_3_2b", "in_3_3"),
    [(("ikea", "ruby"), 3, 2.0, 0.0), (("flu", "madonna"), 3, 0.0, 0.0), (("madonna", "audi a4"), 3, 2.0, 2.0)],
)
def test_the_certain_pairs_of_the_figures(pair, before, in_3_2b, in_3_3):
    assert support(SEARCHES.sets(), pair) == before
    for published, expected in ((FIGURE_3_2B, in_3_2b), (FIGURE_3_3, in_3_3)):
        told = support(published.pieces.sets(), pair)
        assert relative_errors(np.array([before * 1.0]), np.array([told * 1.0])).tolist() == [expected]


@pytest.mark.parametrize("published", [FIGURE_3_2B, FIGURE_3_3])
def test_certain_pairs_are_those_of_the_pieces(published):
    errors = []
    for pair in combinations(SEARCHES.items, 2):
        before, after = support(SEARCHES.sets(), pair), support(published.pieces.sets(), pair)
        if before or after:
            errors.append(abs(before - after) / ((before + after) / 2))
    assert measured(f"re-a:{EVERYTHING}", SEARCHES, published) == pytest.approx(sum(errors) / len(errors))


def test_the_mean_of_many_reconstructions_nears_the_expected_number_of_records():
    one = AverageRelativeError(sets=(("madonna", "audi a4"),), reconstructions=400)
    # 3 of 5 records have a car and 4 madonna: 2.4 of 3 are expected to have both.
    assert measured(one, SEARCHES, FIGURE_3_2B) == pytest.approx(0.2, abs=0.03)


def test_records_that_match_the_constraints_of_the_patients():
    errors = MatchError(sets=CONSTRAINTS).of_each(PATIENTS, FIGURE_4_6, None, np.random.default_rng(1))
    assert errors.tolist() == [0, 0, 0.5, 0.5, 0]
    assert measured(MatchError(sets=CONSTRAINTS), PATIENTS, FIGURE_4_6) == pytest.approx(0.2)


def test_a_constraint_may_be_matched_by_all_of_its_items():
    errors = MatchError(sets=CONSTRAINTS, matches="all").of_each(PATIENTS, FIGURE_4_6, None, np.random.default_rng(1))
    assert np.isnan(errors[[0, 2]]).all()  # no patient has all six codes, nor both of the third
    assert errors[[1, 3, 4]].tolist() == [0, 0.5, 0]


def test_without_constraints_every_item_is_one():
    counted = MatchError().of_each(PATIENTS, FIGURE_4_6, None, np.random.default_rng(1))
    assert counted[PATIENTS.items.index("401.0")] == 0.5
    assert counted[PATIENTS.items.index("296.00")] == 0


@pytest.mark.parametrize("name", ["re:first_rank=0,last_rank=12", "are", "mre", "items-lost", "set-ncp"])
def test_unchanged_sets_have_lost_nothing(name):
    assert measured(name, SEARCHES, SEARCHES) == 0


@pytest.mark.parametrize(("name", "worst"), [("re:first_rank=0,last_rank=12", 2), ("are", 1), ("mre", 1)])
def test_empty_sets_have_lost_everything(name, worst):
    assert measured(name, SEARCHES, Transactions.of_sets([[]] * 10)) == worst


def test_generalized_pairs_are_spread_over_the_items():
    kinds = Hierarchy.from_rows([["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"], ["d", "Y", "*"]])
    before = Transactions.of_sets([["a", "c"]] * 4)
    after = before.generalized({"a": "X", "c": "Y"})
    # 4 records with X and Y are 1 with each of the four pairs: |4 - 1| / 2.5.
    assert measured("re:first_rank=0,last_rank=2", before, after, kinds) == pytest.approx(1.2)


@pytest.mark.parametrize(("kept", "expected"), [("abcd", 0), ("ab", 0.5), ("", 1)])
def test_items_that_are_told_nowhere(kept, expected):
    before = Transactions.of_sets([["a", "b"], ["c", "d"]])
    after = before.without(set("abcd") - set(kept))
    assert measured("items-lost", before, after) == expected


def test_an_item_that_is_told_more_generally_is_not_lost():
    kinds = Hierarchy.from_rows([["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"]])
    before = Transactions.of_sets([["a", "b"], ["c"]])
    assert measured("items-lost", before, Transactions.of_sets([["X"], []]), kinds) == pytest.approx(1 / 3)
    assert measured("items-lost", SEARCHES, FIGURE_3_3) == 0


@pytest.mark.parametrize("spec", ["are", "are:workload=random_1000", "are:workload=frequent_p,support=20"])
def test_the_same_seed_asks_the_same_questions(spec):
    assert measured(spec, SEARCHES, FIGURE_3_3, seed=5) == measured(spec, SEARCHES, FIGURE_3_3, seed=5)


def test_questions_that_no_record_answers_are_left_out_and_counted():
    found = AverageRelativeError(sets=(("viagra", "playboy"), ("flu",))).answers(
        SEARCHES, SEARCHES, None, np.random.default_rng(1)
    )
    assert (found.errors.tolist(), found.skipped) == ([0], 1)


def test_frequent_questions_are_the_most_frequent_sets():
    # 8 of 10 records hold madonna, and nothing else is in half of them.
    asked = AverageRelativeError(workload="frequent_p", support=50).answers(
        SEARCHES, SEARCHES, None, np.random.default_rng(1)
    )
    assert (len(asked.errors), asked.skipped) == (1, 0)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("re", "only 12 items occur; give a lower first_rank"),
        ("are:sets=zebra", "no record holds any of the 1 sets"),
        ("mre:sets=zebra", "no record matches any of the 1 sets"),
        ('are:sets="""flu,flu"""', "no item twice"),
    ],
)
def test_questions_without_an_answer_are_refused(spec, words):
    with pytest.raises(UsageError, match=words):
        measured(spec, SEARCHES, FIGURE_3_3)


@pytest.mark.parametrize("name", ["tlost", "listed-share", "re-a:first_rank=0"])
def test_what_is_about_pieces_measures_nothing_else(name):
    with pytest.raises(UsageError, match="measures pieces of sets in clusters, got Transactions"):
        measured(name, SEARCHES, SEARCHES)
