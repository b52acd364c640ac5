"""The αβ mechanism: its chances, what every attacker can believe afterwards, and counts from its releases."""

from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.algorithms.tables.mechanisms.alpha_beta import AlphaBeta, PublishingChances, estimated_count
from krypsis.algorithms.tables.mechanisms.base import MechanismInput
from krypsis.data.columns import CategoryColumn
from krypsis.errors import UsageError
from krypsis.models.d_gamma_privacy import DGammaPrivacy
from oracles.chances import chances_of

LABELS = ("x", "y", "z")
hundredths = st.integers(1, 99).map(lambda number: Fraction(number, 100))


@st.composite
def promises(draw):
    d, gamma = sorted((draw(hundredths), draw(hundredths)))
    return DGammaPrivacy(d=float(d), gamma=float(gamma)) if d < gamma else DGammaPrivacy(d=0.01, gamma=0.2)


def outputs(present, promise):
    """Every possible release of a table with these values, with its exact chance."""
    column = CategoryColumn("town", np.array(present, dtype=np.int32), LABELS)

    def program(source):
        made = AlphaBeta().make(MechanismInput({"town": column}), promise, source)
        return tuple(made.columns["town"].codes.tolist())

    chances, rest = chances_of(program, Fraction(0))
    assert rest == 0
    return chances


def test_the_chances_of_the_specification():
    chances = PublishingChances.of(DGammaPrivacy(d=0.01, gamma=0.2))
    assert float(chances.beta / (chances.alpha + chances.beta)) == pytest.approx(0.040404, abs=5e-7)
    assert chances.alpha + chances.beta == Fraction(95, 100)
    assert float(chances.alpha) == pytest.approx(0.911616, abs=5e-7)
    assert float(chances.beta) == pytest.approx(0.038384, abs=5e-7)


@given(promise=promises())
def test_a_belief_of_d_becomes_gamma_exactly(promise):
    chances, d = PublishingChances.of(promise), Fraction(str(promise.d))
    kept = chances.alpha + chances.beta
    assert d * kept / (d * kept + (1 - d) * chances.beta) == Fraction(str(promise.gamma))
    assert 0 < chances.alpha < 1
    assert 0 < chances.beta < 1


@pytest.mark.parametrize(("d", "gamma"), [(0.1, 0.5), (0.3, 0.4), (0.01, 0.9)])
@pytest.mark.parametrize("beliefs", [(1, 1, 1), (1, "1/2", "1/3"), ("1/5", "sure", 1)])
def test_no_attacker_believes_more_than_gamma_whatever_is_published(d, gamma, beliefs):
    """Bayes over all tables and all releases of three values; ``sure`` is what the attacker knows already."""
    promise = DGammaPrivacy(d=d, gamma=gamma)
    limit, most = Fraction(str(d)), Fraction(str(gamma))
    prior = [Fraction(1) if share == "sure" else limit * Fraction(share) for share in beliefs]
    tables = [tuple(np.flatnonzero(bits).tolist()) for bits in product([0, 1], repeat=3)]
    chance_of = {
        table: np.prod([prior[value] if value in table else 1 - prior[value] for value in range(3)]) for table in tables
    }
    released = {table: outputs(table, promise) for table in tables if chance_of[table]}
    for release in set().union(*released.values()):
        joint = {table: chance_of[table] * released[table].get(release, 0) for table in released}
        total = sum(joint.values())
        for value in range(3):
            posterior = sum(chance for table, chance in joint.items() if value in table) / total
            if prior[value] < 1:
                assert posterior <= most
                assert posterior >= prior[value] * limit / most


def test_counts_are_estimated_right_on_average():
    promise = DGammaPrivacy(d=0.1, gamma=0.5)
    chances = PublishingChances.of(promise)
    for present in ([], [1], [0, 2]):
        expected = sum(
            chance * Fraction(estimated_count(len(release), 3, float(chances.alpha), float(chances.beta)))
            for release, chance in outputs(present, promise).items()
        )
        assert float(expected) == pytest.approx(len(present))


def test_a_release_tells_its_chances_and_a_count_can_be_estimated_from_it(tmp_path):
    towns = [f"t{number}" for number in range(400)]
    data = pl.DataFrame({"town": towns[:100]})
    release = krypsis.anonymize(
        data,
        {"town": "QI"},
        hierarchies={"town": {"*": towns}},
        models="d-gamma-privacy:d=0.1,gamma=0.6",
        algorithm="alpha-beta:missing=leave out",
    )
    loaded = krypsis.Release.load(release.save(tmp_path / "release").folder)
    estimate = estimated_count(loaded.table.height, 400, **loaded.mechanism_record.chances)
    assert abs(estimate - 100) < 60  # more than five standard deviations
    assert release.private["kept"] + release.private["inserted"] == loaded.table.height


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("d=0.5,gamma=0.2", "d of d-gamma-privacy must be less than gamma, got d=0.5 and gamma=0.2"),
        ("d=0.5,gamma=0.5", "must be less than gamma"),
        ("d=0,gamma=0.5", "d of d-gamma-privacy must be more than 0, got 0"),
        ("d=0.5,gamma=1", "gamma of d-gamma-privacy must be less than 1, got 1"),
        ("d=-1,gamma=2", "must be"),
        ("d=0.1", "d-gamma-privacy needs gamma"),
    ],
)
def test_beliefs_that_are_none_are_refused(parameters, words):
    with pytest.raises(UsageError, match=words):
        krypsis.anonymize(pl.DataFrame({"a": ["x"]}), {"a": "QI"}, models=f"d-gamma-privacy:{parameters}")


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"beta": 2}, {"published": 5}, {"published": -1}])
def test_an_estimate_needs_chances_and_counts(wrong):
    with pytest.raises(UsageError, match="must be chances"):
        estimated_count(**{"published": 1, "possible": 4, "alpha": 0.5, "beta": 0.1, **wrong})
