"""What rules conclude: collected in memory, sorted, and written as runs, which become the deltas of the next round."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from krypsis.algorithms.ontologies.on_disk.edges import EdgeLayout
from krypsis.algorithms.ontologies.on_disk.firing_log import FiringLog
from krypsis.algorithms.ontologies.on_disk.pages import AXIOM_BYTES, PageFile, PageFolder
from krypsis.algorithms.ontologies.on_disk.rules import FIRED, LOGGED, MOST, OUT, OUT_BY_RIGHT, RULES, Target
from krypsis.algorithms.ontologies.on_disk.sorting import RunSorter
from krypsis.algorithms.ontologies.on_disk.static_tables import StaticTables
from krypsis.arrays import IntArray
from krypsis.errors import UsageError

SHARE = 4
"""Each of the two buffers takes one part out of so many of the memory."""


@dataclass(eq=False)
class Conclusions:
    """Two buffers of conclusions, sorted by the left and by the right end, and the log of firings."""

    workspace: PageFolder
    static: StaticTables
    numbers: IntArray
    log: FiringLog | None = None
    counts: IntArray = field(default_factory=lambda: np.zeros(FIRED + RULES, dtype=np.int64))

    @classmethod
    def of(
        cls, workspace: PageFolder, layout: EdgeLayout, static: StaticTables, *,
        lemma_52: bool, lemma_53: bool, log: FiringLog | None,
    ) -> Conclusions:  # fmt: skip
        """Return empty buffers, for an ontology and with lemmas that keep conclusions out of the left delta."""
        numbers = np.array(
            [
                layout.atom_bits,
                layout.label_bits,
                layout.first_individual,
                layout.first_fresh,
                layout.atoms,
                lemma_52,
                lemma_53,
                static.most_results,
            ],
            dtype=np.int64,
        )
        return cls(workspace, static, numbers, log)

    def open(self) -> None:
        """Take memory for the conclusions of a round."""
        memory = self.workspace.memory
        size = memory.free // SHARE // AXIOM_BYTES
        most = int(self.numbers[MOST])
        if size < 2 * most:
            raise UsageError(
                f"completion on disk has {memory.limit:,} bytes of memory, and two axioms alone may have {most:,} "
                f"conclusions, for which at least {8 * most * AXIOM_BYTES:,} must be free: raise 'memory'"
            )
        self.by_left = RunSorter(self.workspace, memory.take(size))
        self.by_right = RunSorter(self.workspace, memory.take(size))

    @property
    def target(self) -> Target:
        """What kernels need to look up rows and to write conclusions."""
        rows = _NO_LOG if self.log is None else self.log.buffer
        return self.numbers, self.static.arrays, self.by_left.buffer, self.by_right.buffer, rows, self.counts

    def make_room(self) -> None:
        """Sort or write what fills a buffer."""
        most = int(self.numbers[MOST])
        for place, sorter in ((OUT, self.by_left), (OUT_BY_RIGHT, self.by_right)):
            if self.counts[place] + most > len(sorter.buffer):
                self.counts[place] = sorter.make_room(int(self.counts[place]))
        if self.log is not None:
            self.log.write(int(self.counts[LOGGED]))
            self.counts[LOGGED] = 0

    def close(self) -> tuple[list[PageFile], list[PageFile]]:
        """Write everything, give the memory back, and return sorted runs by the left and by the right end."""
        for place, sorter in ((OUT, self.by_left), (OUT_BY_RIGHT, self.by_right)):
            sorter.make_room(int(self.counts[place]), at_end=True)
            self.counts[place] = 0
            self.workspace.memory.give_back(sorter.buffer)
            sorter.buffer = _NOTHING  # or it would stay in memory
        if self.log is not None:
            self.log.write(int(self.counts[LOGGED]))
            self.counts[LOGGED] = 0
        return self.by_left.runs, self.by_right.runs

    @property
    def firings(self) -> dict[str, int]:
        """How often each rule fired that did."""
        return {f"IR{rule}": int(self.counts[FIRED + rule]) for rule in range(RULES) if self.counts[FIRED + rule]}


_NOTHING = np.empty(0, dtype=np.int64)
_NO_LOG = np.empty((0, 5), dtype=np.int64)
