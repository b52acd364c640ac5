"""Projects with work in them, and waiting for jobs."""

import random
import time

from krypsis.projects import Project, Workspace
from krypsis.projects.jobs import Job, Queue
from patience import PATIENCE

SMALL = "age,sex,disease\n" + "".join(f"{20 + i % 40},{'fm'[i % 2]},{['flu', 'asthma'][i % 2]}\n" for i in range(200))


def with_data(workspace: Workspace, text: str = SMALL, name: str = "patients.csv") -> Project:
    project = workspace.create("Patients")
    (project.folder / "data" / name).write_text(text, "utf-8")
    return project


def with_endless_work(workspace: Workspace) -> Project:
    """A project whose search takes longer than anybody waits."""
    chance = random.Random(1)
    columns = [f"q{number}" for number in range(14)]
    lines = [",".join(str(chance.randrange(40)) for _ in columns) for _ in range(3000)]
    project = with_data(workspace, "\n".join([",".join(columns), *lines]) + "\n", "codes.csv")
    roles = "".join(
        f"  {name}: {{role: QI, hierarchy: {{kind: intervals, width: 5, origin: 0}}}}\n" for name in columns
    )
    project.write_plan(
        f"data: data/codes.csv\ncolumns:\n{roles}promises: [k-anonymity:k=5]\nalgorithm: optimal\nsuppression: 100%\n"
    )
    return project


def wait_for(queue: Queue, project: Project, job: Job, condition=lambda job: job.is_over) -> Job:
    latest = time.monotonic() + PATIENCE
    while not condition(now := queue.job(project, job.id)):
        assert time.monotonic() < latest, now
        time.sleep(0.05)
    return now
