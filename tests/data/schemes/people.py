"""The Job tree of the specification, eight kinds of people in it, and how to look at what is published of them."""

import numpy as np

from krypsis import registry
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import CellRecoding, FrequencySet, Recoding, outcome_of

JOB = Hierarchy.from_rows(
    [
        ["Undergraduate", "Student", "Anything"],
        ["Postgraduate", "Student", "Anything"],
        ["Programmer", "Employee", "Anything"],
        ["Teacher", "Employee", "Anything"],
    ]
)
SEX = Hierarchy.from_rows([["Male", "Human"], ["Female", "Human"]])
TUPLES = [(job, sex) for job in range(4) for sex in range(2)]
PEOPLE = FrequencySet(("job", "sex"), (JOB, SEX), np.array(TUPLES, dtype=np.int32), np.arange(1, 9, dtype=np.int64))


def published(recoding: CellRecoding) -> list[tuple[str | None, ...]]:
    """What each tuple is published as."""
    books = recoding.codebooks
    return [tuple(book.labels[code] for book, code in zip(books, row, strict=True)) for row in recoding.released]


def figure(metric: str, recoding: Recoding, frequency: FrequencySet = PEOPLE) -> float:
    return registry.create("metric", metric).compute(outcome_of(recoding, frequency))
