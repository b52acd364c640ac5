"""Disassociation of sets of items: time, share of items in record and shared chunks, the check, growth, memory."""

import sys
from functools import partial

import numpy as np

from benchmarks.baskets import pos_shaped, public_baskets
from benchmarks.results import Results
from benchmarks.unit import child, cpu
from krypsis.algorithms.sets.base import SetResult, SetTask
from krypsis.algorithms.sets.disassociation.disassociation import Disassociation
from krypsis.checker.sets import check_sets
from krypsis.data.transactions import Transactions
from krypsis.models.km_anonymity import KmAnonymity

PEER = "the public C++ implementation: 48 U, 41 to 44 %"
PUBLIC = (
    ("BMS-WebView-1.dat", "10 U", PEER),
    ("BMS-WebView-2.txt.xz", "15 U", ""),
    ("retail.dat.xz", "", ""),
    ("kosarak25k.txt", "", ""),
    ("mushroom.dat", "", ""),
)
GROWTH = (100_000, 500_000, 1_000_000, 5_000_000)
SIZES = (30, 60, 120, 240)


def measure(results: Results) -> None:
    release_of(pos_shaped(2000))  # warm: the kernels are compiled
    for name, target, peer in PUBLIC:
        add(results, name, public_baskets(name), target=target, peer=peer)
    for m in (1, 3, 5):
        add(results, "BMS-WebView-1.dat", public_baskets("BMS-WebView-1.dat"), m=m)
    for k in (2, 10, 20):
        add(results, "BMS-WebView-1.dat", public_baskets("BMS-WebView-1.dat"), k=k)
    for size in SIZES:
        add(results, "BMS-WebView-2.txt.xz", public_baskets("BMS-WebView-2.txt.xz"), max_cluster_size=size)
    for variant in ("printed", "hardened"):
        add(results, "BMS-WebView-2.txt.xz", public_baskets("BMS-WebView-2.txt.xz"), variant=variant, refine=False)
    add(results, "shaped like POS", pos_shaped(), target="120 U")
    for m in (2, 3, 5):
        check(results, "BMS-WebView-1.dat", public_baskets("BMS-WebView-1.dat"), m)
    for m in (2, 5):
        check(results, "shaped like POS", pos_shaped(), m)
    for records in GROWTH:
        grow(results, records)


def add(
    results: Results,
    name: str,
    sets: Transactions,
    k: int = 5,
    m: int = 2,
    target: str = "",
    peer: str = "",
    **more: object,
) -> None:
    made = release_of(sets, k, m, **more)
    seconds = cpu(partial(release_of, sets, k, m, **more), 3)
    options = "".join(f", {key}={value}" for key, value in more.items())
    results.add(f"{name}, k={k}, m={m}{options}", seconds, target=target, peer=peer, note=told(made))


def check(results: Results, name: str, sets: Transactions, m: int) -> None:
    """Measure the check of a release, which looks for the items that stand together most rarely."""
    published = release_of(sets, m=m).published
    seconds = cpu(partial(check_sets, published, [KmAnonymity(k=5, m=m)]), 3)
    results.add(f"check of {name}, k=5, m={m}", seconds, note=f"pieces of up to {published.pieces.sizes.max()} items")


def release_of(sets: Transactions, k: int = 5, m: int = 2, **more: object) -> SetResult:
    task = SetTask(sets, [KmAnonymity(k=k, m=m)])
    return Disassociation(**more).publish(task, np.random.default_rng(1))


def told(made: SetResult) -> str:
    figures = made.private
    record, shared = figures["share_in_record_chunks"], figures["share_in_shared_chunks"]
    parts = f"{record:.1%} in record chunks, {shared:.1%} in shared chunks, {figures['clusters']:,} clusters"
    return f"{record + shared:.1%} of the items in pieces: {parts}"


def grow(results: Results, records: int) -> None:
    """Measure a process of its own, less what making the baskets costs, so that its memory is known."""
    code = "from benchmarks.transactions_disassociation import {}; {}"
    both = code.format("pos_shaped, release_of", f"release_of(pos_shaped({records}))")
    only = code.format("pos_shaped", f"pos_shaped({records})")
    seconds, peak = child([sys.executable, "-c", both])
    made, _ = child([sys.executable, "-c", only])
    results.add(f"growth, {records:,} sets", seconds - made, target="linear, < 4 GB", note=f"peak {peak:,.0f} MB")
