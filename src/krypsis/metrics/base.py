"""A metric is one number for how much a release has lost, with its range and direction."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict

from krypsis import registry
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.recoding import FrequencySet, LevelsOutcome, Outcome
from krypsis.errors import did_you_mean
from krypsis.models.base import PrivacyModel
from krypsis.specs import write_spec


class Metric(BaseModel, ABC):
    """One figure of a recoding. All metrics are losses: lower is better.

    A subclass in its own file under ``krypsis/metrics`` is found by the registry; nothing else has to be changed. One
    that is defined elsewhere is used as an object, or by its name after :func:`krypsis.register`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "table"
    formula: ClassVar[str] = "not stated"
    range: ClassVar[str] = "not stated"
    """From the value of an unchanged table to the value when nothing is left, in words."""
    sentence: ClassVar[str] = "not stated"
    """What the number says, in plain words."""
    reference: ClassVar[str] = "not stated"
    goal: ClassVar[str] = "minimize"
    needs_original: ClassVar[bool] = False
    """Whether it depends on what cannot be seen in the release: how often original values occur, or how many of them a
    label stands for. Then it is published rounded."""

    needs_tuples: ClassVar[bool] = False
    """Whether it looks at the distinct tuples of the original table, and not only at groups, labels and values."""

    best_needs_tuples: ClassVar[bool] = False
    """Whether the best value that there can be follows from the distinct tuples of the original table."""

    counts_levels: ClassVar[bool] = False
    """Whether it is computed from levels and heights of hierarchies, which may depend on suppressed records."""

    reported: ClassVar[bool] = True
    """Whether every release is measured by it; combinations of other metrics are not."""

    def promised(self, models: Iterable[PrivacyModel]) -> Self:  # noqa: ARG002  for those that need them
        """Return the metric as it is meant for a release that makes these promises."""
        return self

    @property
    def spec(self) -> str:
        """The metric as one word with the parameters that are not as usual, such as ``loss:suppression=0.5``."""
        fields = type(self).model_fields.items()
        given = {name: getattr(self, name) for name, field in fields if getattr(self, name) != field.default}
        return write_spec(self.name, given)

    @property
    def criteria(self) -> "tuple[Metric, ...]":
        """What a search compares, the most important first."""
        return (self,)

    def applies_to(self, frequency: FrequencySet) -> bool:  # noqa: ARG002  for those that need it
        """Say whether a table has what the metric looks at; a release is only measured by metrics that apply."""
        return True

    @abstractmethod
    def best(self, outcome: Outcome) -> float:
        """Return the value for a table that was not changed."""

    @abstractmethod
    def worst(self, outcome: Outcome) -> float:
        """Return the largest value that any recoding of this table can reach."""

    @abstractmethod
    def compute(self, outcome: Outcome) -> float:
        """Return the figure of this outcome."""

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:  # noqa: ARG002  for those that need it
        """Return a number no recoding between the outcome's levels and ``highest`` can fall below.

        The outcome is optimistic: it has the lowest levels of that range, and only those records suppressed that
        are suppressed everywhere in it. Metrics that grow with levels, with suppression and with the sizes of
        groups need not override this.
        """
        return self.compute(outcome)

    def least(self, frequency: FrequencySet, levels: IntArray, suppressed: IntArray) -> FloatArray | None:  # noqa: ARG002
        """Return a number for each node that no outcome there falls below, or nothing if none is known.

        ``levels[node, attribute]`` are the levels of each node; ``suppressed[node]`` says how many records are
        suppressed there, but not which. It spares a search the scores of nodes that suppress too much.
        """
        return None


def reported_metrics() -> list[type[Metric]]:
    """Return the metrics of tables that need no parameters and are no combinations of others.

    Examples
    --------
    >>> "loss" in [cls.name for cls in reported_metrics()]
    True
    """
    known = [cls for cls in registry.classes("metric").values() if issubclass(cls, Metric) and cls.reported]
    return [cls for cls in known if not any(field.is_required() for field in cls.model_fields.values())]


def metric_of(name: str) -> Metric:
    """Return the metric with a name or alias, without parameters.

    Raises
    ------
    ValueError
        if there is none, or it is itself a combination.
    """
    found = reported_metrics()
    known = {alias: cls for cls in found for alias in (cls.name, *cls.aliases)}
    if name.strip() not in known:
        names = ", ".join(sorted(cls.name for cls in found))
        hint = did_you_mean(name, known)
        raise ValueError(f"no metric that can be combined is named {name.strip()!r}; metrics: {names}.{hint}")
    return known[name.strip()]()
