"""Jobs: start them, follow them, cancel them."""

from typing import Annotated, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field

from krypsis.projects.jobs import Job
from krypsis.web.api.places import Asked, AskedJob
from krypsis.web.api.problems import FULL, LOOKED_UP
from krypsis.web.served import served

router = APIRouter(tags=["jobs"])


class Start(BaseModel):
    """What to start."""

    model_config = ConfigDict(extra="forbid", strict=True)


class StartRead(Start):
    """Read the data file: make a profile and a first plan of it, and a table to look at where it is one."""

    kind: Literal["read"]
    delimiter: str | None = Field(default=None, min_length=1, max_length=1, description="of a CSV file")
    encoding: str | None = Field(default=None, max_length=40, description="of a CSV file")
    sheet: str | None = Field(default=None, max_length=100, description="of an Excel workbook")
    data_kind: str | None = Field(default=None, max_length=40, description="table, graph, …; found out unless given")
    key: str | None = Field(default=None, max_length=100, description="of sets in a table: the column of records")
    item: str | None = Field(default=None, max_length=100, description="of sets in a table: the column of items")
    vertices: str | None = Field(
        default=None, max_length=200, description="of a graph: an uploaded file, such as files/people.csv"
    )
    source: str | None = Field(default=None, max_length=100, description="of edges in a table: the column of an end")
    target: str | None = Field(default=None, max_length=100, description="of edges in a table: that of the other end")
    type: str | None = Field(default=None, max_length=100, description="of edges in a table: the column of types")
    public: str | None = Field(
        default=None, max_length=200, description="of an ontology: an uploaded one that everybody knows"
    )


class StartRun(Start):
    """Carry out the plan and publish the next release."""

    kind: Literal["run"]
    levels: list[int] | str | None = Field(
        default=None, max_length=1000, description="to go to instead of searching: 0,3,1 in the order of the plan"
    )


class StartCheck(Start):
    """Check a release of the project."""

    kind: Literal["check"]
    release: int = Field(ge=1, le=10**6, description="its number")
    promises: list[str] = Field(default=[], max_length=100, description="such as k-anonymity:k=5; its own if none")
    sensitive: list[str] = Field(
        default=[], max_length=1000, description="columns, items or axioms that are secret; its own if none"
    )
    public: list[str] = Field(
        default=[], max_length=100, description="of axioms: uploaded ontologies that everybody knows, as files/<name>"
    )
    dependencies: list[str] = Field(
        default=[], max_length=1000, description="rules that everybody knows, such as zip -> city; its own if none"
    )


class StartExplore(Start):
    """Judge the nodes of the plan's lattice."""

    kind: Literal["explore"]


class StartAttack(Start):
    """Try attacks on a release of the project."""

    kind: Literal["attack"]
    release: int = Field(ge=1, le=10**6, description="its number")
    attacks: list[str] = Field(default=[], max_length=100, description="such as linkage; those of reports if none")


Wanted = Annotated[StartRead | StartRun | StartCheck | StartExplore | StartAttack, Body(discriminator="kind")]


@router.get("/projects/{name}/jobs", responses=LOOKED_UP, summary="List the jobs of a project, the youngest first")
def list_jobs(project: Asked) -> list[Job]:
    """Return all jobs."""
    return served().queue.jobs(project)


@router.post("/projects/{name}/jobs", status_code=202, responses=LOOKED_UP | FULL, summary="Start a job")
def start_job(project: Asked, wanted: Wanted) -> Job:
    """Put a job into the queue."""
    return served().queue.submit(project, wanted.kind, **wanted.model_dump(exclude={"kind"}, exclude_none=True))


@router.get("/projects/{name}/jobs/{job}", responses=LOOKED_UP, summary="Follow a job")
def show_job(found: AskedJob) -> Job:
    """Return a job as it is now."""
    return found


@router.post("/projects/{name}/jobs/{job}/cancel", responses=LOOKED_UP | FULL, summary="Ask a job to stop")
def cancel_job(project: Asked, found: AskedJob) -> Job:
    """Ask a job to stop; one that does not is ended."""
    return served().queue.cancel(project, found.id)
