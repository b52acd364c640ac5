"""What every algorithm has in common, and three of its kinds: recoding, bucketing, perturbation.

The fourth, mechanisms, make a table of their own by chance: see ``mechanisms/base.py``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.columns import AnyColumn
from krypsis.data.groups import Groups, Histogram
from krypsis.data.recoding import FrequencySet, Grain, Recoding
from krypsis.kernels.rows import merge
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel, Names
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.specs import write_spec


class Method(BaseModel, ABC):
    """A way to make data safe, with its parameters declared as fields.

    A subclass of one of the kinds, in its own file under ``krypsis/algorithms``, is found by the registry;
    nothing else has to be changed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "table"
    scheme: ClassVar[str]
    """What is done to the data. For a recoding, what is generalized and what is suppressed: attributes (AG) or cells
    (CG), tuples (TS), attributes (AS) or cells (CS)."""
    reference: ClassVar[str]
    family: ClassVar[str] = "recoding"
    """Of methods for tables: the module in ``kinds/table/families`` that makes releases by them."""
    describes_steps: ClassVar[bool] = False
    """Whether it describes its steps to a trace, see :class:`krypsis.progress.Trace`."""
    unpublished: ClassVar[frozenset[str]] = frozenset({"seed", "threads"})
    """Parameters that would undo the protection, or disclose more than the release does, such as of the machine."""

    @property
    def spec(self) -> str:
        """The method with the parameters that may be published: all but the defaults, and never a seed."""
        return write_spec(self.name, self.model_dump(exclude_defaults=True, exclude=set(self.unpublished)))


class Algorithm(Method):
    """Finds a recoding: what every record is published as, so that records look alike."""

    grain: ClassVar[Grain] = "tuple"
    """``record`` for algorithms that may publish records with equal quasi-identifiers differently."""
    promises_about: ClassVar[Literal["groups", "links"]] = "groups"
    """What the promises are about that it can keep: groups, or links between original and published records."""
    counts_combined: ClassVar[bool] = False
    """Whether it also keeps promises that count combinations of columns; whatever judges all does."""
    judges_all: ClassVar[bool] = False
    """Whether it also keeps promises about a population, about all groups together, or about other sets of attributes
    than those of the table; that is so where a judge decides about whole nodes of the lattice."""

    @abstractmethod
    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> Recoding:
        """Return a recoding that keeps the models' promises within the limits.

        Raises
        ------
        Infeasible
            if there is none, or this algorithm finds none.
        """


class Bucketing(Method):
    """Puts records into groups and takes the link between quasi-identifiers and sensitive values inside a group.

    The quasi-identifiers are published as they are, so who is in the table is not hidden, only which sensitive value
    of the group belongs to whom.
    """

    family: ClassVar[str] = "bucketing"
    scheme: ClassVar[str] = "bucketization"
    grain: ClassVar[Grain] = "record"
    publishes: ClassVar[Literal["two tables", "permuted values"]]
    """``two tables``: the sensitive values of each group, counted, are a table of their own. ``permuted values``: the
    sensitive values are shuffled among the records of a group."""
    seed: int | None = Field(default=None, ge=0, description="of all random choices; drawn anew unless given")

    @abstractmethod
    def group(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,
    ) -> IntArray:
        """Return the group of each record, numbered from 0 on, so that all groups keep the promises.

        The records are the tuples of the frequency set, whose grain is ``record``.

        Raises
        ------
        Infeasible
            if no grouping does.
        """


class Perturbation(Method):
    """Replaces values by others, so that statistics change little and records no longer are what they were."""

    family: ClassVar[str] = "perturbation"
    scheme: ClassVar[str] = "perturbation"
    guarantee: ClassVar[str]
    """What a release by this method promises, and what it does not, in plain words."""
    works_on: ClassVar[Literal["numbers", "categories", "both"]]
    """``categories``: any column, value by value. ``both``: numbers as such, all else as categories."""
    changes: ClassVar[Literal["quasi-identifiers", "all columns"]] = "quasi-identifiers"
    """What is changed unless columns are given."""
    columns: Names = Field(default=(), description="the columns to change; all quasi-identifiers unless given")
    seed: int | None = Field(default=None, ge=0, description="of all random choices; drawn anew unless given")

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns that are looked at, always as categories, and stay as they are."""
        return ()

    def form_of(self, name: str) -> Literal["numbers", "categories", "both"]:  # noqa: ARG002
        """Return as what a column to change is read."""
        return self.works_on

    def promises(self, quasi_identifiers: Sequence[str], changed: Sequence[str]) -> tuple[GroupModel, ...]:  # noqa: ARG002
        """Return what the method promises about groups by itself; the checker will see to it."""
        return ()

    @abstractmethod
    def perturb(self, columns: Mapping[str, AnyColumn], rng: np.random.Generator) -> Mapping[str, AnyColumn]:
        """Return the columns to change with other values; missing values stay missing.

        ``columns`` are those to change and those that are read; each has as many records as the others.
        """


@dataclass(frozen=True, eq=False)
class Promises:
    """The models of a search: the smallest size of a part, which cuts heed by themselves, and all that is beyond."""

    frequency: FrequencySet
    models: tuple[GroupModel, ...]

    @cached_property
    def k(self) -> int:
        """The number of records that every part must have."""
        return max([model.k for model in self.models if isinstance(model, KAnonymity)], default=1)

    @cached_property
    def beyond_size(self) -> tuple[GroupModel, ...]:
        """The models that say more than how many records a part must have."""
        return tuple(model for model in self.models if not isinstance(model, KAnonymity))

    def keep(self, part_of: CodeArray, parts: int) -> BoolArray:
        """Say for each part whether all models accept it; ``part_of[tuple]`` is -1 for tuples in none of them."""
        inside = part_of >= 0
        sizes = np.bincount(part_of[inside], self.frequency.counts[inside], minlength=parts).astype(np.int64)
        secrets = {name: _merged(found, part_of) for name, found in self.frequency.sensitive.items()}
        combined = {names: _merged(found, part_of) for names, found in self.frequency.combined.items()}
        return _all_accept(self.models, Groups(sizes, secrets, None, combined))


def _merged(histogram: Histogram, part_of: CodeArray) -> Histogram:
    """Return the sensitive values of the parts, without those of tuples in no part."""
    inside = part_of[histogram.group] >= 0
    if inside.all():
        return merge(histogram, part_of)
    group, value, count = (column[inside] for column in (histogram.group, histogram.value, histogram.count))
    return merge(Histogram(group, value, count, histogram.whole, histogram.domain), part_of)


def _all_accept(models: Sequence[GroupModel], groups: Groups) -> BoolArray:
    answers = [model.accepts(groups) for model in models]
    return np.asarray(np.logical_and.reduce(answers), dtype=np.bool_)


def part_numbers(order: CodeArray, starts: IntArray, ends: IntArray) -> CodeArray:
    """Return the number of the part of each tuple, -1 for those in none.

    Examples
    --------
    >>> part_numbers(np.array([2, 0, 1, 3], dtype=np.int32), np.array([2, 0]), np.array([3, 2]))
    array([ 1,  0,  1, -1], dtype=int32)
    """
    numbers = np.full(len(order), -1, dtype=np.int32)
    sizes = ends - starts
    if not len(sizes):
        return numbers
    places = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    numbers[order[places]] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return numbers
