"""The built-in sets of items: baskets of a drugstore that does not exist.

Everything is drawn from the tables in the folder ``drugstore``.
"""

import csv
from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from krypsis.io.write import set_lines
from krypsis.kinds.base import PLAN, Demo

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def drugstore(rows: int = 3000, seed: int = 2012) -> Transactions:
    """Return invented baskets, one per customer; the same rows and seed give the same baskets.

    What somebody buys depends on the occasion: a weekly shopping, an illness, a child in the house. Some items are
    bought by many and some by few, as in real baskets.

    Examples
    --------
    >>> baskets = drugstore(100)
    >>> len(baskets), "shampoo" in baskets.items
    (100, True)
    """
    if rows < 1:
        raise UsageError(f"rows of the drugstore must be at least 1, got {rows}")
    # Only Generator.random is used: numpy promises no stable stream for the other distributions.
    draw = np.random.default_rng(seed)
    occasion = np.searchsorted(_running(_numbers("occasions.csv", "share")), draw.random(rows), side="right")
    mean = _numbers("occasions.csv", "items")[occasion]
    size = 1 + np.floor(-(mean - 1) * np.log1p(-draw.random(rows))).astype(np.int64)
    customer = np.repeat(np.arange(rows), size)
    names = [row["item"] for row in _table("goods.csv")]
    items = tuple(sorted(names))
    code = np.array([items.index(name) for name in names])
    return Transactions.of_pairs(customer, code[_bought(draw, occasion[customer])], items, rows)


def drugstore_hierarchy() -> str:
    """Return what the goods are kinds of, to be saved as ``goods.csv`` next to the plan.

    Examples
    --------
    >>> print(drugstore_hierarchy().splitlines()[0])
    hand soap,soap,body care,*
    """
    return "".join(f"{row['item']},{row['kind']},{row['department']},*\n" for row in _table("goods.csv"))


def drugstore_plan() -> str:
    """Return a plan for the baskets, to be saved next to ``baskets.csv``.

    Examples
    --------
    >>> "km-anonymity:k=5,m=2" in drugstore_plan()
    True
    """
    return _file("plan.yaml")


def _bought(draw: np.random.Generator, occasions: Ints) -> Ints:
    """Draw the row in ``goods.csv`` of each thing that is bought."""
    bought, share = np.empty_like(occasions), draw.random(len(occasions))
    for occasion, limits in enumerate(_running(_weights())):
        here = occasions == occasion
        bought[here] = np.searchsorted(limits, share[here], side="right")
    return bought


def _weights() -> Floats:
    """Return how likely each item is on each occasion, apart from a factor."""
    goods, occasions = _table("goods.csv"), _table("occasions.csv")
    wanted = np.array([[float(row[good["department"]]) for good in goods] for row in occasions])
    return wanted * _numbers("goods.csv", "weight")


def _running(weights: Floats) -> Floats:
    """Return the running sum of the weights along the last axis, ending in exactly 1."""
    running: Floats = np.cumsum(weights, axis=-1)
    shares: Floats = running / running[..., -1:]
    return shares


def _numbers(table: str, column: str) -> Floats:
    return np.array([float(row[column]) for row in _table(table)])


@cache
def _table(name: str) -> Sequence[dict[str, str]]:
    return tuple(csv.DictReader(_file(name).splitlines()))


def _file(name: str) -> str:
    return resources.files("krypsis.kinds.sets").joinpath("drugstore", name).read_text(encoding="utf-8")


def demo() -> Demo:
    """Return the baskets with the hierarchy of their goods and their plan.

    Examples
    --------
    >>> list(demo().files)
    ['baskets.csv', 'goods.csv', 'plan.yaml']
    """
    baskets = drugstore()
    files = {"baskets.csv": set_lines(baskets), "goods.csv": drugstore_hierarchy(), PLAN: drugstore_plan()}
    return Demo("demo-sets", files, f"{len(baskets):,} invented baskets")
