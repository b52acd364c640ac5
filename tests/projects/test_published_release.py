"""Releases and explorations that lie in a project."""

import os

import pytest

from krypsis.errors import DataError, UsageError
from krypsis.kinds.publishing import publish
from krypsis.progress import NO_PROGRESS, Interrupted, Progress
from krypsis.projects import Workspace, take_in
from krypsis.projects.exploration import NODES, explored
from krypsis.projects.jobs.kinds import explore
from krypsis.projects.published_release import PublishedRelease

PEOPLE = "name,age,sex,disease\n" + "".join(
    f"P{place},{30 + place % 7},{'FM'[place % 2]},{('flu', 'cold', 'hiv')[place % 3]}\n" for place in range(60)
)
PLAN = """data: data/people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 5}}
  sex: quasi-identifier
  disease: sensitive
promises: [k-anonymity:k=4]
suppression: 20%
output: {formats: [csv]}
"""


@pytest.fixture
def project(tmp_path):
    made = Workspace(tmp_path).create("People")
    (made.folder / "data" / "people.csv").write_text(PEOPLE)
    take_in(made)
    made.write_plan(PLAN)
    return made


@pytest.fixture
def published(project):
    publish(project.plan(), project.release_folder(1))
    return PublishedRelease.of(project, 1)


def test_a_page_of_a_release_shows_what_its_file_holds(published):
    lines = (published.folder / "data.csv").read_text().splitlines()
    page = published.after(10, 5)
    assert ",".join(page.columns) == lines[0]
    assert [",".join(row) for row in page.rows()] == lines[11:16]


def test_each_record_stands_beside_the_one_it_was_made_of(published):
    before, after = published.before(0, 1000), published.after(0, 1000)
    assert before.columns == after.columns == ["age", "sex", "disease"]
    assert before["disease"].to_list() == after["disease"].to_list()
    assert before.height == after.height == published.manifest.rows


def test_after_the_data_was_replaced_no_record_stands_beside_another(published):
    os.utime(published.project.folder / "table.parquet", (2**32, 2**32))
    assert not published.is_of_this_data
    assert published.before(0, 10) is None


def test_a_page_behind_the_end_is_empty(published):
    assert published.after(10_000, 10).height == published.before(10_000, 10).height == 0


def test_a_release_brings_its_report_and_its_private_record(published):
    assert "<html" in published.report.read_text("utf-8")
    assert published.manifest.release_id in published.private_record.read_text("utf-8")


def test_a_release_that_does_not_exist_is_told(published):
    with pytest.raises(UsageError, match="releases: 1"):
        PublishedRelease.of(published.project, 7)


def test_what_was_explored_is_kept_until_the_plan_changes(project):
    assert explored(project) is None
    result = explore.run(project, NO_PROGRESS)
    found = explored(project)
    assert found.is_current
    assert result == {
        "nodes": found.space.size,
        "judged": found.space.nodes.height,
        "feasible": int(found.space.nodes["feasible"].sum()),
        "complete": True,
    }
    project.write_plan(PLAN.replace("k=4", "k=5"))
    assert not explored(project).is_current


def test_an_exploration_that_was_stopped_keeps_nothing(project):
    class Stop(Progress):
        def wants_stop(self):
            return True

    with pytest.raises(Interrupted, match="nothing was kept"):
        explore.run(project, Stop())
    assert explored(project) is None


def test_a_damaged_exploration_is_told(project):
    explore.run(project, NO_PROGRESS)
    (project.folder / NODES).write_bytes(b"damaged")
    with pytest.raises(DataError, match="explore again"):
        explored(project)
