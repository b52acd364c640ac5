"""Hierarchies of a project: in its plan, and in files of their own."""

import polars as pl
import pytest

from krypsis.data.hierarchies import Hierarchy
from krypsis.data.hierarchies.resolve import resolve
from krypsis.errors import ColumnError
from krypsis.projects import Workspace, take_in
from krypsis.projects.plan_changes import save_hierarchy, set_hierarchy, value_counts

JOBS = Hierarchy.from_rows([["nurse", "health", "*"], ["doctor", "health", "*"], ["cook", "cook", "*"]])


@pytest.fixture
def project(tmp_path):
    project = Workspace(tmp_path).create("Staff")
    table = pl.DataFrame(
        {"job": ["nurse", "doctor", "cook", "cook", None], "Job": [1, 2, 3, 4, 5], "^a$": [1, 1, 1, 2, 2]}
    )
    table.write_csv(project.folder / "data" / "staff.csv")
    take_in(project)
    return project


def test_values_are_counted_with_the_missing_one(project):
    assert value_counts(project, "job") == {"cook": 2, "nurse": 1, "doctor": 1, None: 1}
    assert value_counts(project, "^a$") == {"1": 3, "2": 2}
    with pytest.raises(ColumnError, match="Did you mean 'job'"):
        value_counts(project, "jobs")


def test_a_hierarchy_made_by_hand_is_a_file_that_the_plan_names(project):
    plan = save_hierarchy(project, "job", JOBS)
    spec = plan.columns["job"].hierarchy
    assert spec == "hierarchies/job.csv"
    assert resolve(spec, ["nurse", None], "job", project.folder).label("nurse", 1) == "health"
    assert (project.folder / spec).stat().st_mode & 0o077 == 0


def test_two_columns_of_nearly_the_same_name_have_two_files(project):
    save_hierarchy(project, "job", JOBS)
    plan = save_hierarchy(project, "Job", JOBS)
    assert plan.columns["Job"].hierarchy == "hierarchies/job-2.csv"
    assert save_hierarchy(project, "Job", JOBS).columns["Job"].hierarchy == "hierarchies/job-2.csv"


def test_a_column_of_which_the_plan_says_the_role_only_can_get_a_hierarchy(project):
    project.write_plan("data: data/staff.csv\ncolumns:\n  job: QI   # known\npromises:\n  - k-anonymity:k=2\n")
    plan = set_hierarchy(project, "job", {"kind": "masking", "side": "left"})
    assert plan.columns["job"].hierarchy == {"kind": "masking", "side": "left"}
    assert plan.columns["job"].role == "quasi-identifier"
    assert "# known" in project.plan_text
