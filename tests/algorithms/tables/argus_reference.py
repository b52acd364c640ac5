"""The steps of μ-Argus over plain rows: loops, dictionaries and the words of the paper; and tables to try it on."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product

import numpy as np

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet, Recoding, as_cells

Row = tuple[str | None, ...]
Pairs = tuple[tuple[int, str | None], ...]
"""A combination of values: attributes with their labels."""

FLAT = Hierarchy.from_rows([["0", "*"], ["1", "*"]])
COUNTEREXAMPLE = FrequencySet(
    ("a", "b", "c", "d"), (FLAT,) * 4, np.array(list(product([0, 1], repeat=4)), dtype=np.int32), np.ones(16, np.int64)
)
"""Every combination of three attributes stands in two records, every one of four in a single record."""


def people(*rows: str) -> FrequencySet:
    """Records of one-letter values in flat hierarchies, one word per record."""
    counted = Counter(rows)
    columns = list(zip(*counted, strict=True))
    values = [sorted(set(column)) for column in columns]
    codes = [[values[a].index(row[a]) for a in range(len(columns))] for row in sorted(counted)]
    return FrequencySet(
        tuple(f"q{number}" for number in range(len(columns))),
        tuple(Hierarchy.from_rows([[value, "*"] for value in column]) for column in values),
        np.array(codes, dtype=np.int32),
        np.array([counted[row] for row in sorted(counted)], dtype=np.int64),
    )


def records(recoding: Recoding, frequency: FrequencySet) -> list[Row]:
    """What is published, one row per record."""
    cells = as_cells(recoding, frequency)
    rows = []
    for row, count, hidden in zip(cells.released, frequency.counts, cells.suppressed, strict=True):
        labels = tuple(book.labels[code] for book, code in zip(cells.codebooks, row, strict=True))
        rows += [labels] * (0 if hidden else int(count))
    return rows


def is_drawn_across(ranks: list[int]) -> bool:
    """One attribute per class; the place of a class may be taken by a most identifying attribute."""
    patterns = [(1, 1), (1, 2), (1, 3), (2, 3), (1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 3)]
    return tuple(sorted(ranks)) in patterns


class SlowArgus:
    """Steps 2 to 6 on the records themselves; ``looks_at`` says which combinations of attributes are tested."""

    def __init__(
        self, frequency: FrequencySet, k: int, looks_at: Callable[[tuple[int, ...]], bool], *, count_blanks: bool
    ) -> None:
        self.trees = [hierarchy.rows() for hierarchy in frequency.hierarchies]
        self.values = [
            [tree[code][0] for tree, code in zip(self.trees, row, strict=True)]
            for row in np.repeat(frequency.codes, frequency.counts, axis=0)
        ]
        self.k, self.looks_at, self.count_blanks = k, looks_at, count_blanks
        self.attributes = range(len(self.trees))
        self.tops = [tree[0][-1] for tree in self.trees]
        self.heights = [len(tree[0]) - 1 for tree in self.trees]

    def rows(self, tolerance: float) -> list[Row]:
        levels = self.generalize(tolerance)
        return self.suppress(self.at(levels), levels)

    def common_levels(self) -> list[int]:
        return [
            next((level for level in range(self.heights[a]) if self.is_common(a, level)), self.heights[a])
            for a in self.attributes
        ]

    def is_common(self, attribute: int, level: int) -> bool:
        only = [level if a == attribute else 0 for a in self.attributes]
        return min(Counter(row[attribute] for row in self.at(only)).values()) >= self.k

    def generalize(self, tolerance: float) -> list[int]:
        levels = self.common_levels()
        while True:
            rows = self.at(levels)
            outliers = self.outliers(rows)
            counts = [sum(a in dict(pairs) for pairs in outliers) for a in self.attributes]
            free = [a for a in self.attributes if levels[a] < self.heights[a] and counts[a]]
            if self.share(rows, outliers) <= tolerance or not free:
                return levels
            levels[next(a for a in free if counts[a] == max(counts[b] for b in free))] += 1

    def suppress(self, rows: list[Row], levels: list[int]) -> list[Row]:
        tested = self.varying(rows)
        while True:
            outliers = self.outliers(rows, tested)
            tally = Counter(pair for pairs in outliers for pair in pairs if pair[1] != self.tops[pair[0]])
            if not tally:
                return rows
            order = [[*dict.fromkeys(row[levels[a]] for row in self.trees[a])] for a in self.attributes]
            attribute, label = min(tally, key=lambda pair: (-tally[pair], pair[0], order[pair[0]].index(pair[1])))
            doomed = [pairs for pairs in outliers if (attribute, label) in pairs]
            rows = [
                (*row[:attribute], self.tops[attribute], *row[attribute + 1 :]) if self.holds(row, doomed) else row
                for row in rows
            ]

    def at(self, levels: list[int]) -> list[Row]:
        steps = [{row[0]: row[levels[a]] for row in self.trees[a]} for a in self.attributes]
        return [tuple(steps[a][value] for a, value in enumerate(row)) for row in self.values]

    def varying(self, rows: list[Row]) -> list[int]:
        return [a for a in self.attributes if len({row[a] for row in rows}) > 1]

    def outliers(self, rows: list[Row], tested: list[int] | None = None) -> set[Pairs]:
        attributes = self.varying(rows) if tested is None else tested
        counts = Counter(
            tuple((a, row[a]) for a in chosen)
            for row in rows
            for size in range(1, len(attributes) + 1)
            for chosen in combinations(attributes, size)
            if self.looks_at(chosen)
        )
        return {pairs for pairs, count in counts.items() if count < self.k and self.counts_blanks_in(pairs)}

    def counts_blanks_in(self, pairs: Pairs) -> bool:
        return self.count_blanks or all(label != self.tops[a] for a, label in pairs)

    def share(self, rows: list[Row], outliers: set[Pairs]) -> float:
        return sum(self.holds(row, outliers) for row in rows) / len(rows)

    @staticmethod
    def holds(row: Row, outliers) -> bool:
        return any(all(row[a] == label for a, label in pairs) for pairs in outliers)
