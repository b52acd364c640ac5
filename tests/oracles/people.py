"""The best full-domain recoding where a population is known, or where a promise is about all groups together."""

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from krypsis.data.groups import Histogram
from krypsis.data.recoding import FrequencySet
from krypsis.models.base import TableModel
from models.population_references import PEOPLE, TOGETHER
from oracles.brute_force import BruteForce


class PeopleForce(BruteForce):
    """All nodes, each with its records and with the people who look like them."""

    def __init__(self, frequency: FrequencySet) -> None:
        super().__init__(frequency)
        self.people = [
            tuple(hierarchy.values[code] for hierarchy, code in zip(frequency.hierarchies, codes, strict=True))
            for codes, number in zip(frequency.codes, _people(frequency), strict=True)
            for _ in range(number)
        ]

    def survivors(self, levels: tuple[int, ...], released: Any, alive: list[bool], models: list[Any]) -> list[bool]:
        crowd = Counter(self.release(person, levels) for person in self.people)
        for _ in range(len(self.rows) + 1):
            sets = [self._alive(columns, released, crowd, alive, models) for columns in self.frequency.attribute_sets]
            alive = [all(answers) for answers in zip(*sets, strict=True)]
        together = [model for model in models if isinstance(model, TableModel)]
        for model in together * (len(self.rows) + 1 if len(together) > 1 else 1):
            alive = self._left(model, levels, released, alive)
        seen = {label for label, lives in zip(released, alive, strict=True) if lives}
        if any(model.judges_absent for model in models) and seen != set(crowd):
            alive = [False] * len(alive)
        return alive

    def _alive(self, columns: Any, released: Any, crowd: Any, alive: list[bool], models: list[Any]) -> list[bool]:
        keys = [tuple(label[column] for column in columns) for label in released]
        own = [model for model in models if not model.needs_population and not isinstance(model, TableModel)]
        accepted = self.accepted_groups(keys, alive, own)
        records = Counter(key for key, lives in zip(keys, alive, strict=True) if lives)
        people: Counter[Any] = Counter()
        for label, number in crowd.items():
            people[tuple(label[column] for column in columns)] += number
        for model in [model for model in models if model.needs_population]:
            accepted &= {key for key in records if PEOPLE[model.name](model, records[key], people[key])}
        return [lives and key in accepted for key, lives in zip(keys, alive, strict=True)]

    def _left(self, model: Any, levels: tuple[int, ...], released: Any, alive: list[bool]) -> list[bool]:
        """Leave out the smallest groups, of equal ones the first in the order of all tuples, until the rest is good."""
        records = Counter(label for label, lives in zip(released, alive, strict=True) if lives)
        tuples = [
            tuple(hierarchy.values[code] for hierarchy, code in zip(self.frequency.hierarchies, codes, strict=True))
            for codes in self.frequency.codes
        ]
        first = list(dict.fromkeys(self.release(values, levels) for values in tuples))
        order = sorted(records, key=lambda label: (records[label], first.index(label)))
        while order and not TOGETHER[model.name](model, [records[label] for label in order]):
            order = order[1:]
        return [lives and label in order for label, lives in zip(released, alive, strict=True)]


def _people(frequency: FrequencySet) -> list[int]:
    return (frequency.counts if frequency.population is None else frequency.population).tolist()


@st.composite
def peopled(draw: st.DrawFn, frequencies: st.SearchStrategy[FrequencySet]) -> FrequencySet:
    """A table with a population: its own people and others, some of whom look like nobody in the table."""
    table = draw(frequencies)
    every = list(product(*(range(len(hierarchy.values)) for hierarchy in table.hierarchies)))
    others = Counter(draw(st.lists(st.sampled_from(every), max_size=8)))
    own = dict(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True))
    tuples = sorted({*own, *others}, key=lambda codes: (codes not in own, codes))
    place = np.array([tuples.index(codes) for codes in own], dtype=np.int64)
    return replace(
        table,
        codes=np.array(tuples, dtype=np.int32).reshape(len(tuples), len(table.attributes)),
        counts=np.array([own.get(codes, 0) for codes in tuples], dtype=np.int64),
        population=np.array([own.get(codes, 0) + others[codes] for codes in tuples], dtype=np.int64),
        sensitive={name: _moved(histogram, place) for name, histogram in table.sensitive.items()},
    )


def _moved(histogram: Histogram, place: Any) -> Histogram:
    return replace(histogram, group=place[histogram.group])
