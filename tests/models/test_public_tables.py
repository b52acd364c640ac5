"""Levels of already anonymized public tables, against values two other implementations agree on."""

import json

import polars as pl
import pytest

from krypsis.data.groups import Groups
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity
from krypsis.models.t_closeness import TCloseness

TABLES = ["adult_anonymized_3", "adult_anonymized_10", "adult_anonymized_20", "hospital_anonymized"]


@pytest.mark.data
@pytest.mark.parametrize("table", TABLES)
def test_the_levels_of_a_published_table_are_those_others_measured(table, data_folder):
    cases = json.loads((data_folder / "relational" / "oracle" / "verify_metrics.json").read_text())
    [case] = [case for case in cases if table in case["file"]]
    sample = _groups(data_folder / "relational" / case["file"], case["qi"], case["sensitive"])
    others = case["own_numpy"]
    assert KAnonymity(k=1).measure(sample) == others["k"]
    assert DistinctLDiversity(l=1).measure(sample) == others["l"]
    assert EntropyLDiversity(l=1).measure(sample) == pytest.approx(others["entropy_l"])
    assert TCloseness(t=1).measure(sample) == pytest.approx(others["t_equal"])


def _groups(path, quasi_identifiers, sensitive):
    frame = pl.read_csv(path, infer_schema=False)
    counted = [part[sensitive].value_counts() for part in frame.partition_by(quasi_identifiers)]
    return Groups.of_histograms([dict(part.iter_rows()) for part in counted], sensitive)
