"""What follows from a table and rules, by the definition alone: plain tuples, one fact after the other."""

from itertools import chain, combinations, product

from krypsis.data.dependencies import FunctionalDependency

Row = dict[str, str | None]


def follows(rows: list[Row], rules) -> set[tuple[int, str, frozenset[str]]]:
    """Return all facts ``(record, column, values)``, those that are published among them."""
    facts = {(i, name, frozenset({value})) for i, row in enumerate(rows) for name, value in row.items() if value}
    while True:
        new = set(_once(facts, rows, rules)) - facts
        if not new:
            return facts
        facts |= new


def _once(facts, rows, rules):
    for rule in rules:
        if isinstance(rule, FunctionalDependency):
            pairs = {(tuple(one[:-1]), one[-1]) for one in rule.mapping}
            for i in range(len(rows)):
                pairs |= set(product(_left(facts, i, rule), _values(facts, i, rule.right)))
            for i in range(len(rows)):
                for x in _left(facts, i, rule):
                    yield from ((i, rule.right, frozenset({y})) for left, y in pairs if left == x)
            continue
        for i in range(len(rows)):
            if all(
                any(k == i and name == one.column and known <= set(one.values) for k, name, known in facts)
                for one in rule.conditions
            ):
                yield i, rule.concluded, frozenset(rule.conclusion.values)
    for (i, name, one), (k, other, two) in combinations(facts, 2):
        if (i, name) == (k, other) and one & two:
            yield i, name, one & two


def _values(facts, i, column):
    return [next(iter(known)) for k, name, known in facts if k == i and name == column and len(known) == 1]


def _left(facts, i, rule):
    return list(product(*(_values(facts, i, name) for name in rule.left)))


def leaked(rows: list[Row], rules, sensitive) -> set[tuple[int, str]]:
    """Return the blank cells of sensitive columns about which something follows."""
    return {(i, name) for i, name, _ in follows(rows, rules) if name in sensitive and rows[i].get(name) is None}


def least_cost(rows: list[Row], rules, sensitive, weights) -> float | None:
    """Return the lowest cost of cells that make a table safe when they are blanked; all subsets are tried."""
    cells = [(i, name) for i, row in enumerate(rows) for name, value in row.items() if value is not None]
    cells = [cell for cell in cells if weights.get(cell[1], 1) != float("inf")]
    best = None
    for chosen in chain.from_iterable(combinations(cells, size) for size in range(len(cells) + 1)):
        cost = sum(weights.get(name, 1) for _, name in chosen)
        if best is not None and cost >= best:
            continue
        gone = set(chosen)
        left = [
            {name: None if (i, name) in gone else value for name, value in row.items()} for i, row in enumerate(rows)
        ]
        if not leaked(left, rules, sensitive):
            best = cost
    return best
