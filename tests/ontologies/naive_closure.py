"""Oracle: the rules IR1 to IR16 in plain Python, applied to everything until nothing new follows.

``C ⊑ C`` and ``C ⊑ ⊤`` are premises for every atom C, ⊥ included; nothing else is ever said of ⊥.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krypsis.data.ontologies.closure import Closure
from krypsis.data.ontologies.normal_forms import BOTTOM, FORMS, TOP, NormalForms

Fact = tuple[str | int, ...]
"""The table that a row stands in, and the row: ``("sub", 2, 3)``. Derived rows stand in sub, some_right, self_right."""


class Firing(NamedTuple):
    """One instance of a rule."""

    rule: int
    premises: tuple[Fact, ...]
    conclusion: Fact


class NaiveClosure(NamedTuple):
    """What follows, without tautologies, as sets of rows."""

    sub: set[tuple[int, int]]
    some: set[tuple[int, int, int]]
    selves: set[tuple[int, int]]


def naive_closure(forms: NormalForms) -> NaiveClosure:
    """Return everything that follows from normal forms."""
    return reported(saturated(stated(forms), forms))


def closure_sets(closure: Closure) -> NaiveClosure:
    """Return what an engine found in the form of the oracle; a row that is there twice is an error."""
    sets = NaiveClosure(*(set(map(tuple, rows.tolist())) for rows in (closure.sub, closure.some, closure.selves)))
    assert tuple(map(len, sets)) == (len(closure.sub), len(closure.some), len(closure.selves))
    return sets


def stated(forms: NormalForms) -> set[Fact]:
    """Return all rows of all tables, except what is stated of ⊥."""
    rows: set[Fact] = {(name, *row) for name in FORMS for row in getattr(forms, name).tolist()}
    return {fact for fact in rows if not _is_about_bottom(fact)}


def reported(facts: Iterable[Fact]) -> NaiveClosure:
    """Return facts without tautologies."""
    rows: dict[str, set[tuple[int, ...]]] = {"sub": set(), "some_right": set(), "self_right": set()}
    for name, *row in facts:
        if name in rows and row[0] != BOTTOM and not (name == "sub" and (row[0] == row[1] or row[1] == TOP)):
            rows[name].add(tuple(row))
    return NaiveClosure(*rows.values())


def saturated(facts: set[Fact], forms: NormalForms, *, reflexive: bool = True) -> set[Fact]:
    """Return facts and all that follows from them, with tautologies as premises or without."""
    known = set(facts)
    if reflexive:
        known |= tautologies(forms)
    while True:
        new = {firing.conclusion for firing in firings(known, forms)} - known
        if not new:
            return known
        known |= new


def tautologies(forms: NormalForms) -> set[Fact]:
    """Return C ⊑ C and C ⊑ ⊤ for all atoms."""
    return {("sub", atom, above) for atom in range(forms.atoms) for above in (atom, TOP)}


def firings(known: set[Fact], forms: NormalForms) -> Iterator[Firing]:
    """Return every instance of a rule whose premises are known, except conclusions about ⊥."""
    return (firing for firing in _all_firings(known, forms) if not _is_about_bottom(firing.conclusion))


def _is_about_bottom(fact: Fact) -> bool:
    return fact[0] in {"sub", "some_right", "self_right"} and fact[1] == BOTTOM


def _all_firings(known: set[Fact], forms: NormalForms) -> Iterator[Firing]:  # noqa: C901  sixteen rules
    rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in FORMS}
    for name, *row in known:
        rows[name].append(tuple(row))
    of: dict[str, dict[int, list[tuple[int, ...]]]] = {"sub": {}, "some_right": {}, "self_right": {}}
    for name, by_first in of.items():
        for row in rows[name]:
            by_first.setdefault(row[0], []).append(row)

    def said(name: str, atom: int) -> list[tuple[int, ...]]:
        return of[name].get(atom, [])

    def is_nominal(atom: int) -> bool:
        return forms.first_individual <= atom < forms.first_fresh

    for one, two in rows["sub"]:
        left = ("sub", one, two)
        for _, three in said("sub", two):
            yield Firing(1, (left, ("sub", two, three)), ("sub", one, three))
        for _, role, three in said("some_right", two):
            yield Firing(3, (left, ("some_right", two, role, three)), ("some_right", one, role, three))
        for _, role in said("self_right", two):
            yield Firing(11, (left, ("self_right", two, role)), ("self_right", one, role))
        for _, three in said("sub", one):
            if is_nominal(one) and is_nominal(two) and is_nominal(three):
                yield Firing(16, (left, ("sub", one, three)), ("sub", two, three))
    for two, three, four in rows["conjunction"]:
        for one, above in rows["sub"]:
            if above == two and ("sub", one, three) in known:
                premises = (("sub", one, two), ("sub", one, three), ("conjunction", two, three, four))
                yield Firing(2, premises, ("sub", one, four))
    for one, role, two in rows["some_right"]:
        some = ("some_right", one, role, two)
        for lower, upper in rows["role_sub"]:
            if lower == role:
                yield Firing(5, (some, ("role_sub", lower, upper)), ("some_right", one, upper, two))
        for restricted, three, four in rows["some_left"]:
            if restricted == role and ("sub", two, three) in known:
                premises = (some, ("sub", two, three), ("some_left", role, three, four))
                yield Firing(4, premises, ("sub", one, four))
        for first, second, composed in rows["role_chain"]:
            chain = ("role_chain", first, second, composed)
            if first == role:
                for _, other, three in said("some_right", two):
                    if other == second:
                        premises = (some, ("some_right", two, other, three), chain)
                        yield Firing(6, premises, ("some_right", one, composed, three))
                if ("self_right", two, second) in known:
                    yield Firing(9, (some, ("self_right", two, second), chain), ("some_right", one, composed, two))
            if second == role and ("self_right", one, first) in known:
                yield Firing(8, (("self_right", one, first), some, chain), ("some_right", one, composed, two))
        if ("sub", two, BOTTOM) in known:
            yield Firing(7, (some, ("sub", two, BOTTOM)), ("sub", one, BOTTOM))
        if one == two and is_nominal(one):
            yield Firing(15, (some,), ("self_right", one, role))
    for one, role in rows["self_right"]:
        itself = ("self_right", one, role)
        for lower, upper in rows["role_sub"]:
            if lower == role:
                yield Firing(12, (itself, ("role_sub", lower, upper)), ("self_right", one, upper))
        for restricted, two in rows["self_left"]:
            if restricted == role:
                yield Firing(13, (itself, ("self_left", role, two)), ("sub", one, two))
        for restricted, two, three in rows["some_left"]:
            if restricted == role and ("sub", one, two) in known:
                yield Firing(14, (itself, ("sub", one, two), ("some_left", role, two, three)), ("sub", one, three))
        for first, second, composed in rows["role_chain"]:
            if first == role and ("self_right", one, second) in known:
                premises = (itself, ("self_right", one, second), ("role_chain", first, second, composed))
                yield Firing(10, premises, ("some_right", one, composed, one))
