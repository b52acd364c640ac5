"""What every model in the registry has to keep that is about links between original and published records."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.texts.description import describe
from oracles import links as slow
from strategies import link_models, models_of

every_link_model = pytest.mark.parametrize("cls", link_models().values(), ids=list(link_models()))

REFERENCES = {
    "1k-anonymity": [slow.links_of_originals],
    "k1-anonymity": [slow.links_of_published],
    "kk-anonymity": [slow.links_of_originals, slow.links_of_published],
    "global-1k-anonymity": [slow.matches_of_originals],
}


def covers(label, row):
    return label in (row, "*")


@st.composite
def pairs(draw):
    """An original column and labels for it, in any order; some labels may generalize nothing of it."""
    rows = draw(st.lists(st.sampled_from(["1", "2", None]), min_size=1, max_size=6))
    labels = [draw(st.sampled_from([row, "*", draw(st.sampled_from(rows))])) for row in rows]
    return rows, draw(st.permutations(labels))


def verdict_of(model, rows, labels):
    original, published = (pl.DataFrame({"q": column}, schema={"q": pl.String}) for column in (rows, labels))
    (verdict,) = krypsis.check(published, [model], quasi_identifiers=["q"], original=original)
    return verdict


@every_link_model
@given(data=st.data(), pair=pairs())
def test_a_model_agrees_with_the_slow_reference(cls, data, pair):
    assert cls.name in REFERENCES, "name the plain functions of tests/oracles/links.py that count its links"
    model, (rows, labels) = data.draw(models_of(cls)), pair
    verdict = verdict_of(model, rows, labels)
    fewest = min(min(count(rows, labels, covers)) for count in REFERENCES[cls.name])
    assert verdict.achieved == fewest
    assert verdict.holds == (fewest >= model.k)


@every_link_model
@given(data=st.data(), pair=pairs())
def test_the_order_of_records_means_nothing(cls, data, pair):
    model, (rows, labels) = data.draw(models_of(cls)), pair
    shuffled = [data.draw(st.permutations(column)) for column in (rows, labels)]
    assert verdict_of(model, *shuffled) == verdict_of(model, rows, labels)


@every_link_model
def test_without_the_original_nothing_is_decided(cls):
    (verdict,) = krypsis.check(pl.DataFrame({"q": ["1", "1"]}), f"{cls.name}:k=2", quasi_identifiers=["q"])
    assert verdict.holds is None
    assert "give the original table: --original" in verdict.sentence


@every_link_model
@given(data=st.data())
def test_a_promise_about_links_is_implied_by_one_about_groups(cls, data):
    model = data.draw(models_of(cls))
    assert model.sufficient().spec == f"k-anonymity:k={model.k}"
    assert model.required == model.k


@every_link_model
def test_its_explanation_says_that_the_original_is_needed(cls):
    assert cls.needs_original
    assert "only with the original table" in describe("model", cls)["does_not_protect_from"]
