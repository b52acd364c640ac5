"""What published sets are still good for: frequent sets, pairs and rare items, by method, k and m."""

import csv
from collections.abc import Callable
from functools import partial
from time import process_time

import numpy as np

from benchmarks.baskets import pos_shaped, public_baskets, quest, tree_over
from benchmarks.curves import curves
from benchmarks.diffpart import diffpart
from benchmarks.results import FOLDER, Results
from krypsis import registry
from krypsis.algorithms.sets.base import SetMethod, SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation
from krypsis.algorithms.sets.km.apriori import Apriori
from krypsis.algorithms.sets.km.km_suppression import KmSuppression
from krypsis.data.transactions import PublishedSets, Transactions
from krypsis.metrics.transactions.listed_items import LostTerms
from krypsis.models.km_anonymity import KmAnonymity

DATA: dict[str, Callable[[], Transactions]] = {
    "BMS-WebView-1": lambda: public_baskets("BMS-WebView-1.dat"),
    "BMS-WebView-2": lambda: public_baskets("BMS-WebView-2.txt.xz"),
    "retail": lambda: public_baskets("retail.dat.xz"),
    "kosarak25k": lambda: public_baskets("kosarak25k.txt"),
    "shaped like POS": pos_shaped,
}
LARGE = "shaped like POS"
K, M = 5, 2
KS = (4, 5, 8, 12, 16, 20)
MS = (1, 2, 3)
METRICS = ("tkd", "tkd-a", "re", "re-a", "tlost", "listed-share")
COMMON = ("tkd", "re:first_rank=0,last_rank=20", "re")
BUDGETS = (0.5, 0.75, 1.0, 1.25)
BANDS = (0, 100, 200, 300, 400)
RECONSTRUCTIONS = (1, 2, 5, 10)
COLUMNS = ("question", "data", "method", "k", "m", "metric", "value", "seconds")
SEED = 1

Figures = dict[str, float]


class Table:
    """The figures as one row each."""

    def __init__(self) -> None:
        self._file = (FOLDER / "transactions_utility_figures.csv").open("w", newline="", encoding="utf-8")
        self._rows = csv.writer(self._file)
        self._rows.writerow(COLUMNS)

    def add(self, question: str, data: str, task: SetTask, method: str, seconds: float, figures: Figures) -> None:
        promise = task.promise(KmAnonymity)
        assert promise is not None
        for metric, value in figures.items():
            row = (question, data, method, promise.k, promise.m, metric, f"{value:.4f}", f"{seconds:.3f}")
            self._rows.writerow(row)
        self._file.flush()


def measure(results: Results) -> None:
    table = Table()
    by_k: dict[str, dict[str, dict[float, float]]] = {}
    for name, load in DATA.items():
        sets = load()
        for k in (K, 20) if name == LARGE else KS:
            figures = disassociate(results, table, name, task_of(sets, k, M), "k")
            for metric, value in figures.items():
                by_k.setdefault(metric, {}).setdefault(name, {})[k] = value
        for m in MS:
            if m != M:
                disassociate(results, table, name, task_of(sets, K, m), "m")
        compare(results, table, name, sets)
        if name in ("BMS-WebView-1", LARGE):
            average(results, table, name, sets)
    for metric, lines in by_k.items():
        curves(FOLDER / f"utility-{metric}-by-k.svg", f"{metric} of disassociation, m = {M}", "k", metric, lines)
    grow_in_items(results)


def disassociate(results: Results, table: Table, name: str, task: SetTask, question: str) -> Figures:
    """Measure everything about clusters."""
    return add(results, table, name, task, question, "disassociation", by(Disassociation()), METRICS)


def compare(results: Results, table: Table, name: str, sets: Transactions) -> None:
    """Measure other methods by what they have in common, with a tree of fan-out 5 over the items in their order."""
    task = SetTask(sets, [KmAnonymity(k=K, m=M)], tree_over(sets.items))
    common = (*COMMON, "tkd-ml2")
    add(results, table, name, task, "methods", "disassociation", by(Disassociation()), common)
    add(results, table, name, task, "methods", "apriori", by(Apriori()), common)
    add(results, table, name, task, "methods", "km-suppression", by(KmSuppression()), COMMON)
    for budget in BUDGETS:
        noisy = partial(_with_noise, budget=budget)
        add(results, table, name, task, "methods", f"DiffPart, budget {budget}", noisy, COMMON)


def add(
    results: Results,
    table: Table,
    name: str,
    task: SetTask,
    question: str,
    label: str,
    publish: Callable[[SetTask], PublishedSets],
    metrics: tuple[str, ...],
) -> Figures:
    start = process_time()
    published = publish(task)
    seconds = process_time() - start
    promise = task.promise(KmAnonymity)
    assert promise is not None
    figures = {}
    for spec in metrics:
        metric = LostTerms(k=promise.k) if spec == "tlost" else registry.create("metric", spec)
        figures[spec] = metric.measure(task.transactions, published, task.hierarchy, np.random.default_rng(SEED))
    table.add(question, name, task, label, seconds, figures)
    note = ", ".join(f"{metric} {value:.4f}" for metric, value in figures.items())
    results.add(f"{name}, {label}, k={promise.k}, m={promise.m}", seconds, note=note)
    return figures


def by(method: SetMethod) -> Callable[[SetTask], PublishedSets]:
    return lambda task: method.publish(task, np.random.default_rng(SEED)).published


def _with_noise(task: SetTask, budget: float) -> Transactions:
    return diffpart(task.transactions, budget, np.random.default_rng(SEED))


def average(results: Results, table: Table, name: str, sets: Transactions) -> None:
    """Measure pairs of frequent and of rarer items, averaged over several draws of the data behind the clusters."""
    task = task_of(sets, K, M)
    lines: dict[str, dict[float, float]] = {}
    for draws in RECONSTRUCTIONS if name != LARGE else (1, 5):
        specs = [f"re:first_rank={first},last_rank={first + 20},reconstructions={draws}" for first in BANDS]
        found = add(results, table, name, task, "bands", "disassociation", by(Disassociation()), tuple(specs))
        lines[f"{draws} draws"] = dict(zip(BANDS, found.values(), strict=True))
    title = f"{name}: error of pairs by rank of their items, k = {K}, m = {M}"
    path = FOLDER / f"utility-bands-{name.lower().replace(' ', '-')}.svg"
    curves(path, title, "rank of the first of 20 items", "re", lines)


def grow_in_items(results: Results) -> None:
    """Measure how the time grows with the number of items."""
    for items in (1250, 2500, 5000, 10_000):
        task = task_of(quest(100_000, items, 10), K, M)
        start = process_time()
        Disassociation().publish(task, np.random.default_rng(SEED))
        results.add(f"100,000 made-up sets of 10 out of {items} items", process_time() - start, "linear")


def task_of(sets: Transactions, k: int, m: int) -> SetTask:
    return SetTask(sets, [KmAnonymity(k=k, m=m)])
