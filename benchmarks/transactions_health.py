"""Health records: disassociation with utility constraints, compared with uniting codes and other methods."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np

from benchmarks.baskets import folder_of
from benchmarks.constrained import constrained
from benchmarks.curves import curves
from benchmarks.results import FOLDER, Results
from krypsis.algorithms.sets.base import SetMethod, SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation, wanted_sets
from krypsis.algorithms.sets.km.apriori import Apriori
from krypsis.algorithms.sets.km.km_suppression import KmSuppression
from krypsis.checker.sets import check_sets
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import PublishedSets, Transactions
from krypsis.metrics.transactions.counting import Workload, questions
from krypsis.metrics.transactions.listed_items import ItemsLost
from krypsis.metrics.transactions.relative_error import AverageRelativeError, MatchError
from krypsis.models.km_anonymity import KmAnonymity

POLICIES = ("hierarchy level 1", "hierarchy level 2", "similarity 5", "frequency 0.625%")
DRAWN = POLICIES[:2]
KS = (2, 5, 10, 25)
WORKLOADS: tuple[Workload, ...] = ("random_1_4", "random_1000", "frequent_p")
SUPPORT = 0.625
SEED = 1

Sets = tuple[tuple[str, ...], ...]
Lines = dict[str, dict[str, dict[float, float]]]


@dataclass(frozen=True, eq=False)
class Told:
    """What a method publishes, with the hierarchy by which its labels are read."""

    published: PublishedSets
    hierarchy: Hierarchy
    seconds: float


@dataclass(frozen=True, eq=False)
class Questions:
    """What is asked of every release: counts by workload, and how many records match each constraint."""

    asked: dict[str, Sets]
    wanted: Sets


def measure(results: Results) -> None:
    patients, codes = records(), hierarchy()
    lines: Lines = {workload: {} for workload in WORKLOADS}
    for policy in POLICIES:
        for k in KS:
            compare(results, task_of(patients, codes, k), policy, lines if policy in DRAWN else {})
    compare(results, task_of(patients, codes, 5, m=3), POLICIES[0], {})
    for workload, drawn in lines.items():
        title = f"ARE of health records, {workload}, codes that both distinguish"
        curves(FOLDER / f"health-are-{workload}.svg", title, "k", "ARE", drawn)
    others: dict[str, Callable[[], SetMethod]] = {
        "disassociation without constraints": Disassociation,
        "km-suppression, from records": KmSuppression,
        "km-suppression, everywhere": lambda: KmSuppression(scope="everywhere"),
        "apriori": Apriori,
    }
    task = task_of(patients, codes, 5)
    for name, make in others.items():
        add(results, name, task, made_by(make(), task), questions_of(task, POLICIES[0]))


def compare(results: Results, task: SetTask, policy: str, lines: Lines) -> None:
    """Measure both methods by the same questions: about all codes, and about those that both distinguish."""
    united, ours = made_united(task, policy), made_by(Disassociation(constraints=policy), task)
    labels = labels_of(united)
    for name, told in (("constraint-based", united), ("disassociation", ours)):
        label = f"{name}, {policy}"
        add(results, label, task, told, questions_of(task, policy))
        found = add(results, f"{label}, codes distinguished", task, told, questions_of(task, policy, labels))
        for workload, drawn in lines.items():
            drawn.setdefault(label, {})[promise_of(task).k] = found[workload]


def made_united(task: SetTask, policy: str) -> Told:
    promise, start = promise_of(task), process_time()
    published, labels = constrained(task.transactions, wanted_by(task, policy), promise.k, promise.m)
    seconds = process_time() - start
    assert all(check_sets(published, [promise]))
    return Told(published, labels, seconds)


def made_by(method: SetMethod, task: SetTask) -> Told:
    start = process_time()
    published = method.publish(task, np.random.default_rng(SEED)).published
    assert task.hierarchy is not None
    return Told(published, task.hierarchy, process_time() - start)


def questions_of(task: SetTask, policy: str, labels: dict[str, str] | None = None) -> Questions:
    """Return questions about all codes, or about those that have labels, and no two of them the same.

    Who tells two codes as one counts every record with either as one with both: two such pairs of a thousand sets
    would make up most of the mean.
    """
    known = task.transactions
    sets = known if labels is None else known.without(set(known.items) - set(labels))
    asked = {name: questions(name, sets, 1000, SUPPORT, np.random.default_rng(SEED)) for name in WORKLOADS}
    if labels is not None:
        asked = {name: tuple(one for one in found if _differ(one, labels)) for name, found in asked.items()}
    return Questions(asked, wanted_by(task, policy) or tuple((item,) for item in known.items))


def _differ(items: tuple[str, ...], labels: dict[str, str]) -> bool:
    return len({labels[item] for item in items}) == len(items)


def add(results: Results, name: str, task: SetTask, told: Told, questions: Questions) -> dict[str, float]:
    given = (task.transactions, told.published, told.hierarchy)
    found = {
        workload: AverageRelativeError(sets=asked).measure(*given, np.random.default_rng(SEED)) if asked else 0.0
        for workload, asked in questions.asked.items()
    }
    figures = [f"ARE {workload} {value:.4f}" for workload, value in found.items()]
    errors = MatchError(sets=questions.wanted).of_each(*given, np.random.default_rng(SEED))
    errors = errors[~np.isnan(errors)]
    figures.append(f"MRE {errors.min(initial=0):.1%} to {errors.max(initial=0):.1%}")
    figures.append(f"{float((np.abs(errors) < 0.05).mean()):.1%} of {len(errors)} within 5 %")
    figures.append(f"codes lost {ItemsLost().measure(*given, np.random.default_rng(SEED)):.1%}")
    promise = promise_of(task)
    results.add(f"{name}, k={promise.k}, m={promise.m}", told.seconds, note="; ".join(figures))
    return found


def labels_of(told: Told) -> dict[str, str]:
    """Return how each code is told, alone or as one of several; without those that are left out."""
    assert isinstance(told.published, Transactions)
    labels = set(told.published.items)
    return {str(row[0]): str(row[1]) for row in told.hierarchy.rows() if str(row[1]) in labels}


def wanted_by(task: SetTask, policy: str) -> Sets:
    return tuple(one for one in wanted_sets(policy, task.transactions, task.hierarchy) if one)


def promise_of(task: SetTask) -> KmAnonymity:
    promise = task.promise(KmAnonymity)
    assert promise is not None
    return promise


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
