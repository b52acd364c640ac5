"""Random ontologies: normal forms with all constructs, and axioms with nested expressions."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from krypsis.data.ontologies.builder import OntologyBuilder
from krypsis.data.ontologies.normal_forms import BOTTOM, FORMS, TOP, NormalForms
from krypsis.data.ontologies.ontology import AxiomType, Ontology, Ragged


@dataclass(frozen=True)
class Sizes:
    """How many names a random ontology has, and how many rows of each normal form."""

    classes: int = 5
    individuals: int = 2
    roles: int = 3
    sub: int = 5
    conjunction: int = 3
    some_right: int = 4
    some_left: int = 3
    self_right: int = 2
    self_left: int = 1
    role_sub: int = 2
    role_chain: int = 2

    def times(self, factor: float) -> "Sizes":
        """Return sizes with so many times the classes, individuals and rows; roles stay as they are."""
        grown = {name: round(getattr(self, name) * factor) for name in FORMS if not name.startswith("role")}
        return replace(
            self, classes=round(self.classes * factor), individuals=round(self.individuals * factor), **grown
        )


SMALL = Sizes()


def random_forms(rng: np.random.Generator, sizes: Sizes = SMALL) -> NormalForms:
    """Return random normal forms: each row is an axiom, ⊤ and ⊥ are among the atoms, rows may repeat.

    An individual includes nothing but individuals, as the language demands. There are no fresh names.
    """
    first_individual = 2 + sizes.classes
    atoms = first_individual + sizes.individuals

    def draw(count: int, *kinds: str) -> np.ndarray:
        return np.array([[draw_one(kind) for kind in kinds] for _ in range(count)], dtype=np.int32).reshape(
            count, len(kinds)
        )

    def draw_one(kind: str) -> int:
        if kind == "role":
            return int(rng.integers(sizes.roles))
        chance = rng.random()
        if chance < 0.06:
            return TOP
        if chance < 0.09:
            return BOTTOM
        return int(rng.integers(2, atoms if kind == "any" else first_individual))

    tables = {
        "sub": draw(sizes.sub, "any", "class"),
        "conjunction": draw(sizes.conjunction, "any", "any", "class"),
        "some_right": draw(sizes.some_right, "any", "role", "any"),
        "some_left": draw(sizes.some_left, "role", "any", "class"),
        "self_right": draw(sizes.self_right, "any", "role"),
        "self_left": draw(sizes.self_left, "role", "class"),
        "role_sub": draw(sizes.role_sub, "role", "role"),
        "role_chain": draw(sizes.role_chain, "role", "role", "role"),
    }
    of_individuals = np.flatnonzero(tables["sub"][:, 0] >= first_individual)
    same = of_individuals[rng.random(len(of_individuals)) < 0.4]
    tables["sub"][same, 1] = rng.integers(first_individual, atoms, len(same))
    return forms_of(tables, sizes.classes, sizes.individuals, sizes.roles)


def forms_of(tables: dict[str, object], classes: int, individuals: int = 0, roles: int = 1) -> NormalForms:
    """Return normal forms of rows of numbers; each row is an axiom of the ontology, in the order of the tables."""
    rows = {
        name: np.array(tables.get(name, []), dtype=np.int32).reshape(-1, width)  # tables that are not given are empty
        for name, width in FORMS.items()
    }
    builder = OntologyBuilder()
    role_codes = [builder.role(f"r{place}") for place in range(roles)]
    atoms = [TOP, BOTTOM, *(builder.class_named(f"A{place}") for place in range(classes))]
    atoms += [builder.nominal(f"a{place}") for place in range(individuals)]

    def subclass(left: int, right: int) -> tuple[AxiomType, tuple[int, ...]]:
        return AxiomType.SUBCLASS, (left, right)

    def axiom(name: str, row: list[int]) -> tuple[AxiomType, tuple[int, ...]]:
        match name:
            case "sub":
                return subclass(atoms[row[0]], atoms[row[1]])
            case "conjunction":
                return subclass(builder.conjunction([atoms[row[0]], atoms[row[1]]]), atoms[row[2]])
            case "some_right":
                return subclass(atoms[row[0]], builder.some(role_codes[row[1]], atoms[row[2]]))
            case "some_left":
                return subclass(builder.some(role_codes[row[0]], atoms[row[1]]), atoms[row[2]])
            case "self_right":
                return subclass(atoms[row[0]], builder.has_self(role_codes[row[1]]))
            case "self_left":
                return subclass(builder.has_self(role_codes[row[0]]), atoms[row[1]])
        return AxiomType.SUBROLE, tuple(row)

    axioms = [axiom(name, row) for name in FORMS for row in rows[name].tolist()]
    ontology = replace(
        builder.build(),
        types=np.array([kind for kind, _ in axioms], dtype=np.int32),
        arguments=Ragged.of([given for _, given in axioms]),
        lines=None,
    )
    sources, start = {}, 0
    for name in FORMS:
        sources[name] = np.arange(start, start + len(rows[name]))
        start += len(rows[name])
    return NormalForms(ontology, len(atoms), roles, **rows, sources=sources, meanings=np.array(atoms, dtype=np.int32))


def random_ontology(  # noqa: C901  one branch for each type of axiom
    rng: np.random.Generator, sizes: Sizes = SMALL, axioms: int = 15, depth: int = 2
) -> Ontology:
    """Return random axioms of the language with nested expressions, disjointness, assertions and role axioms."""
    builder = OntologyBuilder()
    roles = [builder.role(f"r{place}") for place in range(sizes.roles)]
    classes = [builder.class_named(f"A{place}") for place in range(sizes.classes)]
    individuals = [builder.nominal(f"a{place}") for place in range(sizes.individuals)]

    def pick(numbers: list[int], count: int = 1) -> list[int]:
        return [int(one) for one in rng.choice(numbers, count)]

    def expression(left: int) -> int:
        """Return an expression that nests at most so deep; individuals are members only of restrictions."""
        chance = rng.random()
        if left == 0 or chance < 0.4:
            return TOP if chance < 0.02 else BOTTOM if chance < 0.03 else pick(classes)[0]
        if chance < 0.6:
            return builder.conjunction([expression(left - 1) for _ in range(int(rng.integers(2, 4)))])
        if chance < 0.92 or not individuals:
            return builder.some(pick(roles)[0], expression(left - 1))
        return builder.some(pick(roles)[0], pick(individuals)[0]) if chance < 0.96 else builder.has_self(pick(roles)[0])

    def assertion() -> None:
        match int(rng.integers(4)):
            case 0:
                builder.axiom(AxiomType.RELATED, *pick(roles), *pick(individuals, 2))
            case 1:
                builder.axiom(AxiomType.SAME, *pick(individuals, 2))
            case _:
                builder.axiom(AxiomType.MEMBER, expression(1), *pick(individuals))

    for _ in range(axioms):
        chance = rng.random()
        if individuals and chance < 0.2:
            assertion()
        elif chance < 0.75:
            builder.axiom(AxiomType.SUBCLASS, expression(depth), expression(depth))
        elif chance < 0.82:
            builder.axiom(AxiomType.EQUIVALENT, *pick(classes), expression(depth))
        elif chance < 0.86:
            builder.axiom(AxiomType.DISJOINT, *pick(classes, 2))
        elif chance < 0.9:
            builder.axiom(AxiomType.DOMAIN, *pick(roles), expression(1))
        elif chance < 0.93:
            builder.axiom(AxiomType.TRANSITIVE, *pick(roles))
        elif chance < 0.94:
            builder.axiom(AxiomType.REFLEXIVE, *pick(roles))
        else:
            builder.axiom(AxiomType.SUBROLE, *pick(roles, int(rng.integers(2, 5))))
    return builder.build(ignore_unsupported=True)


def seeds() -> st.SearchStrategy[np.random.Generator]:
    """Random number generators; a failure names the seed."""
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


@st.composite
def normal_forms(draw: st.DrawFn, most_classes: int = 5, most_individuals: int = 2, most_roles: int = 3) -> NormalForms:
    """Normal forms that hypothesis can shrink: a few rows of each table, over all atoms."""
    classes = draw(st.integers(1, most_classes))
    individuals = draw(st.integers(0, most_individuals))
    roles = draw(st.integers(1, most_roles))
    in_order = [*range(2, 2 + classes + individuals), TOP, BOTTOM]
    anything = st.sampled_from(in_order)
    not_nominal = st.sampled_from([*range(2, 2 + classes), TOP, BOTTOM])
    nominal = st.sampled_from(range(2 + classes, 2 + classes + max(individuals, 1)))
    role = st.integers(0, roles - 1)
    inclusion = st.tuples(anything, not_nominal)
    kinds = {
        "sub": st.one_of(inclusion, st.tuples(nominal, nominal)) if individuals else inclusion,
        "conjunction": st.tuples(anything, anything, not_nominal),
        "some_right": st.tuples(anything, role, anything),
        "some_left": st.tuples(role, anything, not_nominal),
        "self_right": st.tuples(anything, role),
        "self_left": st.tuples(role, not_nominal),
        "role_sub": st.tuples(role, role),
        "role_chain": st.tuples(role, role, role),
    }
    tables = {name: draw(st.lists(kind, max_size=5)) for name, kind in kinds.items()}
    return forms_of(tables, classes, individuals, roles)
