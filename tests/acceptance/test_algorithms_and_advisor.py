"""C28 to C39 and C45 to C48: combined promises, algorithms and the advisor, on the examples of the specification."""

import re
from collections import Counter
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import krypsis
from advisor.test_trees import NAMES, PATHS, rows, words
from algorithms.histories.versions import groups_of, second_version
from algorithms.tables.lattices import paper_table
from algorithms.tables.record_tables import publish
from algorithms.tables.test_forming_groups import search
from krypsis.advisor import Wizard, advise, evidence_of
from krypsis.advisor.results import references, results
from krypsis.algorithms.histories.m_invariance import MInvariant
from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.attacks.intersection import CandidateAttack
from krypsis.cli.main import app
from krypsis.data.groups import Groups
from krypsis.data.transactions import Transactions
from krypsis.errors import Infeasible
from krypsis.kinds.table.demo import hospital
from krypsis.models.m_invariance import MInvariance
from krypsis.models.skyline import Skyline
from models import test_km_anonymity, test_m_invariance
from oracles.worlds import Worlds
from papers.case import FOLDER, Example
from papers.test_papers import CHECKS

SIXTEEN = pl.DataFrame(list(product("01", repeat=4)), schema=list("abcd"), orient="row")
POINTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=40)


def test_c28_xy_anonymity_and_xy_linkability_are_promises_of_their_own():
    """Six records of two patients, four of them Ann's."""
    visits = pl.DataFrame({"job": ["x"] * 6, "patient": ["Ann"] * 4 + ["Bob"] * 2})
    for spec, holds in (
        ("xy-anonymity:y=patient,k=2", True),
        ("xy-anonymity:y=patient,k=3", False),
        ("xy-linkability:y=patient,h=0.67", True),
        ("xy-linkability:y=patient,h=0.66", False),
    ):
        (verdict,) = krypsis.check(visits, spec, quasi_identifiers=["job"])
        assert verdict.holds == holds


@given(table=st.lists(st.tuples(*[st.sampled_from("xy")] * 3), min_size=1, max_size=20), k=st.integers(1, 4))
def test_c29_what_holds_on_a_set_holds_on_its_subsets_and_these_are_not_looked_at(table, k):
    frame = pl.DataFrame(table, schema=["a", "b", "c"], orient="row")
    levels = {
        names: krypsis.check(frame, f"k-anonymity:k={k}", quasi_identifiers=list(names))[0].achieved
        for names in ("abc", "ab", "bc", "a")
    }
    assert levels["abc"] <= levels["ab"] <= levels["a"]
    roles = dict.fromkeys("abc", "quasi-identifier")
    assert krypsis.Schema.of(roles, None, [["a"], ["a", "b"], ["b", "c"]]).sets == (("a", "b"), ("b", "c"))
    several = krypsis.check(frame, f"k-anonymity:k={k}", quasi_identifiers=[["a", "b"], ["b", "c"]])[0].achieved
    assert several == min(levels["ab"], levels["bc"])


@given(
    group=st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map(Counter),
    known=st.tuples(*[st.integers(0, 2)] * 3),
)
def test_c30_nobody_who_tries_every_world_is_surer_than_the_skyline_says(group, known):
    worlds, sample = Worlds([group]), Groups.of_histograms([group])
    surest = max(worlds.surest(0, value, *known, True) for value in group)
    level = Skyline(l=known[0], k=known[1], m=known[2], c=1, followers="group").measure(sample)
    assert level == pytest.approx(float(surest))


def as_in_the_source(folder, algorithm):
    """Compare every release that an example expects of an algorithm; return how many there are."""
    example = Example(FOLDER / folder)
    wanted = [one for one in example.case.expect if one.kind == "release" and one.algorithm.startswith(algorithm)]
    for one in wanted:
        CHECKS["release"](example, one)
    return len(wanted)


def test_c31_datafly_takes_the_steps_of_the_thesis():
    assert as_in_the_source("thesis_2016_datafly", "datafly") == 1


def test_c32_mu_argus_does_not_see_combinations_of_four_and_says_that_it_failed():
    """Every combination of three occurs twice, so nothing is an outlier, and of four once, so 2-anonymity fails."""
    assert {min(Counter(SIXTEEN.select(names).rows()).values()) for names in combinations("abcd", 3)} == {2}
    roles = dict.fromkeys("abcd", "quasi-identifier")
    with pytest.raises(Infeasible, match="16 of 16 records"):
        krypsis.anonymize(SIXTEEN, roles, models="k-anonymity:k=2", algorithm="mu-argus")


def test_c33_improved_mu_argus_makes_the_same_table_2_anonymous():
    roles = dict.fromkeys("abcd", "quasi-identifier")
    release = krypsis.anonymize(SIXTEEN, roles, models="k-anonymity:k=2", algorithm="mu-argus-improved")
    assert min(Counter(release.table.rows()).values()) >= 2


def test_c34_mondrian_cuts_as_in_the_thesis_for_2_and_3():
    assert as_in_the_source("thesis_2016_mondrian", "mondrian") == 3


@pytest.mark.parametrize("algorithm", ["bottom-up", "top-down"])
@given(points=POINTS, k=st.integers(2, 4))
def test_c35_bottom_up_and_top_down_form_groups_that_cost_no_more_than_one(algorithm, points, k):
    columns = dict(zip("xy", zip(*points, strict=True), strict=True))
    release = publish(columns, algorithm, f"k-anonymity:k={k}")
    assert all(release.verdicts)
    assert release.score <= 1 + 1e-9  # 1: everything in one group
    told = search(algorithm, columns, k).figures[0]
    assert k <= told["smallest"] <= told["largest"] < 2 * k


MINIMAL = [
    ("k-anonymity:k=2", [(0, 2, 2), (1, 1, 1)]),
    ("k-anonymity:k=3", [(1, 1, 1)]),
]


@pytest.mark.parametrize(("promise", "minimal"), MINIMAL)
def test_c36_incognito_finds_all_minimal_nodes_of_the_thesis(promise, minimal):
    frequency = paper_table("thesis_2016_incognito", "original")
    found = Incognito().solutions(frequency, [krypsis.registry.create("model", promise)], Limits())
    assert sorted(found.minimal) == minimal


def test_c37_apriori_finds_the_baskets_of_the_thesis_that_are_2_2_anonymous():
    """Section 8.6: cleaning alone is generalized, which keeps the promise and loses least."""
    baskets = Transactions.of_sets(test_km_anonymity.TABLE_5_10.values())
    goods = [[item, label, "All"] for item, label in test_km_anonymity.CLEANING.items()]
    goods += [[item, "Legumes", "All"] for item in ("Lentils", "Chickpeas")]
    tree = {"item": krypsis.Hierarchy.from_rows(goods)}
    release = krypsis.anonymize(baskets, models="km-anonymity:k=2,m=2", algorithm="apriori", hierarchies=tree)
    assert release.verdicts[0].holds
    assert not krypsis.check(baskets, "km-anonymity:k=2,m=2")[0].holds
    expected = Counter(frozenset(one) for one in test_km_anonymity.TABLE_5_11.values())
    assert Counter(frozenset(one) for one in sets_in(release)) == expected


def sets_in(release):
    """The published sets, from the rows of record and item."""
    record, item = release.table.columns
    return release.table.group_by(record).agg(item)[item].to_list()


def test_c38_anatomize_makes_groups_of_two_and_refuses_a_value_that_is_too_frequent():
    example = Example(FOLDER / "thesis_2016_anatomy")
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}

    def anatomized(diversity):
        models = f"frequency-l-diversity:l={diversity}"
        return krypsis.anonymize(example.frame("original"), roles, models=models, algorithm="anatomize")

    assert sorted(Counter(anatomized(2).table["group"]).values()) == [2] * 5
    assert sorted(Counter(anatomized(3).table["group"]).values()) == [3, 3, 4]
    with pytest.raises(Infeasible, match="3 of 10 records"):
        anatomized(4)


def test_c39_comparing_releases_gives_alice_away_unless_they_are_invariant():
    first, naive, invariant = (
        test_m_invariance.version(text)
        for text in (test_m_invariance.TABLE_5_14, test_m_invariance.TABLE_5_15, test_m_invariance.TABLE_5_16)
    )
    left = CandidateAttack().find([first, naive])
    assert (left["Alice"], left["Dimitris"]) == ({"Dyspepsia"}, {"Gastritis"})
    assert left["Eleftheria"] == {"Flu", "Gastritis"}
    assert left["Ivi"] == left["Ioanna"] == {"Dyspepsia", "Flu", "Gastritis"}
    assert left["Leonidas"] == {"Dyspepsia", "Gastritis"}
    assert min(map(len, CandidateAttack().find([first, invariant]).values())) == 2


T_1 = """name,age,zip,disease,group
Alice,21,12000,Dyspepsia,1
Vasilis,22,14000,Bronchitis,1
Georgia,24,18000,Flu,2
Dimitris,23,25000,Gastritis,2
Eleftheria,41,20000,Flu,3
Zisis,36,27000,Gastritis,3
Ivi,37,33000,Dyspepsia,4
Thalis,40,35000,Flu,4
Ioanna,43,26000,Gastritis,4
Kyriaki,52,33000,Dyspepsia,5
Leonidas,56,34000,Gastritis,5
"""
T_2 = """name,age,zip,disease
Alice,21,12000,Dyspepsia
Dimitris,23,25000,Gastritis
Katerina,25,21000,Flu
Ivi,37,33000,Dyspepsia
Ioanna,43,26000,Gastritis
Eleftheria,41,20000,Flu
Ira,46,30000,Gastritis
Thanasis,54,31000,Dyspepsia
Leonidas,56,34000,Gastritis
Nikoleta,60,44000,Gastritis
Alexios,65,36000,Flu
"""


@pytest.mark.parametrize("seed", range(3))
def test_c39_the_second_release_is_made_invariant_as_table_5_16_is(seed):
    """Katerina is 25 (erratum E33); six groups of 13 records, two of them counterfeits."""
    now, snapshot, past = second_version(T_1, T_2)
    found = MInvariant().publication(snapshot, past, [MInvariance(m=2)], np.random.default_rng(seed))
    assert groups_of(now, snapshot, found) == {
        frozenset({"Alice", "(Bronchitis)"}),
        frozenset({"Dimitris", "Katerina"}),
        frozenset({"Ivi", "(Flu)", "Ioanna"}),
        frozenset({"Eleftheria", "Ira"}),
        frozenset({"Thanasis", "Leonidas"}),
        frozenset({"Nikoleta", "Alexios"}),
    }


@pytest.mark.parametrize("row", rows(PATHS), ids=lambda row: row["answers"])
def test_c45_the_18_paths_of_the_original_tree(row):
    advice = advise(words(row["answers"]), tree="seed")
    assert (advice.page, advice.result) == (row["result"], NAMES[row["model"]])
    assert len(advice.path) == int(row["questions"])


def test_c46_the_extended_tree_combines_models_and_the_data_gives_hints():
    roles = {"patient_id": "identifier", "age": "QI", "sex": "QI", "ward": "sensitive"}
    evidence = evidence_of(hospital(300).select(*roles), krypsis.Schema.of(roles))
    assert evidence.findings["page02b"].answer == "no"
    assert evidence.findings["page03a"].answer == "yes"
    wizard = Wizard("extended", evidence=evidence)
    answers = {
        "page05": "yes",
        "page07": "yes",
        "page08": "unknown",
        "page01": "unknown",
        "totals": "no",
        "page14": None,
    }
    while not wizard.is_done:
        wizard.answer(answers.get(wizard.page) or (wizard.finding.answer if wizard.finding else "no"))
    advice = wizard.result()
    assert advice.result == "m-invariance"
    assert "km-anonymity" in [one.result for one in advice.complements]
    assert advice.assumptions


def test_c47_the_result_page_the_page_of_all_works_back_and_restart():
    typed = "\n".join("ybnrny") + "\n"
    result = CliRunner().invoke(app, ["advise", "--tree", "seed"], input=typed)
    assert result.exit_code == 0
    page = result.stdout
    assert "The model that fits: ε-differential privacy" in page
    for name in NAMES.values():
        for number in results()[name].references:
            assert re.sub(r"\s+", "", references()[number].work) in re.sub(r"\s+", "", page)
            assert references()[number].link in page


@pytest.mark.exposed
def test_c48_the_chosen_model_runs_end_to_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hospital(300).write_csv("patients.csv")
    run = CliRunner().invoke
    assert run(app, ["init", "patients.csv"]).exit_code == 0
    advised = run(app, ["advise", "plan.yaml", "--tree=seed", "--answers=y,n,n,n,n,y", "--set=alpha=0.9", "--write"])
    assert advised.exit_code == 0, advised.output
    assert "alpha-k-anonymity:alpha=0.9,k=5" in Path("plan.yaml").read_text("utf-8")
    assert run(app, ["run", "plan.yaml"]).exit_code == 0
    checked = run(app, ["check", "release"])
    assert (checked.exit_code, "alpha-k-anonymity:alpha=0.9,k=5: Kept" in checked.stdout) == (0, True)


def test_every_capability_of_these_issues_has_a_test_of_its_name():
    text = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    tested = {int(number) for number in re.findall(r"def test_c(\d\d)_", text)}
    assert tested == {*range(1, 40), *range(45, 49)}
