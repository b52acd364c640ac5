# ruff: noqa: ARG001 - all references are called in the same way
"""What each model means for one group, written slowly and plainly: exact numbers, loops, the words of the definition.

Each function takes the model, the counts of one group, the counts of the whole table and the hierarchy as rows, and
says whether the group keeps the promise.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from krypsis.groups import Groups

Counts = Mapping[str | None, int]
Rows = Sequence[Sequence[str | None]] | None


def k_anonymity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return sum(group.values()) >= model.k


def distinct_l_diversity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return len([count for count in group.values() if count > 0]) >= model.l


def entropy_l_diversity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    with localcontext() as context:
        context.prec = 60
        size = Decimal(sum(group.values()))
        entropy = -sum((count / size) * (count / size).ln() for count in map(Decimal, group.values()))
        return entropy >= Decimal(str(model.l)).ln() - Decimal("1e-50")


def recursive_l_diversity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    descending = sorted(group.values(), reverse=True)
    if len(descending) < model.l:
        return False
    limit = Fraction(str(model.c)) * sum(descending[model.l - 1 :])
    return descending[0] < limit if model.strict else descending[0] <= limit


def frequency_l_diversity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return max(group.values()) * model.l <= sum(group.values())


def alpha_k_anonymity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    size = sum(group.values())
    limited = group if model.value is None else {model.value: group.get(model.value, 0)}
    return size >= model.k and all(Fraction(count, size) <= Fraction(str(model.alpha)) for count in limited.values())


def ke_anonymity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    numbers = [Fraction(value) for value in group if value is not None]
    apart = max(numbers) - min(numbers) if numbers else 0
    return len(set(numbers)) + (None in group) >= model.k and apart >= Fraction(str(model.e))


def t_closeness(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    distance = {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}[model.distance]
    return distance(group, whole, rows) <= Fraction(str(model.t))


def difference(group: Counts, whole: Counts) -> dict[str | None, Fraction]:
    """The share in the group minus the share in the whole table, for each value that occurs."""
    size, total = sum(group.values()), sum(whole.values())
    return {value: Fraction(group.get(value, 0), size) - Fraction(count, total) for value, count in whole.items()}


def equal(group: Counts, whole: Counts, rows: Rows = None) -> Fraction:
    return sum((abs(extra) for extra in difference(group, whole).values()), Fraction(0)) / 2


def ordered(group: Counts, whole: Counts, rows: Rows = None) -> Fraction:
    extra = difference(group, {value: count for value, count in whole.items() if count})
    in_order = sorted(extra, key=lambda value: float("inf") if value is None else float(value))
    if len(in_order) < 2:
        return Fraction(0)
    work = [abs(sum(extra[value] for value in in_order[: i + 1])) for i in range(len(in_order) - 1)]
    return sum(work, Fraction(0)) / (len(in_order) - 1)


def hierarchical(group: Counts, whole: Counts, rows: Rows = None) -> Fraction:
    """The sum over the inner nodes of the tree, as the paper writes it."""
    assert rows is not None
    height = len(rows[0]) - 1
    leaves = difference(group, whole)
    extra: dict[Any, Fraction] = {(0, row[0]): leaves.get(row[0], Fraction(0)) for row in rows}
    cost = Fraction(0)
    for level in range(1, height + 1):
        for node in {row[level] for row in rows}:
            children = {(level - 1, row[level - 1]) for row in rows if row[level] == node}
            positive = sum((extra[child] for child in children if extra[child] > 0), Fraction(0))
            negative = sum((-extra[child] for child in children if extra[child] < 0), Fraction(0))
            cost += Fraction(level, height) * min(positive, negative)
            extra[level, node] = positive - negative
    return cost


REFERENCES = {
    "k-anonymity": k_anonymity,
    "distinct-l-diversity": distinct_l_diversity,
    "entropy-l-diversity": entropy_l_diversity,
    "recursive-l-diversity": recursive_l_diversity,
    "frequency-l-diversity": frequency_l_diversity,
    "alpha-k-anonymity": alpha_k_anonymity,
    "ke-anonymity": ke_anonymity,
    "t-closeness": t_closeness,
}


def naive_accepts(model: Any, groups: Groups) -> list[bool]:
    """Decide group by group, attribute by attribute."""
    if not getattr(model, "needs_sensitive", False):
        sizes = [{"any": int(size)} for size in groups.sizes]
        return [REFERENCES[model.name](model, group, {}, None) for group in sizes]
    names = list(groups.sensitive) if model.attribute is None else [model.attribute]
    answers = [_answers(model, groups, name) for name in names]
    return [all(column) for column in zip(*answers, strict=True)]


def _answers(model: Any, groups: Groups, name: str) -> list[bool]:
    histogram = groups.sensitive[name]
    values, rows = histogram.domain.values, histogram.domain.hierarchy
    whole = {value: int(count) for value, count in zip(values, histogram.whole, strict=True)}
    members: list[dict[str | None, int]] = [{} for _ in range(len(groups))]
    for group, value, count in zip(histogram.group, histogram.value, histogram.count, strict=True):
        members[group][values[value]] = int(count)
    return [REFERENCES[model.name](model, group, whole, rows.rows() if rows else None) for group in members]
