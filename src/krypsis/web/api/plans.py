"""The plan of a project: read it, write it, try it."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from krypsis.errors import KrypsisError, UsageError
from krypsis.plan import Plan
from krypsis.projects.project import PLAN, check_places
from krypsis.web.api.places import Asked
from krypsis.web.api.problems import FULL, LOOKED_UP
from krypsis.web.served import served

router = APIRouter(tags=["plan"])


class PlanDocument(BaseModel):
    """A plan as YAML."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=500_000)


class Opinion(BaseModel):
    """Whether a plan can be understood."""

    valid: bool
    error: str | None = Field(description="all that is wrong with it")


@router.get("/projects/{name}/plan", responses=LOOKED_UP, summary="Read the plan")
def read_plan(project: Asked) -> PlanDocument:
    """Return the plan."""
    if not (project.folder / PLAN).is_file():
        raise UsageError("there is no plan yet; upload a file and start a job of the kind 'read', which drafts one")
    return PlanDocument(text=project.plan_text)


@router.put("/projects/{name}/plan", responses=LOOKED_UP | FULL, summary="Write the plan, if it can be understood")
def write_plan(project: Asked, plan: PlanDocument) -> PlanDocument:
    """Put another plan in the place of the plan."""
    project.write_plan(plan.text)
    return plan


@router.post("/projects/{name}/plan/validate", responses=LOOKED_UP, summary="Try a plan without keeping it")
def validate_plan(project: Asked, plan: PlanDocument) -> Opinion:
    """Say whether a plan can be understood."""
    try:
        check_places(plan.text)
        Plan.parse(plan.text, project.folder)
    except KrypsisError as error:
        return Opinion(valid=False, error=served().discreet(str(error)))
    return Opinion(valid=True, error=None)
