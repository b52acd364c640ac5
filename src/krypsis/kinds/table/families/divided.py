"""Releases of tables whose rows stay elsewhere; where not even their distinct tuples fit into memory, by parts.

A table whose tuples fit is recoded as any other.
"""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from krypsis.algorithms.tables.mondrian.mondrian import Mondrian, PartitioningSearch
from krypsis.algorithms.tables.mondrian.top_cuts import TopCuts
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.cuts import PartCut
from krypsis.data.groups import Histogram
from krypsis.data.hierarchies import describe
from krypsis.data.hierarchies.base import Label
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet, as_cells, outcome_of
from krypsis.errors import DataError, MemoryWarning, UsageError
from krypsis.io.engines.base import DividedTable, PartGroups
from krypsis.io.memory import shown_bytes
from krypsis.io.published_columns import PublishedAttribute
from krypsis.io.scratch import ScratchFolder
from krypsis.io.texts import PLAIN, encode, text_of
from krypsis.kernels.rows import merge, number_rows
from krypsis.kinds.table.families import recoding
from krypsis.kinds.table.families.recoding import (
    hierarchies_of,
    models_for,
    published_hierarchies,
    reported_by,
    rounded_figures,
)
from krypsis.kinds.table.parted_publication import PartedTable
from krypsis.kinds.table.profile.published_risks import MOST_ROWS
from krypsis.kinds.table.public_labels import PublicLabels, public_labels, shown_values
from krypsis.kinds.table.task import TableTask, check_task, limits_of
from krypsis.progress import Progress
from krypsis.release.order import SEED, new_seed
from krypsis.release.provenance import Before, MadeBy, PartsEvidence, RecodingEvidence
from krypsis.release.release import Release
from krypsis.release.run import Run

REASON = (
    "the distinct combinations of values do not fit into memory, so the table was cut where it lies and published by "
    "mondrian, part by part"
)

GROUP_BYTES = 1000
"""What a group takes while it is published and checked, about: 0.6 million were measured to take 0.6 GB."""


def release(task: TableTask, run: Run) -> Release:
    """Return the release of a task. Its promises have not been checked.

    Raises
    ------
    UsageError
        if the tuples do not fit into memory, and the algorithm, a promise or the metric needs them there.
    """
    check_task(task)
    divided = task.dataset.engine.divided(task.schema, hierarchies_of(task))
    if divided.fits:
        return recoding.release(task, run)
    if (why := _why_not(task)) is not None:
        raise _too_many(divided, why, ", or use the algorithm 'mondrian', which works on parts")
    return _release_in_parts(task, divided, run)


def check_fits(task: TableTask, why: str) -> None:
    """Raise if the distinct tuples of a table whose rows stay elsewhere do not fit into memory."""
    if not task.dataset.engine.keeps_rows:
        return
    divided = task.dataset.engine.divided(task.schema, hierarchies_of(task))
    if not divided.fits:
        raise _too_many(divided, why)


def _too_many(divided: DividedTable, why: str, otherwise: str = "") -> UsageError:
    return UsageError(
        f"{why} needs all distinct combinations of quasi-identifiers in memory, and they do not fit: there are "
        f"{divided.distinct:,}, and {divided.most_tuples:,} may be worked on; allow more memory, or generalize columns "
        f"with many values before{otherwise}"
    )


def _warn_of_groups(groups: int, most: int) -> None:
    if groups > most:
        warnings.warn(
            f"{groups:,} groups were found; publishing and checking them takes about "
            f"{shown_bytes(groups * GROUP_BYTES)}, which is more than the memory that was allowed. A larger k makes "
            "fewer groups",
            MemoryWarning,
            stacklevel=2,
        )


def _why_not(task: TableTask) -> str | None:
    """Return what cannot be done in parts, if anything."""
    if task.method is not None and not isinstance(task.method, PartitioningSearch):
        return f"the algorithm {task.method.name}"
    if task.people is not None:
        return "a population"
    if task.combinations:
        return f"a promise that counts {' and '.join(task.combinations[0])} together"
    if task.metric.needs_tuples:
        return f"the metric {task.metric.name}"
    return None


def _release_in_parts(task: TableTask, divided: DividedTable, run: Run) -> Release:
    algorithm = task.method if isinstance(task.method, PartitioningSearch) else Mondrian()
    models = models_for(algorithm, task)
    scratch = ScratchFolder()
    with run.phase("encode"):
        marginals = [counts[0] for counts in divided.of_values([], [0])]
        limits = limits_of(task, _one_tuple(divided, marginals, {}))
    with run.phase("search"):
        # Groups of different parts may look alike when published: where that may break a promise, a second run makes
        # only cuts that show.
        for separating in (False, True):
            whole = _one_tuple(divided, marginals, divided.contents)
            search = algorithm.top_cuts(whole, models, task.metric, limits, divided.most_rows, separating=separating)
            ranked = divided.ranked([axis.rank_of for axis in search.axes])
            cuts = search.find(ranked, run.progress)
            found = _search_parts(algorithm, search, ranked.tuples(cuts), scratch, run.progress)
            if all(model.monotone for model in models) or found.are_all_different():
                break
    _warn_of_groups(sum(map(len, found.sizes)), divided.most_tuples)
    with run.phase("recode"):
        frequency, labels = found.as_groups(divided.empty, marginals, divided.contents)
        public = public_labels(task.hierarchies, frequency, labels, found.shown)
        texts = _new_texts(labels, public.recoding)
        seed = new_seed()
        parts = ranked.publish(cuts, lambda part: found.groups(part, texts), found.unchanged, seed)
        publication = PartedTable(parts, task.schema, sensitive_hierarchies=published_hierarchies(task, whole))
    outcome = outcome_of(labels, frequency)
    made_by = MadeBy(
        promises=tuple(model.spec for model in task.models),
        algorithm=algorithm.spec,
        scheme=algorithm.scheme,
        metric=task.metric.spec,
        hierarchies={name: describe(task.hierarchies.get(name)) for name in task.schema.quasi_identifiers},
        levels=public.levels,
        heights=public.heights,
        score=task.metric.compute(outcome),
        suppression=task.suppressed,
        rows_before=divided.rows,
        metrics={
            metric.name: metric.compute(outcome)
            for metric in reported_by(task)
            if metric.applies_to(frequency) and not metric.needs_tuples
        },
        rounded=rounded_figures(task, suppressed=False),
    )
    rows = task.dataset.sampled(MOST_ROWS, publication.columns).collect()
    evidence = PartsEvidence(
        public.frequency,
        as_cells(public.recoding, public.frequency),
        outcome,
        marginals,
        found.unchanged,
        found.tuple_sizes(),
        found.surest,
        _sample_evidence(rows, ranked, cuts, found, public),
    )
    private = {SEED: seed, "sample_seed": task.dataset.sample_seed}
    private |= {"choice": REASON} if task.method is None else {}
    return run.release(publication, made_by, Before(sample=rows, parts=evidence)).with_private(private)


def _sample_evidence(
    rows: pl.DataFrame, divided: DividedTable, cuts: Sequence[PartCut], found: "_FoundGroups", public: PublicLabels
) -> RecodingEvidence:
    """Return the distinct tuples of some records, with the labels of the groups that their parts put them into."""
    hierarchies = divided.empty.hierarchies
    own = [
        encode(text_of(rows.get_column(name)).rename(PLAIN), hierarchy, name)
        for name, hierarchy in zip(divided.empty.attributes, hierarchies, strict=True)
    ]
    numbers, first = number_rows(own, [len(hierarchy.values) for hierarchy in hierarchies], rows.height)
    codes = np.stack(own, axis=1)[first].astype(np.int32)
    counts = np.bincount(numbers, minlength=len(first)).astype(np.int64)
    frequency = replace(public.frequency, codes=codes, counts=counts, sensitive={})
    released = found.released_of(codes, divided.parts_of(cuts, codes))
    books = as_cells(public.recoding, public.frequency).codebooks
    recoding = CellRecoding(released, books, np.zeros(len(codes), dtype=np.bool_))
    return RecodingEvidence(frequency, recoding, outcome_of(recoding, frequency))


def _one_tuple(divided: DividedTable, marginals: Sequence[IntArray], contents: Mapping[str, Histogram]) -> FrequencySet:
    codes = np.zeros((1, len(divided.empty.attributes)), dtype=np.int32)
    return divided.empty.with_groups_as_tuples(codes, np.array([divided.rows]), marginals, contents)


def _search_parts(
    algorithm: PartitioningSearch,
    search: TopCuts,
    parts: Iterator[FrequencySet],
    scratch: ScratchFolder,
    progress: Progress,
) -> "_FoundGroups":
    found = _FoundGroups(scratch, search.whole)
    for part in parts:
        found.add(part, *algorithm.search_part(search, part, progress))
    return found


@dataclass(eq=False)
class _FoundGroups:
    """The groups of all parts: in memory what they are published as, on disk which tuples they hold."""

    scratch: ScratchFolder
    whole: FrequencySet
    books: "list[_JoinedBook]" = field(init=False)
    released: list[CodeArray] = field(default_factory=list)
    """By part: the labels of each group, by their places in the books."""
    sizes: list[IntArray] = field(default_factory=list)
    secrets: list[dict[str, Histogram]] = field(default_factory=list)
    shown: list[BoolArray] = field(init=False)
    """By attribute: the values that can be seen in what is published."""
    is_unchanged: list[bool] = field(init=False)
    tuples_of_size: Counter[int] = field(default_factory=Counter)
    """How many tuples there were of so many records."""
    surest: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    """See :class:`~krypsis.release.provenance.PartsEvidence`."""

    def __post_init__(self) -> None:
        lengths = [len(hierarchy.values) for hierarchy in self.whole.hierarchies]
        self.books = [_JoinedBook() for _ in lengths]
        self.shown = [np.zeros(length, dtype=np.bool_) for length in lengths]
        self.is_unchanged = [True for _ in lengths]

    def add(self, part: FrequencySet, recoding: CellRecoding, group_of: CodeArray) -> None:
        """Add the groups of the next part."""
        groups, first = np.unique(group_of, return_index=True)
        columns = []
        for position, (book, seen) in enumerate(zip(recoding.codebooks, shown_values(part, recoding), strict=True)):
            place = self.books[position].add(book)
            columns.append(place[recoding.released[first, position]])
            self.shown[position] |= seen
            published = PublishedAttribute.of(part.attributes[position], recoding, part, show_hidden=False)
            self.is_unchanged[position] &= published.is_unchanged
        np.savez(self.scratch.path / str(len(self.sizes)), codes=part.codes, group_of=group_of)
        self.released.append(np.stack(columns, axis=1))
        self.sizes.append(np.bincount(group_of, part.counts, minlength=len(groups)).astype(np.int64))
        self.secrets.append({name: merge(one, group_of) for name, one in part.sensitive.items()})
        self._add_risks(part)

    def _add_risks(self, part: FrequencySet) -> None:
        """Count what an attacker could do before; the tuples of a part are in no other one."""
        sizes, times = np.unique(part.counts, return_counts=True)
        self.tuples_of_size.update(dict(zip(sizes.tolist(), times.tolist(), strict=True)))
        for name, one in part.sensitive.items():
            chances = one.count / part.counts[one.group]
            sure = float(one.count[chances >= 1].sum())
            before = self.surest.get(name, (0.0, 0.0, 0.0))
            highest = max(before[2], float(chances.max(initial=0.0)))
            self.surest[name] = (before[0] + sure, before[1] + float(chances @ one.count), highest)

    def tuple_sizes(self) -> tuple[IntArray, IntArray]:
        """Return the numbers of records that tuples had, and how many tuples had each."""
        sizes = sorted(self.tuples_of_size)
        return np.array(sizes, dtype=np.int64), np.array([self.tuples_of_size[size] for size in sizes], dtype=np.int64)

    def released_of(self, codes: CodeArray, parts: IntArray) -> CodeArray:
        """Return the labels of tuples that lie in these parts, by their places in the books."""
        released = np.empty_like(codes)
        radices = [len(hierarchy.values) for hierarchy in self.whole.hierarchies]
        for part in np.unique(parts).tolist():
            with np.load(self.scratch.path / f"{part}.npz") as stored:
                known, group_of = stored["codes"], stored["group_of"]
            wanted = np.flatnonzero(parts == part)
            both = np.concatenate([known, codes[wanted]])
            numbers, first = number_rows(list(both.T), radices, len(both))
            place = np.full(len(first), -1, dtype=np.int64)
            place[numbers[: len(known)]] = np.arange(len(known))
            found = place[numbers[len(known) :]]
            if (found < 0).any():
                raise DataError("the table has changed while it was worked on: it has records that were not there")
            released[wanted] = self.released[part][group_of[found]]
        return released

    @property
    def unchanged(self) -> frozenset[str]:
        """The attributes whose values are all published as they are."""
        return frozenset(name for name, is_so in zip(self.whole.attributes, self.is_unchanged, strict=True) if is_so)

    def are_all_different(self) -> bool:
        """Say whether no two groups look alike."""
        released = np.concatenate(self.released)
        radices = [len(book.labels) for book in self.books]
        return len(number_rows(list(released.T), radices, len(released))[1]) == len(released)

    def as_groups(
        self, empty: FrequencySet, marginals: Sequence[IntArray], contents: Mapping[str, Histogram]
    ) -> tuple[FrequencySet, CellRecoding]:
        """Return all groups, as tuples of a frequency set and of a recoding."""
        released, sizes = np.concatenate(self.released), np.concatenate(self.sizes)
        starts = np.cumsum([0, *map(len, self.sizes)])
        sensitive = {
            name: Histogram(
                np.concatenate([one[name].group + start for one, start in zip(self.secrets, starts, strict=False)]),
                np.concatenate([one[name].value for one in self.secrets]),
                np.concatenate([one[name].count for one in self.secrets]),
                whole.whole,
                whole.domain,
            )
            for name, whole in contents.items()
        }
        frequency = empty.with_groups_as_tuples(np.zeros_like(released), sizes, marginals, sensitive)
        books = tuple(book.joined() for book in self.books)
        return frequency, CellRecoding(released, books, np.zeros(len(sizes), dtype=np.bool_))

    def groups(self, part: int, texts: Sequence[Sequence[Label]]) -> PartGroups:
        """Return the groups of a part with the texts of their labels, by attribute and place in its book."""
        with np.load(self.scratch.path / f"{part}.npz") as stored:
            codes, group_of = stored["codes"], stored["group_of"]
        released = self.released[part]
        labels = {
            name: pl.Series(name, texts[position], dtype=pl.String).gather(released[:, position])
            for position, name in enumerate(self.whole.attributes)
        }
        return PartGroups(codes, group_of, self.sizes[part], pl.DataFrame(labels))


class _JoinedBook:
    """One codebook for the labels of an attribute in all parts; of two that look alike the wider one counts."""

    def __init__(self) -> None:
        self._places: dict[Label, int] = {}
        self._runs: list[tuple[int, int, float]] = []
        """By label: the run of values that it stands for, and how far up it is."""
        self._values: list[IntArray] = []
        self._ends = [0]

    @property
    def labels(self) -> tuple[Label, ...]:
        return tuple(self._places)

    def add(self, book: Codebook) -> CodeArray:
        """Return the place of each label of a codebook, new ones included."""
        start = self._start_of(book.values)
        described = zip(book.labels, book.starts.tolist(), book.ends.tolist(), book.climbed.tolist(), strict=True)
        for label, first, end, climbed in described:
            place, run = self._places.setdefault(label, len(self._places)), (start + first, start + end, climbed)
            if place == len(self._runs):
                self._runs.append(run)
            elif end - first > self._runs[place][1] - self._runs[place][0]:
                self._runs[place] = run
        return np.array([self._places[label] for label in book.labels], dtype=np.int32)

    def _start_of(self, values: IntArray) -> int:
        """Return where values stand among those of all books; books of ranges have the same ones."""
        if not self._values or not np.array_equal(self._values[-1], values):
            self._values.append(values)
            self._ends.append(self._ends[-1] + len(values))
        return self._ends[-2]

    def joined(self) -> Codebook:
        """Return the codebook of all labels."""
        starts, ends, climbed = zip(*self._runs, strict=True)
        return Codebook(self.labels, np.array(starts), np.array(ends), np.concatenate(self._values), np.array(climbed))


def _new_texts(before: CellRecoding, after: object) -> list[Sequence[Label]]:
    """Return the published texts of all labels, by attribute."""
    books = after.codebooks if isinstance(after, CellRecoding) else before.codebooks
    return [book.labels for book in books]
