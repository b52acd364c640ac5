"""The sets of a release of transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from krypsis.datasets.set_tables import sets_of
from krypsis.transactions import PublishedSets

if TYPE_CHECKING:
    from krypsis.release.release import Release


def sets_of_release(release: Release) -> PublishedSets:
    """Return what a release publishes as the checker knows it."""
    return sets_of(release.table, release.sensitive_table) if release.chunks is None else release.chunks
