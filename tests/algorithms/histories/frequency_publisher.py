"""Publishes versions one after the other and remembers what the next one needs, in plain dictionaries."""

from collections import Counter

import numpy as np
import polars as pl

from algorithms.histories.diseases import DISEASES
from krypsis.algorithms.histories.base import LEFT_OUT, NEW, LastGroups, Past, Snapshot, Turnover
from krypsis.algorithms.histories.families import level_and_code
from krypsis.algorithms.histories.frequency_aware import FrequencyAware
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.io.history import Version

AGES = Hierarchy.from_rows([[str(age), "*"] for age in range(20)])
CODES = DISEASES.code_of
LABELS = [label for labels in DISEASES.labels for label in labels]


def below(node):
    """The values that a node stands for."""
    (level,), (code,) = (part.tolist() for part in level_and_code(DISEASES, np.array([node])))
    return {value for value, its in zip(DISEASES.values, DISEASES.table[level], strict=True) if its == code}


class Publisher:
    """People are ``name → (age, disease)``."""

    def __init__(self, promise, **options):
        self.promise, self.method = promise, FrequencyAware(**{"evidence": 0, **options})
        self.bound, self.last, self.signatures, self.shown = {}, {}, Signatures.none(), None
        self.groups, self.versions, self.tables, self.found = {}, [], [], []

    def publish(self, people, seed=0):
        snapshot, past = self.snapshot(people), self.past(people)
        found = self.method.publication(snapshot, past, [self.promise], np.random.default_rng(seed))
        self.groups = {}
        for name, group in zip(people, found.group.tolist(), strict=True):
            if group != LEFT_OUT:
                self.bound[name], self.last[name] = int(found.signature[group]), people[name]
                self.groups[name] = group + 1
        self.signatures, self.shown = found.signatures, found.shown
        self.tables.append(people)
        self.found.append(found)
        if found.groups:
            self.versions.append(self.version(people, found))
        return found

    def snapshot(self, people):
        codes = np.array([[age] for age, _ in people.values()], dtype=np.int32).reshape(-1, 1)
        values = np.array([CODES[value] for _, value in people.values()], dtype=np.int64)
        numbers = np.array([self.bound.get(name, NEW) for name in people], dtype=np.int64)
        return Snapshot(("age",), (AGES,), codes, "disease", DISEASES, values, numbers)

    def past(self, people):
        absent = [name for name in self.bound if name not in people]
        codes = np.array([[self.last[name][0]] for name in absent], dtype=np.int32).reshape(-1, 1)
        values = np.array([CODES[self.last[name][1]] for name in absent], dtype=np.int64)
        numbers = np.array([self.bound[name] for name in absent], dtype=np.int64)
        sizes = np.bincount(list(self.groups.values()), minlength=1)
        last = LastGroups(np.array([self.groups.get(name, 0) for name in people], dtype=np.int64), sizes)
        return Past(self.signatures, codes, values, numbers, self.turnover(), self.shown, last)

    def turnover(self):
        """What came and went, counted one by one."""
        tables = np.zeros((3, len(self.tables), len(CODES)), dtype=np.int64)
        before = {}
        for version, people in enumerate(self.tables):
            for kind, here in enumerate((people, people.keys() - before.keys(), before.keys() - people.keys())):
                for name in here:
                    tables[kind, version, CODES[(people if kind < 2 else before)[name][1]]] += 1
            before = people
        return Turnover(*tables)

    def version(self, people, found):
        rows = [
            (name, str(group), LABELS[node])
            for name, group, node in zip(people, found.group.tolist(), found.published.tolist(), strict=True)
            if group != LEFT_OUT
        ]
        false = zip(found.counterfeits.group.tolist(), found.counterfeits.published.tolist(), strict=True)
        rows += [(None, str(group), LABELS[node]) for group, node in false]
        table = pl.DataFrame(rows, schema=dict.fromkeys(["name", "group", "value"], pl.String), orient="row")
        return Version.of(table, group="group", sensitive="value", person="name")

    def signature_of(self, name, version=-1):
        return self.versions[version].signatures()[name]


def people_with(**counts):
    """So many people with each disease, underscores for blanks, each of another age."""
    values = [name.replace("_", " ") for name, count in counts.items() for _ in range(count)]
    return {f"{value[0]}{number}": (number % len(AGES.values), value) for number, value in enumerate(values)}


def holes_of(publisher, people, nodes):
    """How many records each slot lacks; a slot is known by its signature and what it is published as now."""
    holes = Counter()
    for number in range(len(publisher.signatures)):
        here = [people[name][1] for name, bound in publisher.bound.items() if bound == number and name in people]
        start = int(publisher.signatures.starts[number])
        width = int(publisher.signatures.sizes[number])
        filled = {slot: sum(value in below(nodes[slot]) for value in here) for slot in range(start, start + width)}
        highest = max(filled.values())
        holes.update({slot: highest - number for slot, number in filled.items()})
    return holes
