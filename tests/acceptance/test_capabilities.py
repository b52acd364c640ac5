"""C01 to C09: data, roles, the dossier, techniques and metrics, on the worked examples of the specification."""

import io

import numpy as np
import polars as pl
import pytest

import krypsis
from data.schemes.people import JOB, PEOPLE, SEX, published
from data.schemes.test_validators import job_map, verdicts
from kinds.table.utility.test_queries import HEART_AT_38, PATIENTS, in_groups
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits
from krypsis.attacks.linkage import RegisterLinkageAttack
from krypsis.data.hierarchies import resolve
from krypsis.data.schemes import Recoded, full_domain, suppress
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.profile.roles import guess_roles
from krypsis.kinds.table.profile.table import profile_table
from krypsis.kinds.table.utility import estimated_count, true_count
from krypsis.release.order import in_input_order
from metrics.tables import table as metric_table
from metrics.tables import value
from metrics.test_thesis_examples import FIGURES, JOBS, example_table
from papers.case import FOLDER, Example
from release.dossier.test_rules import C02, GREEK, changed, fields

TABLE_3_1 = """\
name,birth_date,sex,zip
Kostas,1990/10/01,Male,210044
Manto,1980/05/22,Female,210022
Valantis,1982/06/23,Male,210001
Marina,1992/03/12,Female,210012
"""
TABLE_3_2 = """\
id_number,job,birth_date,sex,zip,disease
231001,Pupil,1990/10/01,Male,210044,HeartDisease
231002,Accountant,1980/05/22,Female,210022,Diabetes
231003,Engineer,1990/08/12,Male,210021,Chickenpox
231004,Lawyer,1980/02/25,Female,210012,Cancer
"""
KNOWN = ["birth_date", "sex", "zip"]


def read(text):
    return pl.read_csv(io.StringIO(text), infer_schema=False)


def test_c01_the_assistant_guesses_roles_and_identifiers_are_not_published():
    guesses = guess_roles(profile_table(Dataset.of(read(TABLE_3_2))))
    roles = {name: guess.role.value for name, guess in guesses.items()}
    assert (roles["id_number"], roles["disease"]) == ("identifier", "sensitive")
    assert [roles[name] for name in KNOWN] == ["quasi-identifier"] * 3
    assert all(guess.reason for guess in guesses.values())
    release = krypsis.anonymize(read(TABLE_3_2), {**roles, "job": "insensitive"}, models="k-anonymity:k=4")
    assert set(release.table.columns) == {*KNOWN, "job", "disease"}


@pytest.mark.parametrize(("changes", "expected"), C02.values(), ids=C02)
def test_c02_the_dossier_keeps_the_rules_of_the_law(changes, expected):
    assert fields(changed(GREEK, changes)) == expected


def test_c03_linking_tables_3_1_and_3_2_finds_exactly_two_persons():
    found = RegisterLinkageAttack(persons=read(TABLE_3_1), known=KNOWN, sensitive="disease").find(read(TABLE_3_2))
    assert found.rows() == [(1, "HeartDisease", 1), (1, "Diabetes", 1), (0, None, None), (0, None, None)]


def test_c03_linking_tables_5_6_and_5_8_with_the_external_table():
    example = Example(FOLDER / "thesis_2016_k_anonymity")
    names = ["job", "sex", "age"]
    raw, general = (
        RegisterLinkageAttack(
            persons=example.frame("external"), known=names, sensitive="disease", hierarchies=given
        ).find(example.frame(table))
        for table, given in (("medical", {}), ("published", example.hierarchies("external")))
    )
    # Alice, Vasilis, Georgia, Dimitris, Eleftheria, Zisis, Ivi, Thalis, Ioanna
    assert raw["matches"].to_list() == [2, 1, 2, 1, 2, 1, 2, 0, 0]
    assert raw["share"].to_list() == [0.5, 1, 0.5, 1, 1, 1, 1, None, None]
    assert (raw["value"][4], raw["value"][6]) == ("Fever", "Fever")
    assert general["matches"].to_list() == [4, 3, 4, 3, 4, 3, 4, 3, 4]
    assert set(general["share"].to_list()) == {0.75, 2 / 3}


def test_c04_the_lattice_of_sex_and_job_has_6_nodes_and_7_edges():
    lattice = Lattice.of(PEOPLE, Limits())
    nodes = list(lattice)
    assert (lattice.size, len(nodes)) == (6, 6)
    assert sum(len(lattice.successors(node)) for node in nodes) == 7


def test_c04_hierarchies_of_numbers_categories_and_prefixes_generalize_level_by_level():
    ages = resolve({"kind": "intervals", "width": 5, "origin": 30, "levels": 1}, ["30", "34", "35"], "age")
    zips = resolve({"kind": "masking", "side": "right"}, ["12000", "12034"], "zip")
    assert ages.column(1) == ["[30-35)", "[30-35)", "[35-40)"]
    assert zips.column(2) == ["120**", "120**"]
    assert [sorted(set(JOB.column(level))) for level in (1, 2)] == [["Employee", "Student"], ["Anything"]]


def test_c05_the_schemes_of_generalization_are_told_apart():
    everything = job_map(Undergraduate="Student", Postgraduate="Student", Programmer="Employee", Teacher="Employee")
    assert verdicts(everything) == [True, True, True, True, True]
    assert verdicts(job_map(Undergraduate="Student", Postgraduate="Student")) == [False, True, True, True, True]
    assert verdicts(job_map(Programmer="Employee")) == [False, False, True, True, True]
    one = Recoded.of_rows([["Undergraduate"]] * 2, [["Student"], ["Undergraduate"]], [JOB])
    assert verdicts(one) == [False, False, False, False, True]
    before = [["Undergraduate", "Female"], ["Postgraduate", "Male"], ["Undergraduate", "Male"]]
    after = [["Student", "Human"], ["Anything", "Male"], ["Undergraduate", "Male"]]
    joint = Recoded.of_rows(before, after, [JOB, SEX])
    assert verdicts(joint) == [False, False, False, True, True]


def test_c06_attributes_records_values_and_cells_are_suppressed_also_together():
    unchanged = full_domain(PEOPLE, (0, 0))
    recoding = suppress(
        unchanged, PEOPLE, attributes=["sex"], values={"job": ["Teacher"]}, cells={"job": [0]}, records=[1]
    )
    jobs = [job for job, _ in published(unchanged)]
    hidden = ["Anything" if job == "Teacher" or row == 0 else job for row, job in enumerate(jobs)]
    assert published(recoding) == [(job, "Human") for job in hidden]
    assert np.flatnonzero(recoding.suppressed).tolist() == [1]


def test_c07_anatomy_answers_the_query_of_the_thesis_with_one_and_a_half():
    assert true_count(PATIENTS, HEART_AT_38) == 2
    assert estimated_count(in_groups(PATIENTS), HEART_AT_38) == pytest.approx(1.5)


PEOPLE_TO_CHANGE = pl.DataFrame(
    {
        "age": np.random.default_rng(1).normal(45, 12, 2000).round(),
        "pay": np.random.default_rng(2).normal(2000, 300, 2000).round(),
    }
)


@pytest.mark.parametrize("name", ["rank-swapping", "data-swapping:rate=0.5"])
def test_c08_swapping_keeps_every_marginal(name):
    changed_table = perturbed(name)
    for column in PEOPLE_TO_CHANGE.columns:
        assert sorted(changed_table[column]) == sorted(PEOPLE_TO_CHANGE[column])
    assert changed_table.rows() != PEOPLE_TO_CHANGE.rows()


@pytest.mark.parametrize("name", ["noise:share=0.1", "microaggregation:k=3", "synthetic"])
def test_c08_noise_aggregation_and_synthesis_keep_means_within_a_tenth_of_a_deviation(name):
    changed_table = perturbed(name)
    for column in PEOPLE_TO_CHANGE.columns:
        deviation = PEOPLE_TO_CHANGE[column].std()
        assert changed_table[column].mean() == pytest.approx(PEOPLE_TO_CHANGE[column].mean(), abs=deviation / 10)


def test_c08_permutation_keeps_the_values_of_the_table_and_hides_whose_they_are():
    table = PEOPLE_TO_CHANGE.head(200)
    roles = {"age": "quasi-identifier", "pay": "sensitive"}
    release = krypsis.anonymize(table, roles, models="ke-anonymity:k=5,e=100", algorithm="permutation")
    assert sorted(release.table["pay"]) == sorted(table["pay"])
    assert in_input_order(release)["pay"].to_list() != table["pay"].to_list()


def perturbed(name):
    roles = dict.fromkeys(PEOPLE_TO_CHANGE.columns, "quasi-identifier")
    return in_input_order(krypsis.anonymize(PEOPLE_TO_CHANGE, roles, algorithm=name))


@pytest.mark.parametrize(("folder", "name", "levels", "promise", "metric", "expected"), FIGURES)
def test_c09_metrics_have_the_figures_of_the_thesis(folder, name, levels, promise, metric, expected):
    assert value(metric, example_table(folder, name), levels, promise) == pytest.approx(expected)


def test_c09_ncp_is_the_share_of_the_domain_that_a_label_covers():
    """Professional covers 2 of 4 jobs, and where nothing is generalized nothing is lost."""
    jobs = metric_table({"job": JOBS}, [("Engineer",)] * 3 + [("Writer",)])
    assert value("ncp", jobs, (0,)) == 0
    assert value("ncp", jobs, (1,)) == pytest.approx(2 / 4)
