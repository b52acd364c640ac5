"""Whether groups hold values that are not closely related, and people are among similar values in all releases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.base import judges
from krypsis.checker.invariance import SHOWN, Bound, Versions, number_sets, values_in
from krypsis.data.hierarchies.base import Label
from krypsis.errors import UsageError
from krypsis.io.history import Version
from krypsis.io.texts import numbered
from krypsis.models.base import Verdict
from krypsis.models.correlation import LeafOrder
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.number_line import NumberLine, Places

Signature = frozenset[Label]


@dataclass(frozen=True, eq=False)
class ReleasedPersons:
    """The people of one release: names, the group of each, the different sets of values, and that of each group."""

    names: pl.Series
    groups: IntArray
    sets: Sequence[Signature]
    set_of: IntArray


@dataclass(frozen=True, eq=False)
class Lives:
    """The signatures of all people, by number.

    Examples
    --------
    >>> both = [frozenset({"flu", "ulcer"}), frozenset({"flu", "cough"})]
    >>> first = ReleasedPersons(pl.Series(["Ann", "Bob"]), np.array([0, 0]), both[:1], np.array([0]))
    >>> second = ReleasedPersons(pl.Series(["Ann", "Cid", "Bob"]), np.array([0, 0, 1]), both, np.array([1, 0]))
    >>> lives = Lives.of([first, second])
    >>> [places.tolist() for _, places in lives.meetings(second, lives.people[1])]
    [[2], [0, 1]]
    """

    people: list[IntArray]
    """The number of each person of each entry."""
    sets: list[Signature]
    starts: IntArray
    held: IntArray
    """The numbers of the signatures of person ``i``, in the order of the entries, from ``starts[i]`` on."""

    @classmethod
    def of(cls, entries: Sequence[ReleasedPersons]) -> "Lives":
        """Return the lives that releases reveal, of which there is at least one."""
        people, limit = numbered([entry.names for entry in entries])
        number_of: dict[Signature, int] = {}
        numbers = [[number_of.setdefault(one, len(number_of)) for one in entry.sets] for entry in entries]
        held = [
            np.array(own, dtype=np.int64)[entry.set_of[entry.groups]]
            for own, entry in zip(numbers, entries, strict=True)
        ]
        every = np.concatenate(people)
        starts = np.concatenate([[0], np.cumsum(np.bincount(every, minlength=limit))])
        return cls(people, list(number_of), starts, np.concatenate(held)[np.argsort(every, kind="stable")])

    def of_person(self, number: int) -> list[Signature]:
        """Return what somebody is among, release by release."""
        return [self.sets[one] for one in self.held[self.starts[number] : self.starts[number + 1]].tolist()]

    @cached_property
    def kinds(self) -> IntArray:
        """For each person a number, the same for those who are among the same values in the same order."""
        return number_sets(np.diff(self.starts), self.held, max(len(self.sets), 1))

    def meetings(self, entry: ReleasedPersons, people: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the different combinations of lives that meet in groups of a release.

        Of each combination: somebody with each of the lives, and the places in the release of all people in such
        groups.
        """
        radix = int(self.kinds.max(initial=-1)) + 1
        _, somebody = np.unique(self.kinds, return_index=True)
        pairs = np.unique(entry.groups * radix + self.kinds[people])
        owner, kind = np.divmod(pairs, max(radix, 1))
        sizes = np.bincount(owner, minlength=len(entry.set_of))
        combination = number_sets(sizes, kind, max(radix, 1))
        order = np.argsort(combination[entry.groups], kind="stable")
        begins = np.flatnonzero(np.diff(combination[entry.groups][order], prepend=-1))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=True):
            group = int(entry.groups[order[begin]])
            yield somebody[kind[starts[group] : starts[group + 1]]], order[begin:end]


Related = LeafOrder | NumberLine
"""How closely values are related, by their hierarchy or as numbers."""


def similar(first: Signature, second: Signature, related: Related) -> bool:
    """Say whether two sets of values can be matched so that of every pair one value is the other, or above it.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> related = LeafOrder(disease)
    >>> similar(frozenset({"flu", "ulcer"}), frozenset({"lungs", "ulcer"}), related)
    True
    >>> similar(frozenset({"flu", "ulcer"}), frozenset({"asthma", "ulcer"}), related)
    False
    """
    if len(first) != len(second):
        return False
    # Similar signatures (Def. 21): they are sets, so "for each i" means that there is a matching onto stable paths.
    return _can_be_matched(_above(first, second, related) | _above(second, first, related).T)


def covers(general: Signature, special: Signature, related: Related) -> bool:
    """Say whether two sets of values can be matched so that each of the first is that of the second, or above it.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> one, other = frozenset({"flu", "ulcer"}), frozenset({"lungs", "ulcer"})
    >>> covers(other, one, LeafOrder(disease)), covers(one, other, LeafOrder(disease))
    (True, False)
    """
    return len(general) == len(special) and _can_be_matched(_above(general, special, related))


def _above(first: Signature, second: Signature, related: Related) -> BoolArray:
    """Say for each value of the first set which of the second are below it, or the same."""
    one, other = (np.array([related.span_of(value) for value in values]).reshape(-1, 2) for values in (first, second))
    return np.asarray((one[:, None, 0] <= other[None, :, 0]) & (other[None, :, 1] <= one[:, None, 1]))


def _can_be_matched(fits: BoolArray) -> bool:
    by_row, by_column = fits.sum(axis=1), fits.sum(axis=0)
    if (by_row == 1).all() and (by_column == 1).all():  # as for nearly all sets: only one is possible, and it is one
        return True
    from scipy.sparse import csr_array  # noqa: PLC0415  it takes long to load, and only histories need it
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415

    return bool((maximum_bipartite_matching(csr_array(fits)) >= 0).all())


def all_similar(signatures: Sequence[Signature], related: Related, known: dict[frozenset[Signature], bool]) -> bool:
    """Say whether all sets of values are similar to each other; ``known`` is what was found out before.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> disease = LeafOrder(Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["gout", "*", "*"]]))
    >>> all_similar([frozenset({one}) for one in ("flu", "lungs", "asthma")], disease, {})
    False
    """
    for first, second in combinations(set(signatures), 2):
        pair = frozenset({first, second})
        if pair not in known:
            known[pair] = similar(first, second, related)
        if not known[pair]:
            return False
    return True


@dataclass(frozen=True, eq=False)
class View:
    """The groups of one release, by number, and who is in which."""

    version: Version
    present: BoolArray
    """Whether a group has records."""
    values: IntArray
    """How many different values it has."""
    equal: BoolArray
    """Whether all its values are equally frequent."""
    common: Places
    """How many values are below the lowest node above two of its values, or how far two numbers lie apart, where that
    is least."""
    sets: list[Signature]
    """The different sets of values of all groups."""
    set_of: IntArray
    """For each group, the number of its set."""

    @classmethod
    def of(cls, version: Version, related: Related) -> "View":
        """Return what a release reveals."""
        numbers, labels = version.numbers, version.records.get_column("value").cast(pl.String)
        (codes,), radix = numbered([labels])
        pairs, often = np.unique(numbers.records * radix + codes, return_counts=True)
        group, code = pairs // radix, pairs % radix
        known, example = np.unique(codes, return_index=True)
        texts = labels.gather(example).to_list()
        place = np.searchsorted(known, code)
        spans = np.array([related.span_of(text) for text in texts], dtype=np.int64).reshape(-1, 2)
        first, last = spans[place, 0], spans[place, 1]
        values = np.bincount(group, minlength=numbers.limit)
        set_of = number_sets(values, code, radix)
        return cls(
            version,
            values > 0,
            values,
            _is_equal(group, often, numbers.limit),
            _least_common(related, group, first, last, numbers.limit),
            _named_sets(set_of, values, [texts[one] for one in place.tolist()]),
            set_of,
        )

    def refused(self, model: EMCorrelation, related: Related) -> BoolArray:
        """Say for each group whether it breaks the promise by itself."""
        # (e,m)-correlation (Def. 22): corr = |S| / size(LCA) <= e for pairs of distinct values (erratum 17).
        limit = ceil(Fraction(related.count) / model.e)  # whole numbers: at least so much must be in common
        close = (self.values > 1) & (self.common < limit).astype(np.bool_)
        # m-equality (Def. 13): at least m distinct values, all equally frequent.
        broken: BoolArray = self.present & ((self.values < model.m) | ~self.equal | close)
        return broken


def _named_sets(set_of: IntArray, sizes: IntArray, texts: Sequence[Label]) -> list[Signature]:
    """Return the sets by number; ``texts`` are the values of all groups, one group after the other."""
    ends = np.cumsum(sizes)
    _, example = np.unique(set_of, return_index=True)
    return [frozenset(texts[ends[group] - sizes[group] : ends[group]]) for group in example.tolist()]


def _is_equal(group: IntArray, often: IntArray, limit: int) -> BoolArray:
    most, least = np.zeros(limit, dtype=np.int64), np.full(limit, np.iinfo(np.int64).max)
    np.maximum.at(most, group, often)
    np.minimum.at(least, group, often)
    return np.asarray((most == least) | (most == 0))


def _least_common(related: Related, group: IntArray, first: IntArray, last: IntArray, limit: int) -> Places:
    """Return for each group how much two of its values have in common, where that is least; all there is with one.

    It is least for neighbors in the order of the hierarchy: a node above two values is above all between them.
    """
    order = np.lexsort((-last, first, group))
    one, other = order[:-1], order[1:]
    same_group = group[one] == group[other]
    one, other = one[same_group], other[same_group]
    common = related.common(first[one], np.maximum(last[one], last[other]))
    least = np.full(limit, related.count, dtype=common.dtype)
    np.minimum.at(least, group[one], common)
    return least


@dataclass(frozen=True, eq=False)
class Similarity:
    """All releases, and what people are bound to by others before them."""

    views: tuple[View, ...]
    related: Related
    bound: Bound | None

    @classmethod
    def of(cls, versions: Sequence[Version], related: Related, bound: Bound | None = None) -> "Similarity":
        """Return what the releases reveal, given how closely the values of the sensitive attribute are related."""
        return cls(tuple(View.of(version, related) for version in versions), related, bound)

    def judge(self, model: EMCorrelation) -> Verdict:
        """Say whether all releases together keep (e,m)-correlation-based anonymity."""
        refused = [view.refused(model, self.related) for view in self.views]
        number, people = sum(int(one.sum()) for one in refused), self._dissimilar()
        smallest = min((int(view.values[view.present].min()) for view in self.views if view.present.any()), default=0)
        only_small = all((~view.present | view.equal).all() for view in self.views) and not people
        related = any(self._too_close(view, model) for view in self.views)
        achieved = smallest if only_small and not related else 0
        figures = f"required at least {model.m}, achieved {achieved}; highest correlation {self._highest()}"
        return Verdict(
            promise=model.spec,
            holds=not number and not people,
            required=model.required,
            achieved=float(achieved),
            sentence=self._sentence(model, number, len(people), figures),
            offending=(*self._groups_shown(refused), *_people_shown(people)),
        )

    def _too_close(self, view: View, model: EMCorrelation) -> bool:
        least = view.common[view.values > 1]
        return bool(len(least)) and not model.allows(self.related.count, int(least.min()))

    def _highest(self) -> Fraction | str:
        """Return the highest correlation of two values of a group; 1 where there are none."""
        least = [int(view.common[view.values > 1].min()) for view in self.views if (view.values > 1).any()]
        if least and min(least) == 0:
            return "without limit"  # one number, written in two ways
        return Fraction(self.related.count, min(least)) if least else Fraction(1)

    def _sentence(self, model: EMCorrelation, refused: int, changed: int, figures: str) -> str:
        over = f"over {len(self.views)} release(s)" if self.bound is None else "in this release and all before"
        if not refused and not changed:
            return f"Kept {over}: {model.promise()} ({figures})."
        total = sum(int(view.present.sum()) for view in self.views)
        parts = [
            f"{refused} of {total} groups have too few values, some more often than others, or too closely related",
            f"{changed} person(s) are not always among similar values",
        ]
        found = "; ".join(part for part, number in zip(parts, (refused, changed), strict=True) if number)
        return f"Not kept {over}: {found}. The promise is that {model.promise()} ({figures})."

    def _groups_shown(self, refused: Sequence[BoolArray]) -> list[dict[str, object]]:
        found = [
            {
                "values": {
                    "release": release + 1,
                    "group": view.version.name_of(number),
                    "values": values_in(view.version, number),
                },
                "size": int(view.version.numbers.sizes[number]),
            }
            for release, (view, wrong) in enumerate(zip(self.views, refused, strict=True))
            for number in np.flatnonzero(wrong)[:SHOWN].tolist()
        ]
        return found[:SHOWN]

    def _dissimilar(self) -> dict[str, list[Signature]]:
        """Return people whose signatures, with those of all who ever shared a group with them, are not all similar."""
        views = self._view_entries()
        entries = [*views, *self._bound_entries()]
        if not entries:
            return {}
        lives = Lives.of(entries)
        known: dict[frozenset[Signature], bool] = {}
        wrong: dict[str, list[Signature]] = {}
        for entry, people in zip(views, lives.people, strict=False):
            # Def. 23, conditions 2 and 3: the signatures of a person and of everybody met in a group are similar.
            for examples, places in lives.meetings(entry, people):
                if refused := self._disagreeing(examples, lives, known):
                    kinds = lives.kinds[people[places]]
                    found = places[np.isin(kinds, lives.kinds[refused])].tolist()
                    wrong |= {str(entry.names[place]): lives.of_person(int(people[place])) for place in found}
        return wrong | self._too_special(views, lives)

    def _disagreeing(self, examples: IntArray, lives: Lives, known: dict[frozenset[Signature], bool]) -> list[int]:
        """Return who of the people of a group has changed; everybody, if nobody did and they differ."""
        own = {person: lives.of_person(person) for person in examples.tolist()}
        if all_similar([one for life in own.values() for one in life], self.related, known):
            return []
        return [person for person, life in own.items() if not all_similar(life, self.related, known)] or list(own)

    def _too_special(self, views: Sequence[ReleasedPersons], lives: Lives) -> dict[str, list[Signature]]:
        """Return people among values more special than the lowest ones they are bound to.

        Two releases that are both similar to what somebody is bound to are similar to each other if neither is below.
        """
        if self.bound is None or not self.bound.is_lowest:
            return {}
        bound = np.unique(lives.people[-1])
        kinds, somebody = np.unique(lives.kinds[bound], return_index=True)
        refused = [self._is_below(lives.of_person(int(person))) for person in bound[somebody]]
        wrong = bound[np.isin(lives.kinds[bound], kinds[np.array(refused, dtype=np.bool_)])]
        return {
            str(entry.names[place]): lives.of_person(int(people[place]))
            for entry, people in zip(views, lives.people, strict=False)
            for place in np.flatnonzero(np.isin(people, wrong)).tolist()
        }

    def _is_below(self, life: Sequence[Signature]) -> bool:
        """Say whether a value of a life is below the last one, what the person is bound to."""
        return not all(covers(one, life[-1], self.related) for one in set(life[:-1]))

    def _bound_entries(self) -> list[ReleasedPersons]:
        if self.bound is None:
            return []
        rows = self.bound.values.group_by("signature", maintain_order=True).agg("value")
        place = dict(zip(rows.get_column("signature").to_list(), range(rows.height), strict=True))
        numbers = self.bound.people.get_column("signature").replace_strict(place, return_dtype=pl.Int64).to_numpy()
        names = self.bound.people.get_column("person").cast(pl.String)
        sets = list(map(frozenset, rows.get_column("value").to_list()))
        return [ReleasedPersons(names, numbers, sets, np.arange(len(sets)))]

    def _view_entries(self) -> list[ReleasedPersons]:
        return [
            ReleasedPersons(
                view.version.members.get_column("person").cast(pl.String),
                view.version.numbers.people,
                view.sets,
                view.set_of,
            )
            for view in self.views
            if view.version.members is not None
        ]


@judges(EMCorrelation, Versions)
def _judge_versions(model: EMCorrelation, published: Versions) -> Verdict:
    return Similarity.of(published.versions, _related(model, published), published.bound).judge(model)


def _related(model: EMCorrelation, published: Versions) -> Related:
    """Return how closely the sensitive values are related."""
    if model.limits is not None:
        columns = [version.records.get_column("value") for version in published.versions]
        columns += [] if published.bound is None else [published.bound.values.get_column("value")]
        values = pl.concat([column.cast(pl.String).unique().rename("value") for column in columns]).unique().to_list()
        return NumberLine.of(values, model.limits)
    if published.taxonomy is None:
        raise UsageError(
            f"{model.spec} is about how closely sensitive values are related, which their hierarchy says; give it as "
            "'taxonomy'"
        )
    return LeafOrder(published.taxonomy)


def _people_shown(people: dict[str, list[Signature]]) -> list[dict[str, object]]:
    return [
        {
            "values": {"person": name, "signatures": "; ".join(map(_signature_text, people[name]))},
            "size": len(set(people[name])),
        }
        for name in sorted(people)[:SHOWN]
    ]


def _signature_text(signature: Signature) -> str:
    return "{" + ", ".join(sorted("(missing)" if value is None else value for value in signature)) + "}"
