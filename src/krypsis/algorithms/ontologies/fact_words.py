"""Facts about atoms in the notation of description logics, with fresh names written as what they stand for."""

from functools import cached_property

from krypsis.data.ontologies.normal_forms import BOTTOM, DEFINITION, TOP, NormalForms
from krypsis.data.ontologies.ontology import Operator
from krypsis.data.ontologies.wording import Wording, short_name


class FactWords:
    """Puts facts into words.

    Examples
    --------
    >>> from krypsis.data.ontologies import Ontology, normalize
    >>> forms = normalize(Ontology.of_text("SubClassOf(ObjectIntersectionOf(:A :B :C) :D) ClassAssertion(:A :a)"))
    >>> words = FactWords(forms)
    >>> words.of("sub", [6, 2]), words.of("conjunction", forms.conjunction[0].tolist())
    ('a : A', 'A ⊓ B ⊑ A ⊓ B')
    """

    def __init__(self, forms: NormalForms) -> None:
        self._forms = forms
        self._wording = Wording(forms.ontology)

    @cached_property
    def _definitions(self) -> dict[int, tuple[str, list[int]]]:
        """Fresh atom that stands for no expression of the ontology → a row that defines it."""
        found: dict[int, tuple[str, list[int]]] = {}
        for table in ("some_left", "self_left", "conjunction"):
            rows = getattr(self._forms, table)[self._forms.sources[table] == DEFINITION]
            for row in rows[self._forms.meanings[rows[:, -1]] < 0].tolist():
                found[row[-1]] = (table, row)
        return found

    @cached_property
    def _targets(self) -> dict[int, tuple[int, int]]:
        """Fresh atom of a target of a role with a range → the class that it is in, and its range."""
        rows = self._forms.sub[self._forms.sources["sub"] == DEFINITION]
        supers: dict[int, list[int]] = {}
        for left, right in rows[self._forms.meanings[rows[:, 0]] < 0].tolist():
            supers.setdefault(left, []).append(right)
        return {atom: (one, other) for atom, (one, other) in supers.items() if other in self._forms.ranges}

    @cached_property
    def _chains(self) -> dict[int, list[int]]:
        """Fresh role → the two roles that it joins."""
        rows = self._forms.role_chain[self._forms.sources["role_chain"] == DEFINITION].tolist()
        return {row[2]: row[:2] for row in rows}

    def is_definition(self, table: str, row: list[int]) -> bool:
        """Say whether a row only defines a fresh name, so that nobody needs to hear of it."""
        return self.of(table, row).split(" ⊑ ")[0] == self.of(table, row).split(" ⊑ ")[-1]

    def role(self, role: int) -> str:
        """Return the name of a role, or the chain that a fresh one stands for."""
        if role < len(self._forms.ontology.roles):
            return short_name(self._forms.ontology.roles[role])
        return " ∘ ".join(map(self.role, self._chains[role]))

    def atom(self, atom: int) -> str:  # noqa: PLR0911  one for each kind of atoms
        """Return what an atom stands for."""
        if atom in (TOP, BOTTOM):
            return "⊤⊥"[atom]
        if atom < self._forms.first_individual:
            return short_name(self._forms.ontology.classes[atom - 2])
        if atom < self._forms.first_fresh:
            return "{" + short_name(self._forms.ontology.individuals[atom - self._forms.first_individual]) + "}"
        if (meaning := int(self._forms.meanings[atom])) >= 0:
            return self._wording.readable_expression(meaning)
        match self._definitions.get(atom):
            case ("conjunction", [one, other, _]):
                return " ⊓ ".join(map(self._part, self._folded(one, other)))
            case ("some_left", [role, filler, _]):
                return f"∃{self.role(role)}.{self._part(filler)}"
            case ("self_left", [role, _]):
                return f"∃{self.role(role)}.Self"
        if atom in self._forms.ranges:
            return f"ran({self.role(self._forms.ranges[atom])})"
        if atom in self._targets:
            return " ⊓ ".join(map(self._part, self._targets[atom]))
        return f"(auxiliary class {atom - self._forms.first_fresh + 1})"

    def _folded(self, one: int, other: int) -> list[int]:
        """Return the parts of a conjunction of many, of which two were taken at a time."""
        parts = [other]
        while self._definitions.get(one, ("", []))[0] == "conjunction":
            one, other, _ = self._definitions[one][1]
            parts.append(other)
        return [one, *reversed(parts)]

    def _part(self, atom: int) -> str:
        words = self.atom(atom)
        meaning = int(self._forms.meanings[atom]) if atom >= self._forms.first_fresh else -1
        is_joined = meaning >= 0 and self._forms.ontology.expressions.operators[meaning] in (Operator.AND, Operator.OR)
        return f"({words})" if is_joined or atom in self._targets else words

    def of(self, table: str, row: list[int]) -> str:  # noqa: PLR0911  one for each table
        """Return a row of a table of a closure, or of normal forms."""
        match table, row:
            case "sub", [left, right]:
                return self._inclusion(left, right)
            case (("some" | "some_right"), [left, role, right]):
                if self._is_individual(left) and self._is_individual(right):
                    return f"{self.role(role)}({self._name(left)}, {self._name(right)})"
                return self._said(left, f"∃{self.role(role)}.{self._part(right)}")
            case (("selves" | "self_right"), [left, role]):
                return self._said(left, f"∃{self.role(role)}.Self")
            case "conjunction", [one, other, right]:
                return f"{self._part(one)} ⊓ {self._part(other)} ⊑ {self.atom(right)}"
            case "some_left", [role, one, right]:
                return f"∃{self.role(role)}.{self._part(one)} ⊑ {self.atom(right)}"
            case "self_left", [role, right]:
                return f"∃{self.role(role)}.Self ⊑ {self.atom(right)}"
            case _, [*roles, last]:
                return f"{' ∘ '.join(map(self.role, roles))} ⊑ {self.role(last)}"
        raise ValueError(f"{table} has no row {row}")

    def _inclusion(self, left: int, right: int) -> str:
        if self._is_individual(left) and self._is_individual(right):
            return f"{self._name(left)} = {self._name(right)}"
        return self._said(left, self.atom(right))

    def _said(self, left: int, words: str) -> str:
        return f"{self._name(left)} : {words}" if self._is_individual(left) else f"{self.atom(left)} ⊑ {words}"

    def _is_individual(self, atom: int) -> bool:
        return self._forms.first_individual <= atom < self._forms.first_fresh

    def _name(self, atom: int) -> str:
        return self.atom(atom).strip("{}")
