"""The plan: everything a run needs, whatever the kind of data."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError

from krypsis import registry
from krypsis.errors import PlanError, UsageError, explain
from krypsis.format.files import fingerprint
from krypsis.io.paths import usable_path
from krypsis.io.yaml_file import parse_yaml, read_yaml
from krypsis.kernels.rows import load_kernels
from krypsis.models.base import PrivacyModel
from krypsis.plan.parts import AlgorithmSpec, Output, PlanPart, PromiseSpec, Read
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.registry import USUAL_KIND, parts_of_kinds
from krypsis.release.dossier import Dossier, read_dossier, refuse_broken_rules
from krypsis.release.made_by import without_seed
from krypsis.release.release import Release
from krypsis.specs import write_spec
from krypsis.texts.cards import Card

KEYS = "the keys data, columns and promises"
"""What a plan should have, in messages."""


class Task(Protocol):
    """A plan together with its data: all specs are objects, and everything fits together."""

    def release(self, progress: Progress = NO_PROGRESS) -> Release:
        """Return the release, in published order. Its promises have not been checked."""
        ...

    def improved(self, release: Release) -> Release:
        """Return the release with what would lower its loss in its private record, where that is known."""
        ...


class Plan(PlanPart, ABC):
    """Everything a run needs; :meth:`load` reads it from a YAML file.

    Every kind of data has its own plan with its own fields, in ``kinds/<kind>/plan.py``. Promises, algorithms,
    hierarchies and tables may be given as objects or as what people write in files.

    Examples
    --------
    >>> plan = Plan.of({"data": "p.csv", "columns": {"age": "QI"}, "promises": ["k-anonymity:k=5"]})
    >>> type(plan).__name__, plan.columns["age"].role.value, plan.metric
    ('TablePlan', 'quasi-identifier', 'loss')
    """

    about: ClassVar[str]
    """What a plan of this kind is about, in messages."""

    kind: str = USUAL_KIND
    data: str | None = Field(default=None, validate_default=True, description="the data, relative to the plan")
    read: Read = Read()
    algorithm: AlgorithmSpec = "auto"
    promises: tuple[PromiseSpec, ...] = Field(description="what the release keeps; a perturbation needs none")
    strict: bool = Field(
        default=False,
        description="refuse to publish, instead of warning, where something besides the promises is risky",
    )
    output: Output = Output()
    dossier: str | dict[str, Any] | None = Field(
        default=None, description="what is documented about the release: a file relative to the plan, or its content"
    )
    folder: Path = Field(default=Path(), exclude=True)

    @field_validator("data")
    @classmethod
    def _files_name_their_data(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None and info.context is not None:
            raise PydanticKnownError("missing")
        return value

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a plan from a YAML file."""
        path = usable_path(path)
        content = read_yaml(path, "plan", KEYS, "'krypsis init FILE' writes one", PlanError)
        return cls.of(content, folder=path.resolve().parent, name=path.name)

    @classmethod
    def parse(cls, text: str, folder: Path) -> Self:
        """Read a plan from YAML; its paths are relative to the folder."""
        return cls.of(parse_yaml(text, "the plan", KEYS, PlanError), folder=folder)

    @classmethod
    def of(cls, content: Mapping[str, Any], folder: Path = Path(), name: str = "plan") -> Self:
        """Build a plan from nested mappings, with every problem named in one message."""
        if "folder" in content:
            raise PlanError(f"{name}: unknown key 'folder'; the release folder is 'folder' under 'output'")
        chosen = cls._of_kind(content.get("kind", USUAL_KIND), name)
        chosen.refuse_keys_of_others(content, name)
        try:
            return chosen.model_validate({**content, "folder": folder}, context={"name": name})
        except ValidationError as error:
            raise PlanError(f"{name}: " + explain(error, chosen)) from None

    @classmethod
    def of_objects(cls, **fields: Any) -> Self:
        """Build a plan from what a program gives, with every problem named in one message."""
        try:
            return cls(**fields)
        except ValidationError as error:
            raise UsageError(explain(error, cls)) from None

    @classmethod
    def _of_kind(cls, kind: object, name: str) -> type[Self]:
        known = plans()
        if not isinstance(kind, str) or kind not in known:
            raise PlanError(f"{name}: kind: expected {' or '.join(map(repr, known))}, got {kind!r:.60}")
        chosen = known[kind]
        if not issubclass(chosen, cls):
            raise UsageError(cls.refusal(chosen.about, kind))
        return chosen

    @classmethod
    def refusal(cls, about: str, kind: str) -> str:
        """Return what to say of a plan of another kind where only this one makes sense."""
        return (
            f"this works with {cls.about}, and the plan is about {about} (kind: {kind}); 'krypsis run' and "
            "'krypsis check' work with these"
        )

    @classmethod
    def refuse_keys_of_others(cls, content: Mapping[str, Any], name: str) -> None:
        """Raise if a key has a meaning for other kinds of data only."""
        read = content.get("read")
        given = {*content, *(f"read.{key}" for key in (read if isinstance(read, Mapping) else ()))}
        of_others = {key for other in plans().values() for key in other.known_keys()}
        if strange := sorted(given.intersection(of_others) - cls.known_keys()):
            kind = content.get("kind", USUAL_KIND)
            raise PlanError(f"{name}: {strange[0]}: has no meaning for kind: {kind}; leave it out")

    @classmethod
    def require(cls, plan: Plan) -> Self:
        """Return the plan as one of this kind.

        Raises
        ------
        UsageError
            if it is of another.
        """
        if not isinstance(plan, cls):
            raise UsageError(cls.refusal(plan.about, plan.kind))
        return plan

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Name what is wanted, without a seed and without values: what is shown ends up in notebooks and logs."""
        yield "data", self.data
        yield "promises", tuple(map(spec_of, self.promises))
        yield "algorithm", without_seed(spec_of(self.algorithm))

    def _repr_html_(self) -> str:
        """Show in a notebook what is wanted; a seed is left out, for it undoes random choices."""
        return self._card().html()

    def _card(self) -> Card:
        facts = {
            "data": self.data or "",
            "promises": ", ".join(map(spec_of, self.promises)),
            "algorithm": without_seed(spec_of(self.algorithm)),
            "output": self.output.folder,
        }
        return Card("Plan", facts)

    @classmethod
    def known_keys(cls) -> set[str]:
        """Return the keys that a plan of this kind has, with those of how to read."""
        of_read = cls.model_fields["read"].annotation
        inner = of_read.model_fields if isinstance(of_read, type) and issubclass(of_read, PlanPart) else ()
        return {*cls.model_fields, *(f"read.{key}" for key in inner)}

    @property
    def output_folder(self) -> Path:
        """The folder to publish."""
        return self.folder / self.output.folder

    @property
    def data_path(self) -> Path:
        """Where the data lies.

        Raises
        ------
        UsageError
            if the plan names none, as one that a program has made for data in memory.
        """
        if self.data is None:
            raise UsageError("the plan names no data; add 'data', or give the data: krypsis.anonymize(data, plan=…)")
        return self.folder / self.data

    def checked_dossier(self) -> Dossier | None:
        """Return the dossier, if there is one, after making sure that it keeps the rules of its legal profile.

        Raises
        ------
        DossierRefused
            with every rule that is broken; what the run fills in is not asked for.
        """
        if self.dossier is None:
            return None
        found = read_dossier(self.dossier, self.folder)
        name = f"dossier {self.dossier}" if isinstance(self.dossier, str) else "dossier"
        refuse_broken_rules(found, name=name, before_run=True)
        return found

    def models(self) -> list[PrivacyModel]:
        """Return what is promised."""
        return [registry.create("model", promise) for promise in self.promises]

    @property
    def in_doubt(self) -> tuple[str, ...]:
        """What is published although nobody knows whether others know it; a kind may have such columns."""
        return ()

    def specs(self) -> tuple[object, ...]:
        """Return everything that names a model, an algorithm or a metric."""
        return (*self.promises, self.algorithm)

    @abstractmethod
    def check(self) -> None:
        """Raise where the plan is wrong in itself, before large data is read."""

    @abstractmethod
    def read_data(self) -> Any:
        """Read the data this plan is about."""

    @abstractmethod
    def bind(self, data: Any) -> Task:
        """Return the plan together with data, in any form that :func:`krypsis.anonymize` takes."""

    def run(self, progress: Progress = NO_PROGRESS, *, improve: bool = False) -> Release:
        """Return the release this plan describes. It is checked when it is saved.

        Parameters
        ----------
        progress
            follows the run and may stop it early.
        improve
            whether to find out what would help most where the result is poor.
        """
        self.check()
        path = self.data_path
        progress.phase("read")
        with ThreadPoolExecutor() as background:
            loading = background.submit(load_kernels)
            data = self.read_data()
            checksum = background.submit(fingerprint, path)
            task = self.bind(data)
            release = self.warned(task.release(progress))
            if improve and not progress.wants_stop():
                release = task.improved(release)
            loading.result()
            return release.with_private({"input": path.name, "input_sha256": checksum.result().sha256})

    def warned(self, release: Release) -> Release:
        """Return the release, after warnings of what the publisher should know; a kind may have some."""
        return release


def spec_of(given: object) -> str:
    """Return a promise, an algorithm or a metric as one word, however it is given."""
    if isinstance(given, Mapping):
        return write_spec(str(given.get("name", "")), {name: value for name, value in given.items() if name != "name"})
    return str(getattr(given, "spec", given))


@cache
def plans() -> dict[str, type[Plan]]:
    """Return the plan of every kind of data that has one, by the name of the kind."""
    modules = parts_of_kinds("plan")
    found = [cls for module in modules for cls in vars(module).values() if _is_plan_of(module.__name__, cls)]
    return {cls.model_fields["kind"].default: cls for cls in found}


def _is_plan_of(module: str, cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, Plan) and cls.__module__ == module
