"""``krypsis warm`` compiles what a run needs, and leaves nothing else."""

import os
import subprocess
import sys

from krypsis.kinds.table.demo import hospital


def krypsis(folder, *words):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "krypsis.cli.main", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_run_after_it_has_nothing_to_compile(tmp_path):
    warmed = krypsis(tmp_path, "warm")
    assert (warmed.returncode, warmed.stdout) == (0, "ready: the next run on a table has nothing to compile\n")
    assert "compiling, once" in warmed.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    hospital(rows=1000).write_csv(tmp_path / "patients.csv")
    for words in (["init", "patients.csv"], ["run", "plan.yaml"]):
        done = krypsis(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        assert "compiling" not in done.stderr
