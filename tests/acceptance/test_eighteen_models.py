"""C10 to C27: each of the 18 models checks and measures the worked examples of the specification."""

import polars as pl
import pytest

import krypsis
from krypsis.algorithms.tables.mechanisms.alpha_beta import PublishingChances
from krypsis.checker import SubjectTable, check_history, check_views
from krypsis.models.ct_isolation import CTIsolation
from krypsis.models.d_gamma_privacy import DGammaPrivacy
from krypsis.models.m_invariance import MInvariance
from krypsis.models.mechanisms import MechanismRecord, Spending
from krypsis.models.multirelational_k_anonymity import MultirelationalKAnonymity
from models import test_ff_anonymity, test_km_anonymity, test_m_invariance, test_personalized_privacy
from papers.case import FOLDER, Example

MEDICAL = Example(FOLDER / "thesis_2016_k_anonymity")
KNOWN = ["job", "sex", "age"]


def verdict_on(model, table="published", example=MEDICAL, **options):
    described = example.case.tables[table]
    names = options.pop("quasi_identifiers", described.quasi_identifiers)
    options = {"sensitive": described.sensitive, **options}
    (verdict,) = krypsis.check(example.frame(table), model, quasi_identifiers=names, **options)
    return verdict


@pytest.mark.exposed
def test_c10_k_anonymity_of_tables_5_6_and_5_8():
    assert (verdict_on("k-anonymity:k=3").holds, verdict_on("k-anonymity:k=3").achieved) == (True, 3)
    assert verdict_on("k-anonymity:k=3", "medical").achieved == 1


def test_c11_multirelational_k_anonymity_counts_persons_and_not_rows():
    """Two persons with two visits each are four rows of the join that look alike, and two persons."""
    persons = pl.DataFrame({"id": ["a", "b"], "age": ["30", "30"]})
    visits = pl.DataFrame({"id": ["a", "a", "b", "b"], "year": ["2020"] * 4})
    tables = {"persons": SubjectTable(persons, "id", ("age",)), "visits": SubjectTable(visits, "id", ("year",))}
    for k, holds in ((2, True), (3, False)):
        (verdict,) = check_views(tables, [MultirelationalKAnonymity(k=k)])
        assert (verdict.holds, verdict.achieved) == (holds, 2)


def test_c12_a_guess_isolates_who_is_nearer_to_it_than_t_others():
    """The ball of radius c·δ around the guess 0.1: the point 0 is 0.1 away, no other is within 0.2."""
    points = pl.DataFrame({"x": [0.0, 1.0, 1.1, 1.2]}).to_numpy()
    guess = pl.DataFrame({"x": [0.1]}).to_numpy()
    assert CTIsolation(c=2, t=2).isolated(points, guess).tolist() == [True, False, False, False]
    assert not CTIsolation(c=20, t=2).isolated(points, guess).any()


def test_c13_km_anonymity_of_tables_5_10_and_5_11():
    broken, kept = (
        krypsis.check(list(baskets.values()), "km-anonymity:k=2,m=2")[0]
        for baskets in (test_km_anonymity.TABLE_5_10, test_km_anonymity.TABLE_5_11)
    )
    pairs = {frozenset(one["values"]["items"].split(", ")) for one in broken.offending}
    assert pairs == {frozenset({"KitchenPaper", "Lentils"}), frozenset({"KitchenPaper", "Bleach"})}
    assert (broken.achieved, kept.holds) == (1, True)
    assert krypsis.check(list(test_km_anonymity.TABLE_5_11.values()), "km-anonymity:k=2,m=3")[0].holds


def test_c14_l_diversity_of_table_5_8():
    assert verdict_on("distinct-l-diversity:l=2").achieved == 2
    assert verdict_on("entropy-l-diversity:l=1.75").holds
    assert not verdict_on("entropy-l-diversity:l=1.8").holds
    # {2, 1} and {3, 1}: the most frequent value is 2 and 3 times the rest
    assert verdict_on("recursive-l-diversity:c=3.01,l=2").holds
    assert not verdict_on("recursive-l-diversity:c=3,l=2").holds
    assert verdict_on("frequency-l-diversity:l=1").achieved == pytest.approx(4 / 3)


def test_c15_confidence_in_fever_is_three_of_four():
    assert verdict_on("confidence-bounding:value=Fever,h=0.1").achieved == 0.75
    assert verdict_on("confidence-bounding:value=AIDS,h=0.1").holds


def test_c16_xy_privacy_is_both_halves_together():
    """The patients have three records each: a group of six records is two patients, each a half of it."""
    visits = pl.DataFrame({"job": ["x"] * 6, "patient": ["a", "b"] * 3})
    for spec, holds in (("k=2,h=0.5", True), ("k=3,h=0.5", False), ("k=2,h=0.49", False)):
        (verdict,) = krypsis.check(visits, f"xy-privacy:y=patient,{spec}", quasi_identifiers=["job"])
        assert verdict.holds == holds


def test_c17_alpha_k_anonymity_of_table_5_8():
    assert verdict_on("alpha-k-anonymity:alpha=0.75,k=3").holds
    assert not verdict_on("alpha-k-anonymity:alpha=0.74,k=3").holds
    assert not verdict_on("alpha-k-anonymity:alpha=0.75,k=4").holds


@pytest.mark.parametrize("known", [1, 2, 3])
def test_c18_lkc_privacy_of_table_5_8(known):
    assert verdict_on(f"lkc-privacy:l={known},k=3,c=0.75").holds
    assert not verdict_on(f"lkc-privacy:l={known},k=3,c=0.74").holds
    assert not verdict_on(f"lkc-privacy:l={known},k=4,c=0.75").holds


def test_c19_ke_anonymity_of_table_5_12():
    salaries = Example(FOLDER / "thesis_2016_ke_anonymity")
    assert verdict_on("ke-anonymity:k=7,e=50", "salaries", salaries).holds
    assert not verdict_on("ke-anonymity:k=8,e=50", "salaries", salaries).holds
    assert not verdict_on("ke-anonymity:k=7,e=51", "salaries", salaries).holds


@pytest.mark.parametrize(("epsilon", "share"), [(0, 0.2), (1, 0.5), (2, 0.7), (3, 0.9), (5, 0.9)])
def test_c20_em_anonymity_of_table_5_12(epsilon, share):
    salaries = Example(FOLDER / "thesis_2016_ke_anonymity")
    verdict = verdict_on(f"em-anonymity:epsilon={epsilon},m=2", "salaries", salaries)
    assert verdict.achieved == pytest.approx(1 / share)
    assert verdict.holds == (epsilon <= 1)


def test_c21_t_closeness_of_table_5_8_and_of_the_skewed_group():
    assert verdict_on("t-closeness:t=0.5").achieved == pytest.approx(0.3810, abs=5e-5)
    skewed = pl.DataFrame({"q": ["x", "x"], "illness": ["flu", "cancer"]})
    reference = {"illness": {"flu": 95, "cancer": 5}}
    (verdict,) = krypsis.check(
        skewed, "t-closeness:t=0.4", quasi_identifiers=["q"], sensitive="illness", reference=reference
    )
    assert (verdict.holds, verdict.achieved) == (False, pytest.approx(0.45))


def test_c22_personalized_privacy_guards_alice_and_leaves_vasilis():
    assert test_personalized_privacy.chances(test_personalized_privacy.PATIENTS) == 0.5
    unguarded = test_personalized_privacy.PATIENTS.with_columns(guard=pl.lit(None, dtype=pl.String))
    assert test_personalized_privacy.chances(unguarded) == 0


def test_c23_ff_anonymity_finds_the_attacks_on_table_5_13():
    attacks = test_ff_anonymity.found(lmax=2)
    assert attacks[frozenset({"Male", "High"})] == ({"disease": "AIDS"}, 1.0)
    assert attacks[frozenset({"Female", "Flu"})] == ({"income": "1900"}, 1.0)
    assert attacks[frozenset({"Female", "Low"})] == ({"disease": "Tuberculosis"}, 1.0)


def test_c24_m_invariance_of_tables_5_14_to_5_16():
    first, naive, invariant = (
        test_m_invariance.version(text)
        for text in (test_m_invariance.TABLE_5_14, test_m_invariance.TABLE_5_15, test_m_invariance.TABLE_5_16)
    )
    (broken,), (kept,) = (check_history([first, second], [MInvariance(m=2)]) for second in (naive, invariant))
    assert not broken.holds
    assert {one["values"]["person"] for one in broken.offending} == {"Alice", "Dimitris"}
    assert (kept.holds, kept.achieved) == (True, 2)


def test_c25_presence_of_table_5_8_in_the_external_table():
    context = {"population": MEDICAL.frame("external"), "hierarchies": MEDICAL.hierarchies("medical")}
    assert verdict_on("delta-presence:delta_min=0.75,delta_max=0.8", **context).achieved == pytest.approx(4 / 5)
    assert verdict_on("delta-presence:delta_min=0.75,delta_max=0.8", **context).holds
    assert not verdict_on("delta-presence:delta_min=0.75,delta_max=0.79", **context).holds
    assert not verdict_on("delta-presence:delta_min=0.76,delta_max=0.8", **context).holds


def test_c26_differential_privacy_adds_up_what_is_spent():
    parts = [
        Spending(what=f"part {number}", noise="discrete Laplace", sensitivity=1, scale=2, epsilon=0.5)
        for number in range(3)
    ]
    mechanism_record = MechanismRecord(publishes="counts", unit="one record", domains={}, spent=tuple(parts))
    enough, little = (krypsis.registry.create("model", f"differential-privacy:epsilon={one}") for one in (1.5, 1))
    assert enough.achieved(mechanism_record) == 1.5
    assert not list(enough.contradictions(mechanism_record))
    assert list(little.contradictions(mechanism_record))


def test_c27_the_chances_of_the_specification_keep_d_gamma_privacy_exactly():
    chances = PublishingChances.of(DGammaPrivacy(d=0.01, gamma=0.2))
    assert (round(float(chances.alpha), 6), round(float(chances.beta), 6)) == (0.911616, 0.038384)
    kept, inserted = chances.alpha + chances.beta, chances.beta
    posterior = 0.01 * float(kept) / (0.01 * float(kept) + 0.99 * float(inserted))
    assert posterior == pytest.approx(0.2)
