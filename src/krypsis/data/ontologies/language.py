"""The language: which axioms are nominal-safe SROEL, with ranges where OWL 2 EL allows them."""

from collections.abc import Collection

import numpy as np

from krypsis.arrays import BoolArray
from krypsis.data.ontologies.ontology import AxiomType, Ontology, Operator
from krypsis.errors import DataError

UNION = "a union on the right of an inclusion"
COMPLEMENT = "a complement on the left of an inclusion"
NOMINAL = "an individual as the class that others are included in (not nominal-safe)"
RANGE_OF_CHAIN = "the range of a role that a chain of roles is included in, and which the last role of it lacks"
RANGE_OF_VALUE = "a class whose members are related to one individual by a role with a range"


SAYING_OF_CLASSES = [
    int(kind)
    for kind in (AxiomType.SUBCLASS, AxiomType.EQUIVALENT, AxiomType.MEMBER, AxiomType.DOMAIN, AxiomType.RANGE)
]


def outside_language(ontology: Ontology) -> dict[int, str]:
    """Return the axioms that lie outside of the language, each with the construct that does.

    On the left of an inclusion may stand names, individuals, ⊤, ⊥, conjunctions, unions, ∃r.C and ∃r.Self; on the right
    the same without unions, with complements of what may stand on the left, and individuals only where the left side
    is one, or as the whole of C in ∃r.C.

    Examples
    --------
    >>> from krypsis.data.ontologies.builder import OntologyBuilder
    >>> builder = OntologyBuilder()
    >>> builder.axiom(AxiomType.SUBCLASS, builder.class_named("A"), builder.complement(builder.class_named("B")))
    >>> outside_language(builder.build())
    {}
    """
    left, right = _sides(ontology)
    found: dict[int, str] = {}
    wrong_left = {int(one) for one in np.flatnonzero(left != "")}
    wrong_right = {int(one) for one in np.flatnonzero(right != "")}
    if not wrong_left and not wrong_right:  # as in most ontologies
        return _ranges_outside(ontology)
    nominals = set(np.flatnonzero(ontology.expressions.operators == Operator.NOMINAL).tolist())
    lists = ontology.arguments
    for place, kind in enumerate(ontology.types.tolist()):
        given = lists[place].tolist()
        reason = _reason(AxiomType(kind), given, wrong_left, wrong_right, nominals)
        if reason is not None:
            side, expression = reason
            found[place] = str((left if side == "left" else right)[expression])
    return {**_ranges_outside(ontology), **found}


def _reason(
    kind: AxiomType, given: list[int], wrong_left: set[int], wrong_right: set[int], nominals: set[int]
) -> tuple[str, int] | None:
    """Return the side and the expression that make an axiom lie outside."""
    lefts: list[int] = []
    rights: list[int] = []
    if kind in (AxiomType.SUBCLASS, AxiomType.EQUIVALENT):
        is_inclusion = kind is AxiomType.SUBCLASS
        lefts = given[:1] if is_inclusion else given
        # What is said of individuals may name one on the right.
        rights = [] if all(one in nominals for one in given) else given[1:] if is_inclusion else given
    elif kind is AxiomType.DISJOINT:
        lefts = given
    elif kind in (AxiomType.DOMAIN, AxiomType.RANGE):
        rights = given[1:]
    elif kind is AxiomType.MEMBER:
        rights = [one for one in given[:1] if one not in nominals]
    sides = (("left", lefts, wrong_left), ("right", rights, wrong_right))
    return next(((side, one) for side, each, wrong in sides for one in each if one in wrong), None)


def outside_tests(ontology: Ontology, lefts: Collection[int], rights: Collection[int]) -> dict[int, str]:
    """Return expressions that cannot stand on a side of an inclusion of which one asks whether it holds, with reasons.

    For the purpose, one on the left gets a name that it includes, and one on the right a name that includes it: it is
    the other way around than in an axiom. A class and an individual need no name.

    Examples
    --------
    >>> from krypsis.data.ontologies.builder import OntologyBuilder
    >>> builder = OntologyBuilder()
    >>> both = builder.conjunction([builder.class_named("A"), builder.nominal("a")])
    >>> outside_tests(builder.build(), [both], [both])
    {4: 'an individual as the class that others are included in (not nominal-safe)'}
    """
    operators = ontology.expressions.operators
    asked = [[one for one in each if operators[one] >= Operator.AND] for each in (lefts, rights)]
    if not any(asked):
        return {}
    as_left, as_right = _sides(ontology)
    with_range = _roles_with_range(ontology)
    values = _values_with_range(ontology, with_range) if with_range else np.zeros(len(operators), dtype=np.bool_)
    found = {one: str(as_left[one]) for one in asked[1]}
    found |= {one: str(as_right[one]) or (RANGE_OF_VALUE if values[one] else "") for one in asked[0]}
    return {one: reason for one, reason in found.items() if reason}


def _sides(ontology: Ontology) -> tuple[np.ndarray, np.ndarray]:
    """Return for each expression why it may not stand on the left, and on the right; empty where it may."""
    table = ontology.expressions
    left = np.full(len(table), "", dtype=object)
    right = np.full(len(table), "", dtype=object)
    operators = table.operators
    right[operators == Operator.NOMINAL] = NOMINAL
    if not np.isin(operators, (Operator.NOMINAL, Operator.OR, Operator.NOT)).any():
        return left, right  # as in most ontologies: what is made of names alone may stand anywhere
    kinds, starts, values = operators.tolist(), table.arguments.starts.tolist(), table.arguments.values.tolist()
    nominal, some, union, complement = (
        int(one) for one in (Operator.NOMINAL, Operator.SOME, Operator.OR, Operator.NOT)
    )
    for place in np.flatnonzero((operators >= Operator.AND) & (operators != Operator.SELF)).tolist():
        given, kind = values[starts[place] : starts[place + 1]], kinds[place]
        if kind == some:
            filler = given[1]
            left[place] = left[filler]
            right[place] = "" if kinds[filler] == nominal else right[filler]
        elif kind == complement:
            left[place] = COMPLEMENT
            right[place] = left[given[0]]
        else:
            left[place] = next((left[one] for one in given if left[one]), "")
            right[place] = UNION if kind == union else next((right[one] for one in given if right[one]), "")
    return left, right


def refuse_ranges_outside(ontology: Ontology, *, of_chains: bool = True) -> None:
    """Raise where a range does not go together with other axioms, which may come from another file than the range.

    Everything else that lies outside of the language shows in an axiom alone, and was found when it was read.

    Parameters
    ----------
    ontology
        all axioms together.
    of_chains
        whether ranges of chains count. Without some inclusions of roles, a part of an ontology may have such ranges.

    Raises
    ------
    DataError
        if there is such an axiom: the first one is named.
    """
    found = {place: why for place, why in _ranges_outside(ontology).items() if of_chains or why != RANGE_OF_CHAIN}
    if found:
        place = min(found)
        raise DataError(
            f"{ontology.readable(place)} is outside of the language: {found[place]}. That shows where the data and "
            f"what is public are taken together, for {len(found):,} axiom(s); take these out, or the range"
        )


def _ranges_outside(ontology: Ontology) -> dict[int, str]:
    """Return the axioms that ranges do not go together with, as OWL 2 EL restricts them."""
    if not (ontology.types == AxiomType.RANGE).any():
        return {}
    lists = ontology.arguments
    inherited = _inherited_ranges(ontology)
    found: dict[int, str] = {}
    for place in np.flatnonzero(ontology.types == AxiomType.SUBROLE).tolist():
        *chain, role = lists[place].tolist()
        if len(chain) > 1 and not inherited[role] <= inherited[chain[-1]]:
            found[place] = RANGE_OF_CHAIN
    values = _values_with_range(ontology, _roles_with_range(ontology))
    if not values.any():
        return found
    nested = _nested_values(ontology, values)
    for place in np.flatnonzero(np.isin(ontology.types, SAYING_OF_CLASSES)).tolist():
        given, kind = lists[place].tolist(), ontology.types[place]
        is_of_individual = kind == AxiomType.MEMBER or (
            kind == AxiomType.SUBCLASS and ontology.expressions.operators[given[0]] == Operator.NOMINAL
        )
        rights = given[:1] if kind == AxiomType.MEMBER else given if kind == AxiomType.EQUIVALENT else given[1:]
        # An individual is there, and so is who it is related to; of others that it is related to, this is not seen.
        if any((nested if is_of_individual else values)[one] for one in rights):
            found[place] = RANGE_OF_VALUE
    return found


def _roles_with_range(ontology: Ontology) -> set[int]:
    return {role for role, classes in _inherited_ranges(ontology).items() if classes}


def _inherited_ranges(ontology: Ontology) -> dict[int, set[int]]:
    """Return for each role the classes that are ranges of it or of a role that includes it."""
    ranges: dict[int, set[int]] = {}
    for place in np.flatnonzero(ontology.types == AxiomType.RANGE).tolist():
        role, expression = ontology.arguments[place].tolist()
        ranges.setdefault(role, set()).add(expression)
    supers = _super_roles(ontology)
    return {role: set().union(*(ranges.get(one, set()) for one in above)) for role, above in supers.items()}


def _super_roles(ontology: Ontology) -> dict[int, set[int]]:
    """Return for each role all roles that include it, itself among them."""
    above: dict[int, set[int]] = {role: {role} for role in range(len(ontology.roles))}
    pairs: list[tuple[int, int]] = []
    for place in np.flatnonzero(ontology.types == AxiomType.SUBROLE).tolist():
        given = ontology.arguments[place].tolist()
        pairs += [(given[0], given[1])] if len(given) == 2 else []
    for place in np.flatnonzero(ontology.types == AxiomType.EQUIVALENT_ROLES).tolist():
        given = ontology.arguments[place].tolist()
        pairs += list(zip(given, given[1:] + given[:1], strict=True))
    grows = True
    while grows:
        grows = False
        for lower, upper in pairs:
            if not above[upper] <= above[lower]:
                above[lower] |= above[upper]
                grows = True
    return above


def _values_with_range(ontology: Ontology, with_range: set[int]) -> BoolArray:
    """Return which expressions hold ∃r.{a} with a range of r, where it is said of all members of a class."""
    table = ontology.expressions
    found = np.zeros(len(table), dtype=np.bool_)
    for place in np.flatnonzero(np.isin(table.operators, (Operator.SOME, Operator.AND))).tolist():
        given = table.arguments[place].tolist()
        if table.operators[place] == Operator.AND:
            found[place] = any(found[one] for one in given)
        else:
            is_value = table.operators[given[1]] == Operator.NOMINAL
            found[place] = (is_value and given[0] in with_range) or bool(found[given[1]])
    return found


def _nested_values(ontology: Ontology, values: BoolArray) -> BoolArray:
    """Return which expressions hold ∃r.{a} with a range of r inside of another restriction."""
    table = ontology.expressions
    found = np.zeros(len(table), dtype=np.bool_)
    for place in np.flatnonzero(values).tolist():
        given = table.arguments[place].tolist()
        found[place] = found[given].any() if table.operators[place] == Operator.AND else values[given[1]]
    return found
