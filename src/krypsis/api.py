"""The public functions: anonymize a table, explore the ways to do it, apply one to new rows, check a published one."""

import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import Any

from krypsis import registry
from krypsis.checker import check as check_published
from krypsis.checker import shows_records
from krypsis.checker.base import Given, kind_checks, names_of
from krypsis.checker.evidence import Evidence, judge_with, read_evidence, unknown_promise
from krypsis.data.hierarchies import HierarchySpec
from krypsis.errors import PrivacyWarning, UsageError
from krypsis.io.engines.base import Suppressed
from krypsis.kinds.base import kind_of
from krypsis.kinds.publishing import refusing_risks
from krypsis.kinds.table.exploration import MOST_NODES, Exploration, explore_task
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.profile.published_risks import disclosed_by
from krypsis.kinds.table.recipe import Recipe
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.promises import has_unknown_model
from krypsis.plan import Plan
from krypsis.plan.plan import promises_of
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.provenance import Before
from krypsis.release.release import Release

Spec = str | PrivacyModel | Mapping[str, Any]


def anonymize(
    data: Any,
    roles: Mapping[str, str] | None = None,
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    models: Spec | Sequence[Spec] = (),
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    algorithm: object = "auto",
    metric: object = "loss",
    suppression: str | float | None = None,
    suppressed: Suppressed = "remove",
    weights: Mapping[str, float] | None = None,
    quasi_identifier_sets: Iterable[Iterable[str]] = (),
    min_levels: Mapping[str, int] | None = None,
    max_levels: Mapping[str, int] | None = None,
    population: Any = None,
    private_columns: Any = None,
    key: str | None = None,
    tables: Mapping[str, Any] | None = None,
    sensitive_items: Sequence[str] = (),
    sensitive_edges: Sequence[str] = (),
    secrets: Sequence[str] | str = (),
    public: Any = (),
    public_schema: bool = False,
    dependencies: Sequence[Any] | str = (),
    progress: Progress = NO_PROGRESS,
) -> Release:
    """Return a release of the data that keeps the promises, checked from what it publishes.

    Parameters
    ----------
    data
        a polars, pandas or pyarrow frame, a duckdb relation, or the path of a CSV, Parquet or Excel file; or
        :class:`Transactions`, where every record is a set of items; or a :class:`Graph`, also one of networkx,
        rustworkx, igraph or networkit, or a sparse matrix of scipy.
    roles
        column → ``identifier``, ``quasi-identifier``, ``sensitive`` or ``insensitive``. Identifiers and columns
        without a role are not published. Sets of items have none; of a graph they are those of its vertices.
    plan
        a plan, or the path of one, instead of all that follows up to ``dependencies``.
    models
        the promises, as objects or specs such as ``"k-anonymity:k=5"``. Only perturbations, such as ``"noise"``, do
        without.
    hierarchies
        column → a :class:`Hierarchy`, the path of a hierarchy file, or a mapping such as
        ``{"kind": "intervals", "width": 5}``. A quasi-identifier without one is either published or replaced by ``*``.
        That of the items of sets is called ``item``.
    algorithm, metric
        what searches, and what it keeps low.
    suppression
        how many records may be suppressed: a share (``0.02``, ``"2%"``) or a count (``10``). Unless given, none, or
        what the algorithm itself foresees.
    suppressed
        ``remove`` suppressed records, or ``keep`` them with every quasi-identifier at the top.
    weights
        quasi-identifier → how much its loss counts in the metric, 1 unless given.
    quasi_identifier_sets
        sets of quasi-identifiers that different attackers know; the promises hold on each. One set of all unless given.
    min_levels, max_levels
        quasi-identifier → how far it must, or may, be generalized.
    population
        the table of all people whom the records may be about, in any form that ``data`` may have: promises such as
        ``delta-presence`` compare with it.
    private_columns
        a table, in any form that ``data`` may have, with further columns that a promise looks at and nobody publishes,
        such as the guarding nodes of ``personalized-privacy``. A column of the same name in both says whose record it
        is; without one there is one record for each of the data, in the same order.
    key
        the column that says whose row it is, for promises such as ``multirelational-k-anonymity`` that count subjects.
        It is replaced by random numbers.
    tables
        name → a further table whose rows belong to the same subjects: a mapping with ``data`` and ``roles``, and where
        needed ``key``, ``hierarchies``, ``weights``, ``min_levels`` and ``max_levels``.
    sensitive_items
        of sets: items that nobody should be able to attach to a person.
    sensitive_edges
        of a graph: types of edges that nobody should learn.
    secrets
        of an ontology: axioms in functional syntax that nobody should be able to derive; ``?`` stands for anybody. Of a
        table with dependencies: columns, or cells of them, such as ``"diagnosis where ward = oncology"``.
    public
        of an ontology: what everybody knows, as an :class:`Ontology`, the path of one, or a tuple of these.
    public_schema
        of an ontology: whether its axioms that name no individual are public, too.
    dependencies
        of a table whose cells follow from others: rules that everybody knows, such as ``"zip -> city"`` or
        ``"drug = insulin => diagnosis in E10, E11"``; or ``{"rule": "zip -> city", "public": cities}``, where a table
        of the mapping is known, too. The promise is then ``dependency-safety``, and weights are those of columns.
    progress
        follows the run: it hears of its phases and of every node judged, and may stop the search early.

    Raises
    ------
    Infeasible
        if no release keeps the promises within the limits; the message says what would be possible.
    PromiseBroken
        if the checker refuses the result.
    PrivacyRefused
        if the plan is strict and there is something to warn of.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"name": ["Ann", "Bob", "Cat", "Dan"], "age": [31, 34, 47, 48],
    ...                       "disease": ["flu", "gout", "cancer", "flu"]})
    >>> release = anonymize(table, {"name": "identifier", "age": "quasi-identifier", "disease": "sensitive"},
    ...                     hierarchies={"age": {"kind": "intervals", "width": 10, "origin": 0}},
    ...                     models=["k-anonymity:k=2", "distinct-l-diversity:l=2"])
    >>> sorted(release.table["age"]), release.levels, release.suppressed
    (['[30-40)', '[30-40)', '[40-50)', '[40-50)'], {'age': 1}, 0)
    """
    keywords = {
        "roles": roles,
        "hierarchies": hierarchies,
        "algorithm": algorithm,
        "metric": metric,
        "suppression": suppression,
        "suppressed": suppressed,
        "weights": weights,
        "quasi_identifier_sets": quasi_identifier_sets,
        "min_levels": min_levels,
        "max_levels": max_levels,
        "population": population,
        "private_columns": private_columns,
        "key": key,
        "tables": tables,
        "sensitive_items": sensitive_items,
        "sensitive_edges": sensitive_edges,
        "secrets": secrets,
        "public": public,
        "public_schema": public_schema,
        "dependencies": dependencies,
    }
    given = {name: value for name, value in keywords.items() if not _is_default(name, value)}
    chosen = _plan(data, plan, models, given)

    def make(progress: Progress) -> Release:
        return chosen.warned(chosen.bind(data).release(progress).checked())

    return (refusing_risks(make) if chosen.strict else make)(progress)


def _plan(data: Any, plan: Plan | str | os.PathLike[str] | None, models: object, given: Mapping[str, Any]) -> Plan:
    """Return the plan that is given, or the one that the keywords describe."""
    if plan is None:
        return kind_of(data).plan_of(promises=promises_of(models), **given)
    if models or given:
        named = next(iter(given), "models")
        raise UsageError(f"the plan says what is wanted; leave out {named}, or write it into the plan")
    return plan if isinstance(plan, Plan) else Plan.load(plan)


def _is_default(name: str, value: object) -> bool:
    default = signature(anonymize).parameters[name].default
    return value is default or (type(value) is type(default) and value == default)


def explore(
    data: Any,
    roles: Mapping[str, str],
    *,
    models: Spec | Sequence[Spec],
    metrics: Sequence[object] = (),
    most_nodes: int = MOST_NODES,
    private_columns: Any = None,
    progress: Progress = NO_PROGRESS,
    **options: Any,
) -> Exploration:
    """Return the solution space of a task: the nodes of its lattice with their risk and their losses.

    A lattice of up to ``most_nodes`` nodes is judged as a whole. Of a larger one you get the nodes that the algorithm
    comes upon in its search, the best ``most_nodes`` of them.

    Parameters
    ----------
    data, roles, models, private_columns
        as for :func:`anonymize`.
    metrics
        metrics to measure each node by in addition to the one that is minimized.
    most_nodes
        how many nodes to judge at most. Each takes time, and some hundred bytes of memory.
    progress
        follows the work and may stop it early.
    **options
        ``hierarchies``, ``suppression`` and all others of :func:`anonymize`.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["31", "34", "47", "48"], "sex": ["F", "M", "F", "M"]})
    >>> space = explore(table, {"age": "quasi-identifier", "sex": "quasi-identifier"}, models="k-anonymity:k=2",
    ...                 hierarchies={"age": {"kind": "intervals", "width": 10, "levels": 1}})
    >>> space.nodes.select("level:age", "level:sex", "feasible", "suppressed").rows()
    [(0, 0, False, 4), (0, 1, False, 4), (1, 0, False, 4), (1, 1, True, 0), (2, 0, True, 0), (2, 1, True, 0)]
    """
    chosen = [registry.create("metric", metric) for metric in metrics]
    plan = TablePlan.of_roles(roles, promises=promises_of(models), private_columns=private_columns, **options)
    return explore_task(plan.bind(data), metrics=chosen, most_nodes=most_nodes, progress=progress)


def apply(
    recipe: Recipe | str | os.PathLike[str],
    rows: Any,
    *,
    together_with: Release | str | os.PathLike[str] | None = None,
    suppression: str | float | None = None,
    progress: Progress = NO_PROGRESS,
) -> Release:
    """Return a release of new rows, recoded as an earlier release was: :meth:`Recipe.apply`, also for a recipe on disk.

    Parameters
    ----------
    recipe
        a :class:`Recipe`, or where one lies: the folder of a release with its private record next to it, that record,
        or a recipe file.
    rows
        the new rows, in any form that :func:`anonymize` takes. Columns the recipe does not publish are left out.
    together_with
        an earlier release of the same recipe, or its folder. What is returned then holds its records as well, and the
        promises hold for both together. Unless given, the new rows keep the promises by themselves.
    suppression
        how many of the new records may be suppressed; as many as the recipe says, unless given.
    progress
        follows the run.

    Raises
    ------
    HierarchyError
        if a new value has no place in its hierarchy.
    Infeasible
        if too many new records are in groups that the promises refuse.

    Examples
    --------
    >>> import polars as pl
    >>> options = {"hierarchies": {"age": {"kind": "intervals", "width": 10}}, "models": "k-anonymity:k=2"}
    >>> first = anonymize(pl.DataFrame({"age": ["31", "34"]}), {"age": "quasi-identifier"}, **options)
    >>> apply(Recipe.of(first), pl.DataFrame({"age": ["35", "38"]})).table["age"].to_list()
    ['[30-40)', '[30-40)']
    """
    found = recipe if isinstance(recipe, Recipe) else Recipe.load(recipe)
    return found.apply(rows, together_with=together_with, suppression=suppression, progress=progress)


def check(
    published: Any,
    models: Spec | Sequence[Spec] | None = None,
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    quasi_identifiers: Sequence[str] | Sequence[Sequence[str]] | None = None,
    sensitive: Sequence[str] | str | None = None,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    **details: Any,
) -> tuple[Verdict, ...]:
    """Return one verdict per promise about what is published, also by another tool.

    Parameters
    ----------
    published
        a :class:`Release`, the folder of one, a table file, or a frame; see :func:`krypsis.checker.check`.
    models
        the promises; a release brings its own.
    plan
        a plan, or the path of one: promises, roles and hierarchies are those of the plan, and where a promise compares
        with the original table or the population, so are these. Whatever is given as well counts instead.
    quasi_identifiers, sensitive, hierarchies
        which columns an attacker may know, which nobody should be able to attach to a person, and how their values are
        generalized. A release brings its own.
    **details
        what else is known about a table, or about a folder: fields of :class:`krypsis.checker.Given`, such as
        ``original``, ``population`` and ``private_columns``. A :class:`Release` needs none of it.

    Examples
    --------
    >>> import polars as pl
    >>> release = anonymize(pl.DataFrame({"age": [31, 34]}), {"age": "quasi-identifier"}, models="k-anonymity:k=2")
    >>> [verdict.achieved for verdict in check(release)]
    [2.0]
    >>> wanted = TablePlan(columns={"age": "quasi-identifier"}, promises=["k-anonymity:k=3"])
    >>> [(verdict.holds, verdict.required, verdict.achieved) for verdict in check(release, plan=wanted)]
    [(False, 3.0, 2.0)]
    """
    given = Given.of(quasi_identifiers=quasi_identifiers, sensitive=sensitive, hierarchies=hierarchies, **details)
    promises: Sequence[PrivacyModel] | None = None if models is None else promises_of(models)
    if isinstance(published, Release):
        _refuse_given(given)
    if plan is not None:
        chosen = plan if isinstance(plan, Plan) else Plan.load(plan)
        promises, given = chosen.to_check(published, promises, given)
    if isinstance(published, Release):
        return _check_release(published, promises, given)
    verdicts = check_published(published, promises, given)
    is_whole = not details and hierarchies is None  # otherwise the table is one of several, or read in another way
    if is_whole and shows_records(published, promises or ()):
        for said in _disclosed(published, given):
            warnings.warn(said, PrivacyWarning, stacklevel=2)
    return verdicts


def _refuse_given(given: Given) -> None:
    if named := [name for name in vars(given) if given.has(name)]:
        raise UsageError(
            f"a release says itself what {named[0]} is; leave it out, or save the release and check its folder"
        )


def _check_release(release: Release, models: Sequence[PrivacyModel] | None, given: Given) -> tuple[Verdict, ...]:
    """Ask the checker about the data of a release, as it would be published."""
    promises = release.known_models if models is None else models
    given = read_evidence(given)
    if kind_checks()[release.kind].gives_roles:
        given = given.on_columns(_published_columns(release))
    given = (release.before or Before()).evidence_for(promises).or_else(given)
    evidence = Evidence(
        release.publication.columns,
        release.schema.sensitive if given.sensitive is None else names_of(given.sensitive),
        given.original,
        given.population,
        given.private_columns,
        release.mechanism_record,
    )
    verdicts = judge_with(evidence, promises, lambda decidable: release.publication.check(decidable, given))
    for found in release.disclosures:
        warnings.warn(f"{found.sentence} {found.named}", PrivacyWarning, stacklevel=3)
    return _with_unknown(release, verdicts) if models is None else verdicts


def _published_columns(release: Release) -> list[str]:
    """Return the columns of all tables of a release."""
    published = release.publication
    if not published.is_in_memory:
        return published.columns
    return [name for table in published.tables().values() for name in table.columns]


def _with_unknown(release: Release, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return a verdict for each promise: those whose model is not known here are undecided."""
    found, stated = iter(verdicts), {verdict.promise: verdict.required for verdict in release.verdicts}
    return tuple(
        unknown_promise(promise, stated.get(promise, math.nan)) if has_unknown_model(promise) else next(found)
        for promise in release.promises
    )


def _disclosed(published: Any, given: Given) -> tuple[str, ...]:
    known: list[Any] = list(given.quasi_identifiers or ())
    sets = [known] if all(isinstance(name, str) for name in known) else known
    hidden = [given.sensitive] if isinstance(given.sensitive, str) else given.sensitive
    return disclosed_by(published, sets, hidden)
