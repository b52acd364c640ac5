"""The changes of a plan that follow from an advice, made in its text."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from krypsis import registry
from krypsis.advisor.preparation import Preparation
from krypsis.algorithms.tables.base import Perturbation
from krypsis.algorithms.tables.ff_suppression import FFSuppression
from krypsis.algorithms.tables.mechanisms.base import Mechanism
from krypsis.algorithms.tables.multirelational import Multirelational
from krypsis.data.schema import Role
from krypsis.errors import PlanError, UsageError
from krypsis.io.yaml_file import entry, flow, parse_yaml
from krypsis.metrics.cells import CellMetric
from krypsis.plan.plan import KEYS
from krypsis.plan.plan_text import Content, PlanText, choice_lines

SEARCHED = ("metric", "suppression", "suppressed")
"""What only a search among groups of records looks at."""
OF_SUBJECTS = ("key", "tables")
"""What only a promise about several tables looks at."""


@dataclass(frozen=True)
class PlanChange:
    """Promises and an algorithm for a plan, with all else that they need in it."""

    promises: tuple[str, ...]
    algorithm: str
    preparation: Preparation = field(default_factory=Preparation)

    @property
    def unused(self) -> tuple[str, ...]:
        """The entries of a plan that mean nothing, or are refused, with these promises and this algorithm."""
        names: list[str] = []
        if self._is_history or self._method_is(Mechanism, Perturbation, FFSuppression):
            names += SEARCHED
        if self._is_history:
            names.append("population")
        if "key" not in self.preparation.entries:
            names += OF_SUBJECTS
        else:
            names += ("suppressed", "quasi_identifier_sets")
        return tuple(names)

    @property
    def _is_history(self) -> bool:
        return self.preparation.identifier is not None

    def _method_is(self, *kinds: type) -> bool:
        return self.algorithm != "auto" and isinstance(registry.create("algorithm", self.algorithm), kinds)

    def applied_to(self, text: str, note: str = "advised") -> str:
        """Return the text of a plan with these changes; what means nothing any more stays as a comment.

        Raises
        ------
        PlanError
            if the plan is written in a way that cannot be changed piece by piece; the message says what to write.
        """
        try:
            return str(self._applied_to(PlanText(text), note))
        except UsageError as error:
            lines = [choice_lines(self.promises, self.algorithm)]
            lines += [entry(name, flow(content)) for name, content in self.preparation.entries.items()]
            raise PlanError(
                "the plan is written in a way that cannot be changed line by line; write into it yourself:\n"
                + "\n".join(lines)
            ) from error

    def _applied_to(self, plan: PlanText, note: str) -> PlanText:
        for name in self.unused:
            plan = plan.remove((name,), as_comment=True)
        for name in SEARCHED:
            if name not in self.unused:
                plan = plan.restore(name)
        for name, content in self.preparation.entries.items():
            plan = plan.set((name,), content)
        for column, key, value in self._columns(str(plan)):
            plan = plan.set_column(column, key, value)
        if self._method_is(Multirelational):
            plan = _with_metric_of_cells(plan)
        return plan.set_choice(self.promises, self.algorithm, note)

    def _columns(self, text: str) -> Iterator[tuple[str, str, Content | None]]:
        columns = parse_yaml(text, "the plan", KEYS, PlanError).get("columns", {})
        for column, role in self.preparation.roles.items():
            if column in columns:
                yield column, "role", role.value
        for column, hierarchy in self.preparation.hierarchies.items():
            yield column, "hierarchy", hierarchy
        has_levels = not (self._method_is(Mechanism, FFSuppression) or self._is_history)
        for column, said in columns.items():
            gone = [] if has_levels else ["min_level", "max_level"]
            if self.preparation.roles.get(column) is Role.IDENTIFIER:
                gone.append("hierarchy")
            yield from ((column, key, None) for key in gone if isinstance(said, dict) and key in said)


def _with_metric_of_cells(plan: PlanText) -> PlanText:
    metric = parse_yaml(str(plan), "the plan", KEYS, PlanError).get("metric")
    if metric is None or isinstance(registry.create("metric", metric), CellMetric):
        return plan
    return plan.set(("metric",), "loss")
