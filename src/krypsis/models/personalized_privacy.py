"""Personalized privacy."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Domain, Groups, Histogram, JointDomain, sum_by
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import UsageError, did_you_mean, shorten
from krypsis.models.base import TOLERANCE, GroupModel
from krypsis.models.shares import largest_by


@dataclass(frozen=True, eq=False)
class Meaning:
    """What the values of a domain may stand for: ``stands_for[leaf, value]``, the leaves being those of the hierarchy.

    A value of the data stands for itself, a more general one for any of the values below it, all equally likely. A
    missing value stands for nothing but itself.

    Examples
    --------
    >>> tree = Hierarchy.from_rows([["flu", "infection", "any"], ["cold", "infection", "any"], ["gout", "gout", "any"]])
    >>> meaning = Meaning.of(Domain(("flu", "infection", "any"), tree), "a promise")
    >>> meaning.chances(meaning.below("infection"))
    array([1.        , 1.        , 0.66666667])
    """

    hierarchy: Hierarchy
    stands_for: BoolArray

    @classmethod
    def of(cls, domain: Domain, promise: str) -> "Meaning":
        """Return what the values of a domain stand for.

        Raises
        ------
        UsageError
            if the domain has no hierarchy.
        HierarchyError
            if a value is not in it.
        """
        if domain.hierarchy is None:
            raise UsageError(
                f"{promise} looks for guarding nodes in the hierarchy of {domain.name!r} and none is given; "
                f"give {domain.name!r} a hierarchy"
            )
        nodes = leaves_of_nodes(domain.hierarchy)
        exact = [value for value in domain.values if value not in nodes]
        hierarchy = domain.hierarchy.covering(exact, domain.name)
        stands_for = np.zeros((len(hierarchy.values), len(domain)), dtype=np.bool_)
        for code, value in enumerate(domain.values):
            if value in hierarchy.code_of:
                stands_for[hierarchy.code_of[value], code] = True
            else:
                stands_for[: len(nodes[value]), code] = nodes[value]
        return cls(hierarchy, stands_for)

    @cached_property
    def is_exact(self) -> bool:
        """Whether no value is more general than those of the data."""
        return bool((self._leaves == 1).all())

    @cached_property
    def _leaves(self) -> IntArray:
        return np.asarray(self.stands_for.sum(axis=0, dtype=np.int64))

    def below(self, node: str) -> BoolArray | None:
        """Return which leaves lie below a node, a missing value included; ``None`` where there is no such node.

        A label that stands at several levels is one node, which an uneven tree repeats.
        """
        found = [level for level, labels in enumerate(self.hierarchy.labels) if node in labels]
        if not found:
            return None
        below = [self.hierarchy.table[level] == self.hierarchy.labels[level].index(node) for level in found]
        return np.asarray(np.logical_or.reduce(below))

    def chances(self, leaves: BoolArray) -> FloatArray:
        """Return for each value of the domain the chance that it stands for one of the leaves."""
        return np.asarray(self.stands_for[leaves].sum(axis=0) / self._leaves, dtype=np.float64)

    def guarded(self, nodes: Domain, attribute: str) -> dict[int, BoolArray]:
        """Return for each guarding node, by its code, the leaves below it.

        Raises
        ------
        UsageError
            if a node is not in the hierarchy.
        """
        found: dict[int, BoolArray] = {}
        for code, node in enumerate(nodes.values):
            if node is None:
                continue
            below = self.below(node)
            if below is None:
                raise self._unknown(node, nodes.name, attribute)
            found[code] = below
        return found

    def _unknown(self, node: str, column: str, attribute: str) -> UsageError:
        labels = (label for labels in self.hierarchy.labels for label in labels)
        known = list(dict.fromkeys(label for label in labels if label is not None))
        return UsageError(
            f"{column!r} names the guarding node {node!r}, which is not in the hierarchy of {attribute!r}; "
            f"its nodes: {shorten(known, 20)}. A release reveals only the part that is in use; give the whole one, "
            f"or correct the node.{did_you_mean(node, known)}"
        )


def leaves_of_nodes(hierarchy: Hierarchy) -> Mapping[Label, BoolArray]:
    """Return the leaves below each label above the lowest level, without the missing value where there are others.

    Examples
    --------
    >>> leaves_of_nodes(Hierarchy.from_rows([["31", "3*", "*"], ["45", "4*", "*"]]))["3*"]
    array([ True, False])
    """
    found: dict[Label, BoolArray] = {}
    for level in range(1, len(hierarchy.labels)):
        for code, label in enumerate(hierarchy.labels[level]):
            if label is not None:
                below = leaves_at(hierarchy, level, code)
                found[label] = found[label] | below if label in found else below
    return found


def leaves_at(hierarchy: Hierarchy, level: int, code: int) -> BoolArray:
    """Return the leaves that have a code at a level, without the missing value where there are others."""
    below = np.asarray(hierarchy.table[level] == code)
    if None in hierarchy.code_of and below.sum() > 1:
        below[hierarchy.code_of[None]] = False
    return below


class PersonalizedPrivacy(GroupModel):
    """Of nobody can a sensitive value below the node that guards this person be guessed with more than chance ``p``.

    Notes
    -----
    Every person names a node in the hierarchy of the sensitive attribute, the guarding node: whatever lies below it is
    nobody's business. Somebody with bronchitis who names *infection* lets people know that it is an illness, and not
    which infection. A missing node guards nothing. The nodes stand in the column ``guarding``, which is not published.

    The chance is the share of the records of the group whose value lies below the node; with ``mode=leaf`` the share of
    the most frequent single value there, which is weaker: that it is some infection may then be certain.

    Where the sensitive value itself is published more generally, as *infection*, any value below it may be meant, all
    equally likely: the record counts with the share of these that lie below the guarding node. The algorithm
    ``sa-generalization`` publishes such values; attackers who know how frequent values are know more than this chance.

    It is not monotone: with ``p = 1/2``, bronchitis guarded by *infection* next to another illness is accepted, and so
    are two records of flu that nothing guards; together three of four are infections. So searches must not skip by it.

    References
    ----------
    Xiao, Tao, "Personalized privacy preservation", SIGMOD 2006.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"age": [31, 34, 47, 48], "disease": ["bronchitis", "angina", "flu", "angina"],
    ...                       "guard": ["infection", None, None, None]})
    >>> tree = krypsis.Hierarchy.from_rows([["bronchitis", "infection", "any"], ["flu", "infection", "any"],
    ...                                     ["angina", "heart", "any"]])
    >>> release = krypsis.anonymize(table, {"age": "quasi-identifier", "disease": "sensitive", "guard": "identifier"},
    ...                             hierarchies={"age": {"kind": "intervals", "width": 10}, "disease": tree},
    ...                             models="personalized-privacy:p=0.5,guarding=guard")
    >>> sorted(release.table["age"]), release.verdicts[0].achieved
    (['[30-40)', '[30-40)', '[40-50)', '[40-50)'], 0.5)
    """

    name: ClassVar[str] = "personalized-privacy"
    protects_from: ClassVar[str] = (
        "guessing from the group of a person a sensitive value that this person wants to keep private: at most the "
        "share p of such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "guessing values of people who named no node, linking a record to a person, learning that a person is in the "
        "table, and people who guard less than they should because they do not know the data"
    )
    reference: ClassVar[str] = "Xiao, Tao, Personalized privacy preservation, SIGMOD 2006"
    needs_sensitive: ClassVar[bool] = True
    needs_hierarchy: ClassVar[bool] = True
    monotone: ClassVar[bool] = False
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    p: float = Field(gt=0, le=1, description="largest chance to guess a value below the node that guards a person")
    guarding: str = Field(min_length=1, description="the column with the guarding node of each record; not published")
    mode: Literal["subtree", "leaf"] = Field(
        default="subtree", description="guessing any value below the node, or a single one of them"
    )
    attribute: str | None = Field(default=None, description="the sensitive attribute; the only one unless given")

    @property
    def required(self) -> float:
        return self.p

    def promise(self) -> str:
        what = "a value" if self.mode == "subtree" else "the most frequent value"
        return (
            f"in every group of records that look alike, {what} of {self.attribute or 'the sensitive attribute'} below "
            f"the node that guards one of its records, as {self.guarding} says, belongs to at most {self.p:.6g} of them"
        )

    def combinations(self, sensitive: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        if not sensitive:
            return ()
        if self.attribute is None and len(sensitive) > 1:
            raise UsageError(
                f"{self.spec} is about one sensitive attribute and there are {len(sensitive)}: {', '.join(sensitive)}; "
                "name it with attribute=…"
            )
        return ((self.attribute or sensitive[0], self.guarding),)

    def accepts(self, groups: Groups) -> BoolArray:
        return self._chances(groups) <= self.p + TOLERANCE

    def measure(self, groups: Groups) -> float:
        return float(self._chances(groups).max(initial=0.0))

    def limited(self, meaning: Meaning, leaves: BoolArray) -> Iterator[FloatArray]:
        """Yield what must not be too likely for a node with these leaves: the chance that each value stands for it.

        That is being any of the leaves, or with ``mode=leaf`` being one of them, for each that some value stands for.
        """
        if self.mode == "subtree":
            yield meaning.chances(leaves)
            return
        for leaf in np.flatnonzero(leaves & meaning.stands_for.any(axis=1)):
            yield meaning.chances(np.arange(len(leaves)) == leaf)

    def _chances(self, groups: Groups) -> FloatArray:
        """Return for each group the largest chance to guess what one of its records guards."""
        ((attribute, guarding),) = self.combinations(tuple(groups.histograms()))
        (values,) = groups.histograms(attribute).values()
        together = groups.combination((attribute, guarding))
        if not isinstance(together.domain, JointDomain):
            raise TypeError("a combination of two columns has the domains of both")
        meaning = Meaning.of(values.domain, self.spec)
        nodes = together.domain.codes[together.value, 1]
        chances = np.zeros(len(groups))
        for node, leaves in meaning.guarded(together.domain.columns[1], values.domain.name).items():
            here = np.unique(together.group[nodes == node])
            found = self._found(values, meaning, leaves, len(groups)) / np.maximum(groups.sizes, 1)
            chances[here] = np.maximum(chances[here], found[here])
        return chances

    def _found(self, values: Histogram, meaning: Meaning, leaves: BoolArray, groups: int) -> FloatArray:
        """Return how many records of each group are expected below a node, or to have the likeliest value there."""
        if self.mode == "leaf" and meaning.is_exact:  # one look at the records is enough
            chosen = meaning.chances(leaves)[values.value] > 0
            return largest_by(values.group[chosen], values.count[chosen].astype(np.float64), groups)
        found = np.zeros(groups)
        for chances in self.limited(meaning, leaves):
            chosen = chances[values.value] > 0
            expected = values.count[chosen] * chances[values.value[chosen]]
            found = np.maximum(found, sum_by(values.group[chosen], expected, groups))
        return found
