"""Results as CSV, with the versions they were made with."""

import csv
import platform
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.unit import unit

FOLDER = Path(__file__).parent / "results"
COLUMNS = ("case", "seconds", "U", "target", "peer", "note", "krypsis", "numpy", "polars", "numba", "python", "unit")


class Results:
    """Prints each figure and writes it to a file."""

    def __init__(self, name: str) -> None:
        self._path = FOLDER / f"{name}.csv"

    def __enter__(self) -> Self:
        FOLDER.mkdir(exist_ok=True)
        self._file = self._path.open("w", newline="", encoding="utf-8")
        self._rows = csv.DictWriter(self._file, COLUMNS)
        self._rows.writeheader()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        print(f"  written to {self._path.relative_to(Path.cwd())}" if self._path.is_relative_to(Path.cwd()) else "")

    def add(self, case: str, seconds: float, target: str = "", peer: str = "", note: str = "") -> None:
        """Record one figure; ``target`` and ``peer`` are what was asked for and what a peer needed."""
        units = seconds / unit()
        print(f"  {case:<44} {units:8.3f} U  {seconds:8.3f} s  {target and 'target ' + target:<18} {peer} {note}")
        versions = {name: version(name) for name in ("krypsis", "numpy", "polars", "numba")}
        row = {"case": case, "seconds": f"{seconds:.5f}", "U": f"{units:.4f}", "target": target, "peer": peer}
        self._rows.writerow(
            {**row, "note": note, **versions, "python": platform.python_version(), "unit": f"{unit():.4f}"}
        )
        self._file.flush()
