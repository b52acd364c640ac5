"""Sets in groups: the harmless items of every record, and separately how often each sensitive item occurs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.transactions.sets import Transactions
from krypsis.errors import DataError


@dataclass(frozen=True, eq=False)
class GroupedSets:
    """Records without their sensitive items, the group of each, and the sensitive items of the groups with counts.

    Examples
    --------
    >>> baskets = Transactions.of_sets([["wine", "viagra"], ["wine"], ["cream"]])
    >>> grouped = GroupedSets.of(baskets, {"viagra"}, np.array([0, 0, 1]))
    >>> grouped.records.sets()[0], grouped.sizes.tolist()
    (frozenset({'wine'}), [2, 1])
    >>> [(int(group), grouped.sensitive[code], int(count)) for group, code, count in grouped.counts]
    [(0, 'viagra', 1)]
    """

    records: Transactions
    """The records without sensitive items; a record may be empty."""
    groups: IntArray
    """Record → its group, numbered from 0 on without a gap."""
    sensitive: tuple[str, ...]
    counts: IntArray
    """One row per sensitive item of a group: group, place among the sensitive items, number of records that hold it."""
    names: tuple[str, ...] = ()
    """The groups as published files call them; numbers from 1 on unless given."""

    @classmethod
    def of(cls, transactions: Transactions, sensitive: frozenset[str] | set[str], groups: IntArray) -> "GroupedSets":
        """Return the records in groups, with sensitive items separated."""
        names = tuple(sorted(sensitive))
        place = {name: number for number, name in enumerate(names)}
        number = np.array([place.get(item, -1) for item in transactions.items], dtype=np.int64)[transactions.codes]
        hidden = number >= 0
        keys, count = np.unique(
            groups[transactions.records[hidden]] * max(len(names), 1) + number[hidden], return_counts=True
        )
        width = max(len(names), 1)
        counts = np.column_stack([keys // width, keys % width, count]).astype(np.int64)
        return cls(transactions.without(sensitive), np.asarray(groups, dtype=np.int64), names, counts)

    def __post_init__(self) -> None:
        if len(self.groups) != len(self.records):
            raise DataError(f"{len(self.records)} records have {len(self.groups)} groups; expected one for each")
        if len(self.groups) and (self.groups.min() < 0 or (self.sizes == 0).any()):
            raise DataError("groups are numbered from 0 on, without a gap")
        if len(self.counts) and not (
            (self.counts[:, 0] < len(self.sizes)).all()
            and (self.counts[:, 1] < len(self.sensitive)).all()
            and (self.counts[:, :2] >= 0).all()
            and (self.counts[:, 2] >= 1).all()
        ):
            raise DataError("a sensitive item is counted in a group that is not there, or less than once")

    def name_of(self, group: int) -> str:
        """Return what published files call a group.

        Examples
        --------
        >>> baskets = Transactions.of_sets([["wine"], ["cream"]])
        >>> GroupedSets.of(baskets, set(), np.array([0, 1])).name_of(1)
        '2'
        """
        return self.names[group] if self.names else str(group + 1)

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def sizes(self) -> IntArray:
        """The number of records of each group."""
        return np.bincount(self.groups).astype(np.int64)
