"""Re-derive the groups of a published table from its values alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from krypsis.datasets.texts import text_of
from krypsis.errors import UsageError, column_not_found, shorten
from krypsis.groups import Domain, Groups, Histogram, IntArray, JointDomain
from krypsis.hierarchies.base import Hierarchy, Label

ENTRY = ("group", "value", "count")
"""The columns of an entry of a histogram, as arrays are made of them."""

Distribution = Mapping[str, int] | Mapping[Label, int]
"""How often each value of a sensitive attribute occurs; ``None`` stands for a missing value."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The distinct combinations of published values, with the number of records that show each.

    Columns have names of our own (``q0``, ``s0``, …, ``count``), so that no column name of a user can get in the way.
    """

    frame: pl.DataFrame
    quasi_identifiers: Mapping[str, str]
    """Attribute → column in ``frame``."""
    sensitive: Mapping[str, str]
    domains: Mapping[str, Domain]
    wholes: Mapping[str, IntArray]
    combined: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    """Columns whose values a promise counts together → column in ``frame`` with the number of their combination."""
    joint_domains: Mapping[tuple[str, ...], JointDomain] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PublishedGroups:
    """The groups of one quasi-identifier set: what they look like (row ``g`` of ``values``) and what they hold."""

    attributes: tuple[str, ...]
    values: pl.DataFrame
    groups: Groups


def count(
    table: pl.DataFrame,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    reference: Mapping[str, Distribution],
    hierarchies: Mapping[str, Hierarchy],
    combinations: Sequence[tuple[str, ...]] = (),
) -> Counted:
    """Count the distinct combinations in one pass over the table; everything after works on the result.

    ``combinations`` are columns whose values are counted together.
    """
    others = dict.fromkeys(name for names in combinations for name in names if name not in sensitive)
    for name in (*quasi_identifiers, *sensitive, *others):
        if name not in table.columns:
            raise column_not_found(name, table.columns)
    keys = {name: f"q{position}" for position, name in enumerate(quasi_identifiers)}
    hidden = {name: f"s{position}" for position, name in enumerate(sensitive)}
    texts = hidden | {name: f"c{position}" for position, name in enumerate(others)}
    columns = [
        *(_as_published(table.get_column(name)).alias(key) for name, key in keys.items()),
        *(text_of(table.get_column(name)).alias(key) for name, key in texts.items()),
    ]
    # Sorted, so that neither row order nor threads change the order in which a model adds up its numbers.
    frame = pl.DataFrame(columns).group_by([*keys.values(), *texts.values()]).agg(count=pl.len().cast(pl.Int64))
    frame = frame.sort([*keys.values(), *texts.values()])
    wholes = {name: _whole(frame, hidden[name], name, reference.get(name)) for name in sensitive}
    domains = {name: Domain(tuple(whole), hierarchies.get(name), name) for name, whole in wholes.items()}
    counts = {name: np.array(list(whole.values()), dtype=np.int64) for name, whole in wholes.items()}
    counted = Counted(frame, keys, hidden, domains, counts)
    return _with_combinations(counted, combinations, texts, hierarchies) if combinations else counted


def groups_of(counted: Counted, attributes: Sequence[str]) -> PublishedGroups:
    """Return the groups of one quasi-identifier set; a missing value matches only another missing value."""
    keys = [counted.quasi_identifiers[name] for name in attributes]
    values = counted.frame.group_by(keys).agg(pl.col("count").sum()).sort(keys)
    numbered = values.drop("count").with_row_index("group")
    frame = counted.frame
    if counted.sensitive or counted.combined:  # every row gets the number of its group, once for all columns
        frame = frame.join(numbered, on=keys, nulls_equal=True)
    histograms = {
        name: histogram_of(_entries(frame, column), counted, name) for name, column in counted.sensitive.items()
    }
    combined = {
        names: combination_of(_entries(frame, column), counted, names) for names, column in counted.combined.items()
    }
    groups = Groups(values["count"].to_numpy(), histograms, combined=combined)
    return PublishedGroups(tuple(attributes), values.select(keys), groups)


def _entries(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return how often each value of a column occurs in each group, as ``group, value, count``."""
    return frame.group_by("group", column).agg(pl.col("count").sum()).rename({column: "value"})


def histogram_of(entries: pl.DataFrame, counted: Counted, name: str) -> Histogram:
    """Return ``group, value, count`` entries as a histogram of a sensitive attribute, in ascending order."""
    domain = counted.domains[name]
    codes = pl.DataFrame({"value": pl.Series(domain.values, dtype=pl.String), "code": range(len(domain))})
    coded = entries.join(codes, on="value", nulls_equal=True).sort("group", "code")
    group, code, number = (coded[column].cast(pl.Int64).to_numpy() for column in ("group", "code", "count"))
    return Histogram(group, code, number, counted.wholes[name], domain)


def combination_of(entries: pl.DataFrame, counted: Counted, names: tuple[str, ...]) -> Histogram:
    """Return ``group, value, count`` entries as a histogram of combinations, in ascending order."""
    domain, column = counted.joint_domains[names], counted.combined[names]
    group, code, number = (entries.sort("group", "value")[name].cast(pl.Int64).to_numpy() for name in ENTRY)
    whole = np.bincount(counted.frame[column], counted.frame["count"], minlength=len(domain)).astype(np.int64)
    return Histogram(group, code, number, whole, domain)


def _with_combinations(
    counted: Counted,
    combinations: Sequence[tuple[str, ...]],
    texts: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
) -> Counted:
    """Return the same with the number of each combination of values of some columns."""
    frame, joint_domains = counted.frame, {}
    combined = {names: f"j{place}" for place, names in enumerate(combinations)}
    for names, column in combined.items():
        domains = [counted.domains.get(name) or _domain(frame[texts[name]], name, hierarchies) for name in names]
        codes = [_codes(frame[texts[name]], domain) for name, domain in zip(names, domains, strict=True)]
        numbers, first = _numbered(codes, domains)
        frame = frame.with_columns(pl.Series(column, numbers))
        joint = np.stack([code[first] for code in codes], axis=1)
        joint_domains[names] = JointDomain((), None, ", ".join(names), tuple(domains), joint)
    return replace(counted, frame=frame, combined=combined, joint_domains=joint_domains)


def _numbered(codes: Sequence[IntArray], domains: Sequence[Domain]) -> tuple[IntArray, IntArray]:
    """Return the number of each row's combination of codes, in ascending order, and a row that has it."""
    numbers = np.zeros(len(codes[0]), dtype=np.int64)
    first = np.zeros(1, dtype=np.int64)
    for code, domain in zip(codes, domains, strict=True):
        _, first, numbers = np.unique(numbers * max(len(domain), 1) + code, return_index=True, return_inverse=True)
    return numbers, first


def _domain(column: pl.Series, name: str, hierarchies: Mapping[str, Hierarchy]) -> Domain:
    return Domain(tuple(column.unique().sort(nulls_last=True)), hierarchies.get(name), name)


def _codes(column: pl.Series, domain: Domain) -> IntArray:
    """Return the places of texts in a domain, in which a missing value comes last."""
    present = [value for value in domain.values if value is not None]
    return column.cast(pl.Enum(present)).to_physical().cast(pl.Int64).fill_null(len(present)).to_numpy()


def _as_published(column: pl.Series) -> pl.Series:
    """Return a quasi-identifier so that values are equal only if they look the same: ``0.0`` is not ``-0.0``."""
    if column.dtype.is_integer() or column.dtype == pl.String:
        return column
    return column.cast(pl.String) if column.dtype.is_float() else text_of(column)


def _whole(frame: pl.DataFrame, column: str, name: str, reference: Distribution | None) -> dict[Label, int]:
    """Return the distribution in the whole table: the published one unless a reference is given."""
    counts = frame.group_by(column).agg(pl.col("count").sum()).sort(column, nulls_last=True)
    published: dict[Label, int] = dict(counts.iter_rows())
    if reference is None:
        return published
    given: dict[Label, int] = {value: number for value, number in reference.items() if number}
    if excess := [value for value, number in published.items() if number > given.get(value, 0)]:
        raise UsageError(
            f"the reference distribution of {name!r} must cover every published record, "
            f"but it counts fewer than the table has of: {shorten(map(repr, excess), 5)}"
        )
    return {value: given[value] for value in sorted(given, key=lambda value: (value is None, value))}
