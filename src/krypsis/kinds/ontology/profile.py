"""The profile of an ontology: what it holds, and what follows from it."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.arrays import CodeArray, IntArray
from krypsis.data.ontologies import AxiomType, Ontology, normalize
from krypsis.data.ontologies.closure import Closure
from krypsis.data.ontologies.normal_forms import FIRST_CLASS
from krypsis.data.ontologies.wording import FUNCTIONAL_NAMES
from krypsis.format.functional_document import abbreviation
from krypsis.kinds.base import ProfileTable, ProfileView

MOST_SHOWN = 10


@dataclass(frozen=True)
class OntologyProfile:
    """What is known about an ontology before anything is published."""

    name: str
    axioms: int
    classes: int
    individuals: int
    roles: int
    by_type: Mapping[str, int]
    """Type of axiom, as functional syntax names it → how many there are."""
    left_out: Mapping[str, int]
    """Construct outside of the language → how many axioms have it."""
    about_individuals: int
    """Axioms that name an individual."""
    subsumptions: int
    """Inclusions between named classes that follow, those that are stated among them."""
    depth: int
    """The longest chain of classes, each properly included in the next."""
    unsatisfiable: int
    """Classes that can have no members."""
    memberships: int
    """Memberships of individuals in named classes that follow, those that are stated among them."""
    stated_memberships: int
    implied_members: Mapping[str, int]
    """Class in functional syntax → how many individuals are members without its being stated; the most first."""
    members: Mapping[str, int]
    """Class in functional syntax → how many members it has; the most first."""
    is_inconsistent: bool

    def sentences(self) -> tuple[str, ...]:
        """Return what the figures mean, for people who publish the ontology.

        Examples
        --------
        >>> facts = Ontology.of_text("ClassAssertion(:Smoker :ann) SubClassOf(:Smoker :AtRisk)")
        >>> print(*profile_ontology(facts, "facts").sentences(), sep="; ")
        1 membership of an individual in a class follows without being stated
        """
        implied = self.memberships - self.stated_memberships
        if implied == 1:
            said = ["1 membership of an individual in a class follows without being stated"]
        else:
            said = [f"{implied:,} memberships of individuals in classes follow without being stated"]
        if self.is_inconsistent:
            said = ["the axioms contradict each other, so that everything follows from them"]
        if self.unsatisfiable:
            said.append(f"{self.unsatisfiable:,} classes can have no members")
        if self.left_out:
            kinds = "; ".join(f"{construct} ({count:,})" for construct, count in self.left_out.items())
            said.append(
                f"{sum(self.left_out.values()):,} axioms lie outside of the language and were left out: {kinds}"
            )
        return tuple(said)

    def view(self) -> ProfileView:
        """Return the profile for a screen."""
        return ProfileView(
            f"{self.name}: {self.axioms:,} axioms about {self.classes:,} classes, {self.individuals:,} individuals, "
            f"{self.roles:,} roles",
            (self._figures(), self._types(), *self._implied()),
            tuple(f"Note: {sentence}." for sentence in self.sentences()),
            self.axioms,
        )

    def _figures(self) -> ProfileTable:
        rows = {
            "axioms that name an individual": f"{self.about_individuals:,}",
            "inclusions between classes that follow": f"{self.subsumptions:,}",
            "longest chain of classes": f"{self.depth:,}",
            "memberships that follow (of these stated)": f"{self.memberships:,} ({self.stated_memberships:,})",
            "classes without possible members": f"{self.unsatisfiable:,}",
        }
        return ProfileTable("Ontology", ("what", "figure"), tuple(rows.items()))

    def _types(self) -> ProfileTable:
        rows = tuple((name, f"{count:,}") for name, count in self.by_type.items())
        return ProfileTable("Axioms by type", ("type", "axioms"), rows, figures=("axioms",))

    def _implied(self) -> tuple[ProfileTable, ...]:
        if not self.implied_members:
            return ()
        shown = list(self.implied_members.items())[:MOST_SHOWN]
        rows = tuple((name, f"{count:,}") for name, count in shown)
        title = "Classes whose members follow without being stated"
        return (ProfileTable(title, ("class", "members"), rows, figures=("members",)),)


def profile_ontology(ontology: Ontology, name: str) -> OntologyProfile:
    """Return the profile of an ontology."""
    forms = normalize(ontology)
    closure = InMemoryCompletion().complete(forms)
    left, right = closure.sub[:, 0], closure.sub[:, 1]
    is_class = (right >= FIRST_CLASS) & (right < forms.first_individual)
    between = is_class & (left >= FIRST_CLASS) & (left < forms.first_individual)
    member = is_class & (left >= forms.first_individual) & (left < forms.first_fresh)
    stated = _stated(closure)
    implied = closure.sub[member][~np.isin(_codes(closure.sub[member], forms.atoms), _codes(stated, forms.atoms))]
    members = np.bincount(implied[:, 1], minlength=forms.first_individual)
    every = np.bincount(right[member], minlength=forms.first_individual)
    quoted = abbreviation(dict(ontology.prefixes))

    def by_name(counts: IntArray) -> dict[str, int]:
        order = [int(one) for one in np.argsort(-counts, kind="stable") if counts[one]]
        return {quoted(ontology.classes[one - FIRST_CLASS]): int(counts[one]) for one in order}

    return OntologyProfile(
        name=name,
        axioms=len(ontology),
        classes=len(ontology.classes),
        individuals=len(ontology.individuals),
        roles=len(ontology.roles),
        by_type={FUNCTIONAL_NAMES[AxiomType[kind.upper()]]: count for kind, count in ontology.counts.items()},
        left_out=ontology.left_out,
        about_individuals=int(ontology.names_individuals.sum()),
        subsumptions=int(between.sum()),
        depth=_depth(closure.sub[between] - FIRST_CLASS, len(ontology.classes)),
        unsatisfiable=int(closure.is_empty[FIRST_CLASS : forms.first_individual].sum()),
        memberships=int(member.sum()),
        stated_memberships=int(member.sum()) - len(implied),
        implied_members=by_name(members),
        members=by_name(every),
        is_inconsistent=closure.is_inconsistent,
    )


def _stated(closure: Closure) -> CodeArray:
    """Return the inclusions between atoms that axioms state."""
    forms = closure.forms
    return forms.sub[forms.sources["sub"] >= 0]


def _codes(pairs: CodeArray, atoms: int) -> np.ndarray:
    return pairs[:, 0].astype(np.int64) * atoms + pairs[:, 1]


def _depth(pairs: CodeArray, classes: int) -> int:
    """Return the longest chain of classes, each properly included in the next; the pairs are transitively closed."""
    if not classes:
        return 0
    codes = _codes(pairs, classes)
    mutual = np.isin(codes, _codes(pairs[:, ::-1], classes))
    proper = pairs[~mutual]
    # Of closed pairs, a class lies above all that its subclasses lie above: levels follow the number of classes below.
    below = np.bincount(proper[:, 1], minlength=classes)
    level = np.ones(classes, dtype=np.int64)
    order = np.argsort(below[proper[:, 1]], kind="stable")
    lower, upper = proper[order].T
    bounds = np.flatnonzero(np.diff(below[upper], prepend=-1))  # none where no class lies below another
    for start, end in itertools.pairwise([*bounds, len(upper)]):
        np.maximum.at(level, upper[start:end], level[lower[start:end]] + 1)
    return int(level.max())
