"""Whose record is whose: the way back from a published release to the table before, for its publisher alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from krypsis.checker.claims import read_json
from krypsis.groups import IntArray
from krypsis.release.manifest import Manifest
from krypsis.release.workshop import private_path


def origins(folder: Path) -> IntArray | None:
    """Return for each published record the row of the table before that it was made of.

    The private record of the release must lie beside it. Nothing is returned where there is none, or where the records
    are not those of the input one by one, as in a release of groups or of rows made by chance.

    Examples
    --------
    >>> import krypsis, polars as pl
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
    record = private_path(folder, manifest.release_id)
    if not record.is_file():
        return None
    known = read_json(record)
    if "suppressed_rows" not in known or "order_seed" not in known:
        return None
    left_out = known["suppressed_rows"] if manifest.suppressed.mode == "remove" else []
    kept: IntArray = np.delete(np.arange(manifest.rows + len(left_out)), left_out)
    return kept[np.random.default_rng(known["order_seed"]).permutation(manifest.rows)]
