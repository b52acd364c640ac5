"""Relations on disk: sorted edges in one file, or in one file for each type of axiom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from krypsis.algorithms.ontologies.on_disk.edges import FIRST_ROLE, SELF, SUB, EdgeLayout
from krypsis.algorithms.ontologies.on_disk.pages import PageFile, PageFolder, Stream
from krypsis.algorithms.ontologies.on_disk.sorting import (
    KEEP_BIT,
    MergedStream,
    RunSorter,
    Source,
    merged_runs,
    most_sources,
)
from krypsis.arrays import IntArray
from krypsis.data.ontologies.normal_forms import BOTTOM, FIRST_CLASS, TOP, NormalForms

TYPES = (1, 3, 5, 6, 7, 9, 10)
"""The types of axioms that are edges."""
ONE_FILE = 0
CHUNK = 4096
"""So many edges are looked at together where that takes memory that is not counted: a few pages."""


@dataclass(eq=False)
class Relation:
    """Edges without repetitions, sorted by one of their ends."""

    workspace: PageFolder
    layout: EdgeLayout
    is_by_left: bool
    is_by_type: bool = False
    files: dict[int, PageFile] = field(default_factory=dict)
    """Type → its edges; :data:`ONE_FILE` for all."""

    def __len__(self) -> int:
        return sum(map(len, self.files.values()))

    def append(self, keys: IntArray) -> None:
        """Write more edges, which follow all that were written before."""
        if not self.is_by_type:
            self._file(ONE_FILE).append(keys)
            return
        for start in range(0, len(keys), CHUNK):
            chunk = keys[start : start + CHUNK]
            types = self.layout.types(chunk if self.is_by_left else self.layout.from_right(chunk))
            for kind in np.unique(types).tolist():
                self._file(kind).append(chunk[types == kind])

    def _file(self, kind: int) -> PageFile:
        if kind not in self.files:
            self.files[kind] = PageFile(self.workspace)
        return self.files[kind]

    def finish(self) -> Relation:
        """Write what does not fill a page."""
        for file in self.files.values():
            file.finish()
        return self

    def sources(
        self, bit: int = KEEP_BIT, types: Iterable[int] | None = None, *, is_known: bool = False
    ) -> list[Source]:
        """Return its files, or those of some types, as streams that can be merged."""
        chosen = self.files if types is None else [kind for kind in self.files if kind in types]
        return [Source(self.files[kind].read(), bit, is_known) for kind in chosen]

    def read(self, memory: int) -> Stream:
        """Return its edges; several files are merged in so many bytes of memory."""
        return merged_stream(self.workspace, self.sources(), memory)

    def delete(self) -> None:
        """Remove it from the disk."""
        for file in self.files.values():
            file.delete()


def merged_stream(workspace: PageFolder, sources: list[Source], memory: int) -> Stream:
    """Return one stream; a single one that is not to be changed needs no memory."""
    if len(sources) == 1 and sources[0].bit == KEEP_BIT:
        return sources[0].stream
    return MergedStream(workspace, sources, memory)


def written_relation(empty: Relation, sources: list[Source]) -> Relation:
    """Write the edges of streams to a relation, with all memory that is free."""
    workspace = empty.workspace
    tails = len(TYPES) if empty.is_by_type else 1
    memory = workspace.memory.free - tails * workspace.page_bytes
    stream = MergedStream(workspace, sources, memory * 3 // 4)
    try:
        with workspace.memory.buffer(workspace.whole_pages(memory // 4 - workspace.page_bytes)) as output:
            while count := stream.read_into(output, 0):
                empty.append(output[:count])
    finally:
        stream.close()
    return empty.finish()


def sorted_relation(empty: Relation, runs: list[PageFile], known: Iterable[Relation] = ()) -> Relation:
    """Merge sorted runs to a relation of new edges, without those that are known; the runs are deleted."""
    if not runs:
        return empty
    workspace = empty.workspace
    known_sources = [source for relation in known for source in relation.sources(is_known=True)]
    runs = merged_runs(workspace, runs, most_sources(workspace, len(known_sources) + len(TYPES)))
    sources = [*(Source(run.read(), 1) for run in runs), *known_sources]
    found = written_relation(empty, sources)
    for run in runs:
        run.delete()
    return found


def relation_of(empty: Relation, blocks: Iterable[IntArray]) -> Relation:
    """Return the relation of edges that come in any order, in blocks of a few pages."""
    workspace = empty.workspace
    size = workspace.whole_pages(workspace.memory.free // 2)
    with workspace.memory.buffer(size) as buffer:
        sorter, count = RunSorter(workspace, buffer), 0
        for block in blocks:
            for start in range(0, len(block), size):
                part = block[start : start + size]
                if count + len(part) > size:
                    count = sorter.make_room(count, at_end=True)
                buffer[count : count + len(part)] = part
                count += len(part)
        sorter.make_room(count, at_end=True)
    return sorted_relation(empty, sorter.runs)


def stated_edges(forms: NormalForms, layout: EdgeLayout) -> Iterator[IntArray]:
    """Return the edges of normal forms, except tautologies and what is said of ⊥."""
    for start in range(0, len(forms.sub), CHUNK):
        left, right = forms.sub[start : start + CHUNK].T.astype(np.int64)
        is_said = (left != BOTTOM) & (left != right) & (right != TOP)
        yield layout.by_left(left[is_said], SUB, right[is_said])
    for start in range(0, len(forms.some_right), CHUNK):
        left, role, right = forms.some_right[start : start + CHUNK].T.astype(np.int64)
        is_said = left != BOTTOM
        yield layout.by_left(left[is_said], FIRST_ROLE + role[is_said], right[is_said])
    for start in range(0, len(forms.self_right), CHUNK):
        left, role = forms.self_right[start : start + CHUNK].T.astype(np.int64)
        is_said = left != BOTTOM
        yield layout.by_left(left[is_said], SELF, role[is_said])


def left_edges(forms: NormalForms, layout: EdgeLayout, *, lemma_52: bool) -> Iterator[IntArray]:
    """Return the same edges for the relation that is sorted by the right end.

    C ⊑ ⊤ is among them for all atoms C if anything is, or will be, said of ⊤.
    """
    for keys in stated_edges(forms, layout):
        if lemma_52:  # Lemma 5.2: edges into Self and ⊥ are never followed by another one
            _, label, right = layout.ends(keys)
            keys = keys[(label != SELF) & ~((label == SUB) & (right == BOTTOM))]  # noqa: PLW2901  fewer of them
        yield layout.by_right(keys)
    if is_said_of_top(forms):
        for start in range(FIRST_CLASS, forms.atoms, CHUNK):
            atoms = np.arange(start, min(start + CHUNK, forms.atoms))
            yield layout.by_right(layout.by_left(atoms, SUB, TOP))


def is_said_of_top(forms: NormalForms) -> bool:
    """Whether ⊤ is included in anything but itself."""
    of_both = (forms.conjunction[:, :2] == TOP).all(axis=1).any()
    return bool(of_both or any((table[:, 0] == TOP).any() for table in (forms.sub, forms.some_right, forms.self_right)))
