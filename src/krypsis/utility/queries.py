"""Aggregate queries: how many records have these values, truly and as far as a release tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from krypsis.datasets.dataset import Dataset
from krypsis.errors import UsageError, check_mapping
from krypsis.utility.published import Column, ExactColumn, Possible, as_release, columns_of


@dataclass(frozen=True)
class CountQuery:
    """The question how many records meet every condition.

    Parameters
    ----------
    where
        attribute → condition: a value (``None`` is a missing one), a list or set of values, or a range ``(low, high)``
        of numbers or dates with both ends included, an open one being ``None``.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [31, 38, 45], "disease": ["flu", "flu", "cancer"]})
    >>> true_count(table, CountQuery({"age": (30, 40), "disease": "flu"}))
    2
    """

    where: Mapping[str, object]

    def __post_init__(self) -> None:
        if not check_mapping(self.where, "where", "{'age': (30, 40), 'disease': 'flu'}"):
            raise UsageError("a query needs at least one condition, such as {'age': (30, 40), 'disease': 'flu'}")


def true_count(original: Any, query: CountQuery) -> int:
    """Return how many records of the original table meet the conditions of a query.

    Parameters
    ----------
    original
        the table before, in any form that :func:`krypsis.anonymize` takes.
    query
        the conditions.
    """
    table = Dataset.of(original).frame
    return round(count({name: ExactColumn.of(table, name) for name in query.where}, query))


def estimated_count(published: Any, query: CountQuery, *, domains: Mapping[str, Possible] | None = None) -> float:
    """Return how many records probably meet the conditions of a query, as far as a release tells.

    Over a release in groups, each record that meets the conditions on quasi-identifiers counts with the share of its
    group that meets the condition on the sensitive attribute. Over a generalized table, each record with the sensitive
    value counts with the share of the values behind its labels that meet the conditions, as if all were equally likely.

    Parameters
    ----------
    published
        a release, or its folder.
    query
        the conditions, on columns that are published.
    domains
        quasi-identifier → its possible values: a list, a range of whole numbers or a :class:`Hierarchy`. Unless given,
        the values of the hierarchies, which a release that was just made knows.

    Examples
    --------
    >>> import polars as pl
    >>> import krypsis
    >>> table = pl.DataFrame({"age": [36, 38, 38, 38], "disease": ["flu", "flu", "heart", "heart"]})
    >>> roles, query = {"age": "quasi-identifier", "disease": "sensitive"}, CountQuery({"age": 38, "disease": "heart"})
    >>> general = krypsis.anonymize(table, roles, models="k-anonymity:k=4", max_levels={"age": 1},
    ...                             hierarchies={"age": {"kind": "intervals", "width": 5}})
    >>> true_count(table, query), estimated_count(general, query, domains={"age": range(30, 40)})
    (2, 0.4)
    """
    release = as_release(published)
    return count(columns_of(release, list(query.where), domains or {}), query)


def count(columns: Mapping[str, Column], query: CountQuery) -> float:
    """Return the sum over all records of how likely they meet every condition."""
    shares: Sequence[Any] = [columns[name].shares(condition) for name, condition in query.where.items()]
    return float(reduce(np.multiply, shares).sum())
