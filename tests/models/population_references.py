"""What promises about a population and about all groups together mean, written slowly: exact numbers and loops."""

from collections import Counter
from fractions import Fraction
from math import comb
from typing import Any


def k_map(model: Any, records: int, people: int) -> bool:
    return records == 0 or people >= model.k


def delta_presence(model: Any, records: int, people: int) -> bool:
    """The probability by counting worlds: choose who of the people is in the data, all choices being equally likely."""
    worlds, with_a_person = comb(people, records), comb(people - 1, records - 1) if records else 0
    likely = Fraction(with_a_person, worlds)
    return Fraction(str(model.delta_min)) <= likely <= Fraction(str(model.delta_max))


def published_presence(model: Any, records: int, people: int) -> bool:
    return records == 0 or delta_presence(model, records, people)


def average_risk(model: Any, sizes: list[int]) -> bool:
    chances = [Fraction(1, size) for size in sizes for _ in range(size)]
    return sum(chances) / len(chances) <= Fraction(str(model.threshold))


def sample_uniqueness(model: Any, sizes: list[int]) -> bool:
    return Fraction(Counter(sizes)[1], sum(sizes)) <= Fraction(str(model.threshold))


def population_uniqueness(model: Any, sizes: list[int]) -> bool:
    """By Bayes' rule and binomial coefficients; other estimators have tests of their own."""
    assert model.estimator == "zayatz"
    return zayatz(sizes, model.people) <= Fraction(str(model.threshold))


def zayatz(sizes: list[int], people: int) -> Fraction:
    """The estimated share of the people who stand alone."""
    n, counted = sum(sizes), Counter(sizes)
    once = {size: Fraction(size * comb(people - size, n - 1), comb(people, n)) for size in counted}
    if not counted[1]:
        return Fraction(0)
    alone = counted[1] * once[1] / sum(counted[size] * once[size] for size in counted)
    return alone * counted[1] / n


PEOPLE = {"k-map": k_map, "delta-presence": delta_presence, "published-presence": published_presence}
"""Model → whether so many records of so many people keep the promise."""

TOGETHER = {
    "average-risk": average_risk,
    "sample-uniqueness": sample_uniqueness,
    "population-uniqueness": population_uniqueness,
}
"""Model → whether groups of these sizes keep the promise together."""
