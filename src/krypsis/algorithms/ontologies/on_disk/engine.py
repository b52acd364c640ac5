"""What the engines on disk have in common: parameters, memory, the temporary folder, and the result."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from krypsis.algorithms.ontologies.completion.base import CompletionEngine
from krypsis.algorithms.ontologies.on_disk.conclusions import Conclusions
from krypsis.algorithms.ontologies.on_disk.edges import FIRST_ROLE, SELF, SUB, EdgeLayout
from krypsis.algorithms.ontologies.on_disk.firing_log import FiringLog, LoggedFirings
from krypsis.algorithms.ontologies.on_disk.join import ElJoin, JoinFigures, load_kernels_of_large_groups
from krypsis.algorithms.ontologies.on_disk.pages import PAGE_BYTES, MemoryBudget, PageFolder
from krypsis.algorithms.ontologies.on_disk.relations import Relation
from krypsis.algorithms.ontologies.on_disk.rules import apply_to_tautologies
from krypsis.algorithms.ontologies.on_disk.static_tables import StaticTables
from krypsis.arrays import CodeArray
from krypsis.data.ontologies.closure import Closure
from krypsis.data.ontologies.normal_forms import NormalForms
from krypsis.errors import UsageError
from krypsis.progress import NO_PROGRESS, Interrupted, Progress

MEGABYTE = 2**20
SHARE_STREAM = 16
"""A stream of several files takes one part out of so many of the memory."""
SHARE_UNCOUNTED = 16
"""One part out of so many is for what is in no buffer: objects, and what making the static tables leaves on the heap.
Less than a megabyte is not enough for them anyway, and all of it is for buffers."""


@dataclass(eq=False)
class DiskRun:
    """One completion: what all its steps use."""

    forms: NormalForms
    workspace: PageFolder
    layout: EdgeLayout
    static: StaticTables
    conclusions: Conclusions
    progress: Progress
    rounds: int = 0
    join_figures: JoinFigures = field(default_factory=JoinFigures)
    deltas: list[tuple[int, int]] = field(default_factory=list)
    """How many edges were new in each round, by the left and by the right end."""

    def open_round(self) -> None:
        """Take memory for conclusions, and share the rest among joins and streams."""
        self.memory = self.workspace.memory.free
        self.conclusions.open()
        if not self.rounds:
            load_kernels_of_large_groups(self.conclusions.target)

    def join(self) -> ElJoin:
        """Return a join within its share of the memory."""
        return ElJoin.within(self.workspace, self.conclusions, self.memory, self.join_figures)

    @property
    def stream_memory(self) -> int:
        """How many bytes a stream of several files may take."""
        return self.memory // SHARE_STREAM

    def apply_to_tautologies(self) -> None:
        """Apply rules to C ⊑ C and C ⊑ ⊤ alone."""
        resume = np.zeros(1, dtype=np.int64)
        while not apply_to_tautologies(self.static.rows["conjunction"], resume, self.conclusions.target):
            self.conclusions.make_room()

    def count_round(self) -> None:
        """Count a round; stop if the user wants that."""
        self.rounds += 1
        if self.progress.wants_stop():
            raise Interrupted(f"completion was stopped in round {self.rounds}")

    @property
    def figures(self) -> dict[str, Any]:
        """What is known about the completion in the end."""
        firings = self.conclusions.firings
        return {
            "rounds": self.rounds,
            "deltas": self.deltas,
            "firings": sum(firings.values()),
            "firings_by_rule": firings,
            "pages_read": self.workspace.pages_read,
            "pages_written": self.workspace.pages_written,
            "most_pages_on_disk": self.workspace.most_pages,
            "peak_memory": self.workspace.memory.peak,
            "shifted_groups": self.join_figures.shifted,
            "spilled_groups": self.join_figures.spilled,
        }


@dataclass(frozen=True, eq=False)
class DerivedAxioms:
    """A closure on disk, as long as its engine keeps it there."""

    run: DiskRun
    relation: Relation
    figures: dict[str, Any]
    firings: LoggedFirings | None
    """The log of firings, if one was asked for."""

    def __len__(self) -> int:
        return len(self.relation)

    def blocks(self) -> Iterator[tuple[CodeArray, CodeArray, CodeArray]]:
        """Return rows C ⊑ D, C ⊑ ∃r.D and C ⊑ ∃r.Self block by block, in the order of C."""
        workspace = self.run.workspace
        stream = self.relation.read(workspace.memory.free // 4)
        try:
            with workspace.memory.buffer(workspace.whole_pages(workspace.memory.free // SHARE_STREAM)) as buffer:
                while count := stream.read_into(buffer, 0):
                    left, label, right = self.run.layout.ends(buffer[:count])
                    is_sub, is_self = label == SUB, label == SELF
                    is_some = ~is_sub & ~is_self
                    some = (left[is_some], label[is_some] - FIRST_ROLE, right[is_some])
                    yield (
                        _rows(left[is_sub], right[is_sub]),
                        _rows(*some),
                        _rows(left[is_self], right[is_self]),
                    )
        finally:
            stream.close()

    def closure(self) -> Closure:
        """Read everything into memory."""
        blocks = list(self.blocks()) or [_NOTHING]
        sub, some, selves = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return Closure(self.run.forms, sub, some, selves, self.figures)


@dataclass(frozen=True, kw_only=True)
class DiskCompletion(CompletionEngine):
    """Completes an ontology with files for all that grows, and a fixed amount of memory."""

    memory: int = 40 * MEGABYTE
    """How many bytes may be used for buffers and for tables that are held in memory."""
    folder: str | os.PathLike[str] | None = None
    """Where temporary files lie; ``None`` for the usual place."""
    log: str | os.PathLike[str] | None = None
    """Where every firing of a rule is written to; ``None`` for nowhere."""
    page_bytes: int = PAGE_BYTES
    most_result: int = 1024 * MEGABYTE
    """How many bytes a closure in memory may take; a larger one is read block by block (see :meth:`derive`)."""
    lemma_52 = False
    lemma_53 = False

    def complete(self, forms: NormalForms, progress: Progress = NO_PROGRESS) -> Closure:
        with self.derive(forms, progress) as found:
            size = len(found) * 12
            if size > self.most_result:
                raise UsageError(
                    f"the closure has {len(found):,} axioms, which take {size:,} bytes of memory, more than "
                    f"'most_result' ({self.most_result:,}): raise it, or read the closure block by block with derive()"
                )
            return found.closure()

    @contextmanager
    def derive(self, forms: NormalForms, progress: Progress = NO_PROGRESS) -> Iterator[DerivedAxioms]:
        """Complete an ontology and keep the closure on disk while the context lasts."""
        with ExitStack() as stack:
            workspace = stack.enter_context(PageFolder(MemoryBudget(self.memory), self.folder, self.page_bytes))
            if self.memory >= MEGABYTE:
                workspace.memory.count(self.memory // SHARE_UNCOUNTED)
            layout = EdgeLayout.of(forms)
            static = StaticTables.of(forms, workspace.memory)
            log = None
            if self.log is not None:
                rows = max(workspace.memory.free // 16 // 40, static.most_results)
                log = stack.enter_context(FiringLog(Path(self.log), workspace.memory, rows))
            conclusions = Conclusions.of(
                workspace, layout, static, lemma_52=self.lemma_52, lemma_53=self.lemma_53, log=log
            )
            run = DiskRun(forms, workspace, layout, static, conclusions, progress)
            relation = self._saturated(run)
            firings = None if self.log is None else LoggedFirings(Path(self.log), layout, static.rows)
            yield DerivedAxioms(run, relation, {"engine": self.engine, **run.figures}, firings)

    @abstractmethod
    def _saturated(self, run: DiskRun) -> Relation:
        """Return all edges, sorted by the left end."""


def _rows(*columns: Any) -> CodeArray:
    return np.stack(columns, axis=1).astype(np.int32)


_NOTHING = (_rows([], []), _rows([], [], []), _rows([], []))
