"""The journey of a table needs neither scipy nor duckdb, so that it starts fast and a damaged one does no harm."""

import subprocess
import sys

from krypsis.kinds.table.demo import hospital
from patience import PATIENCE

WITHOUT = """
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("scipy", "duckdb"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from krypsis.cli.main import main
main()
"""


def krypsis(folder, *words):
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_init_run_and_check_work_where_scipy_and_duckdb_cannot_be_imported(tmp_path):
    hospital(rows=200).write_csv(tmp_path / "patients.csv")
    for words in (["init", "patients.csv"], ["run", "plan.yaml"], ["check", "release"]):
        done = krypsis(tmp_path, *words)
        assert done.returncode == 0, done.stderr[-2000:]
    assert list(tmp_path.glob("release*.report.html"))
