"""Health records: what utility constraints save, beside leaving codes out and generalizing them."""

import csv
from collections.abc import Callable
from time import process_time

import numpy as np

from benchmarks.baskets import folder_of
from benchmarks.results import Results
from krypsis.algorithms.transactions.apriori import Apriori
from krypsis.algorithms.transactions.base import SetMethod, SetTask
from krypsis.algorithms.transactions.disassociating.policies import wanted_sets
from krypsis.algorithms.transactions.disassociation import Disassociation
from krypsis.algorithms.transactions.km_suppression import KmSuppression
from krypsis.hierarchies.base import Hierarchy
from krypsis.metrics.transactions.are import AverageRelativeError
from krypsis.metrics.transactions.items_lost import ItemsLost
from krypsis.metrics.transactions.mre import MatchError
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.transactions import Transactions

POLICIES = ("hierarchy level 1", "similarity 5", "frequency 0.625%")
KS = (2, 5, 10, 25)
WORKLOADS = ("random_1_4", "frequent_p")
SEED = 1

Sets = tuple[tuple[str, ...], ...]


def measure(results: Results) -> None:
    patients, codes = records(), hierarchy()
    for policy in POLICIES:
        wanted = tuple(one for one in wanted_sets(policy, patients, codes) if one)
        for k in KS:
            method = Disassociation(constraints=policy)
            add(results, f"disassociation, {policy}", method, task_of(patients, codes, k), wanted)
    wanted = wanted_sets(POLICIES[0], patients, codes)
    others: dict[str, Callable[[], SetMethod]] = {
        "disassociation without constraints": Disassociation,
        "km-suppression, from records": KmSuppression,
        "km-suppression, everywhere": lambda: KmSuppression(scope="everywhere"),
        "apriori": Apriori,
    }
    for name, make in others.items():
        add(results, name, make(), task_of(patients, codes, 5), wanted)


def add(results: Results, name: str, method: SetMethod, task: SetTask, wanted: Sets) -> None:
    start = process_time()
    published = method.publish(task, np.random.default_rng(SEED)).published
    seconds = process_time() - start
    given = (task.transactions, published, task.hierarchy)
    figures = [
        f"ARE {workload} {AverageRelativeError(workload=workload).measure(*given, np.random.default_rng(SEED)):.4f}"
        for workload in WORKLOADS
    ]
    errors = MatchError(sets=wanted).of_each(*given, np.random.default_rng(SEED))
    errors = errors[~np.isnan(errors)]
    inside = float((np.abs(errors) < 0.05).mean()) if len(errors) else 1.0
    figures.append(f"MRE {errors.min(initial=0):.1%} to {errors.max(initial=0):.1%}")
    figures.append(f"{inside:.1%} of {len(errors)} within 5 %")
    figures.append(f"codes lost {ItemsLost().measure(*given, np.random.default_rng(SEED)):.1%}")
    promise = task.promise(KmAnonymity)
    assert promise is not None
    results.add(f"{name}, k={promise.k}, m={promise.m}", seconds, note="; ".join(figures))


def records() -> Transactions:
    path = folder_of("ehr") / "synthetic-icd9-records.csv"
    with path.open(newline="", encoding="utf-8") as file:
        return Transactions.of_sets(row for row in csv.reader(file) if row)


def hierarchy() -> Hierarchy:
    """Return the codes below their three-digit stems, those below the first two digits, and everything."""
    items = records().items
    stems = [f"stem {code.partition('.')[0]}" for code in items]
    tens = [f"group {stem.removeprefix('stem ')[:2]}" for stem in stems]
    return Hierarchy.from_columns([list(items), stems, tens, ["*"] * len(items)])


def task_of(patients: Transactions, codes: Hierarchy, k: int, m: int = 2) -> SetTask:
    return SetTask(patients, [KmAnonymity(k=k, m=m)], codes)
