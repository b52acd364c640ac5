"""Tables, what a user would say about them, and the paths through the advisor, for tests that go all the way."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from krypsis.advisor import DataEvidence, load_tree
from krypsis.advisor import advise as advice_for
from krypsis.kinds.table.demo import hospital

ORIGINAL_PATHS = [
    "NY",
    "NNY",
    "NNN",
    "YYN",
    "YYYY",
    "YYYNY",
    "YYYNNY",
    "YYYNNNY",
    "YYYNNNNY",
    "YYYNNNNNY",
    "YYYNNNNNNY",
    "YYYNNNNNNN",
    "YNY",
    "YNNY",
    "YNNNY",
    "YNNNNY",
    "YNNNNNY",
    "YNNNNNN",
]
WORDS = {"Y": "yes", "N": "no"}


@dataclass(frozen=True)
class Table:
    """A table, the files that lie next to it, and what a user would say about it where the advisor asks."""

    rows: pl.DataFrame
    said: dict[str, str]
    files: dict[str, pl.DataFrame] = field(default_factory=dict)


def patients():
    table = hospital(150).select("patient_id", "age", "sex", "marital_status", "diagnosis")
    people = pl.concat([table, hospital(300).select(table.columns)]).select("age", "sex", "marital_status")
    guarded = pl.when(pl.int_range(150) % 7 == 0).then(pl.col("diagnosis"))
    files = {"people.csv": people, "wishes.csv": table.select("patient_id", hides=guarded)}
    said = {"population": "people.csv", "private_columns": "wishes.csv", "guarding": "hides", "domains": "accept"}
    return Table(table, {**said, "value": table["diagnosis"].mode().sort()[0]}, files)


def census():
    draw, count = np.random.default_rng(5), 200
    table = pl.DataFrame(
        {
            "age": draw.integers(18, 80, count),
            "sex": draw.choice(["F", "M"], count),
            "education": draw.choice(["school", "college", "university"], count),
            "hours": draw.integers(10, 60, count),
            "income": draw.choice(["<=50K", ">50K"], count, p=[0.75, 0.25]),
        }
    )
    return Table(table, {"value": ">50K", "domains": "accept"})


def salaries():
    draw, count = np.random.default_rng(6), 40
    columns = {"person": np.arange(count), "age": draw.integers(20, 65, count)}
    return Table(pl.DataFrame({**columns, "salary": draw.integers(10, 90, count) * 100}), {"domains": "accept"})


TABLES = {"patients": patients(), "census": census(), "salaries": salaries()}
HOME = {"NNY": "census", "YYYNNNNNY": "census", "YYYNNNNNNY": "salaries", "YYYNNNNNNN": "salaries", "YNNNNNY": "census"}
"""By path of the original tree, a table that its model is meant for; where none is named, that of the patients."""
OWN = {"patients": "patient_id", "salaries": "person"}


def extended_paths(*, every_combination=False):
    """Return lists of answers: one for each result, one for each model that an answer collects.

    Otherwise one for each result together with each model that is collected first.
    """
    tree = load_tree("extended")
    found, open_paths = {}, [(tree.start, (), ())]
    while open_paths:
        page, answers, collected = open_paths.pop(0)
        if page in tree.results:
            first = collected[:1]
            for goal in [(page, first)] if every_combination else [page, *first]:
                found.setdefault(goal, answers)
            continue
        for taken in ("no", "yes"):
            edge = tree.questions[page].edge(taken)
            open_paths.append((edge.to, (*answers, taken), (*collected, *edge.collects)))
    return sorted(set(found.values()))


def what_is_asked(name, tree, answers):
    """Return what a user would say about a table, as far as the model at the end of a path has to do with it."""
    advice = advice_for(answers, tree=tree, evidence=DataEvidence())
    known = {one for choice in (advice, *advice.complements) for one in choice.names}
    files = {"population", "private_columns", "domains"}
    return {key: value for key, value in TABLES[name].said.items() if key in known | files}
