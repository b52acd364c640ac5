"""The Adult cases of ARX about a population and about all groups together, and its estimates of unique people.

Where the two tools read a promise differently, or suppress other ones of equally small groups, the tests say so and
show that nothing else differs.
"""

import re
from collections import Counter
from collections.abc import Callable
from math import log2, prod
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import krypsis
from conftest import public_data
from krypsis.models.population_uniqueness import ESTIMATORS, Spectrum
from oracles.test_arx_cases import COLUMNS, MODELS, all_cases, solve, spec

pytestmark = [pytest.mark.data, pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")]

USA = 317_238_626
NOT_IN_THE_TABLE = 30_162 - 3_016
"""People of the population who are not in the research subset; ARX counts them as suppressed if anybody is."""
TEMPLATES = {
    r"\((\d+)\)-map": "k-map:k={0}",
    r"\(3\)-map estimated .*": f"estimated-k-map:k=3,fraction={30_162 / USA},significance=0.01",
    r"\(([\d.]+),([\d.]+)\)-presence": "delta-presence:delta_min={0},delta_max={1}",
    r"\(([\d.]+)\)-avg-reidentification-risk": "average-risk:threshold={0}",
    r"\(([\d.]+)\)-sample-uniqueness": "sample-uniqueness:threshold={0}",
    r"\(([\d.E-]+)\)-population-uniqueness \((\w+)\)": "population-uniqueness:threshold={0},people=317238626,"
    "estimator={1}",
} | MODELS
PUBLISHED = {f"Combinations#{number}" for number in (1, 50, 53, 75, 76, 78, 101, 116)}
"""Where ARX does not ask for ``delta_min`` of people of whom nothing is published.

It never asks those whose records it suppressed, and of those without records only where no other promise, such as
k-anonymity, refuses their empty group before.
"""
BETWEEN = {"DPresence#10", "DPresence#11"}
"""Where ARX asks those without records and not those whose records it suppressed; nobody can see the difference."""


def of_kind(pattern: str) -> list[dict[str, Any]]:
    return [case for case in all_cases() if any(re.search(pattern, name) for name in case["privacy_models"])]


def solve_with_people(case: dict[str, Any], folder: Path, kind: str = "", **changes: Any) -> krypsis.Release:
    adult = folder / "relational" / "adult"
    if case["research_subset"]:
        changes |= {"data": folder / "relational" / case["research_subset"], "population": adult / "adult.csv"}
    specs = [spec(name, TEMPLATES) for name in case["privacy_models"]]
    models = [one.replace("delta-presence", kind) if kind else one for one in specs]
    return solve(case, folder, models=models, **changes)


def suppressed_by_arx(case: dict[str, Any]) -> int:
    others = NOT_IN_THE_TABLE if case["research_subset"] and case["suppressed_rows"] else 0
    return case["suppressed_rows"] - others


@pytest.mark.parametrize("case", of_kind(r"-presence|\)-map"), ids=lambda case: case["case"])
def test_the_optimum_with_a_population_is_that_of_arx(case: dict[str, Any], data_folder: Path) -> None:
    if case["case"] in BETWEEN:
        return
    release = solve_with_people(case, data_folder, "published-presence" if case["case"] in PUBLISHED else "")
    assert release.score == pytest.approx(case["score"], rel=1e-9)
    assert list(release.levels.values()) == case["transformation"]
    assert release.suppressed == suppressed_by_arx(case)


@pytest.mark.parametrize("case", [case for case in all_cases() if case["case"] in BETWEEN], ids=lambda one: one["case"])
def test_between_the_two_readings_lies_that_of_arx(case: dict[str, Any], data_folder: Path) -> None:
    strict = solve_with_people(case, data_folder)
    published = solve_with_people(case, data_folder, "published-presence")
    assert published.score < case["score"] < strict.score
    assert strict.suppressed == 0
    levels = ",".join(map(str, case["transformation"]))
    there = solve_with_people(case, data_folder, "published-presence", algorithm={"name": "fixed", "levels": levels})
    assert there.score == pytest.approx(case["score"], rel=1e-9)
    assert there.suppressed == suppressed_by_arx(case)


RISKS = of_kind(r"reidentification|uniqueness")


@pytest.mark.parametrize("case", RISKS, ids=lambda case: case["case"])
def test_promises_about_all_groups_lead_to_the_levels_of_arx(case: dict[str, Any], data_folder: Path) -> None:
    release = solve_with_people(case, data_folder)
    assert list(release.levels.values()) == case["transformation"]
    assert release.suppressed == case["suppressed_rows"]
    # Which of the groups of equal size are suppressed differs, and so does the score, a little.
    assert release.score == pytest.approx(case["score"], rel=0.02)


@pytest.mark.parametrize("case", RISKS, ids=lambda case: case["case"])
def test_with_the_choice_of_arx_among_equal_groups_the_score_is_the_same(
    case: dict[str, Any], data_folder: Path
) -> None:
    """By loss, ARX takes those first that have lost least; by entropy, those that come first in the table."""
    table = Recoded(data_folder / "relational" / "adult", case["transformation"])
    by_loss = case["quality_model"].startswith("Loss")
    hidden = table.smallest(case["suppressed_rows"], table.losses if by_loss else None)
    score = table.loss(hidden) if by_loss else table.entropy(hidden)
    assert score == pytest.approx(case["score"], rel=1e-9)


class Recoded:
    """Adult at some levels, with two metrics as the README of the reference results defines them."""

    def __init__(self, adult: Path, levels: list[int]) -> None:
        self.before = pl.read_csv(adult / "adult.csv", separator=";", infer_schema=False).select(COLUMNS)
        trees = [self._tree(adult / f"adult_hierarchy_{name}.csv") for name in COLUMNS]
        self.domains = [len(tree) for tree in trees]
        columns, shares = [], []
        for name, tree, level in zip(COLUMNS, trees, levels, strict=True):
            labels = {row[0]: row[level] for row in tree}
            below = Counter(labels.values())
            columns.append(self.before[name].replace_strict(labels))
            shares.append([below[label] / len(tree) for label in columns[-1]])
        self.after = pl.DataFrame(columns).with_row_index("row")
        self.shares = np.array(shares)
        self.groups = self.after.group_by(COLUMNS).agg(pl.col("row"), first=pl.col("row").min(), size=pl.len())

    @staticmethod
    def _tree(file: Path) -> list[list[str]]:
        return [line.split(";") for line in file.read_text(encoding="utf-8").splitlines()]

    @property
    def losses(self) -> Any:
        """The loss of one record of each group."""
        least = 1 / np.array(self.domains)[:, None]
        lost = (self.shares[:, self.groups["first"].to_numpy()] - least) / (1 - least)
        return np.prod((1 + lost) ** (1 / len(COLUMNS)), axis=0)

    def smallest(self, records: int, losses: Any = None) -> Any:
        """Hide the smallest groups until so many records are hidden; of equal ones by loss, then the first."""
        size, first = self.groups["size"].to_numpy(), self.groups["first"].to_numpy()
        order = np.lexsort((first, np.zeros(len(first)) if losses is None else losses, size))
        number = int(np.searchsorted(np.cumsum(size[order]), records)) + 1
        hidden = np.zeros(len(self.after), dtype=bool)
        for rows in self.groups["row"].gather(order[:number]).to_list():
            hidden[rows] = True
        assert hidden.sum() == records
        return hidden

    def loss(self, hidden: Any) -> float:
        n = len(self.after)
        columns = [
            (shares[~hidden].sum() + hidden.sum() - n / size) / (n - n / size)
            for shares, size in zip(self.shares, self.domains, strict=True)
        ]
        return prod((1 + column) ** (1 / len(columns)) for column in columns) - 1

    def entropy(self, hidden: Any) -> float:
        bits = 0.0
        for name in COLUMNS:
            before, after = self.before[name].to_list(), self.after[name].to_list()
            values, labels = Counter(before), Counter(after)
            bits -= sum(log2(values[value] / labels[label]) for value, label in zip(before, after, strict=True))
            gone = Counter(label for label, lost in zip(after, hidden, strict=True) if lost)
            bits -= sum(count * log2(count / hidden.sum()) for count in gone.values())
        return bits


def estimates() -> list[Any]:
    """One entry per quasi-identifier set, population and estimator of the risk figures of ARX."""
    file = public_data() / "relational" / "oracle" / "arx_risk_adult.txt"
    found: list[Any] = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        if match := re.fullmatch(r"dataset=adult qi=\[(.*)\]", line):
            names = match[1].split(", ")
        elif match := re.match(r"population=\S+ size=(\d+)", line):
            people = int(match[1])
        elif line.startswith("  popUniq"):
            figures = dict(re.findall(r"(\w+)=(\S+)", line))
            found += [(names, people, name, float(figures[name])) for name in ("zayatz", "pitman", "dankar")]
    return found


def identified(entry: Any) -> str:
    return f"{len(entry[0])}-{entry[1]}-{entry[2]}"


@pytest.mark.parametrize("entry", estimates(), ids=identified)
def test_estimates_of_unique_people_are_those_of_arx(entry: Any, data_folder: Path) -> None:
    """The SNB model of ARX finds no parameters for any of them and says 0."""
    names, people, estimator, share = entry
    table = pl.read_csv(data_folder / "relational" / "adult" / "adult.csv", separator=";", infer_schema=False)
    sizes = table.group_by(names).len()["len"].to_numpy().astype(np.int64)
    estimate: Callable[[Spectrum, int], float] = ESTIMATORS[estimator]
    assert estimate(Spectrum.of(sizes), people) / people == pytest.approx(share, rel=1e-9)


def test_every_case_is_tried() -> None:
    assert len(of_kind(r"-presence|\)-map")) == 27
    assert len(RISKS) == 4
    assert len(estimates()) == 27
