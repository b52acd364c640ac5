"""The error of many aggregate queries, drawn at random."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from krypsis.data.hierarchies.base import Label
from krypsis.errors import UsageError, check_mapping
from krypsis.io.frames import frame_of
from krypsis.kinds.table.utility import queried_columns


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
    table = frame_of(original)
    return round(count({name: queried_columns.ExactColumn.of(table, name) for name in query.where}, query))


def estimated_count(
    published: Any, query: CountQuery, *, domains: Mapping[str, queried_columns.Possible] | None = None
) -> float:
    """Return how many records probably meet the conditions of a query, as far as a release reveals.

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
    release = queried_columns.as_release(published)
    return count(queried_columns.columns_of(release, list(query.where), domains or {}), query)


def count(columns: Mapping[str, queried_columns.QueriedColumn], query: CountQuery) -> float:
    """Return the sum over all records of how likely they meet every condition."""
    shares: Sequence[Any] = [columns[name].shares(condition) for name, condition in query.where.items()]
    return float(reduce(np.multiply, shares).sum())


MOST_DRAWS = 50
"""How many queries are drawn for each that finds a record, before giving up."""


@dataclass(frozen=True)
class QueryError:
    """How far the estimates from a release are from the true counts."""

    mean: float
    median: float
    queries: int
    """How many queries were compared; those that no original record meets have no relative error."""

    formula: ClassVar[str] = "mean over queries of |estimate − true count| / true count"
    range: ClassVar[str] = "0 (every count is exact) upwards"
    better: ClassVar[str] = "lower"

    @property
    def sentence(self) -> str:
        """The figure in plain words."""
        return (
            f"over {self.queries} queries, an estimated count is {self.mean:.1%} away from the true one on average, "
            f"half of them by at most {self.median:.1%}"
        )


def query_error(
    original: Any,
    published: Any,
    queries: Sequence[CountQuery] | None = None,
    *,
    number: int = 100,
    attributes: int = 2,
    selectivity: float = 0.1,
    seed: int = 0,
    domains: Mapping[str, queried_columns.Possible] | None = None,
) -> QueryError:
    """Return how far counts estimated from a release are from those in the original table.

    Parameters
    ----------
    original, published
        the table before, and the release or its folder.
    queries
        the queries to ask; drawn by :func:`random_queries` unless given.
    number, attributes, selectivity, seed
        for drawing them.
    domains
        as for :func:`estimated_count`; of a release that was read from its folder, the values of the original table
        unless given.

    Raises
    ------
    UsageError
        if no original record meets any of the queries.
    """
    release, table = queried_columns.as_release(published), frame_of(original)
    asked = queries
    if asked is None:
        drawing: dict[str, Any] = {"number": number, "attributes": attributes, "selectivity": selectivity, "seed": seed}
        asked = random_queries(table, release.schema.quasi_identifiers, release.schema.sensitive, **drawing)
    wanted = list(dict.fromkeys(name for query in asked for name in query.where))
    before = {name: queried_columns.ExactColumn.of(table, name) for name in wanted}
    known = {} if release.evidence is not None else {name: before[name].axis.values for name in wanted}
    after = queried_columns.columns_of(release, wanted, {**known, **(domains or {})})
    pairs = np.array([(count(before, query), count(after, query)) for query in asked]).reshape(-1, 2)
    true, estimated = pairs[pairs[:, 0] > 0].T
    if not len(true):
        raise UsageError("no original record meets any of the queries, so their relative error is not defined")
    errors = np.abs(estimated - true) / true
    return QueryError(float(errors.mean()), float(np.median(errors)), len(errors))


def random_queries(
    original: Any,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
    *,
    number: int = 100,
    attributes: int = 2,
    selectivity: float = 0.1,
    seed: int = 0,
) -> tuple[CountQuery, ...]:
    """Return queries with conditions on some quasi-identifiers and on a sensitive attribute, each met by some record.

    Parameters
    ----------
    original
        the table before.
    quasi_identifiers, sensitive
        the attributes to draw from.
    number
        how many queries.
    attributes
        how many quasi-identifiers have a condition in each, at most.
    selectivity
        the share of all records that would meet a query if all values were equally frequent and independent.
    seed
        of the draws.

    Notes
    -----
    As in Xiao and Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006: of an attribute with ``m``
    values, ``m · selectivity^(1 / conditions)`` are asked for. Those of a column of numbers are neighbors, others are
    drawn one by one. A query that no record meets is drawn anew.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": range(40), "sex": ["F", "M"] * 20, "disease": ["flu", "hiv", "cold", "gout"] * 10})
    >>> query, = random_queries(table, ["age", "sex"], "disease", number=1, attributes=1)
    >>> len(query.where)
    2
    """
    _check(number, attributes, selectivity)
    hidden = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    if not hidden or not quasi_identifiers:
        raise UsageError("queries need at least one quasi-identifier and one sensitive attribute")
    table = frame_of(original)
    columns = {name: queried_columns.ExactColumn.of(table, name) for name in (*quasi_identifiers, *hidden)}
    axes = {name: column.axis for name, column in columns.items()}
    draws = _draws(axes, quasi_identifiers, hidden, attributes, selectivity, np.random.default_rng(seed))
    met = (query for query in islice(draws, MOST_DRAWS * number) if count(columns, query) > 0)
    found = tuple(islice(met, number))
    if len(found) < number:
        raise UsageError(
            f"of {MOST_DRAWS * number} queries only {len(found)} are met by any record; "
            f"ask for fewer attributes than {attributes} or a larger selectivity than {selectivity:g}"
        )
    return found


def _check(number: int, attributes: int, selectivity: float) -> None:
    if number < 1 or attributes < 1:
        raise UsageError(f"number and attributes must be at least 1, got {number} and {attributes}")
    if not 0 < selectivity <= 1:
        raise UsageError(f"selectivity must be more than 0 and at most 1, got {selectivity}")


def _draws(
    axes: Mapping[str, queried_columns.OrderedValues],
    quasi_identifiers: Sequence[str],
    hidden: Sequence[str],
    attributes: int,
    selectivity: float,
    rng: np.random.Generator,
) -> Iterator[CountQuery]:
    conditions = min(attributes, len(quasi_identifiers))
    share = selectivity ** (1 / (conditions + 1))
    while True:
        known = sorted(rng.choice(len(quasi_identifiers), conditions, replace=False).tolist())
        names = [*(quasi_identifiers[place] for place in known), hidden[int(rng.integers(len(hidden)))]]
        yield CountQuery({name: _condition(axes[name], share, rng) for name in names})


def _condition(axis: queried_columns.OrderedValues, share: float, rng: np.random.Generator) -> object:
    present: list[Label] = [value for value in axis.values if value is not None] or list(axis.values)
    wanted = max(1, round(len(present) * share))
    if axis.is_numeric and present[0] is not None:
        start = int(rng.integers(len(present) - wanted + 1))
        return (present[start], present[start + wanted - 1])
    return frozenset(present[place] for place in rng.choice(len(present), wanted, replace=False))
