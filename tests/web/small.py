"""A small project that was explored and published, made in this process, for tests of the later pages."""

from krypsis.kinds.publishing import at_levels, publish
from krypsis.progress import NO_PROGRESS
from krypsis.projects import take_in
from krypsis.projects.jobs.kinds import explore

PEOPLE = "name,age,sex,disease\n" + "".join(
    f"P{place},{30 + place % 7},{'FM'[place % 2]},{('flu', '=1+1', 'hiv')[place % 3]}\n" for place in range(60)
)
PLAN = """data: data/people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 5}}
  sex: quasi-identifier
  disease: sensitive
promises: [k-anonymity:k=4]
suppression: 20%
"""


def people(served, *, table=PEOPLE, plan=PLAN):
    """Return a project with a table and a plan."""
    project = served.workspace.create("People")
    (project.folder / "data" / "people.csv").write_text(table)
    take_in(project)
    project.write_plan(plan)
    return project


def explored_people(served, **given):
    """Return such a project, with its exploration."""
    project = people(served, **given)
    explore.run(project, NO_PROGRESS)
    return project


def published_people(served, *levels, **given):
    """Return such a project, with a release for each of the levels."""
    project = people(served, **given)
    for number, wanted in enumerate(levels or ("2,1",), 1):
        publish(at_levels(project.plan(), wanted), project.release_folder(number))
    return project


def grouped_people(served):
    """Return such a project, with a release in groups that publishes its sensitive values apart."""
    plan = PLAN.replace("k-anonymity:k=4", "distinct-l-diversity:l=2").replace(
        "suppression: 20%", "algorithm: anatomize"
    )
    project = people(served, plan=plan)
    publish(project.plan(), project.release_folder(1))
    return project
