"""The hierarchies of the worked examples: sex, job, marital status, age and zip code."""

import pytest

from krypsis.data.hierarchies import Hierarchy, Intervals, Masking, Taxonomy

MARITAL = {
    "*": {
        "NotMarried": ["Single", "Separated", "Divorced", "Widowed"],
        "EverMarried": ["Married", "Remarried"],
    }
}
JOB = {"Anything": {"Student": ["Undergraduate", "Postgraduate"], "Employee": ["Programmer", "Teacher"]}}
PROFESSION = {"Any": {"Professional": ["Engineer", "Lawyer"], "Artist": ["Writer", "Dancer"]}}


def levels(hierarchy: Hierarchy) -> list[set[str | None]]:
    return [set(labels) for labels in hierarchy.labels]


def test_figure_5_5_sex_has_two_levels():
    sex = Taxonomy(tree={"Human": ["Male", "Female"]}).build(["Male"], "sex")
    assert levels(sex) == [{"Male", "Female"}, {"Human"}]


def test_figure_5_6_job_generalizes_to_student_and_employee():
    job = Taxonomy(tree=JOB).build(["Undergraduate"], "job")
    assert levels(job) == [
        {"Undergraduate", "Postgraduate", "Programmer", "Teacher"},
        {"Student", "Employee"},
        {"Anything"},
    ]
    # full-domain: Undergraduate → Student forces the other three one level up
    assert [job.label(value, 1) for value in ("Postgraduate", "Programmer", "Teacher")] == [
        "Student",
        "Employee",
        "Employee",
    ]


def test_figure_5_8_marital_status_has_four_values_not_married():
    marital = Taxonomy(tree=MARITAL).build(["Single"], "marital")
    assert marital.rows() == [
        ["Single", "NotMarried", "*"],
        ["Separated", "NotMarried", "*"],
        ["Divorced", "NotMarried", "*"],
        ["Widowed", "NotMarried", "*"],
        ["Married", "EverMarried", "*"],
        ["Remarried", "EverMarried", "*"],
    ]
    assert marital.leaves[1].tolist() == [4, 4, 4, 4, 2, 2]


def test_figure_5_9_age_meets_in_the_thirties():
    age = Intervals(width=5, levels=2).build(["30", "32", "35", "38"], "age")
    assert levels(age)[1:3] == [{"[30-35)", "[35-40)"}, {"[30-40)"}]


@pytest.mark.parametrize(
    ("job", "age", "expected"),
    [
        ("Engineer", "35", ("Professional", "[35-40)")),
        ("Lawyer", "38", ("Professional", "[35-40)")),
        ("Writer", "30", ("Artist", "[30-35)")),
        ("Dancer", "30", ("Artist", "[30-35)")),
    ],
)
def test_table_5_8_is_the_medical_table_one_level_up(job, age, expected):
    jobs = Taxonomy(tree=PROFESSION).build([job], "job")
    ages = Intervals(width=5).build([age], "age")
    assert (jobs.label(job, 1), ages.label(age, 1)) == expected


RECORDS = {
    # record: (marital, age, zip), then the same at levels [1, 1, 1] as in table 5.22
    1: (("Separated", "29", "32042"), ("NotMarried", "[25-30)", "3204*")),
    2: (("Single", "20", "32021"), ("NotMarried", "[20-25)", "3202*")),
    3: (("Widowed", "24", "32024"), ("NotMarried", "[20-25)", "3202*")),
    4: (("Separated", "28", "32046"), ("NotMarried", "[25-30)", "3204*")),
    5: (("Widowed", "25", "32045"), ("NotMarried", "[25-30)", "3204*")),
    6: (("Single", "23", "32027"), ("NotMarried", "[20-25)", "3202*")),
}


def test_table_5_22_is_table_5_17_at_levels_one_one_one():
    marital, age, code = (
        builder.build([original[place] for original, _ in RECORDS.values()], name)
        for place, (name, builder) in enumerate(
            [("marital", Taxonomy(tree=MARITAL)), ("age", Intervals(width=5)), ("zip", Masking())]
        )
    )
    for original, published in RECORDS.values():
        assert (marital.label(original[0], 1), age.label(original[1], 1), code.label(original[2], 1)) == published
    assert set(age.column(2)) == {"[20-30)"}
    assert set(code.column(2)) == {"320**"}
