"""μ-Argus and the improved μ-Argus."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer
from pydantic_core import PydanticCustomError

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.infeasible import infeasible
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits
from krypsis.algorithms.tables.mu_argus import outliers
from krypsis.arrays import BoolArray
from krypsis.data.recoding import FrequencySet, Recoding
from krypsis.errors import Infeasible, Unfinished, UsageError, column_not_found, did_you_mean
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, Progress

MOST_ATTRIBUTES = 12
"""With n attributes there are 2ⁿ combinations to count in every round."""


class ImprovedMuArgus(Algorithm):
    """Generalizes attributes, then suppresses cells, until no combination of any size is rare: always k-anonymous.

    A reconstruction: of the published algorithm only its purpose is known, to repair that μ-Argus may fail.

    Notes
    -----
    The steps are those of ``mu-argus``, with two differences. Combinations of every size are looked at, whatever
    their ranks. And a suppressed cell looks like another suppressed cell and like nothing else, so that combinations
    with suppressed cells may be rare, too.

    At the end records may be left that have no value any more and are fewer than k, or that share a group of fewer than
    k after an interrupt. They are published with every cell suppressed if there are k of these, and suppressed as
    records otherwise. So fewer than k records are suppressed, with or without a limit; above a limit there is no
    release, and the error says the number.

    Cost: one count of the groups per combination in every round, 2ⁿ for n attributes; for up to 12 attributes.

    References
    ----------
    The motivation: Acharjya and Iyengar, 2014, as cited in the thesis, which attributes the algorithm to Statistics
    Netherlands; the steps are the reconstruction O2 of the specification.
    """

    name: ClassVar[str] = "mu-argus-improved"
    scheme: ClassVar[str] = "AG_CS"
    reference: ClassVar[str] = "a reconstruction after Hundepool and Willenborg, μ- and τ-Argus, 1996"

    tolerance: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="share of records that may hold a rare combination before an attribute is generalized further",
    )

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> Recoding:
        k = outliers.promised_k(self.name, models)
        judge = Judge(frequency, models, limits)
        recoding = self.recode(
            frequency, k, limits, progress=progress, heard=outliers.hearing(judge, metric, limits, progress)
        )
        left_out = int(frequency.counts[recoding.suppressed].sum())
        if left_out == frequency.rows:
            raise infeasible(judge, Lattice.of(frequency, limits), limits)
        if limits.keep and left_out:
            raise _no_group_of_their_own(left_out, k)
        if limits.suppressed is not None and left_out > limits.suppressed:
            raise _too_many(left_out, limits.suppressed, frequency.rows)
        return recoding

    def recode(
        self,
        frequency: FrequencySet,
        k: int,
        limits: Limits | None = None,
        *,
        decide: outliers.Decider | None = None,
        progress: Progress = NO_PROGRESS,
        heard: outliers.Heard | None = None,
    ) -> Recoding:
        """Return a k-anonymous recoding, whatever the limit for suppression; the parameters are those of μ-Argus."""
        rounds = outliers.Rounds(
            frequency,
            k,
            Lattice.of(frequency, limits or Limits()),
            tested=_every_combination(frequency),
            count_blanks=True,
            progress=progress,
            heard=heard,
        )
        # Steps 2-6 of mu-Argus with combinations of every size; a blank matches only a blank and may be rare itself.
        end = rounds.run(decide or outliers.MostOutliers(self.tolerance))
        # Final guard: no group of fewer than k records is left.
        end, hidden = guarded(end, k, frequency)
        return replace(rounds.recoding(end), suppressed=hidden[end.number])


def guarded(end: outliers.Round, k: int, frequency: FrequencySet) -> tuple[outliers.Round, BoolArray]:
    """Suppress all cells of records in groups of fewer than k, and the records where even that is not enough.

    Returns the table, and for each group whether its records are suppressed. Taking records out may make another group
    too small, if there are several quasi-identifier sets, so this goes on until nothing changes.
    """
    below_top = np.array(end.node.levels) < np.array(frequency.heights)
    doomed = hidden = np.zeros(len(end.cells.counts), dtype=np.bool_)
    while True:
        left = replace(end.cells, counts=np.where(hidden, 0, end.cells.counts))
        # While a class of the full quasi-identifier has fewer than k records …
        more = outliers.too_small(left, k, frequency.attribute_sets) & ~doomed
        if not more.any():
            return end, hidden
        doomed = doomed | more
        # … blank all its cells; where an attribute is at the top already, there is nothing to blank.
        end = end.blank(doomed[:, None] & below_top)
        empty = (end.cells.codes == np.array(end.cells.blanks)).all(axis=1)
        # The class of all blanks is published if it has k records, else its records are suppressed.
        hidden = empty & (end.cells.counts[empty].sum() < k)


def _every_combination(frequency: FrequencySet) -> Callable[[outliers.Cells], list[outliers.Combination]]:
    def tested(cells: outliers.Cells) -> list[outliers.Combination]:
        varying = cells.varying
        _refuse_many(varying, frequency)
        # Size 1 as well: after blanking, a single value or the blank itself may have become rare.
        sizes = range(1, len(varying) + 1)
        return outliers.within_sets([one for size in sizes for one in combinations(varying, size)], frequency)

    return tested


def _refuse_many(varying: outliers.Combination, frequency: FrequencySet) -> None:
    if len(varying) > MOST_ATTRIBUTES:
        raise UsageError(
            f"mu-argus-improved counts every combination of up to {MOST_ATTRIBUTES} attributes, and here are "
            f"{len(varying)} of {len(frequency.attributes)} that distinguish records: {2 ** len(varying):,} "
            "combinations. Use algorithm 'mu-argus', 'optimal' or 'datafly', or take fewer quasi-identifiers"
        )


def _too_many(left_out: int, allowed: int, rows: int) -> Infeasible:
    return Infeasible(
        f"mu-argus-improved has to suppress {left_out} of {rows} records, more than the {allowed} allowed. "
        f"Nearest feasible setting: allow {left_out} suppressed records ({left_out / rows:.2%}), or another tolerance",
        {"suppression": left_out, "rows": rows},
    )


def _no_group_of_their_own(left_out: int, k: int) -> Infeasible:
    return Infeasible(
        f"mu-argus-improved has to suppress {left_out} records, and kept with every value at the top they would be "
        f"a group of fewer than {k}. Remove suppressed records instead of keeping them, or try another tolerance",
        {"suppression": left_out},
    )


RANKS = {"not": 0, "most": 1, "more": 2, "identifying": 3}
MOST = 1
"""The rank of attributes that none is given for: their combinations are all looked at."""


class Attempt(NamedTuple):
    """What μ-Argus makes of a table, k-anonymous or not."""

    recoding: Recoding
    k_anonymous: bool
    undersized: int
    """The number of records in groups of fewer than k."""


def _read_ranks(given: object) -> object:
    """Return ranks by attribute, from a mapping or from text such as ``age=most;sex=2``."""
    if isinstance(given, str):
        parts = [part.rpartition("=") for part in given.split(";") if part.strip()]
        if any(not equals for _, equals, _ in parts):
            raise PydanticCustomError("ranks", "ranks are written as 'age=most;sex=more'")
        named = [name.strip() for name, _, _ in parts]
        if twice := [name for name in named if named.count(name) > 1]:
            raise PydanticCustomError("ranks", f"{twice[0]!r} has two ranks; give it one")
        given = dict(zip(named, (rank for _, _, rank in parts), strict=True))
    return {name: _rank(rank) for name, rank in given.items()} if isinstance(given, Mapping) else given


def _written_ranks(ranks: Mapping[str, int]) -> str:
    return ";".join(f"{name}={rank}" for name, rank in ranks.items())


def _rank(given: object) -> int:
    word = str(given).strip().casefold().removesuffix(" identifying")
    rank = RANKS.get(word, int(word) if word in {"0", "1", "2", "3"} else None)
    if rank is None:
        known = ", ".join(f"{number} ({name})" for name, number in RANKS.items())
        hint = did_you_mean(word, RANKS)
        raise PydanticCustomError("ranks", f"a rank is one of {known}; {given!r} is none.{hint}")
    return rank


class MuArgus(Algorithm):
    """Generalizes attributes, then suppresses cells, until rare pairs and triples are gone; may miss k-anonymity.

    Combinations of four and more attributes are never looked at. If that leaves groups of fewer than k, there is no
    release, and the error says so; ``mu-argus-improved`` always ends with one.

    Notes
    -----
    1. Each attribute is generalized until every single value is shared by k records.
    2. Outliers are the combinations of values that fewer than k records share, in two or three attributes drawn across
       the ranks: at most one *identifying* (3) and at most one *more identifying* (2) attribute, any number of *most
       identifying* (1) ones, and none of rank 0. With all attributes at rank 1 these are all pairs and triples.
    3. The attribute that takes part in most outliers is generalized by one level, until at most the share ``tolerance``
       of the records holds an outlier or no level is left that could help. In the paper a person decides;
       :meth:`recode` accepts a function in that place.
    4. The value that stands in most outliers is suppressed in all records that hold one of these, until there is none
       left. A combination with a suppressed cell is no outlier.

    Ties go to the first attribute, then to the first value in the order of the hierarchy. Attributes that look alike in
    all records are left out: they distinguish nobody. Limits of levels hold for generalization; a suppressed cell is
    published as the top of its hierarchy. With several quasi-identifier sets, only attributes of one set are combined.

    The default tolerance is 0, because a record with a suppressed cell mostly looks like no other and so ends in a
    group of fewer than k; the paper's program publishes it all the same.

    The thesis generalizes "while f > k" (as in erratum E37) and lets the program "delete up to three combinations";
    meant are single values with fewer than k records, and combinations of up to three attributes.

    Cost: one count of the groups per pair and triple in every round.

    References
    ----------
    Hundepool and Willenborg, "μ- and τ-Argus: software for statistical disclosure control", 3rd Int. Seminar on
    Statistical Confidentiality, 1996; the steps as in Sweeney, "Achieving k-anonymity privacy protection using
    generalization and suppression", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> MuArgus(ranks="age=most;sex=identifying").ranks
    {'age': 1, 'sex': 3}
    """

    name: ClassVar[str] = "mu-argus"
    scheme: ClassVar[str] = "AG_CS"
    reference: ClassVar[str] = (
        "Hundepool and Willenborg, μ- and τ-Argus: software for statistical disclosure control, 1996"
    )

    ranks: Annotated[dict[str, int], BeforeValidator(_read_ranks), PlainSerializer(_written_ranks)] = Field(
        default_factory=dict,
        description="how identifying attributes are: 0 (not), 1 (most), 2 (more) or 3 (identifying), 1 unless given; "
        "a mapping, or text such as age=most;sex=identifying",
    )
    tolerance: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of records that may hold a rare combination before an attribute is generalized further",
    )

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> Recoding:
        k = outliers.promised_k(self.name, models)
        judge = Judge(frequency, models, limits)
        attempt = self.recode(
            frequency, k, limits, progress=progress, heard=outliers.hearing(judge, metric, limits, progress)
        )
        if not attempt.k_anonymous and progress.wants_stop():
            raise Unfinished(
                f"the search had to stop before it came to a table in which all groups have {k} records; "
                f"{attempt.undersized} of {frequency.rows} records are in smaller ones so far. Give it more time"
            )
        if not attempt.k_anonymous:
            raise _not_k_anonymous(attempt, k, frequency)
        return attempt.recoding

    def recode(
        self,
        frequency: FrequencySet,
        k: int,
        limits: Limits | None = None,
        *,
        decide: outliers.Decider | None = None,
        progress: Progress = NO_PROGRESS,
        heard: outliers.Heard | None = None,
    ) -> Attempt:
        """Return what the algorithm ends with, and whether that is k-anonymous.

        Parameters
        ----------
        frequency, k, limits
            the table, the smallest size of a group, and how far attributes must or may be generalized.
        decide
            names the attribute to generalize next, or nothing to go on to suppression; by default ``tolerance`` does.
        progress, heard
            follow the search: whether it should stop, and the groups at every node it comes to.
        """
        rounds = outliers.Rounds(
            frequency,
            k,
            Lattice.of(frequency, limits or Limits()),
            tested=self._tested(frequency),
            count_blanks=False,
            progress=progress,
            heard=heard,
        )
        # Steps 2-6, with pairs and triples only and blanked combinations exempt from being outliers.
        end = rounds.run(decide or outliers.MostOutliers(self.tolerance))
        # Final check: larger combinations were never tested, so k-anonymity may be missed.
        small = outliers.too_small(end.cells, k, frequency.attribute_sets)
        return Attempt(rounds.recoding(end), not small.any(), int(end.cells.counts[small].sum()))

    def _tested(self, frequency: FrequencySet) -> Callable[[outliers.Cells], list[outliers.Combination]]:
        for name in self.ranks:
            if name not in frequency.attributes:
                raise column_not_found(name, frequency.attributes)
        ranks = [self.ranks.get(name, MOST) for name in frequency.attributes]

        def tested(cells: outliers.Cells) -> list[outliers.Combination]:
            # Step 3: 2- and 3-combinations drawn across Ident (3), More (2) and Most (1).
            drawn = [
                combination
                for size in (2, 3)
                for combination in combinations(cells.varying, size)
                if _is_across([ranks[position] for position in combination])
            ]
            return outliers.within_sets(drawn, frequency)

        return tested


def _is_across(ranks: Sequence[int]) -> bool:
    """Say whether a combination draws at most one attribute from each class but the most identifying."""
    return 0 not in ranks and ranks.count(2) <= 1 and ranks.count(3) <= 1


def _not_k_anonymous(attempt: Attempt, k: int, frequency: FrequencySet) -> Infeasible:
    return Infeasible(
        f"mu-argus does not reach k-anonymity here: {attempt.undersized} of {frequency.rows} records are left in "
        f"groups of fewer than {k}. It only looks at combinations of two and three attributes; combinations of four "
        "or more are never tested, and a suppressed cell makes a record look like no other. Use algorithm "
        "'mu-argus-improved', which tests combinations of every size",
        {"undersized": attempt.undersized, "rows": frequency.rows, "algorithm": "mu-argus-improved"},
    )
