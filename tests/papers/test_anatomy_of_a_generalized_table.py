"""Thesis on dynamic data, figures 3.1 and 3.2: a generalized table and the two tables that say as much of a disease."""

import io
from fractions import Fraction

import polars as pl
import pytest

from anatomy_view import anatomy_of
from krypsis.attacks.family import FamilyAttack
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.attacks.intersection import IntersectionAttack
from krypsis.data.hierarchies import resolve
from krypsis.errors import ColumnError, UsageError
from krypsis.io.history import Version

FIGURE_3_1A = """id,age,sex,zipcode,condition
1,23,M,11000,pneumonia
2,27,M,13000,dyspepsia
3,35,M,59000,dyspepsia
4,59,M,12000,pneumonia
5,61,F,54000,prostate cancer
6,65,F,25000,melanoma cancer
7,65,F,25000,prostate cancer
8,70,F,30000,colorectal cancer
"""
FIGURE_3_2 = """id,age,sex,zipcode,condition
1,[23-59],M,[11000-59000],pneumonia
2,[23-59],M,[11000-59000],dyspepsia
3,[23-59],M,[11000-59000],dyspepsia
4,[23-59],M,[11000-59000],pneumonia
5,[61-70],F,[25000-54000],prostate cancer
6,[61-70],F,[25000-54000],melanoma cancer
7,[61-70],F,[25000-54000],prostate cancer
8,[61-70],F,[25000-54000],colorectal cancer
"""
KNOWN = ["age", "sex", "zipcode"]
# Erratum 37: the counts of melanoma and prostate cancer are printed the other way round.
FIGURE_3_1C = {
    (1, "dyspepsia", 2),
    (1, "pneumonia", 2),
    (2, "colorectal cancer", 1),
    (2, "melanoma cancer", 1),
    (2, "prostate cancer", 2),
}
CANCERS = ["prostate cancer", "melanoma cancer", "colorectal cancer"]
CONDITIONS = {"any": {"cancer": CANCERS, "other": ["pneumonia", "dyspepsia"]}}


def read(text):
    return pl.read_csv(io.StringIO(text), infer_schema=False)


def test_the_generalized_table_becomes_the_two_tables_of_figure_3_1():
    """S10.19, definition 16."""
    records, values = anatomy_of(read(FIGURE_3_2), read(FIGURE_3_1A), quasi_identifiers=KNOWN, sensitive="condition")
    assert records.drop("group").sort("id").equals(read(FIGURE_3_1A).drop("condition"))
    numbers = records.sort("id")["group"].to_list()  # which are drawn by chance
    assert numbers in ([1, 1, 1, 1, 2, 2, 2, 2], [2, 2, 2, 2, 1, 1, 1, 1])
    of_the_figure = {numbers[0]: 1, numbers[-1]: 2}
    assert {(of_the_figure[group], *rest) for group, *rest in values.rows()} == FIGURE_3_1C


def test_bob_has_cancer_for_certain_and_prostate_cancer_with_a_chance_of_one_half():
    """S10.19: Bob is record 7; the attacker knows the two tables and who is who."""
    records, values = anatomy_of(read(FIGURE_3_2), read(FIGURE_3_1A), quasi_identifiers=KNOWN, sensitive="condition")
    each = pl.DataFrame(
        [(group, value) for group, value, count in values.rows() for _ in range(count)],
        schema=["group", "condition"],
        orient="row",
    )
    people = dict(records.select("id", "group").rows())
    version = Version.of(each, group="group", sensitive="condition", people=people)
    tree = resolve(CONDITIONS, [*CANCERS, "pneumonia", "dyspepsia"], "condition")
    assert IntersectionAttack().find([version]).about("7")["prostate cancer"] == (Fraction(1, 2), Fraction(1, 2))
    assert FamilyAttack().find(ReleaseSequence([version], tree)).about("7")[0] == "cancer"
    assert FamilyAttack().find(ReleaseSequence([version], tree)).about("1")[0] == "other"


def test_tables_that_do_not_belong_together_are_refused():
    with pytest.raises(UsageError, match="same records in the same order, and 'condition' differs"):
        anatomy_of(read(FIGURE_3_2), read(FIGURE_3_1A).reverse(), quasi_identifiers=KNOWN, sensitive="condition")
    with pytest.raises(UsageError, match="same records"):
        anatomy_of(read(FIGURE_3_2).head(3), read(FIGURE_3_1A), quasi_identifiers=KNOWN, sensitive="condition")
    with pytest.raises(ColumnError, match="'wage' not found"):
        anatomy_of(read(FIGURE_3_2), read(FIGURE_3_1A), quasi_identifiers=["wage"], sensitive="condition")
