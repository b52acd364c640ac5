"""Hierarchy files that lie with the data."""

import polars as pl
import pytest

from krypsis.io.dataset import Dataset
from krypsis.kinds.table.profile.plan_file import find_hierarchy_file, plan_text
from krypsis.kinds.table.profile.table import profile_table
from krypsis.plan import Plan

JOBS = "nurse;care;*\ncarer;care;*\ncook;food;*\nbaker;food;*\n"


@pytest.mark.parametrize("name", ["people_hierarchy_job.csv", "hierarchies/job.csv", "job.csv"])
@pytest.mark.parametrize("place", ["", "data/"])
def test_a_file_that_holds_all_values_is_named_in_the_plan_and_found_by_the_run(tmp_path, place, name):
    folder = tmp_path / place
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(JOBS)
    table = pl.DataFrame({"job": ["nurse", "carer", "cook", "baker"] * 10})
    table.write_csv(folder / "people.csv")
    dataset = Dataset.of(folder / "people.csv")
    text = plan_text(profile_table(dataset), dataset, f"{place}people.csv")
    plan = Plan.parse(text, tmp_path)
    assert plan.columns["job"].hierarchy == f"{place}{name}"
    assert plan.run().hierarchies == {"job": f"csv {name.rpartition('/')[2]}"}


@pytest.mark.parametrize("content", ["nurse;care;*\n", "name;age\nAnn;30\n", ""])
def test_a_file_that_lacks_values_or_is_no_hierarchy_is_left_alone(tmp_path, content):
    (tmp_path / "job.csv").write_text(content)
    assert find_hierarchy_file(tmp_path / "people.csv", "job", ["nurse", "cook"]) is None


def test_a_column_whose_name_is_a_path_leads_nowhere(tmp_path):
    (tmp_path / "secret.csv").write_text(JOBS)
    (tmp_path / "data").mkdir()
    assert find_hierarchy_file(tmp_path / "data" / "people.csv", "../secret", ["nurse"]) is None


def test_the_data_is_not_its_own_hierarchy(tmp_path):
    (tmp_path / "job.csv").write_text(JOBS)
    assert find_hierarchy_file(tmp_path / "job.csv", "job", ["nurse"]) is None
