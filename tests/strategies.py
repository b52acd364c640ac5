"""Random tables, hierarchies, groups and models for property tests.

Values are numbers written as text, so that every distance between them is defined, and ``None`` for missing.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, get_args, get_origin

import annotated_types
import numpy as np
import polars as pl
from hypothesis import strategies as st

from krypsis import registry
from krypsis.data.groups import Domain, Groups, Histogram, JointDomain
from krypsis.data.hierarchies.base import TOP, Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.models.base import GroupModel, TableModel
from krypsis.models.links import LinkModel
from models.set_parameters import set_parameters, whole_models

VALUES: tuple[str | None, ...] = ("1", "2", "3", "10", "20", None)
PRESENT = tuple(value for value in VALUES if value is not None)
SENSITIVE = ("disease", "income")
GUARDS = (*VALUES, TOP)
"""Nodes of every hierarchy over these values: the values, and the top; ``None`` for no node."""

ValueCounts = dict[str | None, int]


def histograms(
    values: Sequence[str | None] = VALUES, min_groups: int = 1, max_groups: int = 6, max_count: int = 6
) -> st.SearchStrategy[list[ValueCounts]]:
    """One ``value → count`` mapping per group, none of them empty."""
    group = st.dictionaries(st.sampled_from(values), st.integers(1, max_count), min_size=1)
    return st.lists(group, min_size=min_groups, max_size=max_groups)


@st.composite
def hierarchies(draw: st.DrawFn, values: Sequence[str | None] = VALUES, max_height: int = 3) -> Hierarchy:
    """A valid hierarchy over ``values``: each level merges codes of the level below, the last has one.

    A missing value keeps to itself below the top and comes last.
    """
    present = [value for value in values if value is not None]
    if not present:
        return Hierarchy.from_rows([[None, TOP]])
    hierarchy = Hierarchy.from_rows(draw(_rows(present, max_height)))
    return hierarchy.with_missing() if None in values else hierarchy


@st.composite
def _rows(draw: st.DrawFn, values: list[str], max_height: int) -> list[list[str]]:
    lowest = 0 if len(values) == 1 else 1
    height = draw(st.integers(lowest, max(lowest, max_height)))
    levels = [list(range(len(values)))]
    for _ in range(height - 1):
        parent = [draw(st.integers(0, max(levels[-1]))) for _ in range(max(levels[-1]) + 1)]
        levels.append([parent[code] for code in levels[-1]])
    named = [[f"{level}.{code}" for code in codes] for level, codes in enumerate(levels[1:], start=1)]
    top = [[TOP] * len(values)] if height else []
    return [list(row) for row in zip(values, *named, *top, strict=True)]


@st.composite
def groups(draw: st.DrawFn, min_groups: int = 1, max_groups: int = 6, attributes: int | None = None) -> Groups:
    """Groups with one or two sensitive attributes, each with a hierarchy.

    The whole table may hold records that are in no group, as it does after suppression.
    """
    names = SENSITIVE[: attributes or draw(st.integers(1, len(SENSITIVE)))]
    record = st.tuples(*[st.sampled_from(VALUES)] * len(names), st.sampled_from(GUARDS))
    members = draw(st.lists(st.lists(record, min_size=1, max_size=8), min_size=min_groups, max_size=max_groups))
    suppressed = draw(st.lists(record, max_size=4))
    sensitive = {}
    for position, name in enumerate(names):
        column = [Counter(row[position] for row in rows) for rows in members]
        whole = Counter(row[position] for row in [row for rows in members for row in rows] + suppressed)
        made = Groups.of_histograms(column, name, draw(hierarchies()), whole)
        sensitive[name] = made.sensitive[name]
    domains = {name: sensitive[name].domain for name in names} | {"guard": Domain(GUARDS, None, "guard")}
    together = [names, *((name, "guard") for name in names)]
    combined = {columns: _combination(members, domains, columns) for columns in together}
    return Groups(np.array([len(rows) for rows in members], dtype=np.int64), sensitive, combined=combined)


def _combination(members: list[list[Any]], domains: dict[str, Domain], columns: tuple[str, ...]) -> Histogram:
    """How often each combination of the values of some columns occurs in each group."""
    places = [list(domains).index(column) for column in columns]
    members = [[tuple(record[place] for place in places) for record in rows] for rows in members]
    domains = {column: domains[column] for column in columns}
    found = sorted({record for rows in members for record in rows}, key=repr)
    counted = Counter((group, found.index(record)) for group, rows in enumerate(members) for record in rows)
    group, value = np.array(sorted(counted), dtype=np.int64).reshape(-1, 2).T
    count = np.array([counted[key] for key in sorted(counted)], dtype=np.int64)
    rows = [
        [domain.values.index(cell) for cell, domain in zip(record, domains.values(), strict=True)] for record in found
    ]
    codes = np.array(rows, dtype=np.int64).reshape(-1, len(domains))
    whole = np.bincount(value, count, minlength=len(found)).astype(np.int64)
    return Histogram(group, value, count, whole, JointDomain((), None, ", ".join(domains), (*domains.values(),), codes))


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 12, max_quasi_identifiers: int = 3, max_sensitive: int = 2) -> pl.DataFrame:
    """A small table of text: quasi-identifiers ``q0, …`` and sensitive attributes ``s0, …``, some values missing."""
    names = [f"q{number}" for number in range(draw(st.integers(1, max_quasi_identifiers)))]
    names += [f"s{number}" for number in range(draw(st.integers(0, max_sensitive)))]
    rows = draw(st.lists(st.tuples(*[st.sampled_from(VALUES)] * len(names)), min_size=1, max_size=max_rows))
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


@st.composite
def frequency_sets(
    draw: st.DrawFn,
    max_attributes: int = 4,
    max_rows: int = 15,
    max_height: int = 3,
    sensitive: int | None = None,
    together: tuple[str, ...] = (),
) -> FrequencySet:
    """A frequency set of one to four attributes over hierarchies of height 0 to 3, with up to two sensitive ones.

    ``together`` are columns whose values are counted together: sensitive attributes and ``guard``.
    """
    count = draw(st.integers(1, max_attributes))
    domains = [VALUES[: draw(st.integers(1, 4))] + draw(st.sampled_from([(), (None,)])) for _ in range(count)]
    record = st.tuples(*[st.integers(0, len(values) - 1) for values in domains])
    names = SENSITIVE[: draw(st.integers(0, len(SENSITIVE))) if sensitive is None else sensitive]
    guards = [st.sampled_from(GUARDS)] * ("guard" in together)
    secret = st.tuples(*[st.sampled_from(VALUES)] * len(names), *guards)
    rows = draw(st.lists(st.tuples(record, secret), min_size=1, max_size=max_rows))
    counted = Counter(codes for codes, _ in rows)
    tuples = sorted(counted)
    found = {name: _histogram(tuples, rows, position, draw(hierarchies())) for position, name in enumerate(names)}
    members = [[secret for codes, secret in rows if codes == one] for one in tuples]
    columns = {name: histogram.domain for name, histogram in found.items()} | {"guard": Domain(GUARDS, None, "guard")}
    return FrequencySet(
        attributes=tuple(f"q{number}" for number in range(count)),
        hierarchies=tuple(draw(hierarchies(values, max_height)) for values in domains),
        codes=np.array(tuples, dtype=np.int32).reshape(len(tuples), count),
        counts=np.array([counted[codes] for codes in tuples], dtype=np.int64),
        sensitive=found,
        combined={together: _combination(members, columns, together)} if together else {},
    )


def _histogram(tuples: list[Any], rows: list[Any], position: int, hierarchy: Hierarchy) -> Histogram:
    place = {codes: number for number, codes in enumerate(tuples)}
    counted = Counter((place[codes], VALUES.index(secret[position])) for codes, secret in rows)
    group, value = np.array(sorted(counted), dtype=np.int64).T
    count = np.array([counted[key] for key in sorted(counted)], dtype=np.int64)
    whole = np.bincount(value, count, minlength=len(VALUES)).astype(np.int64)
    return Histogram(group, value, count, whole, Domain(VALUES, hierarchy))


def group_models() -> dict[str, type[GroupModel]]:
    """The registered models that decide group by group, from the table alone."""
    found = {name: cls for name, cls in registry.classes("model").items() if issubclass(cls, GroupModel)}
    return {name: cls for name, cls in found.items() if not cls.needs_population and not issubclass(cls, TableModel)}


def models_of_tuples() -> dict[str, type[GroupModel]]:
    """The group models that a frequency set is enough for; the others count further columns of the table."""
    return {name: cls for name, cls in group_models().items() if cls.combinations is GroupModel.combinations}


def population_models() -> dict[str, type[GroupModel]]:
    """The registered models that compare groups with a population."""
    return {name: cls for name, cls in registry.classes("model").items() if cls.needs_population}


def table_models() -> dict[str, type[TableModel]]:
    """The registered models that are about all groups together."""
    return {name: cls for name, cls in registry.classes("model").items() if issubclass(cls, TableModel)}


def link_models() -> dict[str, type[LinkModel]]:
    """The registered models that compare the published table with the original one."""
    return {name: cls for name, cls in registry.classes("model").items() if issubclass(cls, LinkModel)}


def some_group_model() -> st.SearchStrategy[Any]:
    """Any model that decides group by group of a frequency set."""
    return st.sampled_from(sorted(models_of_tuples())).flatmap(lambda name: models_of(models_of_tuples()[name]))


def models_of(cls: type[Any], attributes: Sequence[str] = ("disease",)) -> st.SearchStrategy[Any]:
    """Objects of a registered class, with parameters drawn from the ranges its fields declare.

    Numbers have at most three decimals, so that a limit is hit exactly or missed clearly.
    """
    if (models := whole_models(cls)) is not None:
        return models
    own = set_parameters(cls.name, attributes, PRESENT)
    drawn = own | {name: parameters(field, attributes) for name, field in cls.model_fields.items() if name not in own}
    if "value" in drawn and "value" not in own:
        drawn["value"] = st.sampled_from([None, *PRESENT])
    if "people" in drawn:  # the table is a sample of them
        drawn["people"] = st.integers(50, 5000)
    if "followers" in drawn:  # with people anywhere in the table it is not decided group by group
        drawn["followers"] = st.just("group")
    return st.fixed_dictionaries(drawn).map(_in_order).map(lambda chosen: cls(**chosen))


def _in_order(chosen: dict[str, Any]) -> dict[str, Any]:
    """What is likely is not below what is unlikely."""
    for pair in (("p1", "p2"), ("delta_min", "delta_max")):
        if pair[0] in chosen:
            chosen |= dict(zip(pair, sorted(chosen[name] for name in pair), strict=True))
    return chosen


def parameters(field: Any, attributes: Sequence[str]) -> st.SearchStrategy[Any]:
    """The valid values of one field."""
    kind = field.annotation
    if kind is bool:
        return st.booleans()
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if kind == tuple[str, ...]:
        return st.lists(st.sampled_from(PRESENT), unique=True, max_size=3).map(tuple)
    if kind == str | None:
        return st.sampled_from([None, *attributes])
    if kind is str:  # what an attacker knows about a vertex
        return st.sampled_from(["h0", "h1", "h3", "refinement", "neighborhood"])
    if kind == int | None:
        return st.sampled_from([None, 0, 1, 4])
    if kind == int | float:
        return st.sampled_from([1, 2, 2.5, 7])
    if kind in (int, float):
        low, high = _bounds(field)
        if kind is int:
            return st.integers(int(low), int(min(high, low + 5)))
        return st.integers(int(low * 1000), int(min(high, low + 4) * 1000)).map(lambda thousandths: thousandths / 1000)
    raise TypeError(f"no strategy for a parameter of type {kind}; add one to tests/strategies.py")


def _bounds(field: Any) -> tuple[float, float]:
    low, high = 0.0, float("inf")
    step = 1 if field.annotation is int else 0.001
    for bound in field.metadata:
        if isinstance(bound, annotated_types.Ge):
            low = float(bound.ge)
        elif isinstance(bound, annotated_types.Gt):
            low = float(bound.gt) + step
        elif isinstance(bound, annotated_types.Le):
            high = float(bound.le)
        elif isinstance(bound, annotated_types.Lt):
            high = float(bound.lt) - step
    return low, high
