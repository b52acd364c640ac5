"""Classification: which classes include which directly, and which classes each individual is directly in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.algorithms.ontologies.completion.in_memory import Saturation
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.ontologies.normal_forms import BOTTOM, FIRST_CLASS, TOP, normalize
from krypsis.data.ontologies.ontology import Ontology
from krypsis.errors import UnknownNameError, did_you_mean
from krypsis.kernels._jit import compiled
from krypsis.progress import NO_PROGRESS, Progress

UNSATISFIABLE = -1
"""The place of classes without members."""
ALL = 0
"""The place of ⊤ and of classes that include everything."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassTaxonomy:
    """The classes of an ontology in their order: classes that include each other share a place.

    Examples
    --------
    >>> axioms = "SubClassOf(:A :B) SubClassOf(:B :C) EquivalentClasses(:C :D) ClassAssertion(:A :a)"
    >>> found = classify(Ontology.of_text(axioms))
    >>> found
    ClassTaxonomy(4 classes in 3 places, none unsatisfiable; 7 inclusions; 1 individual)
    >>> found.above(":B"), found.below(":B"), found.same_as(":C"), found.types_of(":a")
    ([':C', ':D'], [':A'], [':C', ':D'], [':A'])
    """

    ontology: Ontology
    places: CodeArray
    """The place of each class: :data:`UNSATISFIABLE`, :data:`ALL`, or a number from 1."""
    place_count: int
    direct: CodeArray
    """Place, and a place directly above it: one row each, in ascending order. ALL is above those with none else."""
    inclusions: int
    """How many inclusions between two different classes follow, direct or not."""
    types: CodeArray
    """Individual, and the place of a class that it is directly in: one row each; those in no class are in ALL."""
    first_same: CodeArray
    """For each individual the first one that is the same."""
    is_consistent: bool
    """Whether the axioms do not contradict each other; if they do, everything follows."""

    def __repr__(self) -> str:
        empty = int((self.places == UNSATISFIABLE).sum())
        individuals, places = len(self.ontology.individuals), len(np.unique(self.places[self.places >= ALL]))
        return (
            f"ClassTaxonomy({len(self.places):,} classes in {places:,} places, {empty or 'none'} unsatisfiable; "
            f"{self.inclusions:,} inclusions; {individuals:,} individual{'s' if individuals != 1 else ''})"
        )

    @property
    def unsatisfiable(self) -> list[str]:
        """The names of classes that cannot have members."""
        return self._names([UNSATISFIABLE])

    def same_as(self, name: str) -> list[str]:
        """Return the names of all classes with the same members as a class, itself among them."""
        return self._names([self._place(name)])

    def above(self, name: str) -> list[str]:
        """Return the names of the classes directly above a class; none where it is unsatisfiable or only ⊤ is."""
        place = self._place(name)
        return self._names(self.direct[self.direct[:, 0] == place, 1].tolist())

    def below(self, name: str) -> list[str]:
        """Return the names of the classes directly below a class."""
        place = self._place(name)
        return self._names(self.direct[self.direct[:, 1] == place, 0].tolist())

    def types_of(self, individual: str) -> list[str]:
        """Return the names of the classes that an individual is directly in."""
        number = _number(self.ontology.individuals, individual, "individual")
        return self._names(self.types[self.types[:, 0] == number, 1].tolist())

    def _place(self, name: str) -> int:
        return int(self.places[_number(self.ontology.classes, name, "class")])

    def _names(self, places: Iterable[int]) -> list[str]:
        found: list[str] = self.ontology.classes.filter(np.isin(self.places, list(places))).to_list()
        return found

    @property
    def frame(self) -> pl.DataFrame:
        """Direct inclusions between classes: the first class of each place, and the first class of one above it."""
        firsts = np.full(self.place_count + 1, -1, dtype=np.int64)
        numbers = np.arange(len(self.places))[::-1]
        firsts[self.places[numbers]] = numbers
        rows = self.direct[(firsts[self.direct] >= 0).all(axis=1)]
        names = self.ontology.classes
        return pl.DataFrame({"class": names.gather(firsts[rows[:, 0]]), "above": names.gather(firsts[rows[:, 1]])})


def _number(names: pl.Series, name: str, kind: str) -> int:
    found = names.index_of(name)
    if found is None:
        raise UnknownNameError(f"{kind} {name!r} is not in the ontology.{did_you_mean(name, names.to_list())}")
    return int(found)


def classify(ontology: Ontology, progress: Progress = NO_PROGRESS) -> ClassTaxonomy:
    """Return which classes include which directly, and the direct classes of individuals.

    Notes
    -----
    The ontology is completed for classes, individuals and what these are related to. Places are taken in the order of
    how many classes include them, so that what is above one is crossed out when that one is found to be direct.
    """
    forms = normalize(ontology)
    found = Saturation.of(forms, progress)
    found.run(np.concatenate([[TOP], np.arange(FIRST_CLASS, forms.first_fresh)]))
    classes, individuals = len(ontology.classes), len(ontology.individuals)
    left, right = _inclusions(found, np.arange(FIRST_CLASS, forms.first_fresh))
    empty = _among(left[right == BOTTOM] - FIRST_CLASS, classes + individuals)
    _, of_all = found.lists(np.array([TOP]))
    is_consistent = not empty[classes:].any() and BOTTOM not in of_all
    is_empty = empty[:classes] if is_consistent else np.ones(classes, dtype=np.bool_)
    is_all = _among(of_all - FIRST_CLASS, classes)
    first_same = _first_same(left, right, forms.first_individual, individuals)
    left, right = left - FIRST_CLASS, right - FIRST_CLASS
    # Between two different classes, neither of which is unsatisfiable.
    chosen = (right >= 0) & (right < classes) & (left != right)
    chosen &= ~np.concatenate([is_empty, empty[classes:]])[left]
    left, right = left[chosen], right[chosen]
    inclusions = int((left < classes).sum()) + int(is_empty.sum()) * max(classes - 1, 0)
    chosen = ~is_all[right] & ((left >= classes) | ~is_all[np.minimum(left, max(classes - 1, 0))])
    left, right = left[chosen], right[chosen]
    places, first = _places(left, right, is_empty, is_all)
    direct = _direct_rows(left, right, places, first, individuals)
    is_type = direct[:, 0] > len(first)
    types = direct[is_type] - np.array([[len(first) + 1, 0]])
    if not is_consistent:
        types = types[:0]
    rows = (places, len(first) + 1, direct[~is_type], inclusions, types.astype(np.int32), first_same, is_consistent)
    return ClassTaxonomy(ontology, *rows)


def _inclusions(found: Saturation, atoms: IntArray) -> tuple[IntArray, IntArray]:
    """Return all inclusions of atoms in classes, individuals or ⊥."""
    lengths, members = found.lists(atoms)
    chosen = (members != TOP) & (members < found.forms.first_fresh)
    return np.repeat(atoms, lengths)[chosen], members[chosen].astype(np.int64)


def _among(numbers: IntArray | CodeArray, count: int) -> BoolArray:
    """Return which of so many numbers occur."""
    found = np.zeros(count, dtype=np.bool_)
    found[numbers[(numbers >= 0) & (numbers < count)]] = True
    return found


def _first_same(left: IntArray, right: IntArray, first_individual: int, count: int) -> CodeArray:
    """Return for each individual the first one that it is the same as; what is the same includes each other."""
    found = np.arange(count, dtype=np.int32)
    chosen = right >= first_individual
    np.minimum.at(found, left[chosen] - first_individual, (right[chosen] - first_individual).astype(np.int32))
    return found


def _places(left: IntArray, right: IntArray, is_empty: BoolArray, is_all: BoolArray) -> tuple[CodeArray, IntArray]:
    """Return the place of each class, and the first class of each place from 1 on."""
    count = len(is_empty)
    among_classes = left < count
    left, right = left[among_classes], right[among_classes]
    # Classes that include each other are included in equally many.
    sizes = np.bincount(left, minlength=count)
    alike = sizes[left] == sizes[right]
    keys, turned = left[alike] * count + right[alike], right[alike] * count + left[alike]
    same = keys[np.isin(keys, turned)]
    representative = np.arange(count)
    np.minimum.at(representative, same // max(count, 1), same % max(count, 1))
    first = np.flatnonzero((representative == np.arange(count)) & ~is_empty & ~is_all)
    places = np.zeros(count, dtype=np.int32)
    places[first] = np.arange(1, len(first) + 1)
    places = places[representative]
    places[is_all] = ALL
    places[is_empty] = UNSATISFIABLE
    return places, first


def _direct_rows(left: IntArray, right: IntArray, places: CodeArray, first: IntArray, individuals: int) -> CodeArray:
    """Return each place, and after them each individual, with the places directly above it."""
    classes, count = len(places), len(first) + 1 + individuals
    is_first = np.zeros(classes + individuals, dtype=np.bool_)
    is_first[first] = True
    is_first[classes:] = True
    chosen = is_first[left] & is_first[right]
    numbers = np.concatenate([places, np.arange(len(first) + 1, count)])
    left, right = numbers[left[chosen]], numbers[right[chosen]]
    chosen = left != right
    left, right = left[chosen].astype(np.int64), right[chosen]
    sizes = np.bincount(left, minlength=count)
    order = np.argsort(-sizes[: len(first) + 1], kind="stable")
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    keys = left * len(order) + ranks[right]
    keys.sort()
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    above = order[keys % len(order)].astype(np.int32)
    is_direct = direct_ones(starts, above)
    # ALL is above those that have none else above them.
    alone = np.flatnonzero(sizes == 0)
    alone = alone[alone != ALL]
    lower = np.repeat(np.arange(count), sizes)[is_direct]
    rows = np.stack([np.append(lower, alone), np.append(above[is_direct], np.full_like(alone, ALL))], axis=1)
    return np.ascontiguousarray(rows[np.lexsort((rows[:, 1], rows[:, 0]))], dtype=np.int32)


@compiled
def direct_ones(starts: IntArray, above: CodeArray) -> BoolArray:
    """Return which entries of lists stand in no list of another entry of the same list.

    Lists are in the order of how long the lists of their entries are, the longest first.
    """
    is_direct = np.zeros(len(above), dtype=np.bool_)
    crossed_out = np.full(len(starts), -1, dtype=np.int64)
    for node in range(len(starts) - 1):
        for at in range(starts[node], starts[node + 1]):
            if crossed_out[above[at]] != node:
                is_direct[at] = True
                for further in range(starts[above[at]], starts[above[at] + 1]):
                    crossed_out[above[further]] = node
    return is_direct
