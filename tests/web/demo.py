"""A project with some invented patients, for tests of pages."""

from krypsis.kinds.table.demo import hospital, hospital_plan
from krypsis.plan.plan_text import PlanText
from krypsis.projects import take_in


def patients(served, rows=200):
    """Return a project with a table, a profile and the plan that was made for it."""
    project = served.workspace.create("Patients")
    hospital(rows).write_csv(project.folder / "data" / "patients.csv")
    take_in(project)
    project.write_plan(str(PlanText(hospital_plan()).set(["data"], "data/patients.csv")))
    return project
