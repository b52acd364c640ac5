"""Several ontologies as one, with common numbers for names and expressions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.ontologies.ontology import ROLES_FIRST, ROLES_ONLY, Expressions, Ontology, Operator, Ragged


def merged(parts: Sequence[Ontology]) -> tuple[Ontology, IntArray]:
    """Return the axioms of several ontologies as one, and which of them each axiom comes from.

    Axioms keep their order, also where two ontologies hold the same one.

    Examples
    --------
    >>> first, second = Ontology.of_text("SubClassOf(:A :B)"), Ontology.of_text("SubClassOf(:B :C) SubClassOf(:A :B)")
    >>> both, origin = merged([first, second])
    >>> [both.readable(place) for place in range(3)], origin.tolist()
    (['A ⊑ B', 'B ⊑ C', 'A ⊑ B'], [0, 1, 1])
    """
    classes, class_codes = _joined_names([part.classes for part in parts])
    individuals, individual_codes = _joined_names([part.individuals for part in parts])
    roles, role_codes = _joined_names([part.roles for part in parts])
    known: dict[tuple[int, ...], int] = {(int(Operator.TOP),): 0, (int(Operator.BOTTOM),): 1}
    lists: list[CodeArray] = []
    lengths: list[IntArray] = []
    for place, part in enumerate(parts):
        numbers = _joined_expressions(
            part.expressions, known, class_codes[place], individual_codes[place], role_codes[place]
        )
        lists.append(_renumbered(part, numbers, role_codes[place]))
        lengths.append(part.arguments.lengths)
    keys = list(known)
    expressions = Expressions(
        np.fromiter((key[0] for key in keys), dtype=np.int32, count=len(keys)), Ragged.of([key[1:] for key in keys])
    )
    starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    left_out: dict[str, int] = {}
    for part in parts:
        for construct, count in part.left_out.items():
            left_out[construct] = left_out.get(construct, 0) + count
    found = Ontology(
        classes=classes,
        individuals=individuals,
        roles=roles,
        expressions=expressions,
        types=np.concatenate([part.types for part in parts]),
        arguments=Ragged(np.concatenate(lists), starts),
        prefixes={prefix: name for part in reversed(parts) for prefix, name in part.prefixes.items()},
        left_out=left_out,
    )
    return found, np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def _joined_names(each: Sequence[pl.Series]) -> tuple[pl.Series, list[CodeArray]]:
    """Return all names once, in the order in which they come, and the new numbers of those of each part."""
    names = pl.concat(list(each)).unique(maintain_order=True).alias("name")
    numbers = pl.DataFrame({"name": names, "number": np.arange(len(names), dtype=np.int32)})
    codes = [
        pl.DataFrame({"name": one}).join(numbers, on="name", how="left", maintain_order="left")["number"].to_numpy()
        for one in each
    ]
    return names, codes


def _joined_expressions(
    table: Expressions, known: dict[tuple[int, ...], int], classes: CodeArray, individuals: CodeArray, roles: CodeArray
) -> CodeArray:
    """Return the new number of each expression, and add those that were not known."""
    numbers = np.zeros(len(table), dtype=np.int32)
    for place, operator in enumerate(table.operators.tolist()):
        given = table.arguments[place].tolist()
        match operator:
            case Operator.NAME:
                given = [int(classes[given[0]])]
            case Operator.NOMINAL:
                given = [int(individuals[given[0]])]
            case Operator.SELF:
                given = [int(roles[given[0]])]
            case Operator.SOME:
                given = [int(roles[given[0]]), int(numbers[given[1]])]
            case Operator.NOT:
                given = [int(numbers[given[0]])]
            case _:
                given = sorted(int(numbers[one]) for one in given)
        numbers[place] = known.setdefault((operator, *given), len(known))
    return numbers


def _renumbered(part: Ontology, numbers: CodeArray, roles: CodeArray) -> CodeArray:
    """Return the arguments of all axioms with new numbers."""
    values, is_role = part.arguments.values, _roles_among(part)
    found = np.empty_like(values)
    found[is_role] = roles[values[is_role]]
    found[~is_role] = numbers[values[~is_role]]
    return found


def _roles_among(part: Ontology) -> BoolArray:
    """Return which arguments of all axioms are roles."""
    starts = part.arguments.starts
    is_role = np.repeat(np.isin(part.types, [int(kind) for kind in ROLES_ONLY]), part.arguments.lengths)
    is_role[starts[:-1][np.isin(part.types, [int(kind) for kind in ROLES_FIRST])]] = True
    return is_role


def used_part(ontology: Ontology) -> Ontology:
    """Return the same axioms with no names and expressions but those that they hold.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(:A :B) ClassAssertion(:C :a)")
    >>> used_part(ontology.select([0]))
    Ontology(1 axiom; 2 classes, 0 individuals, 0 roles)
    """
    table = ontology.expressions
    values = ontology.arguments.values
    is_role = _roles_among(ontology)
    used = np.zeros(len(table), dtype=np.bool_)
    used[: Operator.BOTTOM + 1] = True
    used[values[~is_role]] = True
    roles = np.zeros(len(ontology.roles), dtype=np.bool_)
    roles[values[is_role]] = True
    has_role = np.isin(table.operators, (Operator.SOME, Operator.SELF))
    for place in np.flatnonzero(table.operators >= Operator.AND)[::-1].tolist():  # parts come before the whole
        if not used[place]:
            continue
        given = table.arguments[place]
        if has_role[place]:
            roles[given[0]] = True
            given = given[1:]
        used[given] = True
    kept = np.flatnonzero(used)
    part = Expressions(table.operators[kept], table.arguments.taken(kept))
    numbers = np.cumsum(used).astype(np.int32) - 1
    starts = part.arguments.starts[:-1]
    named = {}
    for operator, names in ((Operator.NAME, ontology.classes), (Operator.NOMINAL, ontology.individuals)):
        places = starts[part.operators == operator]
        old = np.unique(part.arguments.values[places])
        part.arguments.values[places] = np.searchsorted(old, part.arguments.values[places])
        named[operator] = names.gather(old)
    role_numbers = np.cumsum(roles).astype(np.int32) - 1
    has_role = has_role[kept]
    is_part = np.repeat(part.operators >= Operator.AND, part.arguments.lengths)
    is_part[starts[has_role]] = False
    part.arguments.values[starts[has_role]] = role_numbers[part.arguments.values[starts[has_role]]]
    part.arguments.values[is_part] = numbers[part.arguments.values[is_part]]
    return replace(
        ontology,
        classes=named[Operator.NAME],
        individuals=named[Operator.NOMINAL],
        roles=ontology.roles.gather(np.flatnonzero(roles)),
        expressions=part,
        arguments=Ragged(_renumbered(ontology, numbers, role_numbers), ontology.arguments.starts),
    )
