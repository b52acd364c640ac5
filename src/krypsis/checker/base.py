"""What the checker asks of a kind of data, and which judge decides a promise about what is published."""

import importlib
import importlib.util
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.format.claims import Claims
from krypsis.format.files import CSV, DATA, PARQUET, SENSITIVE_TABLE
from krypsis.models.base import Basis, PrivacyModel, Verdict

if TYPE_CHECKING:
    from krypsis.checker.grouping import Distribution

Missing = Literal["value", "wildcard"]
QuasiIdentifiers = Sequence[str] | Sequence[Sequence[str]]

CHECKER = "krypsis.checker"
KINDS = "krypsis.kinds"
"""Where the kinds of data are: looked up by name, since a kind also makes releases and the checker imports no maker."""

OPTIONAL_FIELDS = (
    "subject_column",
    "tables",
    "mechanism_record",
    "reference",
    "sensitive_hierarchies",
    "sensitive_items",
    "item_hierarchy",
    "dependencies",
    "group_column",
    "sensitive_table",
)
"""What a manifest may declare and only some kinds of data publish."""


# Judges: one for each class of promises and form of published data.

Judge = Callable[..., Verdict]
AnyJudge = TypeVar("AnyJudge", bound=Judge)
_judges: dict[tuple[type, type], Judge] = {}
_refusals: dict[type, str] = {}
"""Form of published data → what is said about a promise that nobody can judge on it."""
NO_MODEL = "a promise must be a model such as KAnonymity(k=5), got {model!r}"
OTHER_KIND = "{model.spec} is a promise about data of the kind {model.kind!r}, and what is published is of another"


def judges(model: type, published: type) -> Callable[[AnyJudge], AnyJudge]:
    """Register the judge of a class of promises about a form of published data, and of all classes below both.

    The judge is called with the promise, what is published, and what else the check of that form passes on.

    Examples
    --------
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> class Crowd(list):
    ...     "A form of data that only this example knows."
    >>> @judges(KAnonymity, Crowd)
    ... def judge_crowd(model, crowd):
    ...     return len(crowd) >= model.k
    >>> judge_of(KAnonymity(k=2), Crowd)(KAnonymity(k=2), Crowd("ab"))
    True
    """

    def register(judge: AnyJudge) -> AnyJudge:
        _judges[model, published] = judge
        return judge

    return register


def refuse_others(published: type, refusal: str) -> None:
    """Set what is said about a promise, ``{model}``, that no judge of a form of published data is registered for."""
    _refusals[published] = refusal


def find_judge(model: object, published: type) -> Judge | None:
    """Return the judge of a promise about a form of published data; the nearest class of promises decides."""
    _load_judges()
    pairs = ((promise, form) for promise in type(model).__mro__ for form in published.__mro__)
    return next((_judges[pair] for pair in pairs if pair in _judges), None)


def judge_of(model: object, published: type) -> Judge:
    """Return the judge of a promise about a form of published data.

    Raises
    ------
    UsageError
        if there is none.
    """
    found = find_judge(model, published)
    if found is None:
        usual = OTHER_KIND if isinstance(model, PrivacyModel) else NO_MODEL
        raise UsageError(_refusals.get(published, usual).format(model=model))
    return found


@cache
def _load_judges() -> None:
    """Import all modules of the checker: each registers the judges of what it is about."""
    for module in pkgutil.iter_modules(importlib.import_module(CHECKER).__path__):
        importlib.import_module(f"{CHECKER}.{module.name}")


# Kinds of data: how the files of each are read back.


@dataclass(frozen=True, eq=False, repr=False)
class Given:
    """What is known to whoever checks in addition to the published data: by name, by a plan, or from a manifest.

    The public functions take its fields as keywords. Those of a plan are read outside of the checker,
    :meth:`krypsis.Plan.to_check`.

    Examples
    --------
    >>> Given(["age", "zip"], "disease").quasi_identifiers
    ['age', 'zip']
    """

    quasi_identifiers: QuasiIdentifiers | None = None
    """The attributes an attacker may know, or several such sets; with several, the worst counts. A release brings its
    own."""
    sensitive: str | Sequence[str] | None = None
    """The attributes, or the items of sets, that nobody should be able to attach to a person."""
    reference: "Mapping[str, Distribution] | None" = None
    """Sensitive attribute → distribution in the whole table, records that were suppressed included. The published
    distribution unless given."""
    hierarchies: Mapping[str, Any] | None = None
    """Of sensitive attributes, for promises that measure distance in them; and of quasi-identifiers, for promises that
    compare labels with original values: there in any form that a plan may have."""
    missing: Missing = "value"
    """``value``: a missing cell matches only a missing cell. ``wildcard``: it may stand for any value; the group of a
    record is then the set of records that show, in each attribute, the same value or nothing (see
    :func:`krypsis.checker.grouping.covering_groups_of`)."""
    original: Any = None
    """The table behind the published one, in any form that :func:`krypsis.anonymize` takes: promises about who could be
    who are decided by comparing the two."""
    population: Any = None
    """The table of all people whom the published records may be about, in the same forms, with the quasi-identifiers as
    they were before anonymization: promises such as delta-presence compare with it."""
    private_columns: Any = None
    """Columns that are not published and that a promise counts, such as the number of a person: a table or a file with
    one record for each published one, in the same order; or the private record of a release."""
    public: Any = None
    """Ontologies that everybody knows: one, or several, each in memory or a file. A release brings what its publisher
    takes for public; these are added."""
    literal: bool = False
    """Count every spelling of a sensitive value as a value of its own. By default ``Flu``, ``flu `` and ``FLU`` are one
    value, and so are 5 and 5.0, a date in several forms, and the ways to write that a value is missing."""
    from_plan: bool = False
    """Whether promises and roles are those of a plan: where the manifest of a release says the same, what it claims is
    verified as well."""

    # What follows describes data of another tool, which has no manifest.
    group: str | None = None
    """The column that says which records form a group, where that cannot be seen from the quasi-identifiers. Promises
    about sensitive values are judged on these groups."""
    sensitive_table: Any = None
    """The sensitive values of such groups, where they are published separately: a table or a file with the columns
    group, value and count."""
    key: str | None = None
    """The column that says whose row it is, the same in all tables, for promises such as multirelational-k-anonymity;
    or which record an item belongs to, for promises about sets of items."""
    tables: Mapping[str, Any] | None = None
    """Name → a further table or its file; its quasi-identifiers have the name before their own: ``visits.year``."""
    dependencies: Sequence[Any] | None = None
    """Rules by which cells follow from others, such as ``zip -> city``, for promises such as dependency-safety."""
    secret_cells: Sequence[str] | None = None
    """Cells that must be blank, such as ``diagnosis where ward = oncology``, for the same promises: a release does not
    say which of its cells are secret."""
    item: str | None = None
    """The column of items, for promises about sets of items; without it a file has one set per line."""
    delimiter: str | None = None
    encoding: str | None = None
    """Of a CSV file; found out unless given."""

    def __repr__(self) -> str:
        """Name what is given and show none of it: original tables are private."""
        return f"Given({', '.join(name for name in vars(self) if self.has(name))})"

    @classmethod
    def of(cls, **keywords: Any) -> "Given":
        """Return what the keywords of a public function say.

        Raises
        ------
        TypeError
            if one of them is not known.
        """
        known = [field.name for field in fields(cls) if field.name != "from_plan"]
        if strange := [name for name in keywords if name not in known]:
            raise TypeError(f"unexpected keyword {strange[0]!r}.{did_you_mean(strange[0], known)}")
        return cls(**keywords)

    def has(self, name: str) -> bool:
        """Say whether a field is given."""
        value = getattr(self, name)
        return value is not None and value is not False and (name, value) != ("missing", "value")

    def or_else(self, other: "Given") -> "Given":
        """Return what is given here, and what is not from another; hierarchies column by column."""
        own = {name: getattr(self, name) for name in vars(self) if self.has(name)}
        if self.hierarchies is not None and other.hierarchies is not None:
            own["hierarchies"] = {**other.hierarchies, **self.hierarchies}
        return replace(other, **own)

    def on_columns(self, columns: Iterable[str]) -> "Given":
        """Return it without quasi-identifiers and sensitive columns of a plan that are not published."""
        if not self.from_plan:
            return self
        there = set(columns)
        known, hidden = self.quasi_identifiers, self.sensitive
        if known is not None:
            sets = [[name for name in names if name in there] for names in attribute_sets(known)]
            known = [names for names in sets if names] or None
        if hidden is not None:
            hidden = tuple(name for name in names_of(hidden) if name in there)
        return replace(self, quasi_identifiers=known, sensitive=hidden)

    def named(self, *names: str) -> dict[str, Any]:
        """Return some of what is given by name; nothing where it was left out."""
        return {name: getattr(self, name) for name in names}

    def refuse(self, names: Iterable[str], reason: str) -> None:
        """Raise if one of some fields is given."""
        if strange := [name for name in names if getattr(self, name) is not None]:
            raise UsageError(f"{strange[0]} is for {reason}")


NOTHING = Given()
"""What is given where nothing is."""


class KindCheck(ABC):
    """How the checker reads what is published of a kind of data, and judges it.

    One stands in ``kinds/<kind>/check.py`` and is found there by name. It knows the published format and nothing of
    whoever has made a release.
    """

    name: ClassVar[str]
    """The kind as manifests name it."""
    promise_kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of promises that are judged on data of any tool."""
    refines: ClassVar[str | None] = None
    """The kind whose manifests it reads instead, where :meth:`reads` says so."""
    judged_fields: ClassVar[frozenset[str]] = frozenset()
    """The optional fields of a manifest that are judged; others are refused."""
    publishes_figures: ClassVar[bool] = True
    """Whether a manifest may hold figures of metrics; those of some kinds all depend on what is not published."""
    gives_roles: ClassVar[bool] = False
    """Whether the publisher says which columns an attacker may know and which are sensitive."""
    reads_parts: ClassVar[bool] = False
    """Whether the first table may be published in several files."""
    knows_public: ClassVar[bool] = False
    """Whether promises are about what follows together with data that everybody knows."""

    @abstractmethod
    def check_files(
        self, folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given
    ) -> tuple[Verdict, ...]:
        """Read the data files of a release back and say for each promise whether they keep it."""

    def check_data(
        self,
        published: Any,  # noqa: ARG002  for others
        models: Sequence[PrivacyModel],
        given: Given,  # noqa: ARG002
    ) -> tuple[Verdict, ...]:
        """Say for each promise whether data of any tool keeps it; only releases can be checked unless overridden."""
        raise UsageError(f"{models[0].spec} is checked on the folder of a release only; give one")

    def reads(self, claims: Claims, models: Sequence[PrivacyModel]) -> bool:  # noqa: ARG002  for others
        """Say whether it reads a manifest of the kind that it refines."""
        return False

    def files(self, claims: Claims) -> frozenset[str]:
        """Return the names of the files that are read, where the manifest declares them."""
        stems = {DATA, *claims.tables} | (set() if claims.sensitive_table is None else {SENSITIVE_TABLE})
        return frozenset(stem + ending for stem in stems for ending in (CSV, PARQUET))

    def unjudged(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterable[str]:  # noqa: ARG002  for others
        """Return what a manifest declares, besides fields of other kinds, that no promise is judged on."""
        return ()

    def shows_records(self, models: Sequence[PrivacyModel]) -> bool:  # noqa: ARG002  for others
        """Say whether promises are about one table whose columns may give something away besides."""
        return False

    def basis(
        self, claims: Claims, quasi_identifiers: QuasiIdentifiers | None, sensitive: Sequence[str] | None
    ) -> Basis:
        """Return what a release was judged on, as its manifest says unless it was given."""
        sets = claims.quasi_identifier_sets if quasi_identifiers is None else attribute_sets(quasi_identifiers)
        further = tuple(f"{name}.{known}" for name, table in claims.tables.items() for known in table.quasi_identifiers)
        hidden = (*claims.sensitive, *claims.sensitive_items) if sensitive is None else tuple(sensitive)
        judged = {*hidden, claims.group_column, claims.subject_column, *(name for names in sets for name in names)}
        rest = tuple(column.name for column in claims.columns if column.name not in judged)
        is_given = quasi_identifiers is not None and sensitive is not None
        return Basis(
            quasi_identifiers=(*sets, *((further,) if further else ())),
            sensitive=hidden,
            not_judged=rest if self.gives_roles and claims.mechanism_record is None else (),
            publishers_word=tuple(_word(claims, gives_roles=self.gives_roles and not is_given)),
        )


def _word(claims: Claims, *, gives_roles: bool) -> Iterator[str]:
    """Yield what a manifest states and nobody can see in the files."""
    if gives_roles:
        yield "which columns an attacker may know and which are sensitive"
    if claims.sensitive_items:
        yield "which items are sensitive"
    if claims.suppressed.records:
        yield f"that {claims.suppressed.records} records were suppressed"
    yield from (f"the distribution of {name} in the whole table" for name in claims.reference)
    yield from (f"the hierarchy of {name}" for name in claims.sensitive_hierarchies)
    if claims.item_hierarchy:
        yield "the hierarchy of the items"
    if claims.mechanism_record is not None:
        yield "how the table was made"
    if claims.guarantee:
        yield f"what its method guarantees ({claims.guarantee.rstrip('.')})"


def kind_checks() -> dict[str, KindCheck]:
    """Return by name how each kind of data is checked, found in the folders of the kinds.

    Examples
    --------
    >>> sorted(kind_checks())
    ['dependencies', 'graph', 'history', 'ontology', 'table', 'transactions']
    """
    return _kind_checks(tuple(importlib.import_module(KINDS).__path__))


@cache
def _kind_checks(folders: tuple[str, ...]) -> dict[str, KindCheck]:
    names = [f"{KINDS}.{one.name}.check" for one in pkgutil.iter_modules(folders) if one.ispkg]
    modules = [importlib.import_module(name) for name in names if importlib.util.find_spec(name) is not None]
    classes = [cls for module in modules for cls in vars(module).values() if _is_check_of(cls, module.__name__)]
    return {cls.name: cls() for cls in classes}


def _is_check_of(cls: object, module: str) -> bool:
    return isinstance(cls, type) and issubclass(cls, KindCheck) and cls.__module__ == module


def check_of_manifest(claims: Claims, models: Sequence[PrivacyModel]) -> KindCheck:
    """Return what reads the files of a release.

    Raises
    ------
    DataError
        if the manifest names a kind that nobody knows.
    """
    checks = kind_checks()
    known = [name for name, check in checks.items() if check.refines is None]
    if claims.kind not in known:
        raise DataError(
            f"the manifest says that the release is of the kind {claims.kind!r}, which this version of krypsis cannot "
            f"check; kinds: {', '.join(known)}.{did_you_mean(claims.kind, known)}"
        )
    special = (one for one in checks.values() if one.refines == claims.kind and one.reads(claims, models))
    return next(special, checks[claims.kind])


def check_of_promises(models: Sequence[PrivacyModel]) -> KindCheck:
    """Return what judges promises about data of any tool; tables, where there are none.

    Raises
    ------
    UsageError
        if they are about different kinds.

    Examples
    --------
    >>> from krypsis.models.km_anonymity import KmAnonymity
    >>> check_of_promises([KmAnonymity(k=2, m=2)]).name
    'transactions'
    """
    about = {getattr(model, "kind", PrivacyModel.kind): model for model in models}  # the judge refuses what is no model
    if len(about) > 1:
        raise UsageError(f"{' and '.join(model.spec for model in about.values())} are about different kinds of data")
    wanted = next(iter(about), PrivacyModel.kind)
    found = next((check for check in kind_checks().values() if wanted in check.promise_kinds), None)
    if found is None:
        raise UsageError(f"{models[0].spec} is about data of the kind {wanted!r}, which nothing checks")
    return found


def based_on(basis: Basis, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts with what they were judged on."""
    return tuple(verdict.model_copy(update={"basis": basis}) for verdict in verdicts)


# Names of columns, as whoever checks may give them.


def names_of(sensitive: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the sensitive attributes as names; a single one may be given as it is."""
    names = (sensitive,) if isinstance(sensitive, str) else sensitive or ()
    if not isinstance(names, Iterable):
        raise UsageError(f"sensitive must be the names of attributes, got {sensitive!r}")
    return unique(names)


def attribute_sets(quasi_identifiers: QuasiIdentifiers) -> tuple[tuple[str, ...], ...]:
    """Return the quasi-identifiers as sets of names: a list of names is one set.

    Examples
    --------
    >>> attribute_sets(["age", "zip"]), attribute_sets([["age"], ["zip", "sex"]])
    ((('age', 'zip'),), (('age',), ('zip', 'sex')))
    """
    if isinstance(quasi_identifiers, str):
        return ((quasi_identifiers,),)
    if not isinstance(quasi_identifiers, Iterable):
        raise UsageError(f"quasi_identifiers must be names or lists of names, got {quasi_identifiers!r}")
    names = [item for item in quasi_identifiers if isinstance(item, str)]
    sets = (names,) if names else quasi_identifiers
    if names and len(names) < len(quasi_identifiers):
        raise UsageError("quasi_identifiers must be names or lists of names, got both; write every set as a list")
    if not sets or not all(sets):
        raise UsageError("no quasi-identifier is given; name at least one attribute an attacker may know")
    return tuple(unique(names) for names in sets)


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in their order, each once."""
    return tuple(dict.fromkeys(names))
