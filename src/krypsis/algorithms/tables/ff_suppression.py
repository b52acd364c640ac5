"""Suppression of values that can be seen and give away sensitive ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from krypsis.algorithms.tables.base import Method
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.columns import CategoryColumn
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import Infeasible
from krypsis.models.base import PrivacyModel
from krypsis.models.ff_anonymity import FFAnonymity
from krypsis.models.free_form import NOTHING, Facet, FreeFormAttack, attacks


class FFSuppression(Method):
    """Blanks the value that most attacks use, in the records that these attacks reach, until no attack is left.

    Notes
    -----
    An attack is a set of values that can be seen and gives away a sensitive value with more certainty than promised. In
    each round the value that stands in most attacks is taken; its cells are published as missing in all records that an
    attack with it reaches. That takes these records out of other attacks, too, and may make new ones, which later
    rounds see. Ties go to the column, then to the value, that comes first.

    It ends, since every round blanks a cell, and without anything to be seen only the empty set is left. If that breaks
    the promise, nothing keeps it. Greedy: it may blank more cells than are needed. Cost: a check for each round.

    References
    ----------
    The promise: Wang, Xu, Fu, Wong, "FF-anonymity: when quasi-identifiers are missing", ICDE 2009. The paper suppresses
    values top-down; cells are blanked one by one here, so that a value can stay where it does no harm.

    Examples
    --------
    >>> sex = CategoryColumn("sex", np.array([0, 0, 1, 1], dtype=np.int32), ("f", "m"))
    >>> illness = CategoryColumn("illness", np.array([0, 1, 1, 1], dtype=np.int32), ("cold", "hiv"))
    >>> promise = FFAnonymity(theta=0.8, lmax=1, observable=("sex",), sensitive=("illness=hiv",))
    >>> FFSuppression().suppress({"sex": sex, "illness": illness}, promise, {})
    {'sex': array([False, False,  True,  True])}
    """

    name: ClassVar[str] = "ff-suppression"
    scheme: ClassVar[str] = "_CS"
    family: ClassVar[str] = "cells"
    reference: ClassVar[str] = "Wang, Xu, Fu, Wong, FF-anonymity: when quasi-identifiers are missing, ICDE 2009"
    keeps: ClassVar[type[PrivacyModel]] = FFAnonymity

    def suppress(
        self, columns: Mapping[str, CategoryColumn], promise: FFAnonymity, hierarchies: Mapping[str, Hierarchy]
    ) -> dict[str, BoolArray]:
        """Return the cells to blank, by column.

        Raises
        ------
        Infeasible
            if a sensitive value belongs to more records than promised without anybody looking.
        """
        seen, hidden = promise.facets(columns, hierarchies)
        blank: dict[str, BoolArray] = {}
        # An attack is a set X of observable values, |X| <= Lmax, with P(X → s) > theta. Testing only
        # the largest X is not enough: records without an observable value leave every refinement.
        while found := [one for one in attacks(seen, hidden, promise.lmax) if (one.confidence > promise.theta).any()]:
            # The empty X is an attack: the share of s in the whole table is too high, and no suppression changes it.
            if not found[0].facets:
                raise _hopeless(promise, found[0])
            # Greedy: the value in most attacks, blanked only where it helps an attack.
            facet, records = _most_used(found, seen, promise.theta)
            cells = blank.setdefault(facet.column, np.zeros(len(facet.codes), dtype=np.bool_))
            cells[records] = True
            seen, hidden = (_without(facets, facet.column, cells) for facets in (seen, hidden))
        return blank


def _most_used(found: Sequence[FreeFormAttack], seen: Sequence[Facet], theta: float) -> tuple[Facet, IntArray]:
    """Return the facet of the value that most attacks use, and the records that these attacks reach by it."""
    used = [np.zeros(len(facet.labels), dtype=np.int64) for facet in seen]
    for attack in found:
        _, first = np.unique(attack.group_of, return_index=True)
        shown = attack.records[first[attack.confidence > theta]]
        for place in attack.facets:
            np.add.at(used[place], seen[place].codes[shown], 1)
    place = max(range(len(seen)), key=lambda number: int(used[number].max(initial=0)))
    code = int(used[place].argmax())
    reached = [
        attack.records[(attack.confidence > theta)[attack.group_of]] for attack in found if place in attack.facets
    ]
    records = np.unique(np.concatenate(reached))
    return seen[place], records[seen[place].codes[records] == code]


def _without(facets: Sequence[Facet], column: str, cells: BoolArray) -> tuple[Facet, ...]:
    return tuple(
        replace(facet, codes=np.where(cells, NOTHING, facet.codes)) if facet.column == column else facet
        for facet in facets
    )


def _hopeless(promise: FFAnonymity, attack: FreeFormAttack) -> Infeasible:
    share = float(attack.confidence.max())
    return Infeasible(
        f"no suppression keeps {promise.spec}: a sensitive value belongs to {share:.4g} of all records, so anybody may "
        f"guess it with more certainty than {promise.theta:g}. Nearest feasible setting: theta={share:.4g}",
        {"achievable": {promise.spec: share}},
    )
