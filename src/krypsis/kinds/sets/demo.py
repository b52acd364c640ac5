"""The built-in sets of items: invented baskets of a drugstore."""

from __future__ import annotations

from krypsis.io.drugstore import drugstore, drugstore_hierarchy, drugstore_plan
from krypsis.io.write_sets import set_lines
from krypsis.kinds.base import PLAN, Demo


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
