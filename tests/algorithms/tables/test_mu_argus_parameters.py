"""What μ-Argus and its improved variant can be asked for, and what they refuse."""

import numpy as np
import polars as pl
import pytest

import krypsis
from algorithms.tables.argus_reference import COUNTEREXAMPLE, FLAT, people
from krypsis import registry
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mu_argus.mu_argus import ImprovedMuArgus, MuArgus
from krypsis.data.recoding import FrequencySet
from krypsis.errors import ColumnError, Infeasible, Unfinished, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import Progress

LOSS = registry.create("metric", "loss")


def test_a_search_that_had_to_stop_does_not_say_that_it_cannot_be_done():
    class Impatient(Progress):
        def wants_stop(self):
            return True

    codes = np.array([[0, 0], [1, 1]], dtype=np.int32)
    frequency = FrequencySet(("a", "b"), (FLAT,) * 2, codes, np.array([1, 1]))
    with pytest.raises(Unfinished, match="2 of 2 records are in smaller ones so far"):
        MuArgus().search(frequency, [KAnonymity(k=2)], LOSS, Limits(lowest=(0, 0), highest=(0, 0)), Impatient())


def test_an_attribute_has_one_rank():
    with pytest.raises(UsageError, match="'age' has two ranks"):
        registry.create("algorithm", "mu-argus:ranks=age=most;sex=more;age=not")


@pytest.mark.parametrize(
    ("given_ranks", "outliers"),
    [
        ({}, 6 + 4),
        ({"a": 0}, 3 + 1),
        ({"a": 2, "b": 2}, 5 + 2),
        ({"a": 2, "b": 3}, 6 + 4),
        ({"a": 3, "b": 3, "c": 3}, 3),
        (dict.fromkeys("abcd", 2), 0),
        (dict.fromkeys("abcd", 0), 0),
    ],
)
def test_ranks_choose_which_pairs_and_triples_are_looked_at(given_ranks, outliers):
    """One record shares no value with the five others, so each combination of its values is an outlier."""
    trees = (FLAT,) * 4
    codes = np.array([[0, 0, 0, 0], [1, 1, 1, 1]], dtype=np.int32)
    frequency = FrequencySet(("a", "b", "c", "d"), trees, codes, np.array([1, 5]))
    attempt = MuArgus(ranks=given_ranks).recode(frequency, 2, Limits(highest=(0, 0, 0, 0)))
    assert attempt.recoding.figures[0]["outliers"] == outliers


@pytest.mark.parametrize(
    "spec",
    [
        "mu-argus:ranks=age=most;sex=2;zip code=identifying,tolerance=0.1",
        'mu-argus:tolerance=0.1,ranks="age=1;sex=more identifying;zip code=3"',
        {"name": "mu-argus", "ranks": {"age": "most", "sex": "MORE", "zip code": "3"}, "tolerance": "0.1"},
        {"name": "mu-argus", "ranks": {"age": 1, "sex": 2, "zip code": 3}, "tolerance": 0.1},
    ],
)
def test_ranks_are_written_as_text_or_as_a_mapping_with_numbers_or_names(spec):
    algorithm = registry.create("algorithm", spec)
    assert algorithm == MuArgus(ranks={"age": 1, "sex": 2, "zip code": 3}, tolerance=0.1)


def test_a_rank_of_zero_can_be_said_in_words():
    assert MuArgus(ranks="a=not identifying;b=not").ranks == {"a": 0, "b": 0}
    assert MuArgus(ranks=" ").ranks == {}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mu-argus:ranks=age=4", "a rank is one of 0 .not., 1 .most., 2 .more., 3 .identifying.; '4' is none"),
        ("mu-argus:ranks=age=mots", "Did you mean 'most'"),
        ("mu-argus:ranks=age", "ranks are written as 'age=most;sex=more'"),
        ({"name": "mu-argus", "ranks": {"age": True}}, "'?True'? is none"),
        ({"name": "mu-argus", "ranks": {"age": 1.5}}, "1.5 is none"),
        ({"name": "mu-argus", "ranks": ["age"]}, "ranks of mu-argus"),
        ("mu-argus:tolerance=2", "tolerance of mu-argus must be at most 1"),
        ("mu-argus:rank=age=1", "Did you mean 'ranks'"),
        ("mu-argus-improved:tolerance=-1", "must be at least 0"),
    ],
)
def test_a_wrong_parameter_is_refused_with_what_is_expected(spec, message):
    with pytest.raises(UsageError, match=message):
        registry.create("algorithm", spec)


def test_a_rank_for_a_column_that_is_no_quasi_identifier_is_refused():
    with pytest.raises(ColumnError, match="column 'q9' not found; columns: q0, q1"):
        MuArgus(ranks={"q9": 1}).recode(people("ax", "by"), 1)


@pytest.mark.parametrize("name", ["mu-argus", "mu-argus-improved"])
def test_other_promises_are_refused_with_the_reason(name):
    table = pl.DataFrame({"age": ["1", "2"], "ill": ["x", "y"]})
    with pytest.raises(UsageError, match=f"{name} is for k-anonymity alone.*distinct-l-diversity:l=2"):
        krypsis.anonymize(
            table,
            {"age": "quasi-identifier", "ill": "sensitive"},
            models=["k-anonymity:k=2", "distinct-l-diversity:l=2"],
            algorithm=name,
        )


@pytest.mark.parametrize("algorithm", [MuArgus(), ImprovedMuArgus()])
def test_fewer_records_than_k_have_no_release(algorithm):
    with pytest.raises(Infeasible):
        algorithm.search(people("ax", "by"), [KAnonymity(k=3)], LOSS, Limits(2))


@pytest.mark.parametrize("algorithm", [MuArgus(), ImprovedMuArgus()])
def test_with_k_of_1_nothing_changes(algorithm):
    recoding = algorithm.search(COUNTEREXAMPLE, [KAnonymity(k=1)], LOSS, Limits(0))
    assert recoding.levels == (0, 0, 0, 0)
    assert not recoding.suppressed.any()
