"""The first cuts of a table whose distinct tuples do not fit into memory, made on counts of its values.

A strict cut on the widest axis reads the box of a part, how often each value of the axis occurs in it, and the
sensitive values of both sides. So whoever answers for these counts need not show the tuples, and the parts that are
left can be cut further one after the other: every group is the one that Mondrian finds on the whole table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from krypsis.algorithms.tables.base import Promises
from krypsis.algorithms.tables.boxes import Axis
from krypsis.algorithms.tables.mondrian.kernels import CutRule, Parts, best_axis, find_cut, measure_widths
from krypsis.arrays import IntArray
from krypsis.data.cuts import PartCounts, PartCut
from krypsis.data.groups import Histogram
from krypsis.data.recoding import FrequencySet
from krypsis.kernels._jit import for_work
from krypsis.kernels.runs import AxisTable
from krypsis.models.base import GroupModel
from krypsis.progress import Progress


@dataclass(eq=False)
class _Part:
    """A part that may be cut further: how often each value occurs in it, by axis, and the cuts that were refused."""

    number: int
    counts: list[IntArray]
    refused: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.refused = np.zeros(len(self.counts), dtype=np.int64)

    @property
    def rows(self) -> int:
        return int(self.counts[0].sum())


@dataclass(frozen=True, eq=False)
class TopCuts:
    """Cuts a table until every part has few records, or cannot be cut."""

    axes: Sequence[Axis]
    table: AxisTable
    rule: CutRule
    whole: FrequencySet
    """The table with all records in one tuple, whose codes nobody looks at."""
    models: Sequence[GroupModel]
    most: int
    """Parts of up to so many records are left for later."""

    def find(self, counts: PartCounts, progress: Progress) -> list[PartCut]:
        """Return the cuts in the order in which they are made."""
        cuts: list[PartCut] = []
        waiting = [_Part(0, [one[0] for one in counts.of_values(cuts, [0])])]
        while waiting and not progress.wants_stop():
            # Steps 1 and 2 for every part: the widest axis with an allowable cut, and the cut.
            tried = [(part, cut) for part in waiting if part.rows > self.most and (cut := self._cut(part)) is not None]
            keeps = self._keep(counts, cuts, [cut for _, cut in tried])
            made = [one for one, is_kept in zip(tried, keeps, strict=True) if is_kept]
            again = [one for one, is_kept in zip(tried, keeps, strict=True) if not is_kept]
            for part, cut in again:
                # A refused cut is passed over next time, so another cut of the axis, or another axis, gets its turn.
                part.refused[cut.axis] += 1
            # Step 3: both sides are parts of the next round.
            sides = [number for place, (part, _) in enumerate(made) for number in (part.number, len(cuts) + 1 + place)]
            cuts += [cut for _, cut in made]
            found = counts.of_values(cuts, sides) if sides else []
            waiting = [_Part(number, [one[place] for one in found]) for place, number in enumerate(sides)]
            waiting += [part for part, _ in again]
        return cuts

    def _cut(self, part: _Part) -> PartCut | None:
        """Return the cut of a part on its widest axis that has one."""
        occurring = [np.flatnonzero(counts) for counts in part.counts]
        low = np.array([ranks[0] for ranks in occurring], dtype=np.int32)
        high = np.array([ranks[-1] for ranks in occurring], dtype=np.int32)
        if part.rows < 2 * self.rule.k:
            return None
        work = len(self.axes)
        widths, room = np.empty(work, dtype=np.float64), _room(part, work)
        for_work(measure_widths, work)(self.table, self.rule, room, 0, low, high, widths)
        cut = np.empty(2, dtype=np.int64)
        while (axis := int(for_work(best_axis, work)(self.table, self.rule, widths, low, high))) >= 0:
            widths[axis] = -1.0
            ranks = occurring[axis].astype(np.int64)
            if len(ranks) > 1 and for_work(find_cut, len(ranks))(
                self.table,
                axis,
                ranks,
                part.counts[axis][ranks],
                len(ranks),
                part.rows,
                self.rule.k,
                int(part.refused[axis]),
                self.rule.separating,
                cut,
            ):
                return PartCut(part.number, axis, int(cut[0]), int(cut[1]))
        return None

    def _keep(self, counts: PartCounts, made: Sequence[PartCut], tried: Sequence[PartCut]) -> Sequence[bool]:
        """Say for each cut whether both sides keep the promises that say more than how many records they have."""
        if not tried or not Promises(self.whole, tuple(self.models)).beyond_size:
            return [True] * len(tried)
        parts = len(made) + 1 + len(tried)
        sides = _parts_as_tuples(self.whole, parts, counts.of_contents([*made, *tried]))
        kept = Promises(sides, tuple(self.models)).keep(np.arange(parts, dtype=np.int32), parts)
        return [bool(kept[cut.part] and kept[len(made) + 1 + place]) for place, cut in enumerate(tried)]


def _parts_as_tuples(whole: FrequencySet, parts: int, sensitive: Mapping[str, Histogram]) -> FrequencySet:
    """Return a frequency set with the parts of a table in the place of tuples."""
    content = next(iter(sensitive.values()))
    sizes = np.bincount(content.group, content.count, minlength=parts).astype(np.int64)
    codes = np.zeros((parts, len(whole.attributes)), dtype=np.int32)
    return replace(whole, codes=codes, counts=sizes, sensitive=sensitive)


def _room(part: _Part, axes: int) -> Parts:
    """Return the form in which the kernel of widths gets a part: its width is that of its records."""
    one, none = np.zeros(1, dtype=np.int64), np.empty((0, axes), dtype=np.int32)
    return Parts(one, one, part.refused[None, :], none, none, one, one, one, one)
