# ruff: noqa: ARG001 - all references are called in the same way
"""What each model means for one group, written slowly and plainly: exact numbers, loops, the words of the definition.

Each function takes the model, the counts of one group, the counts of the whole table and the hierarchy as rows, and
says whether the group keeps the promise.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, exp, factorial
from types import SimpleNamespace
from typing import Any

from krypsis.data.groups import Groups, JointDomain
from krypsis.models.multi_attribute_l_diversity import MultiAttributeLDiversity
from krypsis.models.personalized_privacy import PersonalizedPrivacy
from krypsis.models.xy_privacy import XYModel

Counts = Mapping[str | None, int]
Rows = Sequence[Sequence[str | None]] | None


def k_anonymity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return sum(group.values()) >= model.k


def estimated_k_map(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    """Sum up how likely each number of records is, of those that are seen at all, until it is likely enough."""
    mean = model.k * model.fraction
    seen, size = 0.0, 1
    while seen < 1 - model.significance and size < model.k:
        seen += exp(-mean) * mean**size / factorial(size) / (1 - exp(-mean))
        size += 1
    return sum(group.values()) >= size


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


def lkc_privacy(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    size = sum(group.values())
    return size >= model.k and all(Fraction(count, size) <= Fraction(str(model.c)) for count in group.values())


def confidence_bounding(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return Fraction(group.get(model.value, 0), sum(group.values())) <= Fraction(str(model.h))


def xy_anonymity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return len(group) >= model.k


def xy_linkability(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return all(Fraction(count, sum(group.values())) <= Fraction(str(model.h)) for count in group.values())


def xy_privacy(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return xy_anonymity(model, group, whole, rows) and xy_linkability(model, group, whole, rows)


def multi_attribute_l_diversity(model: Any, records: Sequence[tuple[int, ...]]) -> bool:
    """The definition: each attribute in turn, among the records that agree in all others."""
    of_one = {"distinct": distinct_l_diversity, "entropy": entropy_l_diversity, "frequency": frequency_l_diversity}
    one = of_one.get(model.variant, recursive_l_diversity)
    plain = SimpleNamespace(l=int(model.l) if model.variant != "entropy" else model.l, c=model.c, strict=True)
    for place in range(len(records[0])):
        others = {record[:place] + record[place + 1 :] for record in records}
        for known in others:
            alike = [record for record in records if record[:place] + record[place + 1 :] == known]
            if not one(plain, Counter(str(record[place]) for record in alike), {}, None):
                return False
    return True


def personalized_privacy(model: Any, records: Sequence[tuple[str | None, str | None]], rows: Rows) -> bool:
    """For each record the values below its node, and how many records of the group have one of them, or one value."""
    assert rows is not None
    values = [value for value, _ in records]
    for _, node in records:
        if node is not None:
            below = [row[0] for row in rows if node in row]
            found = [values.count(leaf) for leaf in below]
            worst = sum(found) if model.mode == "subtree" else max(found)
            if Fraction(worst, len(values)) > Fraction(str(model.p)):
                return False
    return True


def ke_anonymity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    numbers = [Fraction(value) for value in group if value is not None]
    apart = max(numbers) - min(numbers) if numbers else 0
    return len(set(numbers)) + (None in group) >= model.k and apart >= Fraction(str(model.e))


def delta_disclosure(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    ratios = [ratio(group, whole, value) for value, count in whole.items() if count]
    return all(share and abs(exact_log(share)) < Decimal(str(model.delta)) for share in ratios)


def basic_beta_likeness(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    return all(ratio(group, whole, value) - 1 <= Fraction(str(model.beta)) for value in group)


def enhanced_beta_likeness(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    total = sum(whole.values())
    limits = {value: -exact_log(Fraction(whole[value], total)) for value in group}
    return basic_beta_likeness(model, group, whole, rows) and all(
        as_decimal(ratio(group, whole, value) - 1) <= limits[value] for value in group
    )


def ratio(group: Counts, whole: Counts, value: str | None) -> Fraction:
    """The share of a value in the group over that in the whole table."""
    here = Fraction(group.get(value, 0), sum(group.values()))
    return here / Fraction(whole[value], sum(whole.values()))


def exact_log(share: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return as_decimal(share).ln()


def as_decimal(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / Decimal(number.denominator)


def grassberger_l_diversity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    size = sum(group.values())
    estimate = corrected_log(size) - sum(count * corrected_log(count) for count in group.values()) / size
    return len(group) >= model.l and estimate >= Decimal(str(model.l)).ln() - Decimal("1e-20")


def corrected_log(count: int) -> Decimal:
    """G(1) = -γ - ln 2, and G(2k) = G(2k+1) = G(1) + 2/1 + 2/3 + … + 2/(2k-1)."""
    euler = Decimal("0.5772156649015328606065120900824")
    return -euler - Decimal(2).ln() + sum(Decimal(2) / (2 * step - 1) for step in range(1, count // 2 + 1))


def pd_recursive_l_diversity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    """The two cases of the definition, the most frequent value that is not allowed at rank y."""
    return is_pd_recursive(group, Fraction(str(model.c)), model.l, model.allowed, model.strict)


def is_pd_recursive(group: Counts, c: Fraction, l: int, allowed: Sequence[str], strict: bool) -> bool:  # noqa: E741
    in_order = sorted(group, key=lambda value: (-group[value], value in allowed))
    r = [group[value] for value in in_order]
    hidden = [rank for rank, value in enumerate(in_order, start=1) if value not in allowed]
    if not hidden:
        return True
    y = hidden[0]
    rest = sum(r[l - 1 :]) if y <= l - 1 else sum(r[l - 2 : y - 1]) + sum(r[y:])
    return r[y - 1] < c * rest if strict else r[y - 1] <= c * rest and rest > 0


def npd_recursive_l_diversity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    size = sum(group.values())
    percent = [Fraction(100 * group.get(value, 0), size) for value in model.protected]
    hides = is_pd_recursive(group, Fraction(str(model.c1)), model.l, model.allowed, model.strict)
    return hides and all(share >= Fraction(str(model.c2)) for share in percent)


def em_anonymity(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    epsilon, size = Fraction(str(model.epsilon)), sum(group.values())
    for s in group:
        if s is None:
            near = group[None]
        else:
            reach = epsilon * abs(Fraction(s)) if model.proximity == "relative" else epsilon
            known = [(Fraction(y), count) for y, count in group.items() if y is not None]
            near = sum(count for y, count in known if abs(y - Fraction(s)) <= reach)
        if near * model.m > size:
            return False
    return True


def bayes_breach(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    p1, p2 = Fraction(str(model.p1)), Fraction(str(model.p2))
    for value in [value for value, count in whole.items() if count]:
        prior = Fraction(whole[value], sum(whole.values()))
        posterior = Fraction(group.get(value, 0), sum(group.values()))
        if (prior < p1 and posterior > p2) or (prior > 1 - p1 and posterior < 1 - p2):
            return False
    return True


def skyline(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    """The formula with people in the same group; that it is right is shown by trying all worlds, in test_skyline."""
    assert model.followers == "group"
    n, c = sum(group.values()), Fraction(str(model.c))
    for value, having in group.items():
        others = sorted((count for other, count in group.items() if other != value), reverse=True)
        for known in range(model.k + 1):
            left = max(0, n - having - sum(others[: model.l]) - known)
            drawn = min(model.m, max(n - known - 1, 0))
            people = n - known - 1
            none = Fraction(comb(max(people - having, 0), drawn), comb(people, drawn)) if drawn else Fraction(1)
            sure = having / (having + left * none)
            if sure >= c if model.strict else sure > c:
                return False
    return True


def t_closeness(model: Any, group: Counts, whole: Counts, rows: Rows) -> bool:
    by_type = ordered if all(is_number(value) for value in whole if value is not None) else equal
    named = {"by-type": by_type, "equal": equal, "ordered": ordered, "hierarchical": hierarchical}
    distance = named[model.distance]
    return distance(group, whole, rows) <= Fraction(str(model.t))


def is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


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
    "estimated-k-map": estimated_k_map,
    "distinct-l-diversity": distinct_l_diversity,
    "entropy-l-diversity": entropy_l_diversity,
    "recursive-l-diversity": recursive_l_diversity,
    "frequency-l-diversity": frequency_l_diversity,
    "alpha-k-anonymity": alpha_k_anonymity,
    "lkc-privacy": lkc_privacy,
    "confidence-bounding": confidence_bounding,
    "xy-anonymity": xy_anonymity,
    "xy-linkability": xy_linkability,
    "xy-privacy": xy_privacy,
    "multi-attribute-l-diversity": multi_attribute_l_diversity,
    "personalized-privacy": personalized_privacy,
    "ke-anonymity": ke_anonymity,
    "t-closeness": t_closeness,
    "delta-disclosure": delta_disclosure,
    "basic-beta-likeness": basic_beta_likeness,
    "enhanced-beta-likeness": enhanced_beta_likeness,
    "grassberger-l-diversity": grassberger_l_diversity,
    "pd-recursive-l-diversity": pd_recursive_l_diversity,
    "npd-recursive-l-diversity": npd_recursive_l_diversity,
    "em-anonymity": em_anonymity,
    "bayes-breach": bayes_breach,
    "skyline": skyline,
}


def naive_accepts(model: Any, groups: Groups) -> list[bool]:
    """Decide group by group, attribute by attribute."""
    if isinstance(model, MultiAttributeLDiversity):
        return [REFERENCES[model.name](model, records) for records in combined_records(groups)]
    if isinstance(model, PersonalizedPrivacy):
        return [REFERENCES[model.name](model, *sample) for sample in guarded_records(groups, model.attribute)]
    if isinstance(model, XYModel):
        return [REFERENCES[model.name](model, counts, {}, None) for counts in combined_counts(groups, model.y)]
    if "attribute" not in type(model).model_fields:
        sizes = [{"any": int(size)} for size in groups.sizes]
        return [REFERENCES[model.name](model, group, {}, None) for group in sizes]
    names = list(groups.sensitive) if model.attribute is None else [model.attribute]
    answers = [_answers(model, groups, name) for name in names]
    return [all(column) for column in zip(*answers, strict=True)]


def combined_records(groups: Groups) -> list[list[tuple[int, ...]]]:
    """The sensitive values of each record of each group, by their codes."""
    names = tuple(groups.sensitive)
    domain = groups.combination(names).domain
    codes = domain.codes.tolist() if isinstance(domain, JointDomain) else [[code] for code in range(len(domain))]
    return [
        [tuple(codes[value]) for value, count in counts.items() for _ in range(count)]
        for counts in combined_counts(groups, names)
    ]


def guarded_records(groups: Groups, attribute: str) -> list[tuple[list[Any], Rows]]:
    """The sensitive value and the guarding node of each record of each group, with the rows of the hierarchy."""
    joint = groups.combination((attribute, "guard")).domain
    assert isinstance(joint, JointDomain)
    values, nodes = (domain.values for domain in joint.columns)
    hierarchy = joint.columns[0].hierarchy
    pairs = [(values[value], nodes[node]) for value, node in joint.codes.tolist()]
    return [
        ([pairs[number] for number, count in counts.items() for _ in range(count)], hierarchy and hierarchy.rows())
        for counts in combined_counts(groups, (attribute, "guard"))
    ]


def combined_counts(groups: Groups, columns: tuple[str, ...]) -> list[dict[Any, int]]:
    """How often each value, or combination of values, occurs in each group; by its number."""
    histogram = groups.combination(columns)
    members: list[dict[Any, int]] = [{} for _ in range(len(groups))]
    for group, value, count in zip(histogram.group, histogram.value, histogram.count, strict=True):
        members[group][int(value)] = int(count)
    return members


def _answers(model: Any, groups: Groups, name: str) -> list[bool]:
    histogram = groups.sensitive[name]
    values, rows = histogram.domain.values, histogram.domain.hierarchy
    whole = {value: int(count) for value, count in zip(values, histogram.whole, strict=True)}
    members: list[dict[str | None, int]] = [{} for _ in range(len(groups))]
    for group, value, count in zip(histogram.group, histogram.value, histogram.count, strict=True):
        members[group][values[value]] = int(count)
    return [REFERENCES[model.name](model, group, whole, rows.rows() if rows else None) for group in members]
