"""What every method that publishes a table that changes has in common.

::

    Snapshot (the records of this version)  ┐
    Past (what the publisher remembers)     ├─► HistoryMethod.publication() ─► Publication (groups, counterfeits)
    promises, a random generator            ┘

All of it is arrays: a record is its place in the snapshot. Who that is, and where it is kept until the next version, is
the business of :mod:`krypsis.kinds.history`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.tables.base import Method
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.specs import as_written

NEW = -1
"""The signature of a record that was in no release so far."""

LEFT_OUT = -1
"""The group of a record that is not published this time."""

Share = Annotated[Fraction, BeforeValidator(as_written), Field(ge=0, le=1)]
Form = Literal["anatomy", "generalization"]
Ineligible = Literal["raise", "defer", "counterfeits"]
Changed = Literal["raise", "withhold", "renew"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The records of one version of the table, one of them per row of every array."""

    attributes: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    """Of the quasi-identifiers; their codes also cover those of the records that left."""
    codes: CodeArray
    """``codes[record, attribute]``: level-0 codes of the quasi-identifiers."""
    sensitive: str
    taxonomy: Hierarchy
    """Of the sensitive attribute; flat where the user gave none."""
    values: IntArray
    """``values[record]``: the level-0 code of the sensitive value."""
    signature: IntArray
    """``signature[record]``: the number of the signature that it is bound to, ``NEW`` for a record never published."""
    weights: tuple[float, ...] = ()
    """The weight of each quasi-identifier; empty means 1 for all."""
    with_hierarchy: frozenset[str] = frozenset()
    """The quasi-identifiers whose hierarchy the user gave: they are generalized to its nodes and to nothing else."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def attribute_weights(self) -> FloatArray:
        """The weight of each quasi-identifier."""
        return np.array(self.weights or [1.0] * len(self.attributes))


@dataclass(frozen=True, eq=False)
class Turnover:
    """How the table changed: ``[version, value]``, the oldest version first, for every level-0 value."""

    population: IntArray
    """How many records had the value in a version."""
    inserted: IntArray
    """How many of them were not in the version before."""
    deleted: IntArray
    """How many records of the version before, with the value there, are not in it."""

    @classmethod
    def none(cls, values: int) -> "Turnover":
        """Return no changes, as before the first release."""
        empty = np.zeros((0, values), dtype=np.int64)
        return cls(empty, empty, empty)


@dataclass(frozen=True, eq=False)
class Shown:
    """As what the entries of ``signatures.nodes`` are published: as themselves, or as nodes above them.

    Examples
    --------
    >>> Shown.exactly(Signatures.of([[0, 2]])).and_more(Signatures.of([[0, 2], [5, 6]])).nodes.tolist()
    [0, 2, 5, 6]
    """

    nodes: IntArray
    """What the last release published for each."""
    lowest: IntArray
    """The most special node that may be published for it from now on."""

    @classmethod
    def exactly(cls, signatures: Signatures) -> "Shown":
        """Return that everything is published as itself."""
        return cls(signatures.nodes, signatures.nodes)

    def and_more(self, signatures: Signatures) -> "Shown":
        """Return the same for these signatures and more, whose entries are published as themselves."""
        new = signatures.nodes[len(self.nodes) :]
        return Shown(np.concatenate([self.nodes, new]), np.concatenate([self.lowest, new]))


@dataclass(frozen=True, eq=False)
class LastGroups:
    """Who was together in the last release."""

    of_record: IntArray
    """The group of each record of the snapshot, numbered from 1 on; 0 for a record that was not published then."""
    sizes: IntArray
    """``sizes[group]``: the people of each group; counterfeits are none."""


@dataclass(frozen=True, eq=False)
class Past:
    """What the publisher remembers of earlier versions.

    ``absent_…`` are the records that were published once and are not in the snapshot: a counterfeit may look like one
    of them.
    """

    signatures: Signatures
    absent_codes: CodeArray
    absent_values: IntArray
    absent_signature: IntArray
    turnover: Turnover
    shown: Shown | None = None
    """As what values are published; ``None`` where all are published as themselves."""
    last: LastGroups | None = None
    """Who was together; ``None`` before the first release."""

    @classmethod
    def none(cls, attributes: int, values: int) -> "Past":
        """Return the past before the first release."""
        nobody = np.zeros(0, dtype=np.int64)
        codes = np.zeros((0, attributes), dtype=np.int32)
        return cls(Signatures.none(), codes, nobody, nobody, Turnover.none(values))


@dataclass(frozen=True, eq=False)
class Counterfeits:
    """Records that are published and that nobody has, one per row."""

    group: IntArray
    codes: CodeArray
    """``codes[counterfeit, attribute]``: level-0 codes of the quasi-identifiers."""
    published: IntArray
    """The node that is published as its sensitive value."""

    def __len__(self) -> int:
        return len(self.group)


@dataclass(frozen=True, eq=False)
class VersionGrouping:
    """What is published of a version, and what everybody in it is bound to from now on.

    Groups are numbered from 0 on; every group has at least one record that is no counterfeit.
    """

    group: IntArray
    """``group[record]``, or ``LEFT_OUT``."""
    published: IntArray
    """``published[record]``: the node that is published as its sensitive value; its own code unless generalized."""
    counterfeits: Counterfeits
    signature: IntArray
    """``signature[group]``: what all records of the group are bound to, as a number of ``signatures``."""
    signatures: Signatures
    """Those of the past under their old numbers, then new ones."""
    shown: Shown | None = None
    """As what their entries are published; ``None`` where all are published as themselves."""

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.signature)

    @property
    def deferred(self) -> IntArray:
        """The records that are not published this time."""
        return np.flatnonzero(self.group == LEFT_OUT)


WHERE_TO_SET = (
    "Set on_ineligible as a parameter of the algorithm in the plan: 'algorithm: m-invariant:on_ineligible=defer'. For "
    "one version, 'krypsis history publish' has the option --on-ineligible"
)
"""Where what an error recommends is written."""


class HistoryMethod(Method):
    """Publishes the next version of a table so that all its releases together keep a promise."""

    kind: ClassVar[str] = "history"
    unpublished: ClassVar[frozenset[str]] = Method.unpublished | {"sensitive_weight"}
    scheme: ClassVar[str] = "history"
    keeps: ClassVar[tuple[type[PrivacyModel], ...]]
    """The promises that it keeps."""

    publish: Form = Field(
        default="anatomy",
        description="anatomy: exact quasi-identifiers, the sensitive values of each group in a table of their own; "
        "generalization: one table in which the records of a group look alike",
    )
    on_ineligible: Ineligible = Field(
        default="raise",
        description="what to do if a value is too frequent among the new records: raise an error, defer records with "
        "it to a later version, which reveals to those who miss them that they have a frequent value, or add "
        "counterfeits with other values",
    )
    on_changed: Changed = Field(
        default="raise",
        description="what to do with a record whose sensitive value is no longer among those that the person is bound "
        "to: raise an error, withhold the record, which reveals to those who miss it that something changed, or renew: "
        "treat it as that of somebody new, who is bound anew",
    )
    c: Share = Field(
        default=Fraction(0),
        description="how little a counterfeit is charged in the penalties of a release: with 0 it costs 1, with 1 as "
        "much as a record",
    )
    sensitive_weight: float = Field(
        default=1.0,
        ge=0,
        allow_inf_nan=False,
        description="how much the sensitive attribute counts in the penalties of a release, next to the weights of the "
        "columns",
    )
    seed: int | None = Field(default=None, ge=0, description="of all random choices; drawn anew unless given")

    @abstractmethod
    def publication(
        self,
        snapshot: Snapshot,
        past: Past,
        models: Sequence[PrivacyModel],
        rng: np.random.Generator,
        progress: Progress = NO_PROGRESS,
    ) -> VersionGrouping:
        """Return what is published of a version.

        Raises
        ------
        Infeasible
            if no publication keeps the promises and nothing may be deferred or added.
        """

    def require_promises(self, models: Sequence[PrivacyModel]) -> None:
        """Raise unless this method keeps all promises."""
        kept = " or ".join(cls.name for cls in self.keeps)
        for model in models:
            if not isinstance(model, (*self.keeps, KAnonymity)):
                raise UsageError(
                    f"{self.name} keeps {kept}, with or without k-anonymity, and {model.spec} is something else; "
                    f"promise {kept}"
                )
            if isinstance(model, KAnonymity) and self.publish == "anatomy":
                raise UsageError(
                    f"publish=anatomy publishes the quasi-identifiers exactly, so it cannot keep {model.spec}; choose "
                    "publish=generalization"
                )
        if not any(isinstance(model, self.keeps) for model in models):
            raise UsageError(
                f"no promise about the sensitive values is given; promise {kept}, such as 'm-invariance:m=3'"
            )
