"""k^m-anonymity on public data, compared with the figures of other tools."""

import lzma

import numpy as np
import pytest

from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.km.apriori import Apriori
from krypsis.checker.transactions import check_transactions
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.hierarchies.csv import read_csv
from krypsis.data.transactions import Transactions
from krypsis.metrics.transactions.set_ncp import SetNcp
from krypsis.models.km_anonymity import KmAnonymity

ARX, AMNESIA = 0.0188, 0.0210
"""The certainty penalty of two other tools, k=5, m=2."""

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def web_view(data_folder):
    """The clicks of BMS-WebView-2, with the public hierarchy of its items as it is."""
    folder = data_folder / "transactions"
    with lzma.open(folder / "BMS-WebView-2.txt.xz", "rt") as lines:
        sets = Transactions.of_sets(line.split() for line in lines)
    return sets, read_csv(folder / "BMS-WebView-2.hierarchy.txt", ";")


def released(data, **options):
    sets, hierarchy = data
    made = Apriori(**options).publish(SetTask(sets, [KmAnonymity(k=5, m=2)], hierarchy), np.random.default_rng(1))
    (verdict,) = check_transactions(made.published, [KmAnonymity(k=5, m=2)], hierarchy=hierarchy)
    assert verdict, verdict.sentence
    return made, SetNcp().measure(sets, made.published, hierarchy, np.random.default_rng(1))


def test_the_best_cut_loses_less_than_the_cuts_of_other_tools_and_no_variant_loses_less(web_view):
    assert (len(web_view[0]), len(web_view[0].items), len(web_view[0].codes)) == (77_512, 3_340, 358_278)
    made, loss = released(web_view)
    assert made.private["proven_optimal"]
    assert loss < ARX
    assert loss <= released(web_view, variant="direct")[1] < AMNESIA


def test_diagnoses_by_their_first_digits(data_folder):
    path = data_folder / "ehr" / "synthetic-icd9-records.csv"
    sets = Transactions.of_sets(line.split(",") for line in path.read_text(encoding="utf-8").split())
    rows = [[code, code.partition(".")[0] + ".*", code[0] + "*", "*"] for code in sets.items]
    assert released((sets, Hierarchy.from_rows(rows)))[1] > 0
