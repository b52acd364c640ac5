"""Values of parameters that the data allows, from the one usually advised to weaker ones.

A promise that the table itself breaks cannot be kept by all of its groups: if one value has 73 % of the records, no
release limits it to 50 %. The search decides among the values listed here; see :mod:`krypsis.advisor.settlement`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product

from krypsis.advisor.choice import Choice
from krypsis.advisor.findings import Facts
from krypsis.advisor.needs import said
from krypsis.advisor.situation import Situation
from krypsis.datasets.dataset import Dataset

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
MARGIN = 1.05
"""A limit must exceed what the whole table has by so much, else only one group of all records keeps it."""
MOST_TRIALS = 12
SLOW = ("k", "t")
"""Parameters that stay as long as a weaker value of another one is enough: how many records are alike comes first."""


@dataclass(frozen=True)
class Case:
    """A model in a situation, with what the user said."""

    choice: Choice
    situation: Situation
    given: Mapping[str, str]

    @property
    def facts(self) -> Facts:
        """What the table says."""
        return self.situation.table

    def value(self, name: str) -> str | None:
        """Return the value of a parameter."""
        return next((one.value for one in self.choice.parameters if one.name == name), None)


def allowed_values(choice: Choice, situation: Situation, given: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield values of parameters that may be feasible, the most protective first; those in ``given`` stay.

    Nothing is yielded where the data allows no value worth promising.
    """
    if situation.facts is None:
        yield {}
        return
    case = Case(choice, situation, given)
    names = [name for name in choice.names if name not in given and (choice.result, name) in RANGES]
    names.sort(key=lambda name: name not in SLOW)
    ranges = [RANGES[choice.result, name](case, name) for name in names]
    for values in islice(product(*ranges), MOST_TRIALS):
        yield dict(zip(names, values, strict=True))


def _sizes(case: Case, name: str) -> list[str]:
    """Return sizes of groups that the table has room for."""
    usual = int(case.value(name) or 5)
    return [str(size) for size in dict.fromkeys((usual, 5, 3, 2)) if size <= usual and size * 2 <= case.facts.rows]


def _above(share: Callable[[Case], float]) -> Callable[[Case, str], list[str]]:
    """Return what lists limits above a share of the whole table."""

    def limits(case: Case, name: str) -> list[str]:
        usual = float(case.value(name) or SHARES[0])
        least = max(usual, share(case) * MARGIN)
        return [f"{limit:g}" for limit in dict.fromkeys((usual, *SHARES)) if limit >= least]

    return limits


def _listed(*known: float) -> Callable[[Case, str], list[str]]:
    """Return what lists some values from the usual one on, in their order."""

    def values(case: Case, name: str) -> list[str]:
        usual = float(case.value(name) or known[0])
        is_ascending = known[0] < known[-1]
        weaker = [one for one in known if (one > usual if is_ascending else one < usual)]
        return [f"{one:g}" for one in (usual, *weaker)]

    return values


def _diversities(case: Case, name: str) -> list[str]:
    """Return how uncertain values can be: never more than those of the whole column are."""
    most = min((spread.effective for spread in case.facts.spreads), default=0.0) / MARGIN
    usual = float(case.value(name) or 2)
    return [f"{one:g}" for one in dict.fromkeys((usual, 3, 2)) if one <= min(usual, most)]


def _kinds(case: Case, name: str) -> list[str]:
    """Return how many different values a group may need: the most frequent one has room in one record of each."""
    usual = int(case.value(name) or 3)
    return [str(one) for one in dict.fromkeys((usual, 3, 2)) if one <= usual and one * _largest_share(case) <= 1]


def _confidences(case: Case, name: str) -> list[str]:
    """Return how sure of a sensitive value somebody may be: of none where there is no such column."""
    return _above(_largest_share)(case, name) if case.facts.schema.sensitive else ["1"]


def _largest_share(case: Case) -> float:
    return max((spread.largest_share for spread in case.facts.spreads), default=0.0)


def _share_of_value(case: Case) -> float:
    counts = [
        int((case.facts.dataset.texts(name) == case.value("value")).sum()) for name in case.facts.schema.sensitive
    ]
    return max(counts, default=0) / case.facts.rows


def _share_of_population(case: Case) -> float:
    population = said("population", case.choice, case.situation, case.given)
    if population is None:
        return 0.0
    return case.facts.rows / max(Dataset.of(case.situation.plan.folder / population).frame.height, 1)


RANGES: dict[tuple[str, str], Callable[[Case, str], list[str]]] = {
    **{
        (result, "k"): _sizes
        for result in (
            "k-anonymity",
            "xy-privacy",
            "multirelational-k-anonymity",
            "lkc-privacy",
            "alpha-k-anonymity",
            "ke-anonymity",
        )
    },
    ("alpha-k-anonymity", "alpha"): _above(_largest_share),
    ("lkc-privacy", "c"): _confidences,
    ("ff-anonymity", "theta"): _above(_largest_share),
    ("confidence-bounding", "h"): _above(_share_of_value),
    ("delta-presence", "delta_max"): _above(_share_of_population),
    ("personalized-privacy", "p"): _above(lambda _: 0.0),
    ("t-closeness", "t"): _listed(0.2, 0.3, 0.4, 0.5),
    ("l-diversity", "l"): _diversities,
    ("m-invariance", "m"): _kinds,
    ("em-anonymity", "m"): _listed(3, 2),
    ("ct-isolation", "share"): _listed(0.05, 0.1, 0.2),
    ("ct-isolation", "t"): _listed(5, 3, 2),
}
"""By result and parameter, what lists the values to try."""
