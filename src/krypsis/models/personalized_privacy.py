"""Personalized privacy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.errors import UsageError, did_you_mean, shorten
from krypsis.groups import BoolArray, Domain, FloatArray, Groups, Histogram, IntArray, JointDomain, sum_by
from krypsis.models.base import GroupModel
from krypsis.models.shares import largest_by


class PersonalizedPrivacy(GroupModel):
    """Of nobody can a sensitive value below the node that guards this person be guessed with more than chance ``p``.

    Notes
    -----
    Every person names a node in the hierarchy of the sensitive attribute, the guarding node: whatever lies below it is
    nobody's business. Somebody with bronchitis who names *infection* lets people know that it is an illness, and not
    which infection. A missing node guards nothing. The nodes stand in the column ``guarding``, which is not published.

    The chance is the share of the records of the group whose value lies below the node; with ``mode=leaf`` the share of
    the most frequent single value there, which is weaker: that it is some infection may then be certain.

    It is not monotone: with ``p = 1/2``, bronchitis guarded by *infection* beside another illness is accepted, and so
    are two records of flu that nothing guards; together three of four are infections. So searches must not skip by it.

    References
    ----------
    Xiao, Tao, "Personalized privacy preservation", SIGMOD 2006. The paper may also generalize the sensitive value of a
    record; here sensitive values stay as they are.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"age": [31, 34, 47, 48], "disease": ["bronchitis", "angina", "flu", "flu"],
    ...                       "guard": ["infection", None, None, None]})
    >>> tree = krypsis.Hierarchy.from_rows([["bronchitis", "infection", "any"], ["flu", "infection", "any"],
    ...                                     ["angina", "heart", "any"]])
    >>> release = krypsis.anonymize(table, {"age": "quasi-identifier", "disease": "sensitive", "guard": "identifier"},
    ...                             hierarchies={"age": {"kind": "intervals", "width": 10}, "disease": tree},
    ...                             models="personalized-privacy:p=0.5,guarding=guard")
    >>> release.table["age"].to_list(), release.verdicts[0].achieved
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
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return self._chances(groups) <= self.p

    def measure(self, groups: Groups) -> float:
        return float(self._chances(groups).max(initial=0.0))

    def _chances(self, groups: Groups) -> FloatArray:
        """Return for each group the largest chance to guess what one of its records guards."""
        ((attribute, guarding),) = self.combinations(tuple(groups.histograms()))
        (values,) = groups.histograms(attribute).values()
        together = groups.combination((attribute, guarding))
        if not isinstance(together.domain, JointDomain):
            raise TypeError("a combination of two columns has the domains of both")
        guarded = _guarded(values.domain, together.domain.columns[1], self.spec)
        nodes = together.domain.codes[together.value, 1]
        chances = np.zeros(len(groups))
        for node, below in guarded.items():
            here = np.unique(together.group[nodes == node])
            found = self._found(values, below, len(groups)) / np.maximum(groups.sizes, 1)
            chances[here] = np.maximum(chances[here], found[here])
        return chances

    def _found(self, values: Histogram, below: BoolArray, groups: int) -> FloatArray:
        """Return how many records of each group have a value below a node, or the most frequent of these."""
        chosen = below[values.value]
        together = sum_by if self.mode == "subtree" else largest_by
        return together(values.group[chosen], values.count[chosen].astype(np.float64), groups)


def _guarded(domain: Domain, nodes: Domain, promise: str) -> dict[int, BoolArray]:
    """Return for each guarding node, by its code, which values of the sensitive attribute lie below it."""
    if domain.hierarchy is None:
        raise UsageError(
            f"{promise} looks for guarding nodes in the hierarchy of {domain.name!r} and none is given; "
            f"give {domain.name!r} a hierarchy"
        )
    hierarchy = domain.hierarchy.covering(domain.values, domain.name)
    places: IntArray = np.array([hierarchy.code_of[value] for value in domain.values], dtype=np.int64)
    guarded = {}
    for code, node in enumerate(nodes.values):
        if node is None:
            continue
        found = [level for level, labels in enumerate(hierarchy.labels) if node in labels]
        if not found:
            known = list(dict.fromkeys(label for labels in hierarchy.labels for label in labels if label is not None))
            raise UsageError(
                f"{nodes.name!r} names the guarding node {node!r}, which is not in the hierarchy of {domain.name!r}; "
                f"its nodes: {shorten(known, 20)}. A release tells only the part that is in use; give the whole one, "
                f"or correct the node.{did_you_mean(node, known)}"
            )
        # A label that stands at several levels is one node, which an uneven tree repeats.
        below = [hierarchy.table[level] == hierarchy.labels[level].index(node) for level in found]
        guarded[code] = np.logical_or.reduce(below)[places]
    return guarded
