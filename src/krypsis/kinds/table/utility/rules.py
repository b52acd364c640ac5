"""Association rules that are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from krypsis.arrays import IntArray
from krypsis.data.hierarchies.base import Label
from krypsis.data.mining import frequent_itemsets
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.utility.tables import Tables, labels

Item = tuple[str, Label]
"""A column and what a record has in it."""
Itemset = tuple[Item, ...]
Bits = npt.NDArray[np.uint8]
"""One bit per record: whether it has the items."""


@dataclass(frozen=True)
class AssociationRule:
    """Records with the labels of the premise have that of the conclusion, mostly."""

    premise: Itemset
    conclusion: Item
    support: float
    """The share of all records that have premise and conclusion."""
    confidence: float
    """The share of the records with the premise that have the conclusion."""

    def __str__(self) -> str:
        premise = ", ".join(f"{column}={label}" for column, label in self.premise)
        return f"{premise} → {self.conclusion[0]}={self.conclusion[1]}"


class Baskets:
    """A table as sets of items."""

    def __init__(self, dataset: Dataset, columns: Sequence[str]) -> None:
        self._columns = {column: _Column.of(labels(dataset, column)) for column in columns}

    def count(self, items: Itemset) -> int:
        """Return how many records have all the items."""
        if any(label not in self._columns[column].code_of for column, label in items):
            return 0
        return _ones(np.bitwise_and.reduce([self._bits(item) for item in items]))

    def frequent(self, fewest: int, longest: int) -> dict[Itemset, int]:
        """Return the sets of up to ``longest`` items that at least ``fewest`` records have, with their numbers."""
        items = [(name, label) for name, column in self._columns.items() for label in column.code_of]
        if not items:
            return {}
        sizes = [len(column.code_of) for column in self._columns.values()]
        first = np.cumsum([0, *sizes])[:-1]
        codes = np.stack([column.codes for column in self._columns.values()]) + first[:, None]
        records = np.tile(np.arange(codes.shape[1]), len(codes))
        sets = Transactions.of_pairs(records, codes.ravel(), tuple(map(str, range(len(items)))), codes.shape[1])
        found = frequent_itemsets(sets, fewest, longest)
        codes_of_sets = np.split(found.sets.codes, found.sets.starts[1:-1]) if len(found) else []
        itemsets = (tuple(items[code] for code in codes) for codes in codes_of_sets)
        return dict(zip(itemsets, found.supports.tolist(), strict=True))

    def _bits(self, item: Item) -> Bits:
        column, label = item
        return np.packbits(self._columns[column].codes == self._columns[column].code_of[label])


@dataclass(frozen=True, eq=False)
class _Column:
    codes: IntArray
    code_of: Mapping[Label, int]

    @classmethod
    def of(cls, values: Sequence[Label]) -> "_Column":
        distinct = sorted(set(values), key=lambda label: (label is None, label or ""))
        code_of = {label: code for code, label in enumerate(distinct)}
        return cls(np.array([code_of[value] for value in values], dtype=np.int64), code_of)


def rules_of(baskets: Baskets, rows: int, support: float, confidence: float, longest: int) -> list[AssociationRule]:
    """Return the rules with enough support and confidence, the most confident first."""
    counted = baskets.frequent(max(_at_least(support, rows), 1), longest)
    rules = [
        AssociationRule(premise, conclusion, count / rows, count / counted[premise])
        for items, count in counted.items()
        for conclusion in items
        if (premise := tuple(item for item in items if item != conclusion))
    ]
    chosen = [rule for rule in rules if rule.confidence >= confidence]
    return sorted(chosen, key=lambda rule: (-rule.confidence, -rule.support, str(rule)))


def _at_least(share: float, rows: int) -> int:
    """Return the smallest number of records that is a share of all; 0.07 of 100 is 7 although it computes to more."""
    return int(np.ceil(share * rows - 1e-9))


def _ones(bits: Bits) -> int:
    return int(np.bitwise_count(bits).sum())


@dataclass(frozen=True)
class RuleAgreement:
    """The strongest rules of the original table: which can still be found in the release, and which not."""

    kept: tuple[AssociationRule, ...]
    lost: tuple[AssociationRule, ...]

    formula: ClassVar[str] = "rules that reach support and confidence in the release, too / rules of the original table"
    range: ClassVar[str] = "0 (no rule is found any more) to 1 (all are)"
    better: ClassVar[str] = "higher"

    @property
    def share(self) -> float:
        """The share of the rules that is kept."""
        return len(self.kept) / (len(self.kept) + len(self.lost))

    @property
    def sentence(self) -> str:
        """The figure in plain words."""
        return (
            f"{len(self.kept)} of the {len(self.kept) + len(self.lost)} strongest rules of the original table "
            "can still be found in the release"
        )


def kept_rules(
    original: Any,
    published: Any,
    *,
    columns: Sequence[str] | None = None,
    support: float = 0.05,
    confidence: float = 0.6,
    most: int = 100,
    longest: int = 3,
) -> RuleAgreement:
    """Return which of the strongest association rules of the original table are still there.

    A rule says that records with some labels have another one, too. It is kept if it reaches ``support`` and
    ``confidence`` in the release word for word: ``age=31 → ward=A`` is lost once 31 is published as ``[30-35)``.
    Support is a share of the original records, so a suppressed record supports nothing.

    Parameters
    ----------
    original, published
        the table before, and the release, its folder or its table.
    columns
        the columns to look at; all that both tables have unless given.
    support, confidence
        the share of all records that must have all labels of a rule, and of the records with its premise those that
        must have its conclusion.
    most
        how many rules to compare, by confidence, then support.
    longest
        how many labels a rule has at most, its conclusion included.

    Notes
    -----
    Agrawal and Srikant, "Fast algorithms for mining association rules", VLDB 1994.

    Raises
    ------
    UsageError
        if the original table has no such rule.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"age": ["31", "32", "58"], "ward": ["A", "A", "B"], "sex": ["F", "F", "F"]})
    >>> after = before.with_columns(age=pl.Series(["[30-40)", "[30-40)", "[50-60)"]))
    >>> found = kept_rules(before, after, support=0.5, confidence=0.6, longest=2)
    >>> found.share, [str(rule) for rule in found.kept]
    (1.0, ['ward=A → sex=F', 'sex=F → ward=A'])
    """
    tables = Tables.of(original, published)
    _check(support, confidence, most, longest)
    names = tables.columns(columns)
    rules = rules_of(Baskets(tables.before, names), tables.rows, support, confidence, longest)[:most]
    if not rules:
        raise UsageError(
            f"the original table has no rule with a support of {support:g} and a confidence of {confidence:g}; "
            "lower one of them, or look at more columns"
        )
    after = Baskets(tables.after, names)
    kept = [rule for rule in rules if _is_kept(rule, after, tables.rows, support, confidence)]
    return RuleAgreement(tuple(kept), tuple(rule for rule in rules if rule not in kept))


def _is_kept(rule: AssociationRule, after: Baskets, rows: int, support: float, confidence: float) -> bool:
    both, premise = after.count((*rule.premise, rule.conclusion)), after.count(rule.premise)
    return both > 0 and both >= support * rows - 1e-9 and both / premise >= confidence


def _check(support: float, confidence: float, most: int, longest: int) -> None:
    for name, share in {"support": support, "confidence": confidence}.items():
        if not 0 < share <= 1:
            raise UsageError(f"{name} must be more than 0 and at most 1, got {share:g}")
    if most < 1 or longest < 2:
        raise UsageError(f"most must be at least 1 and longest at least 2, got {most} and {longest}")
