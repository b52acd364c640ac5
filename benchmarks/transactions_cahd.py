"""CAHD compared with permutation Mondrian on BMS-WebView-1 and 2: time, and the divergence of group-by queries."""

from functools import partial
from statistics import mean, stdev
from time import process_time

import numpy as np

from benchmarks.baskets import pos_shaped, public_baskets
from benchmarks.curves import curves
from benchmarks.results import FOLDER, Results
from benchmarks.unit import cpu
from krypsis.algorithms.sets.base import SetMethod, SetTask
from krypsis.algorithms.sets.grouping.band import band_order
from krypsis.algorithms.sets.grouping.cahd import Cahd
from krypsis.algorithms.sets.grouping.permutation_mondrian import PermutationMondrian
from krypsis.checker.sets import check_sets
from krypsis.data.transactions import Transactions
from krypsis.metrics.transactions.group_by_kl import GroupByKl
from krypsis.models.privacy_degree import PrivacyDegree

FILES = {"WebView-1": "BMS-WebView-1.dat", "WebView-2": "BMS-WebView-2.txt.xz"}
TARGETS = {"WebView-1": "10 U", "WebView-2": "20 U"}
PAPER_SECONDS = {"WebView-1": "paper 163 s", "WebView-2": "paper 472 s"}
METHODS: dict[str, SetMethod] = {"CAHD": Cahd(), "PM": PermutationMondrian()}
DEGREES = (4, 6, 8, 10, 15, 20)
DRAWS = 5
"""Random choices of the sensitive items, over which the figures are averaged."""

# Read off the plots of Ghinita, Tao, Kalnis, ICDE 2008, by degree as above.
PAPER = {
    ("WebView-1", 10, "CAHD"): (0.40, 0.57, 0.70, 0.81, 1.00, 1.15),
    ("WebView-1", 20, "CAHD"): (0.71, 1.01, 1.23, 1.42, 1.77, 2.03),
    ("WebView-1", 10, "PM"): (0.70, 0.86, 1.03, 1.18, 1.58, 1.71),
    ("WebView-1", 20, "PM"): (1.21, 1.56, 1.92, 2.22, 2.93, 3.16),
    ("WebView-2", 10, "CAHD"): (0.052, 0.065, 0.080, 0.087, 0.105, 0.115),
    ("WebView-2", 20, "CAHD"): (0.140, 0.184, 0.210, 0.233, 0.268, 0.283),
    ("WebView-2", 10, "PM"): (0.072, 0.113, 0.125, 0.137, 0.170, 0.176),
    ("WebView-2", 20, "PM"): (0.20, 0.29, 0.315, 0.353, 0.398, 0.410),
}


def measure(results: Results) -> None:
    for name, file in FILES.items():
        views = public_baskets(file)
        measure_time(results, name, views)
        for number in (10, 20):
            compare(results, name, views, number)
    grow(results)


def measure_time(results: Results, name: str, views: Transactions) -> None:
    task = task_of(views, 20, 20, seed=0)
    for method in METHODS.values():
        method.publish(task, np.random.default_rng(1))  # compiled, and loaded
    results.add(f"{name}: band order alone", cpu(partial(band_order, views.without(task.sensitive))))
    for label, method in METHODS.items():
        seconds = cpu(partial(method.publish, task, np.random.default_rng(1)))
        first = label == "CAHD"
        results.add(
            f"{name}: {label}, p=20, 20 sensitive items",
            seconds,
            TARGETS[name] if first else "",
            PAPER_SECONDS[name] if first else "",
        )
    published = METHODS["CAHD"].publish(task, np.random.default_rng(1)).published
    seconds = cpu(partial(check_sets, published, task.models))
    results.add(f"{name}: check of it", seconds)


def compare(results: Results, name: str, views: Transactions, number: int) -> None:
    """Measure the divergence of both methods for each degree, and how often CAHD is the better one."""
    lines: dict[str, dict[float, float]] = {label: {} for label in METHODS}
    for place, p in enumerate(DEGREES):
        tasks = [task_of(views, p, number, seed) for seed in range(DRAWS)]
        found = {label: [loss(method, task) for task in tasks] for label, method in METHODS.items()}
        better = sum(one < other for (one, _), (other, _) in zip(found["CAHD"], found["PM"], strict=True))
        for label, figures in found.items():
            losses = [one for one, _ in figures]
            lines[label][p] = mean(losses)
            results.add(
                f"{name}: {label}, p={p}, m={number}",
                min(seconds for _, seconds in figures),
                note=f"KL {mean(losses):.4f} ± {stdev(losses):.4f}, times m {mean(losses) * number:.3f}, "
                f"paper {PAPER[name, number, label][place]}, CAHD better in {better} of {DRAWS}",
            )
    title = f"BMS-{name}, {number} sensitive items: divergence by degree"
    curves(FOLDER / f"cahd-{name.lower()}-{number}.svg", title, "p", "KL", lines)


def loss(method: SetMethod, task: SetTask) -> tuple[float, float]:
    """Return the divergence of what a method publishes, and the CPU seconds it took."""
    start = process_time()
    published = method.publish(task, np.random.default_rng(1)).published
    seconds = process_time() - start
    return GroupByKl().measure(task.transactions, published, None, np.random.default_rng(1)), seconds


def grow(results: Results) -> None:
    """Measure how the time grows with the records."""
    for records in (125_000, 250_000, 515_597):
        task = task_of(pos_shaped(records), 20, 20, seed=0)
        seconds = cpu(partial(METHODS["CAHD"].publish, task, np.random.default_rng(1)), 3)
        results.add(f"shape of BMS-POS, {records} records: CAHD, p=20, m=20", seconds)


def task_of(views: Transactions, p: int, number: int, seed: int) -> SetTask:
    """Draw the sensitive items among those that are rare enough for the largest degree."""
    rare = np.flatnonzero(views.supports * max(DEGREES) <= len(views))
    drawn = np.random.default_rng(seed).choice(rare, number, replace=False)
    return SetTask(views, [PrivacyDegree(p=p)], sensitive=frozenset(views.items[code] for code in drawn.tolist()))
