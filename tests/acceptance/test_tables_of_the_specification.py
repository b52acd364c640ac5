"""Every table and figure of section 8 of the specification has a golden test: a list of them, and those still missing.

Graphs (8.2) come with the algorithms for graphs.
"""

import io
import re
from pathlib import Path

import polars as pl
import pytest

import krypsis
from data.schemes.people import PEOPLE
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits

TESTS = Path(__file__).parents[1]
HERE = "acceptance/test_tables_of_the_specification.py"
CHECKED = {
    "3.1, 3.2": "acceptance/test_capabilities.py::test_c03_linking_tables_3_1_and_3_2_finds_exactly_two_persons",
    "F5.5": "data/hierarchies/test_spec_examples.py::test_figure_5_5_sex_has_two_levels",
    "F5.6": "data/hierarchies/test_spec_examples.py::test_figure_5_6_job_generalizes_to_student_and_employee",
    "F5.7": f"{HERE}::test_figure_5_7_has_these_nodes_and_edges",
    "F5.8": "data/hierarchies/test_spec_examples.py::test_figure_5_8_marital_status_has_four_values_not_married",
    "F5.9": "data/hierarchies/test_spec_examples.py::test_figure_5_9_age_meets_in_the_thirties",
    "5.1": "kinds/table/utility/test_queries.py::test_the_worked_example_of_the_thesis",
    "5.2": "checker/test_spec_tables.py::test_diversity_of_table_5_2",
    "5.3, 5.4": f"{HERE}::test_tables_5_3_and_5_4_tell_a_disease_with_a_chance_of_one_half",
    "5.6": "checker/test_spec_tables.py::test_the_verdict_on_the_raw_medical_table_shows_its_three_unique_records",
    "5.7": "acceptance/test_capabilities.py::test_c03_linking_tables_5_6_and_5_8_with_the_external_table",
    "5.8": "checker/test_spec_tables.py::test_diversity_and_closeness_of_table_5_8",
    "5.9": "checker/test_spec_tables.py::test_k_of_the_tables_of_the_specification",
    "5.10": "models/test_km_anonymity.py::test_the_thesis_table_breaks_the_promise_in_two_pairs_and_names_both",
    "5.11": "models/test_km_anonymity.py::test_the_supports_of_the_thesis_are_counted",
    "5.12": "acceptance/test_eighteen_models.py::test_c19_ke_anonymity_of_table_5_12",
    "5.13": "models/test_ff_anonymity.py::test_the_attacks_of_the_thesis_are_found",
    "5.14, 5.15, 5.16": f"{HERE}::test_each_release_alone_is_2_anonymous_and_2_diverse",
    "5.17 to 5.22": "acceptance/test_algorithms_and_advisor.py::test_c31_datafly_takes_the_steps_of_the_thesis",
    "5.23": "acceptance/test_algorithms_and_advisor.py::test_c34_mondrian_cuts_as_in_the_thesis_for_2_and_3",
    "5.24": "acceptance/test_algorithms_and_advisor.py::test_c36_incognito_finds_all_minimal_nodes_of_the_thesis",
    "8.11": "metrics/test_thesis_examples.py::test_distortion_sees_no_difference_where_discernibility_does",
}
"""Table or figure → the test of what is printed about it; the folders of ``papers`` hold more of each."""


def read(text):
    return pl.read_csv(io.StringIO(text), infer_schema=False)


@pytest.mark.parametrize("place", CHECKED.values(), ids=CHECKED)
def test_every_table_has_its_test(place):
    path, name = place.split("::")
    assert re.search(rf"^def {name}\(", (TESTS / path).read_text("utf-8"), re.MULTILINE)


def test_figure_5_7_has_these_nodes_and_edges():
    """Sex has one level above its values, job two; the people of the example name job first."""
    lattice = Lattice.of(PEOPLE, Limits())
    found = {(node[::-1], above[::-1]) for node in lattice for above in lattice.successors(node)}
    expected = [("00", "10"), ("00", "01"), ("10", "11"), ("01", "11"), ("01", "02"), ("11", "12"), ("02", "12")]
    assert found == {tuple(tuple(map(int, node)) for node in edge) for edge in expected}


TABLE_5_3 = "age,sex,group\n" + "30,Male,1\n" * 3 + "32,Male,1\n" * 3 + "36,Female,2\n" + "38,Female,2\n" * 3
TABLE_5_4 = "group,disease,count\n1,Hepatitis,3\n1,AIDS,3\n2,Flu,2\n2,Heart,2\n"


@pytest.mark.parametrize(("promise", "level"), [("frequency-l-diversity:l=2", 2), ("distinct-l-diversity:l=2", 2)])
def test_tables_5_3_and_5_4_tell_a_disease_with_a_chance_of_one_half(promise, level):
    options = {"sensitive": "disease", "group": "group", "sensitive_table": read(TABLE_5_4)}
    (verdict,) = krypsis.check(read(TABLE_5_3), promise, quasi_identifiers=["age", "sex"], **options)
    assert (verdict.holds, verdict.achieved) == (True, level)
    (more,) = krypsis.check(read(TABLE_5_3), promise.replace("2", "3"), quasi_identifiers=["age", "sex"], **options)
    assert not more.holds


# What is published of each person: class, age, zip, disease.
RELEASES = {
    "5.14": """[21,22] [12K-14K] Dyspepsia Bronchitis
[23,24] [18K-25K] Flu Gastritis
[36,41] [20K-27K] Flu Gastritis
[37,43] [26K-35K] Dyspepsia Flu Gastritis
[52,56] [33K-34K] Dyspepsia Gastritis""",
    "5.15": """[21,23] [12K-25K] Dyspepsia Gastritis
[25,43] [21K-33K] Flu Dyspepsia Gastritis
[41,46] [20K-30K] Flu Gastritis
[54,56] [31K-34K] Dyspepsia Gastritis
[60,65] [36K-44K] Gastritis Flu""",
    "5.16": """[21,22] [12K-14K] Dyspepsia Bronchitis
[23,25] [21K-25K] Gastritis Flu
[37,43] [26K-33K] Dyspepsia Flu Gastritis
[41,46] [20K-30K] Flu Gastritis
[54,56] [31K-34K] Dyspepsia Gastritis
[60,65] [36K-44K] Gastritis Flu""",
}


@pytest.mark.parametrize(("table", "records"), [("5.14", 11), ("5.15", 11), ("5.16", 13)])
def test_each_release_alone_is_2_anonymous_and_2_diverse(table, records):
    groups = [line.split() for line in RELEASES[table].splitlines()]
    rows = [(age, code, disease) for age, code, *diseases in groups for disease in diseases]
    published = pl.DataFrame(rows, schema=["age", "zip", "disease"], orient="row")
    assert published.height == records
    promises = ["k-anonymity:k=2", "distinct-l-diversity:l=2", "frequency-l-diversity:l=2"]
    verdicts = krypsis.check(published, promises, quasi_identifiers=["age", "zip"], sensitive="disease")
    assert [verdict.achieved for verdict in verdicts] == [2, 2, 2]  # nobody is surer than a half


def test_five_of_a_thousand_with_aids_are_in_five_groups_at_most():
    """Section 8.7: with 2-diversity every group holds one of them."""
    for groups, holds in ((5, True), (6, False)):
        patients = pl.DataFrame(
            {"group": [str(row % groups) for row in range(1000)], "disease": ["AIDS"] * 5 + ["Flu"] * 995}
        )
        options = {"quasi_identifiers": ["group"], "sensitive": "disease"}
        assert krypsis.check(patients, "distinct-l-diversity:l=2", **options)[0].holds == holds
