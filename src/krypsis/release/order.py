"""The published order of records: random, drawn once, and known to the publisher alone."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.format.claims import read_json
from krypsis.release.manifest import Manifest
from krypsis.release.parts import ReleaseParts
from krypsis.release.workshop import private_path

Parts = TypeVar("Parts", bound=ReleaseParts)

SEED = "order_seed"
"""Where the private record keeps what the order follows from."""

SEED_BYTES = 32


def order_of(seed: str, rows: int) -> IntArray:
    """Return the random order that follows from a seed: place → the row that goes there.

    The numbers come from an extendable hash function, so that nobody who recognizes some records in their places can
    compute the places of the others, as they could from an ordinary random generator.

    Examples
    --------
    >>> sorted(order_of("5ad3", 4).tolist()), bool((order_of("5ad3", 40) == order_of("5ad4", 40)).all())
    ([0, 1, 2, 3], False)
    """
    numbers = np.frombuffer(hashlib.shake_256(seed.encode()).digest(8 * rows), dtype="<u8")
    return np.argsort(numbers, kind="stable").astype(np.int64)


def new_seed() -> str:
    """Return a seed that nobody can guess."""
    return secrets.token_hex(SEED_BYTES)


def seed_of(rng: np.random.Generator) -> dict[str, str]:
    """Return the seed of the order of a release that is made from a seed, as its private record keeps it."""
    return {SEED: rng.bytes(SEED_BYTES).hex()}


def in_published_order(release: Parts) -> Parts:
    """Return the release with its records in random order: that of the input reveals who is who.

    Everything that goes with the records row by row is put in the same order. A release whose private record does not
    name a seed gets a new one. A release that is in published order already stays as it is.
    """
    if release.publication.is_shuffled:
        return release
    private = {SEED: new_seed(), **release.private}
    order = order_of(private[SEED], release.table.height)
    return replace(
        release,
        publication=release.publication.shuffled(order, private[SEED]),
        before=None if release.before is None else release.before.in_order(order),
        private=private,
    )


def in_input_order(release: ReleaseParts, private: Mapping[str, Any] | None = None) -> pl.DataFrame | None:
    """Return the table of a release in the order of the input, nothing where its order is not known.

    Parameters
    ----------
    release
        a release, which need not be one whose records are those of the input one by one.
    private
        its private record; what the release itself knows unless given.
    """
    known = release.private if private is None else private
    if SEED not in known:
        return None
    return release.table[np.argsort(order_of(known[SEED], release.table.height))]


def private_record_of(folder: Path) -> dict[str, Any]:
    """Return the private record that lies next to a release, empty where there is none."""
    record = private_path(folder, Manifest.read(folder).release_id)
    return read_json(record) if record.is_file() else {}


def origins(folder: Path) -> IntArray | None:
    """Return for each published record the row of the table before that it was made of.

    The private record of the release must lie next to it. Nothing is returned where there is none, or where the records
    are not those of the input one by one, as in a release of groups or of rows made by chance.

    Examples
    --------
    >>> import krypsis
    >>> from tempfile import TemporaryDirectory
    >>> table = pl.DataFrame({"age": ["31", "31", "47", "31"], "job": ["a", "b", "c", "d"]})
    >>> release = krypsis.anonymize(table, {"age": "QI"}, models="k-anonymity:k=3", algorithm="fixed:levels=0",
    ...                             suppression=1)
    >>> with TemporaryDirectory() as folder:
    ...     place = release.save(Path(folder, "release")).folder
    ...     sorted(origins(place).tolist())
    [0, 1, 3]
    """
    manifest = Manifest.read(folder)
    return rows_of_origin(private_record_of(folder), manifest.rows, manifest.suppressed.mode)


def rows_of_origin(private: Mapping[str, Any], rows: int, suppression: str) -> IntArray | None:
    """Return the row before of each published record, as far as a private record says."""
    if "suppressed_rows" not in private or SEED not in private:
        return None
    left_out = private["suppressed_rows"] if suppression == "remove" else []
    kept: IntArray = np.delete(np.arange(rows + len(left_out)), left_out)
    return kept[order_of(private[SEED], rows)]
