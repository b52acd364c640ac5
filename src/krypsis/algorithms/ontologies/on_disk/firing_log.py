"""The log of firings: every rule that was applied, with its premises and its conclusion, before repetitions go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from krypsis.algorithms.ontologies.on_disk.edges import EdgeLayout
from krypsis.algorithms.ontologies.on_disk.pages import MemoryBudget
from krypsis.arrays import CodeArray, IntArray
from krypsis.errors import OutputError

COLUMNS = 5
"""Rule, first premise, second premise, row of a static table, conclusion."""
TABLE_OF = {2: "conjunction", 4: "some_left", 5: "role_sub", 6: "role_chain", 8: "role_chain", 9: "role_chain",
            10: "role_chain", 12: "role_sub", 13: "self_left", 14: "some_left"}  # fmt: skip
"""The table that the third premise of a rule stands in."""
WITH_ONE_EDGE = frozenset({5, 12, 13, 15})


@dataclass(eq=False)
class FiringLog:
    """Writes firings to a file; the buffer counts as memory."""

    path: Path
    memory: MemoryBudget
    rows: int
    """How many firings the buffer holds."""
    buffer: IntArray = field(init=False)
    written: int = 0

    def __enter__(self) -> Self:
        self._numbers = self.memory.take(self.rows * COLUMNS)
        self.buffer = self._numbers.reshape(self.rows, COLUMNS)
        try:
            self._file = Path(self.path).open("wb", buffering=0)
        except OSError as error:
            raise OutputError(f"the log of firings cannot be written to {self.path}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self.memory.give_back(self._numbers)

    def write(self, count: int) -> None:
        """Write the first firings of the buffer."""
        rest = self.buffer[:count].data.cast("B") if count else memoryview(b"")
        try:
            while rest:
                rest = rest[os.write(self._file.fileno(), rest) :]
        except OSError as error:
            raise OutputError(f"the log of firings cannot be written to {self.path}: {error.strerror}") from error
        self.written += count


@dataclass(frozen=True, eq=False)
class LoggedFirings:
    """Firings that were written to a file, with what their numbers stand for."""

    path: Path
    layout: EdgeLayout
    tables: dict[str, CodeArray]

    def blocks(self, rows: int = 65_536) -> Iterator[IntArray]:
        """Return the rows of the log as they were written, block by block."""
        with Path(self.path).open("rb") as file:
            while data := file.read(rows * COLUMNS * 8):
                yield np.frombuffer(data, dtype=np.int64).reshape(-1, COLUMNS)

    def __iter__(self) -> Iterator[tuple[int, tuple[tuple[str | int, ...], ...], tuple[str | int, ...]]]:
        """Return rule, premises and conclusion of each firing: the table of normal forms, and the row in it."""
        for block in self.blocks():
            for rule, first, second, row, conclusion in block.tolist():
                premises = [self._fact(first)]
                if rule not in WITH_ONE_EDGE:
                    premises.append(self._fact(second))
                if rule in TABLE_OF:
                    premises.append((TABLE_OF[rule], *self.tables[TABLE_OF[rule]][row].tolist()))
                yield rule, tuple(premises), self._fact(conclusion)

    def _fact(self, number: int) -> tuple[str | int, ...]:
        left, label, right = (int(end[0]) for end in self.layout.ends(np.array([number << 1])))
        match label:
            case 0:
                return "sub", left, right
            case 1:
                return "self_right", left, right
        return "some_right", left, label - 2, right
