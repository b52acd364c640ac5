"""A million rows uploaded to a server: how long until their first page and their profile can be seen."""

import tempfile
from pathlib import Path
from time import perf_counter, sleep

import httpx

from benchmarks.datasets import resampled_adult
from benchmarks.results import Results
from benchmarks.serving import cpu_of, new_project, serving, start, upload, wait

ROWS = 1_000_000
REPEATS = 3


def measure(results: Results) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "adult.csv")
        resampled_adult(ROWS).write_csv(data)
        with serving(Path(folder, "projects")) as (client, server):
            _elapsed(client, data)  # compiles
            before = cpu_of(server, of_jobs=True)
            times = [_elapsed(client, data) for _ in range(REPEATS)]
            sleep(1)  # until the last job is counted
            job = (cpu_of(server, of_jobs=True) - before) / REPEATS
    sent, seen = (min(column) for column in zip(*times, strict=True))
    results.add(f"upload of {data.name}, {ROWS:,} rows", sent)
    results.add("CPU of the job that reads it", job)
    results.add("until its preview", seen, "10 s")


def _elapsed(client: httpx.Client, data: Path) -> tuple[float, float]:
    project = new_project(client)
    begin = perf_counter()
    upload(client, project, data)
    sent = perf_counter() - begin
    wait(client, project, start(client, project, "read"))
    client.get(f"{project}/rows", params={"count": 50}).raise_for_status()
    client.get(project.removeprefix("/api") + "/data").raise_for_status()
    return sent, perf_counter() - begin
