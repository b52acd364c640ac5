"""The best full-domain recoding by trying every node: dictionaries, loops and the words of the definitions.

Shares no code with the algorithms, the kernels or the metrics.
"""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import product
from math import log2, prod
from typing import Any

from krypsis.data.groups import Domain, Histogram, JointDomain
from krypsis.data.recoding import FrequencySet
from krypsis.models.personalized_privacy import PersonalizedPrivacy
from krypsis.models.xy_privacy import XYModel
from models.references import REFERENCES

Secret = tuple[str | None, ...]
"""The values of a record that nobody should learn."""
Row = tuple[tuple[str | None, ...], Secret]
"""A record: its quasi-identifiers and its sensitive values."""


@dataclass
class Node:
    levels: tuple[int, ...]
    rows: list[Row]
    released: list[tuple[str | None, ...]]
    """What each record would be published as."""
    suppressed: list[bool]

    @property
    def lost(self) -> int:
        return sum(self.suppressed)


class BruteForce:
    """All nodes of a frequency set, each with its records."""

    def __init__(self, frequency: FrequencySet) -> None:
        self.frequency = frequency
        self.secrets = next(iter(frequency.combined), tuple(frequency.sensitive))
        self.rows = expand(frequency)
        self.trees = [hierarchy.rows() for hierarchy in frequency.hierarchies]
        self.paths = [{row[0]: row for row in tree} for tree in self.trees]
        self.lattice = list(product(*(range(len(tree[0])) for tree in self.trees)))
        self.answers: dict[Any, bool] = {}
        """Model and records → what was found: many nodes have the same groups."""
        self.scores: dict[Any, float] = {}
        self.everybody = tuple(range(len(self.rows)))
        self.whole = self.everybody
        """The records that promises compare with: all, or those that are published."""

    def nodes(self, models: list[Any], *, keep: bool = False) -> list[Node]:
        return [self.node(levels, models, keep=keep) for levels in self.lattice]

    def node(self, levels: tuple[int, ...], models: list[Any], *, keep: bool = False) -> Node:
        """The records at a node, without those that break a promise.

        Unless suppressed records are kept, what is published must keep the promises without them, too: then it is
        compared with itself, and again whenever that leaves out more.
        """
        released = [self.release(row[0], levels) for row in self.rows]
        alive, self.whole = [True] * len(self.rows), self.everybody
        while True:
            still = self.survivors(levels, released, alive, models)
            if still == alive or keep or not any(model.compares_with_whole for model in models):
                return Node(levels, self.rows, released, [not lives for lives in still])
            alive, self.whole = still, tuple(number for number, lives in enumerate(still) if lives)

    def survivors(self, levels: tuple[int, ...], released: Any, alive: list[bool], models: list[Any]) -> list[bool]:  # noqa: ARG002  for others
        """Which of the records that are alive stay so, until nothing changes."""
        concerned = self.concerned(models)
        while True:
            good = [True] * len(self.rows)
            for columns, some in concerned.items():
                keys = [tuple(label[column] for column in columns) for label in released]
                accepted = self.accepted_groups(keys, alive, some)
                good = [ok and (not lives or key in accepted) for ok, lives, key in zip(good, alive, keys, strict=True)]
            still = [lives and ok for lives, ok in zip(alive, good, strict=True)]
            if still == alive:
                return alive
            alive = still

    def concerned(self, models: list[Any]) -> dict[tuple[int, ...], list[Any]]:
        """The models that look at the groups of each set of attributes."""
        names = self.frequency.attributes
        found: dict[tuple[int, ...], list[Any]] = {}
        for model in models:
            own = model.sets_of(names)
            sets = self.frequency.attribute_sets if own is None else [tuple(map(names.index, one)) for one in own]
            for columns in sets:
                found.setdefault(columns, []).append(model)
        return found

    def accepted_groups(self, keys: list[Any], alive: list[bool], models: list[Any]) -> set[Any]:
        members: dict[Any, list[int]] = {}
        for number, (key, lives) in enumerate(zip(keys, alive, strict=True)):
            if lives:
                members.setdefault(key, []).append(number)
        return {key for key, rows in members.items() if all(self.accepts(model, tuple(rows)) for model in models)}

    def accepts(self, model: Any, rows: tuple[int, ...]) -> bool:
        """Whether the group of these records, by their numbers, keeps a promise."""
        key = (model, rows, self.whole)
        if key not in self.answers:
            self.answers[key] = self.found(model, [self.rows[number][1] for number in rows])
        return self.answers[key]

    def found(self, model: Any, group: list[Secret]) -> bool:
        reference = REFERENCES[model.name]
        names = list(self.frequency.sensitive)
        if together := model.combinations(names):
            return self.found_together(model, self.columns(group, together[0]))
        looks_at_values = model.needs_sensitive or (names and hasattr(model, "attribute"))
        if not looks_at_values:
            return reference(model, {"any": len(group)}, {}, None)
        for name in names if model.attribute is None else [model.attribute]:
            counts, whole = (Counter(value for (value,) in self.columns(some, (name,))) for some in (group, self.all()))
            if not reference(model, counts, whole, self.tree(name)):
                return False
        return True

    def found_together(self, model: Any, records: list[Secret]) -> bool:
        """The same for a promise that looks at several columns together, or at one that is not published."""
        reference = REFERENCES[model.name]
        if isinstance(model, XYModel):
            return reference(model, Counter(records), {}, None)
        known = [self.tree(model.attribute)] if isinstance(model, PersonalizedPrivacy) else []
        return reference(model, records, *known)

    def columns(self, group: list[Secret], names: tuple[str, ...]) -> list[Secret]:
        places = [self.secrets.index(name) for name in names]
        return [tuple(secret[place] for place in places) for secret in group]

    def all(self) -> list[Secret]:
        return [self.rows[number][1] for number in self.whole]

    def tree(self, name: str) -> Any:
        hierarchy = self.frequency.sensitive[name].domain.hierarchy
        return hierarchy.rows() if hierarchy else None

    def release(self, values: tuple[str | None, ...], levels: tuple[int, ...]) -> tuple[str | None, ...]:
        return tuple(path[value][level] for path, value, level in zip(self.paths, values, levels, strict=True))

    def best_score(self, metric: str, nodes: list[Node], limit: int, keep: list[Any] | None = None) -> float | None:
        """The lowest score within the limit; with ``keep`` the suppressed records must please those models too."""
        scores = [
            self.score(metric, node)
            for node in nodes
            if node.lost <= limit and node.lost < len(self.rows) and self._residue_is_good(node, keep)
        ]
        return min(scores) if scores else None

    def score(self, metric: str, node: Node) -> float:
        key = (metric, node.levels, tuple(node.suppressed))
        if key not in self.scores:
            self.scores[key] = METRICS[metric](self, node)
        return self.scores[key]

    def _residue_is_good(self, node: Node, keep: list[Any] | None) -> bool:
        if keep is None or not node.lost:
            return True
        residue, self.whole = tuple(number for number, hidden in enumerate(node.suppressed) if hidden), self.everybody
        return all(self.accepts(model, residue) for model in keep)


def expand(frequency: FrequencySet) -> list[Row]:
    """Return one record per count; the sensitive values of a tuple are dealt out in order, combinations as they are."""
    rows: list[Row] = []
    histograms = list(frequency.combined.values()) or list(frequency.sensitive.values())
    for number, codes in enumerate(frequency.codes):
        values = tuple(hierarchy.values[code] for hierarchy, code in zip(frequency.hierarchies, codes, strict=True))
        dealt = [dealt_out(histogram, number) for histogram in histograms]
        secrets = (
            [sum(parts, ()) for parts in zip(*dealt, strict=True)] if dealt else [()] * int(frequency.counts[number])
        )
        rows += [(values, secret) for secret in secrets]
    return rows


def dealt_out(histogram: Histogram, number: int) -> list[Secret]:
    """The values of one group, each as often as it occurs there."""
    return [
        value_of(histogram.domain, value)
        for group, value, count in zip(histogram.group, histogram.value, histogram.count, strict=True)
        if group == number
        for _ in range(count)
    ]


def value_of(domain: Domain, code: int) -> Secret:
    if not isinstance(domain, JointDomain):
        return (domain.values[code],)
    return tuple(column.values[place] for column, place in zip(domain.columns, domain.codes[code], strict=True))


def leaves(tree: list[Any], level: int, label: str | None) -> int:
    return sum(row[level] == label for row in tree)


def per_attribute(force: BruteForce, node: Node, penalty: Any) -> list[float]:
    """The mean over the records of a penalty per cell; a suppressed record costs 1."""
    means = []
    for column, (tree, level) in enumerate(zip(force.trees, node.levels, strict=True)):
        cells = [
            1.0 if hidden else penalty(tree, level, label[column])
            for label, hidden in zip(node.released, node.suppressed, strict=True)
        ]
        means.append(sum(cells) / len(cells))
    return means


def loss(force: BruteForce, node: Node) -> float:
    """Per the definition in the README of the reference results; a one-valued attribute is lost only by suppression."""

    def penalty(tree: list[Any], level: int, label: str | None) -> float:
        share = leaves(tree, level, label) / len(tree)
        return (share - 1 / len(tree)) / (1 - 1 / len(tree)) if len(tree) > 1 else 0.0

    weights = force.frequency.attribute_weights
    means = per_attribute(force, node, penalty)
    return prod((1 + mean) ** (weight / sum(weights)) for mean, weight in zip(means, weights, strict=True)) - 1


def ncp(force: BruteForce, node: Node) -> float:
    """Numbers: the distance of the bounds over that of the extremes in the table; others: leaves over all leaves."""
    means = []
    for column, (tree, level) in enumerate(zip(force.trees, node.levels, strict=True)):
        occurring = [row[0][column] for row in force.rows]
        cells = [
            1.0 if hidden else ncp_of_label(tree, level, label[column], occurring)
            for label, hidden in zip(node.released, node.suppressed, strict=True)
        ]
        means.append(sum(cells) / len(cells))
    return average(force, means)


def ncp_of_label(tree: list[Any], level: int, label: str | None, occurring: list[str | None]) -> float:
    below = [row[0] for row in tree if row[level] == label]
    present = [row[0] for row in tree if row[0] is not None]
    if not present or not all(value.lstrip("-").isdigit() and not value.startswith("0") for value in present):
        return len(below) / len(tree) if len(below) > 1 else 0.0
    numbers = [int(value) for value in occurring if value is not None] or [int(value) for value in present]
    if max(numbers) == min(numbers):
        return 0.0
    if None in below:
        return float(len(below) > 1)
    low, high = (min(max(extreme(map(int, below)), min(numbers)), max(numbers)) for extreme in (min, max))
    return (high - low) / (max(numbers) - min(numbers))


def precision(force: BruteForce, node: Node) -> float:
    def penalty(tree: list[Any], level: int, label: str | None) -> float:  # noqa: ARG001
        return level / (len(tree[0]) - 1) if len(tree[0]) > 1 else 0.0

    return average(force, per_attribute(force, node, penalty))


def average(force: BruteForce, means: list[float]) -> float:
    weights = force.frequency.attribute_weights
    return sum(mean * weight for mean, weight in zip(means, weights, strict=True)) / sum(weights)


def kept_sizes(node: Node) -> list[int]:
    kept = [label for label, hidden in zip(node.released, node.suppressed, strict=True) if not hidden]
    return list(Counter(kept).values())


def discernibility(force: BruteForce, node: Node) -> float:
    return sum(size**2 for size in kept_sizes(node)) + len(force.rows) * node.lost


def average_class_size(force: BruteForce, node: Node) -> float:
    return len(force.rows) / (len(kept_sizes(node)) + (node.lost > 0))


def suppressed_share(force: BruteForce, node: Node) -> float:
    return node.lost / len(force.rows)


def non_uniform_entropy(force: BruteForce, node: Node) -> float:
    bits = 0.0
    for column in range(len(force.trees)):
        before = Counter(row[0][column] for row in force.rows)
        after = Counter(label[column] for label in node.released)
        hidden = Counter(label[column] for label, lost in zip(node.released, node.suppressed, strict=True) if lost)
        for row, label, lost in zip(force.rows, node.released, node.suppressed, strict=True):
            bits -= log2(before[row[0][column]] / after[label[column]])
            if lost:
                bits -= log2(hidden[label[column]] / node.lost)
    return bits


def discernibility_star(force: BruteForce, node: Node) -> float:  # noqa: ARG001
    return sum(size**2 for size in Counter(node.released).values())


def discernibility_increase(force: BruteForce, node: Node) -> float:
    """What the release costs beyond the original table (erratum E20)."""
    return discernibility(force, node) - sum(size**2 for size in Counter(row[0] for row in force.rows).values())


def normalized_average_class_size(force: BruteForce, node: Node, k: int = 1) -> float:
    groups = kept_sizes(node)
    return sum(groups) / (len(groups) * k) if groups else len(force.rows) / k


def lost_groups(force: BruteForce, node: Node) -> float:
    return 1 - len(kept_sizes(node)) / len({row[0] for row in force.rows})


def height(force: BruteForce, node: Node) -> float:
    return sum(level * weight for level, weight in zip(node.levels, force.frequency.attribute_weights, strict=True))


def relative_height(force: BruteForce, node: Node) -> float:
    steps = zip(node.levels, force.trees, force.frequency.attribute_weights, strict=True)
    return sum(level / (len(tree[0]) - 1) * weight for level, tree, weight in steps if len(tree[0]) > 1)


def minimal_distortion(force: BruteForce, node: Node) -> float:
    """One unit per cell and level; a suppressed cell costs the height of its hierarchy."""
    steps = 0.0
    for hidden in node.suppressed:
        for level, tree, weight in zip(node.levels, force.trees, force.frequency.attribute_weights, strict=True):
            steps += weight * (len(tree[0]) - 1 if hidden else level)
    return steps


def generalized_loss(force: BruteForce, node: Node) -> float:
    """Widths of intervals where all labels below the top are written ``[a-b)``, codes of leaves otherwise."""

    def penalty(tree: list[Any], level: int, label: str | None) -> float:
        if len(tree) == 1:
            return 0.0
        inner = [cell for row in tree for cell in row[1:-1]]
        if (
            not inner
            or not all(re.fullmatch(r"\[\d+-\d+\)", cell or "") for cell in inner)
            or level == len(tree[0]) - 1
        ):
            return (leaves(tree, level, label) - 1) / (len(tree) - 1)
        edges = [int(edge) for cell in inner for edge in cell[1:-1].split("-")] + [int(row[0]) for row in tree]
        lower, upper = (int(edge) for edge in label[1:-1].split("-")) if level else (0, 0)  # type: ignore[index]
        return (upper - lower) / (max(edges) - min(edges))

    return average(force, per_attribute(force, node, penalty))


def area(force: BruteForce, node: Node, label: tuple[str | None, ...]) -> int:
    """The number of combinations of values that look like this."""
    return prod(leaves(tree, level, cell) for tree, level, cell in zip(force.trees, node.levels, label, strict=True))


def ambiguity(force: BruteForce, node: Node) -> float:
    everything = prod(map(len, force.trees))
    return sum(
        everything if hidden else area(force, node, label)
        for label, hidden in zip(node.released, node.suppressed, strict=True)
    )


def kl_divergence(force: BruteForce, node: Node, per: str = "record") -> float:
    """Input frequencies against those of the output, spread evenly over areas; suppressed records over the domain."""
    rows = len(force.rows)
    before = Counter(row[0] for row in force.rows)
    groups = Counter(label for label, hidden in zip(node.released, node.suppressed, strict=True) if not hidden)
    bits = 0.0
    for row, label, hidden in zip(force.rows, node.released, node.suppressed, strict=True):
        share = before[row[0]] / rows
        if hidden:
            seen = node.lost / rows / prod(map(len, force.trees))
        else:
            seen = groups[label] / rows / area(force, node, label)
        # Once per record as in ARX; the divergence itself takes each tuple once, so each record a part of it.
        bits += (share if per == "record" else 1 / rows) * log2(share / seen)
    return bits


def classification(force: BruteForce, node: Node, target: int = 0) -> float:
    """Every record pays that is suppressed or not of the most common class of its group."""
    members: dict[Any, list[str | None]] = {}
    for row, label, hidden in zip(force.rows, node.released, node.suppressed, strict=True):
        if not hidden:
            members.setdefault(label, []).append(row[1][target])
    right = sum(max(Counter(classes).values()) for classes in members.values())
    return (len(force.rows) - right) / len(force.rows)


METRICS = {
    "ambiguity": ambiguity,
    "average-class-size": average_class_size,
    "classification": classification,
    "discernibility": discernibility,
    "discernibility-increase": discernibility_increase,
    "discernibility-star": discernibility_star,
    "generalized-loss": generalized_loss,
    "height": height,
    "kl-divergence": kl_divergence,
    "lexicographic": suppressed_share,  # as it is without parameters: suppressed-share, then loss
    "loss": loss,
    "lost-groups": lost_groups,
    "minimal-distortion": minimal_distortion,
    "ncp": ncp,
    "non-uniform-entropy": non_uniform_entropy,
    "normalized-average-class-size": normalized_average_class_size,
    "precision": precision,
    "relative-height": relative_height,
    "suppressed-share": suppressed_share,
    "weighted": loss,  # as it is without parameters
}
