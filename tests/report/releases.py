"""Releases of small tables, built the slow and obvious way so that reports can be compared with counting by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from krypsis import registry
from krypsis.data.groups import Domain, Histogram
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.recoding import FrequencySet, FullDomain, outcome_of
from krypsis.data.schema import Schema
from krypsis.kinds.table.make import release_of
from krypsis.metrics.base import Metric
from krypsis.models.base import Verdict
from krypsis.models.k_anonymity import KAnonymity
from krypsis.release.provenance import Before, RecodingEvidence
from krypsis.release.release import Release

Row = Mapping[str, Label]


def make_release(
    rows: Sequence[Row],
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    *,
    sensitive: Sequence[str] = (),
    k: int = 2,
    suppression: str = "remove",
    sets: Sequence[Sequence[str]] = (),
) -> Release:
    """Return the release of a table at given levels, with the records of groups below ``k`` suppressed."""
    names = tuple(hierarchies)
    tuples = Counter(tuple(row[name] for name in names) for row in rows)
    ordered = sorted(tuples, key=lambda one: [hierarchies[n].code_of[v] for n, v in zip(names, one, strict=True)])
    label = {one: tuple(hierarchies[n].label(v, levels[n]) for n, v in zip(names, one, strict=True)) for one in ordered}
    sizes = Counter()
    for one, count in tuples.items():
        sizes[label[one]] += count
    hidden = {one for one in ordered if sizes[label[one]] < k}
    frequency = _frequency(rows, names, hierarchies, ordered, tuples, sensitive, sets)
    hidden_tuples = np.array([one in hidden for one in ordered], dtype=bool)
    recoding = FullDomain(tuple(levels[name] for name in names), hidden_tuples)
    outcome = outcome_of(recoding, frequency)
    schema = Schema.of(
        {**dict.fromkeys(names, "quasi-identifier"), **dict.fromkeys(sensitive, "sensitive")},
        quasi_identifier_sets=sets,
    )
    table = _publish(rows, names, hierarchies, label, hidden, sensitive, suppression)
    smallest = min([size for size in sizes.values() if size >= k], default=0)
    made = release_of(
        table=table,
        schema=schema,
        promises=(KAnonymity(k=k).spec,),
        algorithm="by hand",
        metric="loss",
        hierarchies=dict.fromkeys(names, "by hand"),
        levels=dict(levels),
        heights={name: hierarchies[name].height for name in names},
        score=0.5,
        suppressed=outcome.suppressed,
        suppression=suppression,
        rows_before=len(rows),
        metrics={
            name: cls().compute(outcome)
            for name, cls in registry.classes("metric").items()
            if issubclass(cls, Metric) and cls.reported and cls().applies_to(frequency)
        },
        before=Before(
            pl.DataFrame([{name: row[name] for name in table.columns} for row in rows], schema=table.schema),
            evidence=RecodingEvidence(frequency, recoding, outcome),
        ),
    )
    promise = KAnonymity(k=k).spec
    verdict = Verdict(promise=promise, holds=smallest >= k, required=k, achieved=smallest, sentence="By hand.")
    return replace(made, verdicts=(verdict,))


def flat(*values: Label) -> Hierarchy:
    """Return the hierarchy value → ``*``."""
    return Hierarchy.from_rows([value, "*"] for value in values)


def medical(**changes: object) -> Release:
    """Return the table of seven patients of the specification (8.5) with its 3-anonymous release."""
    rows = [
        dict(zip(("job", "sex", "age", "disease"), cells, strict=True))
        for cells in (
            ("Engineer", "Male", "35", "Dehydration"),
            ("Engineer", "Male", "38", "Dehydration"),
            ("Lawyer", "Male", "38", "Fever"),
            ("Writer", "Female", "30", "Flu"),
            ("Writer", "Female", "30", "Fever"),
            ("Dancer", "Female", "30", "Fever"),
            ("Dancer", "Female", "30", "Fever"),
        )
    ]
    jobs = {"Engineer": "Professional", "Lawyer": "Professional", "Writer": "Artist", "Dancer": "Artist"}
    hierarchies = {
        "job": Hierarchy.from_rows([job, parent, "*"] for job, parent in jobs.items()),
        "sex": flat("Male", "Female"),
        "age": Hierarchy.from_rows([str(age), "[30-35)" if age < 35 else "[35-40)", "*"] for age in range(30, 40)),
    }
    given = {"levels": {"job": 1, "sex": 0, "age": 1}, "sensitive": ("disease",), "k": 3, **changes}
    return make_release(rows, hierarchies, **given)  # type: ignore[arg-type]


def _frequency(rows, names, hierarchies, ordered, tuples, sensitive, sets) -> FrequencySet:
    codes = [[hierarchies[n].code_of[v] for n, v in zip(names, one, strict=True)] for one in ordered]
    return FrequencySet(
        attributes=names,
        hierarchies=tuple(hierarchies[name] for name in names),
        codes=np.array(codes, dtype=np.int32).reshape(-1, len(names)),
        counts=np.array([tuples[one] for one in ordered], dtype=np.int64),
        sensitive={name: _histogram(rows, names, ordered, name) for name in sensitive},
        sets=tuple(tuple(names.index(name) for name in members) for members in sets),
    )


def _histogram(rows, names, ordered, attribute) -> Histogram:
    values = tuple(dict.fromkeys(row[attribute] for row in rows))
    place = {one: position for position, one in enumerate(ordered)}
    found = Counter((place[tuple(row[n] for n in names)], values.index(row[attribute])) for row in rows)
    group, value, count = np.array([(g, v, c) for (g, v), c in found.items()], dtype=np.int64).reshape(-1, 3).T
    whole = np.bincount(value, count, minlength=len(values)).astype(np.int64)
    return Histogram(group, value, count, whole, Domain(values))


def _publish(rows, names, hierarchies, label, hidden, sensitive, suppression) -> pl.DataFrame:
    published = []
    for row in rows:
        one = tuple(row[name] for name in names)
        if one in hidden and suppression == "remove":
            continue
        shown = tuple(hierarchies[name].labels[-1][0] for name in names) if one in hidden else label[one]
        published.append({**dict(zip(names, shown, strict=True)), **{name: row[name] for name in sensitive}})
    return pl.DataFrame(published, schema=dict.fromkeys((*names, *sensitive), pl.String))
