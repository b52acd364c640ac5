"""Pages are counted as by hand, memory is never exceeded, and merging is sorting."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis.algorithms.ontologies.on_disk import BatchCompletion
from krypsis.algorithms.ontologies.on_disk.edges import EdgeLayout
from krypsis.algorithms.ontologies.on_disk.pages import MemoryBudget, PageFile, PageFolder
from krypsis.algorithms.ontologies.on_disk.sorting import MergedStream, RunSorter, Source, merged_runs
from krypsis.errors import OutputError, UsageError
from ontologies.random_ontologies import forms_of

AXIOMS = st.lists(st.integers(0, 60).map(lambda number: 2 * number), max_size=40)


def written(workspace: PageFolder, numbers: list[int]) -> PageFile:
    file = PageFile(workspace)
    file.append(np.array(numbers, dtype=np.int64))
    return file.finish()


def read(stream: object, size: int = 64) -> list[int]:
    buffer, found = np.empty(size, dtype=np.int64), []
    while count := stream.read_into(buffer, 0):
        found += buffer[:count].tolist()
    stream.close()
    return found


def test_two_pages_are_counted_as_two():
    """600 axioms of 8 bytes: one full page of 512, and one with 88."""
    with PageFolder(MemoryBudget(2**16)) as workspace:
        file = PageFile(workspace)
        for start in range(0, 600, 100):
            file.append(np.arange(start, start + 100))
        assert (file.finish().pages, workspace.pages_written) == (2, 2)
        assert read(file.read(), 512) == list(range(600))
        assert workspace.pages_read == 2
        assert read(file.read(), 1024) == list(range(600))
        assert workspace.pages_read == 4
        file.delete()
        assert (workspace.most_pages, workspace.memory.used) == (2, 0)


def test_the_pages_of_a_whole_completion_are_those_counted_by_hand():
    """A ⊑ B ⊑ C in pages of two axioms: everything fits into buffers, so that each file is read and written once.

    Both relations of two axioms: a run is written, read and written as a relation: 2 · (1 + 1) pages written, 2 · 1
    read. First join: 2 pages read. A ⊑ C: its runs are written (by Lemma 5.3 there is only one: it comes from IR1), and
    read with the relation that it may be known from; the delta is written: 2 written, 2 read. Line 11: one page of the
    left relation, one of the delta read. Line 12: one page each read, and three axioms written on two pages. Line 13:
    nothing is new on the left. No conclusions: done.
    """
    forms = forms_of({"sub": [[2, 3], [3, 4]]}, classes=3)
    figures = BatchCompletion(memory=2**14, page_bytes=16).complete(forms).figures
    assert figures["firings_by_rule"] == {"IR1": 1}
    assert figures["pages_written"] == 4 + 2 + 2
    assert figures["pages_read"] == 2 + 2 + 2 + 2 + 2


def test_memory_is_never_exceeded():
    budget = MemoryBudget(100)
    kept = budget.take(10)
    with pytest.raises(UsageError, match="24 more bytes are needed, 80 of 100 are in use"):
        budget.take(3)
    budget.give_back(kept)
    assert (budget.used, budget.peak) == (0, 80)


@settings(max_examples=examples(500), deadline=None)
@given(st.lists(AXIOMS, min_size=1, max_size=6), AXIOMS, st.integers(1, 4))
def test_merging_is_sorting_without_repetitions_and_known_axioms(parts: list[list[int]], known: list[int], page: int):
    with PageFolder(MemoryBudget(2**14), page_bytes=8 * page) as workspace:
        sources = [Source(written(workspace, sorted(part)).read(), 1) for part in parts]
        sources.append(Source(written(workspace, sorted(known)).read(), is_known=True))
        found = read(MergedStream(workspace, sources, 8 * page * len(sources)), size=3)
        assert found == [number | 1 for number in sorted(set().union(*parts) - set(known))]
        assert workspace.memory.used == 0


@settings(max_examples=examples(300), deadline=None)
@given(AXIOMS, st.integers(2, 9), st.integers(2, 4))
def test_runs_are_sorted_in_as_many_passes_as_memory_demands(numbers: list[int], size: int, most: int):
    with PageFolder(MemoryBudget(2**13), page_bytes=16) as workspace:
        sorter, count = RunSorter(workspace, np.empty(size, dtype=np.int64)), 0
        for number in numbers:
            if count == size:
                count = sorter.make_room(count)
            sorter.buffer[count] = number
            count += 1
        sorter.make_room(count, at_end=True)
        runs = merged_runs(workspace, sorter.runs, most)
        assert len(runs) <= most
        found = [read(run.read()) for run in runs]
        assert sorted({number for run in found for number in run}) == sorted(set(numbers))
        assert all(run == sorted(set(run)) for run in found)


def test_a_full_disk_is_named_and_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("krypsis.algorithms.ontologies.on_disk.pages.os.write", full)
    forms = forms_of({"sub": [[2, 3], [3, 4]]}, classes=3)
    with pytest.raises(OutputError, match=r"no space is left in .*choose another 'folder'"):
        BatchCompletion(folder=tmp_path).complete(forms)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    forms = forms_of({"sub": [[2, 3]]}, classes=3)
    with pytest.raises(OutputError, match="nowhere"):
        BatchCompletion(folder=tmp_path / "nowhere").complete(forms)
    with pytest.raises(OutputError, match="log of firings"):
        BatchCompletion(log=tmp_path / "nowhere" / "log").complete(forms)


def test_a_budget_that_is_too_small_says_what_is_needed():
    forms = forms_of({"sub": [[2, 3]], "conjunction": [[2, place, 3] for place in range(2, 900)]}, classes=1000)
    with pytest.raises(UsageError, match=r"raise 'memory' to at least [\d,]+"):
        BatchCompletion(memory=20_000).complete(forms)
    many = forms_of({"sub": [[2, 3]], "role_sub": [[0, place] for place in range(900)]}, classes=2, roles=1000)
    with pytest.raises(UsageError, match="conclusions"):
        BatchCompletion(memory=50_000, page_bytes=64).complete(many)


def test_too_many_names_for_a_number_are_refused():
    with pytest.raises(UsageError, match="names"):
        EdgeLayout(atoms=2**28, roles=100, first_individual=2, first_fresh=2)
