"""The published order of records: random, drawn once, and known to the publisher alone."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.data.random_order import random_order
from krypsis.format.claims import read_json
from krypsis.release.manifest import Manifest
from krypsis.release.parts import ReleaseParts
from krypsis.release.row_numbers import rows_in
from krypsis.release.workshop import private_path

Parts = TypeVar("Parts", bound=ReleaseParts)

SEED = "order_seed"
"""Where the private record keeps what the order follows from."""

SEED_BYTES = 32


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
    order = random_order(private[SEED], release.publication.height)
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
    if SEED not in known or not release.publication.is_in_memory:
        return None
    return release.table[np.argsort(random_order(known[SEED], release.publication.height))]


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
    left_out = rows_in(private["suppressed_rows"] if suppression == "remove" else [])
    kept: IntArray = np.delete(np.arange(rows + len(left_out)), left_out)
    return kept[random_order(private[SEED], rows)]
