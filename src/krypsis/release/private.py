"""The private record: what must stay with the publisher. It lies beside the release, never inside."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from krypsis.checker.evidence import PRIVATE_COLUMNS
from krypsis.io.texts import text_of
from krypsis.release.exchange import sync
from krypsis.release.parts import ReleaseParts


def private_record(release: ReleaseParts) -> dict[str, Any]:
    """Return what the publisher needs and nobody else may see.

    The exact figures are here because the manifest rounds some of them.
    """
    figures = {"score": release.made_by.score, "metrics": dict(release.made_by.metrics)}
    schema = release.schema.model_dump(mode="json")
    record = {"release_id": release.release_id, "schema": schema, "figures": figures, **release.private}
    columns = None if release.before is None else release.before.private_columns
    if columns is not None:  # in the order of the published records, so that they can be checked again
        record[PRIVATE_COLUMNS] = {column.name: text_of(column).to_list() for column in columns}
    return record


def write_private(path: Path, record: Mapping[str, Any]) -> None:
    """Write the record so that only its owner can read it, from the first byte on."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(record, stream, indent=2, ensure_ascii=False, default=_plain)
            stream.write("\n")
        sync(path)
    except BaseException:
        path.unlink()
        raise


def _plain(value: object) -> object:
    """Return a value that JSON does not know as one that it does."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)
