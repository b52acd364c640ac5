"""What the plans of all kinds of data have in common: how to read, what to write, and specs or objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, InstanceOf
from pydantic.json_schema import SkipJsonSchema

from krypsis import registry
from krypsis.algorithms.tables.base import Method
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.hierarchies.builder import HierarchyBuilder
from krypsis.errors import UsageError
from krypsis.metrics.base import Metric
from krypsis.models.base import PrivacyModel


class PlanPart(BaseModel):
    """A part of a plan; keys beyond those declared are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _no_collection(value: object) -> object:
    if isinstance(value, (dict, list, tuple, set, bool, int, float)):
        raise ValueError(f"expected the path of a table, got {value!r:.60}")  # noqa: TRY004  pydantic reports these
    return value


PromiseSpec = str | dict[str, Any] | SkipJsonSchema[InstanceOf[PrivacyModel]]
"""A promise as people write it, such as ``k-anonymity:k=5``, or as an object."""
AlgorithmSpec = str | dict[str, Any] | SkipJsonSchema[InstanceOf[Method]]
MetricSpec = str | dict[str, Any] | SkipJsonSchema[InstanceOf[Metric]]
HierarchyGiven = (
    str
    | dict[str, Any]
    | SkipJsonSchema[InstanceOf[os.PathLike[str]]]
    | SkipJsonSchema[InstanceOf[Hierarchy]]
    | SkipJsonSchema[InstanceOf[HierarchyBuilder]]
    | None
)
"""A CSV file, a kind with its options, or an object."""
TableGiven = Annotated[Any, AfterValidator(_no_collection)]
"""A path relative to the plan, or a table in any form that programs have."""


def promises_of(given: object) -> tuple[Any, ...]:
    """Return promises as a plan has them: programs may give one alone.

    Examples
    --------
    >>> promises_of("k-anonymity:k=5")
    (KAnonymity(k=5),)

    Raises
    ------
    UsageError
        if something else is given.
    """
    if isinstance(given, str | PrivacyModel | Mapping):
        given = [given]
    if not isinstance(given, Iterable):
        raise UsageError(f"models must be promises such as 'k-anonymity:k=5' or a list of them, got {given!r}")
    return tuple(registry.create("model", dict(one) if isinstance(one, Mapping) else one) for one in given)


class Read(PlanPart):
    """How to read the data where the usual guess fails."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None


class Output(PlanPart):
    """Where the release goes and in which forms."""

    folder: str = Field(default="release", description="the folder to publish, relative to the plan")
    formats: tuple[Literal["csv", "parquet"], ...] = Field(default=("csv",), min_length=1)
    report: bool = Field(default=True, description="whether to write the report next to the folder")
