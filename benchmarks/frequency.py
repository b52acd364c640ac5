"""General values against counterfeits: what frequency-aware releases of a table that changes lose and cost.

Adult with 50 sensitive values, as in ``benchmarks correlation``, in eight versions of about 15,000 records. Three ways
to change: *even*, the same records leave and come; *shrinking*, more leave than come; *drifting*, of every few related
values one leaves and the others come. Losses are the mean penalty of a published record, counterfeits among them, with
exact quasi-identifiers; a counterfeit costs 1. Besides, a million records, half of the values general.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

import krypsis
from benchmarks.correlation import snapshot
from benchmarks.history import KNOWN, ROWS, people
from benchmarks.results import Results
from krypsis.algorithms.histories.base import (
    LEFT_OUT,
    NEW,
    HistoryMethod,
    LastGroups,
    Past,
    Shown,
    Snapshot,
    Turnover,
    VersionGrouping,
)
from krypsis.algorithms.histories.correlation import Correlation
from krypsis.algorithms.histories.frequency_aware import FrequencyAware
from krypsis.algorithms.histories.penalties import penalties_of
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.targets import CRITERIA
from krypsis.arrays import BoolArray, IntArray
from krypsis.models.em_correlation import EMCorrelation

VERSIONS = 8
PROMISE = EMCorrelation(e="50/7", m=4)
BANDS = 5


@dataclass
class Publisher:
    """Publishes versions of a table one after the other and remembers what the next one needs."""

    everybody: Snapshot
    method: HistoryMethod
    signatures: Signatures = field(default_factory=Signatures.none)
    shown: Shown | None = None
    tables: list[BoolArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bound = np.full(len(self.everybody), NEW)
        self.last = np.zeros(len(self.everybody), dtype=np.int64)

    def publish(self, here: BoolArray, seed: int) -> tuple[Snapshot, VersionGrouping]:
        people = np.flatnonzero(here)
        codes, values = self.everybody.codes[people], self.everybody.values[people]
        now = replace(self.everybody, codes=codes, values=values, signature=self.bound[people])
        past, rng = self._past(here, people), np.random.default_rng(seed)
        found = self.method.publication(now, past, [PROMISE], rng)
        inside = found.group != LEFT_OUT
        self.last[:] = 0
        self.last[people[inside]] = found.group[inside] + 1
        self.bound[people[inside]] = found.signature[found.group[inside]]
        self.signatures, self.shown = found.signatures, found.shown
        self.tables.append(here)
        return now, found

    def _past(self, here: BoolArray, people: IntArray) -> Past:
        absent = np.flatnonzero(~here & (self.bound != NEW))
        last = LastGroups(self.last[people], np.bincount(self.last))
        return Past(
            self.signatures,
            self.everybody.codes[absent],
            self.everybody.values[absent],
            self.bound[absent],
            self._turnover(),
            self.shown,
            last,
        )

    def _turnover(self) -> Turnover:
        before = [np.zeros_like(self.bound, dtype=np.bool_), *self.tables][: len(self.tables)]
        pairs = list(zip(before, self.tables, strict=True))
        parts = ([now for _, now in pairs], [now & ~old for old, now in pairs], [old & ~now for old, now in pairs])
        return Turnover(
            *(np.stack([self._counts(one) for one in part] or [self._counts(self.bound < NEW)]) for part in parts)
        )

    def _counts(self, marked: BoolArray) -> IntArray:
        return np.bincount(self.everybody.values[marked], minlength=len(self.everybody.taxonomy.values))


def versions(everybody: Snapshot, way: str, seed: int) -> Iterator[BoolArray]:
    """Yield who is there, version after version; whoever has left does not come back."""
    rng = np.random.default_rng(seed)
    here = rng.random(len(everybody)) < 0.5
    unseen = ~here
    falls = (everybody.values % BANDS == 0) | (everybody.values % BANDS == 2)  # one of the pair, one of the triple
    for _ in range(VERSIONS):
        yield here.copy()
        leaves = np.where(falls, 0.3, 0.02) if way == "drifting" else np.full(len(here), 0.1)
        gone = here & (rng.random(len(here)) < leaves)
        coming = unseen & ~falls if way == "drifting" else unseen
        number = int(gone.sum()) // (3 if way == "shrinking" else 1)
        new = rng.permutation(np.flatnonzero(coming))[:number]
        here &= ~gone
        here[new], unseen[new] = True, False


def measure(results: Results) -> None:
    everybody = snapshot(1)
    methods: dict[str, HistoryMethod] = {"correlation": Correlation(on_ineligible="counterfeits")}
    methods |= {one: FrequencyAware(criterion=one, on_ineligible="counterfeits") for one in CRITERIA}
    _run(everybody, methods["combined"], "even")  # compiles what is needed
    for way in ("even", "shrinking", "drifting"):
        for name, method in methods.items():
            seconds, note = _run(everybody, method, way)
            results.add(f"{way}, {name}", seconds, note=note)
    _a_million(results)


def _a_million(results: Results) -> None:
    """Publish a million records, and again after a hundredth has left and as many have come."""
    diseases = [f"disease {number:02}" for number in range(50)]
    families = {f"family {number}": diseases[number::10] for number in range(10)}
    leaving = dict.fromkeys(diseases[::2], "1/2") | dict.fromkeys(families, "1/20")
    first = people(0, ROWS)
    later = pl.concat([first.tail(ROWS - ROWS // 100), people(ROWS, ROWS // 100)])
    with tempfile.TemporaryDirectory() as folder:
        history = krypsis.History.init(
            Path(folder, "history"),
            id="id",
            roles=dict.fromkeys(KNOWN, "quasi-identifier") | {"disease": "sensitive"},
            models=PROMISE,
            hierarchies={"disease": {"any": families}},
            algorithm={"name": "frequency-aware", "on_ineligible": "counterfeits", "probabilities": leaving},
        )
        for name, table in (("first", first), ("later", later)):
            start = process_time()
            change = history.publish(table).change
            note = f"{change.groups} groups, {change.counterfeits} counterfeits"
            results.add(f"{name} release of {ROWS} records", process_time() - start, note=note)


def _run(everybody: Snapshot, method: HistoryMethod, way: str) -> tuple[float, str]:
    publisher, seconds, losses, false, general, records = Publisher(everybody, method), 0.0, 0.0, 0, 0, 0
    for number, here in enumerate(versions(everybody, way, seed=7)):
        start = process_time()
        now, found = publisher.publish(here, number)
        seconds += process_time() - start
        losses += penalties_of(now, found, reading="published").mean
        false += len(found.counterfeits)
        general += int((found.published != now.values).sum())
        records += len(now)
    note = (
        f"penalty {losses / VERSIONS:.4f}, {false} counterfeits of {records} records, {general / records:.1%} general"
    )
    return seconds, note
