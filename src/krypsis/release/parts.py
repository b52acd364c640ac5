"""The parts of a release: what is published, how it was made, the verdicts, and the private side."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import polars as pl

from krypsis.data.schema import Schema
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.promises import has_unknown_model, read_promise
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.publication import Publication


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseParts:
    """What a release holds; see :class:`krypsis.release.release.Release`, which users work with."""

    publication: Publication
    made_by: MadeBy
    verdicts: tuple[Verdict, ...] = ()
    private: Mapping[str, Any] = field(default_factory=dict)
    before: Before | None = None

    @property
    def table(self) -> pl.DataFrame:
        """The published table; of sets of items, a view of them as a table."""
        return self.publication.table

    @property
    def schema(self) -> Schema:
        """The roles of the published columns."""
        return self.publication.schema

    @property
    def promises(self) -> tuple[str, ...]:
        """What is promised, such as ``k-anonymity:k=5``."""
        return self.made_by.promises

    @property
    def guarantee(self) -> str:
        """What the method guarantees beyond the promises, or that it guarantees nothing, in plain words."""
        return self.made_by.guarantee

    @property
    def release_id(self) -> str:
        """The id under which the release was saved; empty before."""
        return self.made_by.release_id

    @cached_property
    def models(self) -> list[PrivacyModel]:
        """What is promised, as objects."""
        return [read_promise(promise) for promise in self.promises]

    @property
    def known_models(self) -> list[PrivacyModel]:
        """What is promised, as objects, without promises of models that are not known here."""
        return [read_promise(promise) for promise in self.promises if not has_unknown_model(promise)]

    def with_id(self, release_id: str) -> Self:
        """Return the release under the id under which it is saved."""
        return replace(self, made_by=replace(self.made_by, release_id=release_id))
