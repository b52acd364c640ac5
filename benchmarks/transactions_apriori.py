"""k^m-anonymity on BMS-WebView-2 with its hierarchy: time, memory, and certainty penalty, compared with peers."""

import sys
from functools import partial

import numpy as np

from benchmarks.baskets import folder_of, public_baskets
from benchmarks.results import Results
from benchmarks.unit import child, cpu
from krypsis.algorithms.sets.base import SetMethod, SetResult, SetTask
from krypsis.algorithms.sets.km.apriori import Apriori
from krypsis.algorithms.sets.km.km_suppression import KmSuppression
from krypsis.checker.transactions import check_transactions
from krypsis.data.hierarchies.csv import read_csv
from krypsis.metrics.transactions.set_ncp import SetNcp
from krypsis.models.km_anonymity import KmAnonymity

PEERS = "ARX (branch) 128 U, 3.8 GB, NCP 0.0188; Amnesia 690 U, NCP 0.0210"
PAPER = {"variant": "apriori", "reopen": False}
CASES: tuple[tuple[str, int, int, SetMethod, str, str], ...] = (
    ("best cut", 5, 2, Apriori(), "40 U, NCP 0.0188", PEERS),
    ("best cut", 5, 3, Apriori(), "100 U", ""),
    ("best cuts of parts", 5, 2, Apriori(recoding="local"), "", ""),
    ("Apriori as in the paper", 5, 2, Apriori(**PAPER), "", PEERS),
    ("Apriori, opened again", 5, 2, Apriori(variant="apriori"), "", PEERS),
    ("Apriori as in the paper", 5, 3, Apriori(**PAPER), "", ""),
    ("direct, as in the paper", 5, 2, Apriori(variant="direct", reopen=False), "", PEERS),
    ("direct, opened again", 5, 2, Apriori(variant="direct"), "", PEERS),
    ("direct, as in the paper", 5, 3, Apriori(variant="direct", reopen=False), "", ""),
    ("items left out of records", 5, 2, KmSuppression(), "", ""),
    ("items left out everywhere", 5, 2, KmSuppression(scope="everywhere"), "", ""),
    *(("best cut", k, 2, Apriori(), "", "") for k in (2, 10, 20, 50, 100)),
)


def measure(results: Results) -> None:
    Apriori().publish(task_of(5, 2), np.random.default_rng(1))  # machine code is made once
    for name, k, m, method, target, peer in CASES:
        made: list[SetResult] = []
        run = partial(_publish, method, task_of(k, m), made)
        seconds = cpu(run, 2)
        (verdict,) = check_transactions(made[0].published, [KmAnonymity(k=k, m=m)])
        results.add(f"{name}, k={k}, m={m}", seconds, target, peer, f"NCP {loss(made[0]):.4f}, kept: {verdict.holds}")
    measure_checking(results)
    seconds, peak = child([sys.executable, "-m", "benchmarks.transactions_apriori"])
    results.add("whole process, k=5, m=2", seconds, "1 GB", note=f"peak {peak:.0f} MB, with imports and reading")


def measure_checking(results: Results) -> None:
    promise = [KmAnonymity(k=5, m=2)]
    original = public_baskets("BMS-WebView-2.txt.xz")
    results.add("check of the original, k=5, m=2", cpu(partial(check_transactions, original, promise), 3), "5 U")
    hierarchy = task_of(5, 2).hierarchy
    for recoding in ("global", "local"):
        made = Apriori(recoding=recoding).publish(task_of(5, 2), np.random.default_rng(1)).published
        seconds = cpu(partial(check_transactions, made, promise, hierarchy=hierarchy), 3)
        results.add(f"check of what is published, {recoding}", seconds, "5 U")


def task_of(k: int, m: int) -> SetTask:
    hierarchy = read_csv(folder_of("transactions") / "BMS-WebView-2.hierarchy.txt", ";")
    return SetTask(public_baskets("BMS-WebView-2.txt.xz"), [KmAnonymity(k=k, m=m)], hierarchy)


def loss(made: SetResult) -> float:
    task = task_of(5, 2)
    return SetNcp().measure(task.transactions, made.published, task.hierarchy, np.random.default_rng(1))


def _publish(method: SetMethod, task: SetTask, made: list[SetResult]) -> None:
    made.append(method.publish(task, np.random.default_rng(1)))


if __name__ == "__main__":
    Apriori().publish(task_of(5, 2), np.random.default_rng(1))
