"""What verdicts were judged on: the assumptions behind them, and who made these."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from krypsis.checker.table import QuasiIdentifiers, attribute_sets
from krypsis.checker.views import SubjectTable
from krypsis.datasets.set_tables import ITEM
from krypsis.format.claims import Claims
from krypsis.models.verdict import Basis, Verdict


def based_on(basis: Basis, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts with what they were judged on."""
    return tuple(verdict.model_copy(update={"basis": basis}) for verdict in verdicts)


def basis_of_table(columns: Sequence[str], known: QuasiIdentifiers, sensitive: Sequence[str]) -> Basis:
    """Return what a table of any tool was judged on: whoever checks has named all of it."""
    sets = attribute_sets(known)
    judged = {*sensitive, *(name for names in sets for name in names)}
    rest = tuple(name for name in columns if name not in judged)
    return Basis(quasi_identifiers=sets, sensitive=tuple(sensitive), not_judged=rest)


def basis_of_sets(
    columns: Sequence[str], item: str | None, structure: Collection[str | None], sensitive: Sequence[str]
) -> Basis:
    """Return what sets of items of any tool were judged on: an attacker knows items of a record.

    Examples
    --------
    >>> basis_of_sets(["record", "item", "town"], "item", {"record", None}, []).sentences()
    ('Judged on: an attacker knows item; sensitive: none.', 'Not judged: town.')
    """
    rest = tuple(name for name in columns if name != item and name not in structure)
    return Basis(quasi_identifiers=((item or ITEM,),), sensitive=tuple(sensitive), not_judged=rest)


def basis_of_views(first: SubjectTable, others: Mapping[str, SubjectTable]) -> Basis:
    """Return what tables of any tool that are linked by a key were judged on, columns of further tables by its name."""
    tables = [("", first), *((f"{name}.", one) for name, one in others.items())]
    known = tuple(f"{prefix}{name}" for prefix, one in tables for name in one.quasi_identifiers)
    rest = tuple(
        f"{prefix}{name}"
        for prefix, one in tables
        for name in one.table.columns
        if name != one.key and name not in one.quasi_identifiers
    )
    return Basis(quasi_identifiers=(known,), not_judged=rest)


def basis_of_release(
    claims: Claims, quasi_identifiers: QuasiIdentifiers | None, sensitive: Sequence[str] | None
) -> Basis:
    """Return what a release was judged on, as its manifest says unless it was given."""
    sets = claims.quasi_identifier_sets if quasi_identifiers is None else attribute_sets(quasi_identifiers)
    further = tuple(f"{name}.{known}" for name, table in claims.tables.items() for known in table.quasi_identifiers)
    hidden = (*claims.sensitive, *claims.sensitive_items) if sensitive is None else tuple(sensitive)
    judged = {*hidden, claims.group_column, claims.subject_column, *(name for names in sets for name in names)}
    rest = tuple(column.name for column in claims.columns if column.name not in judged)
    is_plain = claims.kind == "table" and claims.mechanism_record is None
    return Basis(
        quasi_identifiers=(*sets, *((further,) if further else ())),
        sensitive=hidden,
        not_judged=rest if is_plain else (),
        publishers_word=tuple(_word(claims, is_given=quasi_identifiers is not None and sensitive is not None)),
    )


def _word(claims: Claims, *, is_given: bool) -> Iterator[str]:
    """Yield what a manifest states and nobody can see in the files."""
    if claims.kind == "table" and not is_given:
        yield "which columns an attacker may know and which are sensitive"
    if claims.sensitive_items:
        yield "which items are sensitive"
    if claims.suppressed.records:
        yield f"that {claims.suppressed.records} records were suppressed"
    yield from (f"the distribution of {name} in the whole table" for name in claims.reference)
    yield from (f"the hierarchy of {name}" for name in claims.sensitive_hierarchies)
    if claims.item_hierarchy:
        yield "the hierarchy of the items"
    if claims.mechanism_record is not None:
        yield "how the table was made"
    if claims.guarantee:
        yield f"what its method guarantees ({claims.guarantee.rstrip('.')})"
