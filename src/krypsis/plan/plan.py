"""The plan: everything a run needs, whatever the kind of data.

What the plans of all kinds of data have in common: how to read, what to write, and specs or objects.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self

import polars as pl
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticKnownError

from krypsis import registry
from krypsis.algorithms.tables.base import Method
from krypsis.checker.base import NOTHING, Given
from krypsis.checker.check import is_folder
from krypsis.data.hierarchies.base import Hierarchy, HierarchyBuilder
from krypsis.errors import PlanError, UsageError, did_you_mean, explain
from krypsis.format.files import fingerprint
from krypsis.io.addresses import is_address, located, refuse_password, without_password
from krypsis.io.paths import usable_path
from krypsis.io.targets import TableTarget
from krypsis.io.yaml_file import parse_yaml, read_yaml
from krypsis.kernels.rows import load_kernels
from krypsis.metrics.base import Metric
from krypsis.models.base import PrivacyModel
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.registry import USUAL_KIND, parts_of_kinds
from krypsis.release.dossier import Dossier, read_dossier, refuse_broken_rules
from krypsis.release.provenance import without_seed
from krypsis.release.release import Release
from krypsis.specs import write_spec
from krypsis.texts.cards import Card


class PlanPart(BaseModel):
    """A part of a plan; keys beyond those declared are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _no_collection(value: object) -> object:
    if isinstance(value, (dict, list, tuple, set, bool, int, float)):
        raise ValueError(f"expected the path of a table, got {value!r:.60}")  # noqa: TRY004  pydantic reports these
    refuse_password(value)
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
    data: str | None = Field(
        default=None,
        validate_default=True,
        description="the data: a path relative to the plan, or the address of a table in a database",
    )
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
        refuse_password(value)
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
            expected = " or ".join(map(repr, known))
            raise PlanError(f"{name}: kind: expected {expected}, got {kind!r:.60}.{_hint_of_kind(kind, known)}")
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
    def require(cls, plan: "Plan") -> Self:
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
        if is_address(self.data):
            raise UsageError(f"{without_password(self.data)} is no file, and this works with files; export the data")
        return self.folder / self.data

    @property
    def source(self) -> Path | str:
        """What the data is read from: the path of a file, or an address, which does not depend on the plan's place."""
        return self.data_path if self.data is None else located(self.data, self.folder)

    def table_target(self) -> TableTarget | None:
        """Return the table of a database that the release is written to, too, where the kind has such tables."""
        return None

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

    def to_check(
        self, published: object, models: Sequence[PrivacyModel] | None = None, given: Given = NOTHING
    ) -> tuple[list[PrivacyModel] | None, Given]:
        """Return the promises and what is known about published data: what is given, and else what the plan says.

        The checker knows no plans; it is handed what they say.

        Parameters
        ----------
        published
            what is checked: a release, the folder of one, a table file or a frame.
        models, given
            what counts instead of what the plan says.
        """
        promises = self.models() if models is None else list(models)
        is_release = isinstance(published, Release) or is_folder(published)
        before = published.before if isinstance(published, Release) else None
        private = given if before is None else replace(given, original=before.data)
        planned = replace(self.known_roles(promises, is_release=is_release), **self.private_inputs(promises, private))
        if before is not None:  # the release compares with it itself
            planned = replace(planned, original=None)
        return promises or None, replace(given.or_else(planned), from_plan=True)

    @property
    def attribute_columns(self) -> Mapping[str, Any]:
        """What the plan says about a table that describes the records of data which is no table, such as vertices."""
        return {}

    def attribute_table(self) -> pl.DataFrame:
        """Read the table that describes the records, where the data is no table itself."""
        return pl.DataFrame()

    def known_roles(self, models: Sequence[PrivacyModel], *, is_release: bool) -> Given:  # noqa: ARG002  for others
        """Return what the plan says about what an attacker may know, where the kind has such roles.

        Parameters
        ----------
        models
            the promises that are judged.
        is_release
            whether the data has a manifest, which says how it is published.
        """
        return NOTHING

    def private_inputs(self, models: Sequence[PrivacyModel], given: Given) -> dict[str, Any]:  # noqa: ARG002  for others
        """Return by name the original data, the population and the hierarchies that promises need, unless given."""
        return {}

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
        source = self.source
        progress.phase("read")
        with ThreadPoolExecutor() as background:
            loading = background.submit(load_kernels)
            data = self.read_data()
            checksum = background.submit(_checksum, source)
            task = self.bind(data)
            release = self.warned(task.release(progress))
            if improve and not progress.wants_stop():
                release = task.improved(release)
            loading.result()
            return release.with_private(checksum.result())

    def warned(self, release: Release) -> Release:
        """Return the release, after warnings of what the publisher should know; a kind may have some."""
        return release


def _checksum(source: Path | str) -> dict[str, str]:
    """Return what the private record says of the input: its name, and of one file its checksum."""
    if isinstance(source, str):
        return {"input": without_password(source) if is_address(source) else source}
    return {"input": source.name} | ({"input_sha256": fingerprint(source).sha256} if source.is_file() else {})


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


def _hint_of_kind(kind: object, known: Iterable[str]) -> str:
    """Return what to write instead of a kind that has no plan: what the kind says, or a name that is spelt alike."""
    classes = [cls for module in parts_of_kinds("kind") for cls in vars(module).values() if isinstance(cls, type)]
    hints = [getattr(cls, "planned_as", "") for cls in classes if getattr(cls, "name", None) == kind]
    return next((f" {hint}" for hint in hints if hint), did_you_mean(str(kind), known))


def _is_plan_of(module: str, cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, Plan) and cls.__module__ == module
