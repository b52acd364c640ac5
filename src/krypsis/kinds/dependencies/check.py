"""How the checker reads tables with dependencies back: those of a release, and those of any tool."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.base import Given, KindCheck, QuasiIdentifiers, based_on, names_of
from krypsis.checker.dependencies import check_dependencies, kept_sentence, rules_of
from krypsis.checker.plain_claims import other_words
from krypsis.data.dependencies import Dependency, FunctionalDependency, parse_dependency
from krypsis.data.schema import Role
from krypsis.errors import PromiseBroken, UsageError, shorten
from krypsis.format.claims import Claims, restore_types
from krypsis.format.files import read_data
from krypsis.format.inference_guarantee import DEPENDENCY_GUARANTEE
from krypsis.io.frames import frame_of
from krypsis.io.read import read_table
from krypsis.models.base import Basis, PrivacyModel, Verdict

KNOWN = "the rules that are stated, the other cells of the record, and all other records"


class DependencyCheck(KindCheck):
    """Reads one table, with the rules that its manifest states."""

    name = "dependencies"
    promise_kinds = ("dependencies",)
    judged_fields = frozenset({"dependencies"})

    def check_files(
        self, folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given
    ) -> tuple[Verdict, ...]:
        if named := [column.name for column in claims.columns if column.role is Role.IDENTIFIER]:
            raise PromiseBroken(f"{folder} publishes {shorten(named)}, which its manifest calls an identifier")
        table = read_data(folder, claims)
        table = restore_types(table, claims.columns, table.columns)
        rules = stated_rules(claims, folder) if given.dependencies is None else tuple(rules_of(given.dependencies))
        sensitive = claims.sensitive if given.sensitive is None else names_of(given.sensitive)
        secrets = given.secret_cells or ()
        return check_dependencies(table, models, rules=rules, sensitive=sensitive, secrets=secrets)

    def unjudged(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
        yield from other_words(claims, promises, "cells", kept_sentence)
        if claims.guarantee not in ("", DEPENDENCY_GUARANTEE):
            yield "another guarantee than that no blank sensitive cell follows"
        known = [column.name for column in claims.columns if column.role is Role.QUASI_IDENTIFIER]
        if known or any(claims.quasi_identifier_sets):
            yield f"quasi-identifiers ({shorten(known)})"

    def basis(
        self, claims: Claims, quasi_identifiers: QuasiIdentifiers | None, sensitive: Sequence[str] | None
    ) -> Basis:
        found = super().basis(claims, quasi_identifiers, sensitive)
        word = ("which columns are sensitive", "which rules are known")[sensitive is not None :]
        return found.model_copy(update={"further_knowledge": KNOWN, "not_judged": (), "publishers_word": word})

    def check_data(self, published: Any, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        sensitive = names_of(given.sensitive)
        if not sensitive:
            raise UsageError(f"{models[0].spec} is about blank cells of sensitive columns; name at least one")
        if given.dependencies is None:
            raise UsageError(
                f"{models[0].spec} is about what follows by rules, and none is named; give dependencies such as "
                "['zip -> city'], or the plan"
            )
        table, secrets = _table(published, given), given.secret_cells or ()
        found = check_dependencies(table, models, rules=given.dependencies, sensitive=sensitive, secrets=secrets)
        return based_on(Basis(further_knowledge=KNOWN, sensitive=sensitive), found)


def _table(published: Any, given: Given) -> pl.DataFrame:
    if isinstance(published, str | Path):
        return read_table(Path(published), **given.named("delimiter", "encoding"))
    return frame_of(published)


def stated_rules(claims: Claims, folder: Path) -> tuple[Dependency, ...]:
    """Return the rules that a manifest states.

    Raises
    ------
    PromiseBroken
        if one cannot be read.
    """
    found: list[Dependency] = []
    for stated in claims.dependencies:
        try:
            (rule,) = parse_dependency(stated.rule)
        except (UsageError, ValueError) as error:
            raise PromiseBroken(
                f"the manifest of {folder} states a rule that cannot be read: {error}; do not trust this release"
            ) from None
        if stated.mapping:
            if not isinstance(rule, FunctionalDependency) or {*map(len, stated.mapping)} != {len(rule.left) + 1}:
                raise PromiseBroken(
                    f"the manifest of {folder} states a mapping that does not fit {rule.text}; do not trust this "
                    "release"
                )
            rule = FunctionalDependency(rule.left, rule.right, stated.mapping)
        if rule.text != stated.rule or list(stated.mapping) != sorted(set(stated.mapping)):
            raise PromiseBroken(
                f"the manifest of {folder} states {rule.text} in another way than it is written, and nothing is known "
                "about the difference; do not trust this release"
            )
        found.append(rule)
    return tuple(found)
