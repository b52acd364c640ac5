"""Sets of items that are measured: the public files, and baskets made up in the way of the IBM Quest generator."""

import lzma
import os
import sys
from functools import cache
from pathlib import Path

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions

PATTERNS = 2000
"""How many sets of items people tend to buy together."""
AT_ONCE = 500_000
"""Baskets that are filled at a time."""


def folder_of(name: str) -> Path:
    """Return a folder of the public data sets."""
    data = os.environ.get("KRYPSIS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(data) / name
    if not folder.is_dir():
        sys.exit(f"the benchmarks need public sets of items; expected {folder}, or set KRYPSIS_DATA")
    return folder


@cache
def public_baskets(name: str) -> Transactions:
    """Return the sets of a public file, one per line with spaces between; empty lines are left out."""
    path = folder_of("transactions") / name
    packed = path.read_bytes()
    text = (lzma.decompress(packed) if path.suffix == ".xz" else packed).decode("utf-8")
    lines = [line for line in text.splitlines() if line.strip()]
    return Transactions.of_sets([item for item in line.split() if item != "-1"] for line in lines)


def pos_shaped(records: int = 515_597, seed: int = 1) -> Transactions:
    """Return baskets of the shape of BMS-POS: 1,657 items, 6.5 in a basket on average and up to 164."""
    return quest(records, 1657, 6.5, seed)


def quest(records: int, items: int, mean: float, seed: int = 1) -> Transactions:
    """Return baskets filled with patterns, of which some items are left out, until each has its size."""
    draw = np.random.default_rng(seed)
    starts, members = _patterns(draw, items)
    weights = draw.exponential(size=PATTERNS)
    kept = np.clip(draw.normal(0.5, 0.1, PATTERNS), 0.05, 0.95)
    parts = [
        _filled(draw, min(AT_ONCE, records - begin), mean, starts, members, weights / weights.sum(), kept)
        for begin in range(0, records, AT_ONCE)
    ]
    numbers = [part + begin for begin, (part, _) in zip(range(0, records, AT_ONCE), parts, strict=True)]
    names = tuple(f"{item:05d}" for item in range(items))
    return Transactions.of_pairs(np.concatenate(numbers), np.concatenate([codes for _, codes in parts]), names, records)


def tree_over(items: tuple[str, ...], fan_out: int = 5) -> Hierarchy:
    """Return a tree over the items in their order: where there is no hierarchy, any one has to do."""
    columns, width = [list(items)], fan_out
    while width < len(items):
        columns.append([f"level {len(columns)} from {items[at // width * width]}" for at in range(len(items))])
        width *= fan_out
    return Hierarchy.from_columns([*columns, ["*"] * len(items)])


def _patterns(draw: np.random.Generator, items: int) -> tuple[IntArray, IntArray]:
    """Return sets of four items on average, popular items more often."""
    popularity = 1 / np.arange(1, items + 1) ** 0.8
    sizes = np.maximum(draw.poisson(4, PATTERNS), 1)
    members = draw.choice(items, sizes.sum(), p=popularity / popularity.sum())
    return np.concatenate([[0], np.cumsum(sizes)]), members


def _filled(
    draw: np.random.Generator,
    records: int,
    mean: float,
    starts: IntArray,
    members: IntArray,
    weights: FloatArray,
    kept: FloatArray,
) -> tuple[IntArray, IntArray]:
    """Return pairs of basket and item; every basket gets at least one."""
    spread = 0.9
    wanted = np.clip(draw.lognormal(np.log(mean) - spread**2 / 2, spread, records).round(), 1, 164)
    found_records, found_items = [np.arange(records)], [draw.choice(members, records)]
    filled = np.ones(records)
    while len(open_baskets := np.flatnonzero(filled < wanted)):
        chosen = draw.choice(PATTERNS, len(open_baskets), p=weights)
        sizes = np.diff(starts)[chosen]
        places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(starts[chosen], sizes)
        stays = draw.random(len(places)) < np.repeat(kept[chosen], sizes)
        found_records.append(np.repeat(open_baskets, sizes)[stays])
        found_items.append(members[places[stays]])
        filled += np.bincount(found_records[-1], minlength=records)
    return np.concatenate(found_records), np.concatenate(found_items)
