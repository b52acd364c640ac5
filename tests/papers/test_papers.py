"""Worked examples from papers; see ``case.py`` for the format. A new folder with a ``case.toml`` is found by itself."""

from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.algorithms.tables.k_optimize.k_optimize import label_intervals
from krypsis.algorithms.tables.k_optimize.space import OrderedDomain
from krypsis.data.groups import Groups
from papers.case import FOLDER, Example, rows

EXAMPLES = {path.parent.name: Example(path.parent) for path in sorted(FOLDER.glob("*/case.toml"))}
EXPECTATIONS = [
    pytest.param(example, wanted, id=f"{name}-{number}-{wanted.kind}")
    for name, example in EXAMPLES.items()
    for number, wanted in enumerate(example.case.expect)
]


@pytest.mark.parametrize(("example", "wanted"), EXPECTATIONS)
def test_a_worked_example_comes_out_as_in_its_source(example, wanted):
    CHECKS[wanted.kind](example, wanted)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=list(EXAMPLES))
def test_every_file_of_an_example_is_used(example):
    assert {path.name for path in example.folder.iterdir()} == example.used_files


def check_groups(example, wanted):
    names = example.case.tables[wanted.table].quasi_identifiers
    sizes = Counter(example.frame(wanted.table).select(names).iter_rows()).values()
    assert sorted(sizes) == sorted(wanted.sizes)


def check_measure(example, wanted):
    [verdict] = verdicts(example, wanted, only=wanted.only)
    assert round(verdict.achieved, wanted.decimals) == wanted.achieved


def check_promise(example, wanted):
    [verdict] = verdicts(example, wanted)
    assert verdict.holds == wanted.holds


def verdicts(example, wanted, only=None):
    table, frame = example.case.tables[wanted.table], example.frame(wanted.table)
    part = frame.filter(**only) if only else frame
    return krypsis.check(
        part,
        [wanted.model],
        quasi_identifiers=table.quasi_identifiers,
        sensitive=table.sensitive,
        reference={name: dict(frame[name].value_counts().iter_rows()) for name in table.sensitive},
        hierarchies={
            name: example.hierarchies(wanted.table)[name] for name in table.sensitive if name in table.hierarchies
        },
    )


def check_nodes(example, wanted):
    names = wanted.quasi_identifiers or example.case.tables[wanted.table].quasi_identifiers
    hierarchies = [example.hierarchies(wanted.table)[name] for name in names]
    tuples = list(example.frame(wanted.table).select(names).iter_rows())
    passing = [
        levels
        for levels in product(*(range(hierarchy.height + 1) for hierarchy in hierarchies))
        if suppressed_at(wanted.model, tuples, hierarchies, levels) <= wanted.max_suppressed
    ]
    minimal = [node for node in passing if not any(below(other, node) for other in passing)]
    assert sorted(minimal) == sorted(map(tuple, wanted.minimal))
    assert wanted.passing in (None, len(passing))


def suppressed_at(model, tuples, hierarchies, levels):
    """How many records a promise about sizes refuses at a node."""
    general = [hierarchy.label for hierarchy in hierarchies]
    groups = Counter(
        tuple(up(value, level) for up, value, level in zip(general, row, levels, strict=True)) for row in tuples
    )
    sizes = Groups.of_sizes(groups.values())
    return int(sizes.sizes[~registry.create("model", model).accepts(sizes)].sum())


def below(one, other):
    return one != other and all(low <= high for low, high in zip(one, other, strict=True))


def check_intervals(example, wanted):
    hierarchy = example.hierarchies(wanted.table)[wanted.attribute]
    counted = Counter(example.frame(wanted.table)[wanted.attribute])
    marginal = np.array([counted[value] for value in hierarchy.values])
    domain = OrderedDomain.of(hierarchy, marginal)
    ranks = [int(domain.ranks[hierarchy.code_of[value]]) for value in wanted.starts]
    _, codes = label_intervals(domain, ranks, marginal > 0)
    alike = {}
    for value, code in zip(hierarchy.values, codes, strict=True):
        alike.setdefault(int(code), []).append(value)
    assert sorted(alike.values()) == wanted.intervals


def check_release(example, wanted):
    release = anonymize(example, wanted, wanted.models, wanted.at, wanted.algorithm, wanted.metric, wanted.suppression)
    assert list(release.levels.values()) == wanted.levels
    assert release.suppressed == wanted.suppressed
    expected = example.csv(wanted.published)
    assert rows(release.table.select(pl.col(expected.columns).cast(pl.String))) == rows(expected)
    if wanted.trace is not None:
        steps = [{**step, "levels": list(step["levels"])} for step in release.evidence.recoding.figures]
        assert steps == [step.model_dump(exclude_none=True) for step in wanted.trace]


def check_metrics(example, wanted):
    release = anonymize(example, wanted, [wanted.model], wanted.at)
    assert {name: release.metrics[name] for name in wanted.values} == pytest.approx(wanted.values)


def anonymize(example, wanted, models, at, algorithm="optimal", metric="loss", suppression=None):
    table = example.case.tables[wanted.table]
    frame = example.frame(wanted.table)
    roles = dict.fromkeys(frame.columns, "identifier")
    roles |= dict.fromkeys(table.quasi_identifiers, "quasi-identifier") | dict.fromkeys(table.sensitive, "sensitive")
    node = dict(zip(table.quasi_identifiers, at, strict=True)) if at else {}
    return krypsis.anonymize(
        frame.select(
            [*table.quasi_identifiers, *(name for name in frame.columns if name not in table.quasi_identifiers)]
        ),
        {name: roles[name] for name in [*table.quasi_identifiers, *roles]},
        models=models,
        hierarchies=example.hierarchies(wanted.table),
        algorithm=algorithm,
        metric=metric,
        suppression=suppression,
        min_levels=node,
        max_levels=node,
    )


CHECKS = {
    "groups": check_groups,
    "measure": check_measure,
    "check": check_promise,
    "nodes": check_nodes,
    "intervals": check_intervals,
    "release": check_release,
    "metrics": check_metrics,
}
