"""How fast a server answers while a job works on a million rows."""

import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, sleep

import httpx

from benchmarks.datasets import ADULT, adult_folder, adult_plan, resampled_adult
from benchmarks.results import Results
from benchmarks.serving import cpu_of, is_over, new_project, serving, start, upload, wait

ROWS = 1_000_000
PAGES = ("data", "plan", "run")


def measure(results: Results) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "adult.csv")
        resampled_adult(ROWS).write_csv(data)
        with serving(Path(folder, "projects")) as (client, server):
            project = new_project(client)
            upload(client, project, data)
            wait(client, project, start(client, project, "read"))
            _write_plan(client, project, data)
            before = cpu_of(server)
            idle = [one for _ in range(10) for one in _answers(client, project)]
            taken = (cpu_of(server) - before) / len(idle)
            busy: list[float] = []
            while len(busy) < 100:
                job = start(client, project, "run")
                while not is_over(client, project, job):
                    busy += _answers(client, project)
                    sleep(0.05)
    results.add("CPU of the server for a page", taken)
    results.add("a page while nothing runs, median", median(idle))
    results.add(f"a page while {ROWS:,} rows are anonymized, median", median(busy), "0.1 s", note=_spread(busy))


def _write_plan(client: httpx.Client, project: str, data: Path) -> None:
    """Send the hierarchies of Adult and a plan that names them where they lie now."""
    for name in ADULT:
        file = adult_folder() / f"adult_hierarchy_{name}.csv"
        client.put(f"{project}/files/{file.name}", content=file.read_bytes()).raise_for_status()
    text = adult_plan(f"data/{data.name}", "release").replace(str(adult_folder()), "files")
    client.put(f"{project}/plan", json={"text": text}).raise_for_status()


def _answers(client: httpx.Client, project: str) -> list[float]:
    times = []
    for page in PAGES:
        begin = perf_counter()
        client.get(f"{project.removeprefix('/api')}/{page}").raise_for_status()
        times.append(perf_counter() - begin)
    return times


def _spread(times: list[float]) -> str:
    return f"{len(times)} answers, 95 % within {quantiles(times, n=20)[-1]:.3f} s"
