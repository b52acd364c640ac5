"""What is wanted of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from krypsis import registry
from krypsis.algorithms.base import Method, Perturbation
from krypsis.datasets.dataset import Dataset
from krypsis.engines.base import Suppressed
from krypsis.errors import UsageError
from krypsis.hierarchies import HierarchySpec
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.links import LinkModel
from krypsis.schema import Role, Schema


@dataclass(frozen=True)
class Task:
    """What is wanted: roles, hierarchies, promises, the metric to keep low, and the limits."""

    schema: Schema
    models: Sequence[PrivacyModel]
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    algorithm: object = "auto"
    metric: Metric = field(default_factory=lambda: registry.create("metric", "loss"))
    suppression: str | float | None = None
    suppressed: Suppressed = "remove"
    min_levels: Mapping[str, int] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)
    folder: Path | None = None
    """Where relative paths of hierarchies start."""

    @cached_property
    def method(self) -> Method | None:
        """The method that was asked for; ``None`` where the tool is to choose."""
        return None if self.algorithm == "auto" else registry.create("algorithm", self.algorithm)

    @cached_property
    def group_models(self) -> list[GroupModel]:
        """The promises about groups; for one about links, a promise about groups that implies it."""
        implied = [model.sufficient() if isinstance(model, LinkModel) else model for model in self.models]
        return [model for model in implied if isinstance(model, GroupModel)]

    @property
    def needs_every_record(self) -> bool:
        """Whether a promise compares the published table with the original one, record by record."""
        return any(isinstance(model, LinkModel) for model in self.models)


def check_task(dataset: Dataset, task: Task) -> None:
    """Raise unless the task fits together and fits the table."""
    task.schema.check_columns(dataset.frame.columns)
    if isinstance(task.method, Perturbation):
        return
    if not task.schema.quasi_identifiers:
        raise UsageError(
            "no column has the role 'quasi-identifier'; give it to every column an attacker may know from elsewhere"
        )
    if not task.models:
        raise UsageError("no promise is given; name at least one model, such as 'k-anonymity:k=5'")
    for model in task.models:
        if model.needs_sensitive and not task.schema.sensitive:
            raise UsageError(
                f"{model.spec} is about a sensitive attribute; give at least one column the role 'sensitive'"
            )
        if (attribute := getattr(model, "attribute", None)) is not None:
            task.schema.require(attribute, Role.SENSITIVE)
    for name in task.hierarchies:
        if name not in (known := (*task.schema.quasi_identifiers, *task.schema.sensitive)):
            raise UsageError(
                f"a hierarchy is given for {name!r}, which is neither a quasi-identifier nor sensitive; those are: "
                + ", ".join(known)
            )
