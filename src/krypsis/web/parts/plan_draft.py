"""A plan while it is changed in the browser: the text, and the forms that change it piece by piece."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from krypsis import registry
from krypsis.errors import UsageError
from krypsis.kinds.base import kind_named
from krypsis.kinds.table.plan import TablePlan
from krypsis.plan import Plan
from krypsis.plan.plan_text import PlanText
from krypsis.projects import Project
from krypsis.specs import write_spec
from krypsis.web.texts import say

Edit = Callable[[PlanText], PlanText]


@dataclass
class Chosen:
    """A class of the registry by its name, with the parameters that are given, as text."""

    name: str
    values: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: str | Mapping[str, Any]) -> "Chosen":
        """Return what a plan says, in short or as a mapping.

        Examples
        --------
        >>> Chosen.of("k-anonymity:k=5"), Chosen.of({"name": "noise", "columns": ["age", "pay"]}).values
        (Chosen(name='k-anonymity', values={'k': '5'}), {'columns': 'age,pay'})
        """
        if isinstance(spec, Mapping):
            given = {key: tuple(value) if isinstance(value, list) else value for key, value in spec.items()}
            spec = write_spec(str(given.pop("name", "")), given)
        name, values = registry.parse(spec)
        return cls(name, {key: str(value) for key, value in values.items()})

    @property
    def spec(self) -> str:
        """The same in short, without parameters that are left to what is usual."""
        return write_spec(self.name, {key: value for key, value in self.values.items() if value != ""})


def check_shown(plan: Plan) -> None:
    """Raise unless the forms can show what a plan says.

    Raises
    ------
    UsageError
        if a promise, the algorithm or the metric is written in a way that nothing can be made of.
    """
    for spec in plan.specs():
        if isinstance(spec, str | dict):  # a file holds no objects
            Chosen.of(spec)


class Draft:
    """The plan of a project on its way between the forms and the text.

    Every change of a form goes into the text as it is in the editor, saved or not; a text that is no plan changes
    nothing, and what is wrong in it is reported.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.text = self._read = project.plan_text
        self.listeners: list[Callable[[], None]] = []
        """Called after the plan was written: they show it anew."""

    @property
    def is_saved(self) -> bool:
        """Whether the text is the plan."""
        return self.text == self.project.plan_text

    def discard(self) -> None:
        """Return to the plan as it is now, whoever changed it."""
        self.text = self._read = self.project.plan_text

    def plan(self) -> Plan:
        """Return the plan that was saved last."""
        return self.project.plan()

    def table_plan(self) -> TablePlan:
        """Return the plan that was saved last, which must be about a table."""
        return self.project.table_plan()

    @property
    def columns(self) -> list[str]:
        """The columns that the plan that was saved last names, where its kind has any."""
        return list(getattr(self.plan(), "columns", ()))

    def classes(self, sort: str) -> dict[str, type[Any]]:
        """Return the models, algorithms or metrics that are about the kind of data of the plan."""
        about = kind_named(self.plan().kind).model_kinds
        return {name: cls for name, cls in registry.classes(sort).items() if cls.kind in about}

    def apply(self, edit: Edit) -> None:
        """Change the text piece by piece and save it.

        Raises
        ------
        UsageError
            if the text is no plan afterwards; nothing has changed then.
        """
        self.save(str(edit(PlanText(self.text))))

    def save(self, text: str) -> None:
        """Make a text the plan.

        Raises
        ------
        UsageError
            if the plan was changed elsewhere since it was read, such as in another tab; nothing has changed then.
        """
        if self.project.plan_text != self._read:
            raise UsageError(say("plan.changed-elsewhere"))
        check_shown(Plan.parse(text, self.project.folder))
        self.project.write_plan(text)
        self.text = self._read = text
        for listener in self.listeners:
            listener()
