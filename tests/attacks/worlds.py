"""The naive reference of attacks across releases: all assignments of values to people and counterfeits, one by one."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import factorial, prod


def chances_by_enumeration(versions):
    """For each person, value -> share of the worlds that explain all releases."""
    groups = [
        (set(people["person"]), Counter(records["value"]))
        for version in versions
        for (name,), records in version.records.group_by("group")
        for people in [version.members.filter(version.members["group"] == name)]
    ]
    everybody = sorted(set().union(*(people for people, _ in groups)))
    possible = {
        one: sorted(set.intersection(*(set(records) for people, records in groups if one in people)))
        for one in everybody
    }
    total, counted = 0, {one: Counter() for one in everybody}
    for values in product(*(possible[one] for one in everybody)):
        world = dict(zip(everybody, values, strict=True))
        weight = prod(_ways(records, Counter(world[one] for one in people)) for people, records in groups)
        total += weight
        for one, value in world.items():
            counted[one][value] += weight
    return {
        one: {value: Fraction(number, total) for value, number in found.items() if number}
        for one, found in counted.items()
    }


def _ways(records, given):
    if given - records:
        return 0
    rest = records - given
    return factorial(sum(rest.values())) // prod(map(factorial, rest.values()))
