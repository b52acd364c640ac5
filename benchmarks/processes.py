"""What processes spend: the CPU seconds of some of them with all that they start."""

import os
from collections.abc import Iterable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(roots: Iterable[int]) -> float:
    """Return the user and system seconds of processes, of those that they have started and of those that have ended."""
    processes = dict(_processes())
    wanted = set(roots)
    grown = True
    while grown:
        children = {number for number, (parent, _) in processes.items() if parent in wanted}
        grown = not children <= wanted
        wanted |= children
    return sum(processes[number][1] for number in wanted if number in processes) / TICKS


def parent_of(process: int) -> int:
    """Return the process that has started another one."""
    return dict(_processes())[process][0]


def _processes() -> Iterable[tuple[int, tuple[int, int]]]:
    """Yield each process with its parent and its ticks, those of its ended children included."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        # The fields 4 (parent) and 14 to 17 (user, system, and those of ended children) of proc_pid_stat(5).
        yield int(folder.name), (int(fields[1]), sum(map(int, fields[11:15])))
