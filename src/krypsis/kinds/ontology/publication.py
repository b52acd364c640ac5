"""What is published of an ontology: the axioms that may be known, and those that are public anyway."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.base import Given, names_of
from krypsis.checker.ontologies import check_ontology
from krypsis.data.ontologies import Ontology
from krypsis.data.schema import Schema
from krypsis.errors import InternalError
from krypsis.format.claims import Claims
from krypsis.format.files import DATA
from krypsis.format.functional_document import AXIOM, AXIOMS_FILE, PUBLIC_FILE, functional_document
from krypsis.kinds.ontology.check import all_public, load_axioms
from krypsis.kinds.ontology.summary import sections
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.release.publication import Publication, columns_of

if TYPE_CHECKING:
    from krypsis.release.release import Release


@dataclass(frozen=True, eq=False, repr=False)
class OntologyPublication(Publication):
    """Axioms in functional syntax, sorted: their order says nothing about the data.

    The axioms that are public anyway are part of it, so that anybody can repeat the check.
    """

    kind = "ontology"
    is_shuffled = True
    is_tabular = False

    axioms: Ontology
    public: Ontology | None = None
    secrets: tuple[str, ...] = ()
    """Patterns of what is secret that name nobody; others stay with the publisher."""

    @cached_property
    def table(self) -> pl.DataFrame:  # type: ignore[override]  # computed once
        texts = sorted(self.axioms.functional(place) for place in range(len(self.axioms)))
        return pl.DataFrame({AXIOM: pl.Series(texts, dtype=pl.String)})

    @cached_property
    def schema(self) -> Schema:  # type: ignore[override]
        return Schema.of({AXIOM: "insensitive"})

    @property
    def records(self) -> int:
        return len(self.axioms)

    def tables(self) -> dict[str, pl.DataFrame]:
        return {DATA: self.table}

    def files(self, folder: Path, formats: Sequence[str]) -> list[Path]:  # noqa: ARG002  axioms are no table
        """Write the axioms in functional syntax, whatever format tables are asked for in."""
        documents = {AXIOMS_FILE: self.axioms, **({} if self.public is None else {PUBLIC_FILE: self.public})}
        for name, ontology in documents.items():
            (folder / name).write_bytes(functional_document(ontology).encode())
        return [folder / name for name in documents]

    def shuffled(self, order: IntArray, seed: str) -> Self:  # noqa: ARG002
        raise InternalError("axioms are sorted when they are published; please report this")

    def claims(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "columns": columns_of(self.table, self.schema),
            "weights": {},
            "quasi_identifier_sets": (),
            "rows": self.records,
            "sensitive_items": self.secrets,
        }

    def check(self, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        secrets = self.secrets if given.sensitive is None else names_of(given.sensitive)
        return check_ontology(self.axioms, models, public=all_public(self.public, given), secrets=secrets)

    def summary(self, release: Release) -> Mapping[str, Iterable[str]]:
        return sections(release, self.axioms)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind

    @classmethod
    def of_files(cls, folder: Path, claims: Claims, schema: Schema) -> Self:  # noqa: ARG003  axioms have one schema
        return cls(*load_axioms(folder, claims), claims.sensitive_items)
