"""Ambiguity, worked out by hand."""

from krypsis.data.hierarchies.base import Hierarchy
from metrics.tables import table, value

JOB = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
SEX = Hierarchy.from_rows([["m", "*"], ["f", "*"]])


def test_every_record_counts_the_combinations_it_could_have_been():
    # x stands for two jobs, y for one, * for two sexes: the three records could have been 4, 4 and 2.
    rows = [("a", "m"), ("b", "f"), ("c", "m")]
    assert value("ambiguity", table({"job": JOB, "sex": SEX}, rows), (1, 1)) == 4 + 4 + 2


def test_a_suppressed_record_could_have_been_any_of_all_combinations():
    rows = [("a", "m"), ("a", "m"), ("c", "m")]
    assert value("ambiguity", table({"job": JOB, "sex": SEX}, rows), (0, 0), "k-anonymity:k=2") == 1 + 1 + 3 * 2
