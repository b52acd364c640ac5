"""Tables with dependencies: the fewest cells to blank in Adult with planted columns that determine others."""

import numpy as np
import polars as pl

from benchmarks.datasets import adult_folder
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.kinds.dependencies.make import DependencyReleaseTask
from krypsis.kinds.dependencies.plan import DependenciesPlan
from krypsis.release.release import Release

TARGET = "60 s"
EMPLOYERS, CITIES, INDUSTRIES, REGIONS = 3_000, 200, 20, 13
CASES = {
    "education": (
        ["education-num where sex = Female"],
        ["education -> education-num", "education-num -> education"],
    ),
    "employers": (["industry where marital-status = Divorced"], ["employer -> industry"]),
    "a chain": (
        ["region where marital-status = Divorced", "industry where sex = Female and race = Black"],
        ["employer -> city, industry", "city -> region"],
    ),
    "all": (
        [
            "education-num where sex = Female",
            "region where marital-status = Divorced",
            "industry where race = Black",
        ],
        [
            "education -> education-num",
            "employer -> city, industry",
            "city -> region",
            "occupation = Exec-managerial and education = Doctorate => education-num in 11, 12, 13",
        ],
    ),
}


def measure(results: Results) -> None:
    table = planted(pl.read_csv(adult_folder() / "adult.csv", separator=";", infer_schema=False))
    for name, (secrets, rules) in CASES.items():
        sensitive = {secret.partition(" ")[0] for secret in secrets}
        roles = {column: "sensitive" if column in sensitive else "insensitive" for column in table.columns}
        plan = DependenciesPlan(columns=roles, secrets=secrets, dependencies=rules)
        note_release(results, name, plan.bind(table))


def note_release(results: Results, name: str, task: DependencyReleaseTask) -> None:
    """Publish a table, and note what was blanked and how long it took."""
    made: list[Release] = []
    seconds = cpu(lambda: made.append(task.release()), 1)
    (release,) = made
    private = release.private
    note = (
        f"{sum(private['secret_cells'].values()):,} secret cells, {sum(private['followed'].values()):,} followed, "
        f"{sum(private['blanked_cells'].values()):,} blanked besides, "
        f"{'optimal' if private['optimal'] else 'not proven optimal'}"
    )
    results.add(f"{name}, search", seconds, TARGET, note=note)
    results.add(f"{name}, check", cpu(release.checked, 1), TARGET)


def planted(table: pl.DataFrame, seed: int = 7) -> pl.DataFrame:
    """Return a table with columns that others determine."""
    rng = np.random.default_rng(seed)
    levels = {name: str(place + 1) for place, name in enumerate(sorted(table["education"].unique()))}
    employer = rng.integers(EMPLOYERS, size=table.height)
    industry, city = rng.integers(INDUSTRIES, size=EMPLOYERS), rng.integers(CITIES, size=EMPLOYERS)
    return table.with_columns(
        pl.col("education").replace_strict(levels).alias("education-num"),
        pl.Series("employer", [f"employer {one}" for one in employer]),
        pl.Series("industry", [f"industry {one}" for one in industry[employer]]),
        pl.Series("city", [f"city {one}" for one in city[employer]]),
        pl.Series("region", [f"region {one % REGIONS}" for one in city[employer]]),
    )
