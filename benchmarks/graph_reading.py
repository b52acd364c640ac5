"""The time to read a graph of 10 million edges, next to a plain scan of the same file."""

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import polars as pl

from benchmarks.results import Results
from benchmarks.synthetic_graphs import hub_pairs
from krypsis.io.graphs import read_graph
from krypsis.io.graphs.edge_lists import read_edge_list
from krypsis.io.source import TextSource

VERTICES, EDGES = 1_000_000, 10_000_000
REPEATS = 5


def measure(results: Results) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "edges.txt")
        pairs = pl.DataFrame(hub_pairs(VERTICES, EDGES), schema=["source", "target"])
        pairs.write_csv(file, separator=" ", include_header=False)
        read_graph(_small(file))  # compiles the loops
        cases = {
            "scan of the CSV file by polars": lambda: pl.read_csv(file, separator=" ", has_header=False),
            "edges as numbers": lambda: read_edge_list(TextSource.open(file)),
            "graph, sorted and without repetitions": lambda: read_graph(file),
        }
        # In turns, so that whatever else the machine does slows all of them.
        times: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(REPEATS):
            for name, case in cases.items():
                begin = process_time()
                case()
                times[name].append(process_time() - begin)
        scan = median(times["scan of the CSV file by polars"])
        for name, taken in times.items():
            note = f"{median(taken) / scan:.2f} × the scan; CPU time of all threads"
            results.add(f"10 M edges: {name}", median(taken), note=note)


def _small(file: Path) -> Path:
    small = file.with_name("small.txt")
    small.write_text("0 1\n1 2\n", encoding="utf-8")
    return small
