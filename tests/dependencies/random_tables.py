"""Random small tables with rules between their columns."""

import numpy as np

from krypsis.data.dependencies import Condition, FunctionalDependency, ValueRule

COLUMNS = ("a", "b", "c", "d")


def random_case(seed: int, rows: int = 3, *, hidden: bool = False):
    """Return records, rules, sensitive columns and weights; secret cells are blank already.

    Where ``hidden`` is set, rules name a column that no record has.
    """
    rng = np.random.default_rng(seed)
    columns = list(COLUMNS[: int(rng.integers(2, 4 if hidden else 5))])
    sizes = {name: int(rng.integers(1, 4)) for name in COLUMNS} | {"z": 2}
    named = [*columns, "z"] if hidden else columns

    def value(name):
        return f"{name}{int(rng.integers(sizes[name]))}"

    def some(name):
        return tuple(sorted({value(name) for _ in range(int(rng.integers(1, 4)))}))

    rules = []
    for _ in range(int(rng.integers(1, 4))):
        order = [str(name) for name in rng.permutation(named)]
        right, left = order[0], tuple(order[1 : 2 + int(rng.integers(2))])
        if rng.random() < 0.5:
            mapping = {(*map(value, left), value(right)) for _ in range(int(rng.integers(4)))}
            rules.append(FunctionalDependency(left, right, tuple(mapping)))
        else:
            rules.append(ValueRule(tuple(Condition(name, some(name)) for name in left), Condition(right, some(right))))
    table = [{name: None if rng.random() < 0.08 else value(name) for name in columns} for _ in range(rows)]
    sensitive = [str(name) for name in rng.permutation(columns)[: int(rng.integers(1, 3))]]
    for row in table:
        row.update({name: None for name in sensitive if rng.random() < 0.6})
    weights = {name: float(rng.integers(1, 4)) for name in columns} if rng.random() < 0.5 else {}
    return table, rules, sensitive, weights
