"""The built-in table that changes: the patients of a hospital in two years."""

import shutil
from dataclasses import replace
from pathlib import Path

from krypsis.io.dataset import Dataset
from krypsis.kinds.base import PLAN, Demo, DemoOutcome
from krypsis.kinds.history.history import History
from krypsis.kinds.history.proposal import history_plan
from krypsis.kinds.table.demo import hospital
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.profile.table import profile_table
from krypsis.progress import Progress

VERSIONS = ("patients-2025.csv", "patients-2026.csv")
LEAVING = 500
"""So many patients are only in the first version, and so many only in the second."""


def demo() -> Demo:
    """Return two versions of the patients with their plan.

    Examples
    --------
    >>> list(demo().files)
    ['patients-2025.csv', 'patients-2026.csv', 'plan.yaml']
    """
    everybody = hospital()
    first, second = everybody[:-LEAVING], everybody[LEAVING:]
    dataset = Dataset.of(first)
    proposed = history_plan(profile_table(dataset), dataset, VERSIONS[0])
    files = {VERSIONS[0]: first.write_csv(), VERSIONS[1]: second.write_csv(), PLAN: proposed.text}

    def carry_out(folder: Path, progress: Progress) -> DemoOutcome:
        shutil.rmtree(folder / "history", ignore_errors=True)  # of an earlier demo, which is to be replaced
        history = History.of_plan(folder / "history", TablePlan.load(folder / PLAN), id=str(proposed.id))
        for name in VERSIONS:
            published = history.publish(folder / name, progress=progress)
        verdicts = history.check()
        release = replace(published.release, verdicts=verdicts)
        check = f"history check --folder {history.folder}"
        return DemoOutcome(release.summary(), {"history": history.folder}, check, verdicts)

    place = "--folder {folder}/history"
    commands = [
        f"history init {{folder}}/{VERSIONS[0]} --id {proposed.id} --plan {{folder}}/{PLAN} {place}",
        f"history publish {{folder}}/{VERSIONS[1]} {place}",
    ]
    return Demo("demo-history", files, f"{first.height:,} invented patients in two years", carry_out, tuple(commands))
