"""The built-in hospital table."""

from __future__ import annotations

import polars as pl
import pytest
import yaml

from krypsis.errors import UsageError
from krypsis.kinds.table.demo import SYLLABLES, hospital, hospital_plan
from krypsis.plan import Plan


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return hospital()


def test_the_same_seed_gives_the_same_bytes():
    assert hospital(500, seed=7).write_csv() == hospital(500, seed=7).write_csv()


def test_another_seed_gives_another_table():
    assert not hospital(500, seed=7).equals(hospital(500, seed=8))


def test_it_has_five_thousand_patients_unless_asked_otherwise(patients):
    assert patients.height == 5000
    assert patients["patient_id"].is_unique().all()
    assert hospital(1).height == 1


@pytest.mark.parametrize("rows", [0, -3])
def test_a_table_without_patients_is_refused(rows):
    with pytest.raises(UsageError, match=rf"at least 1, got {rows}"):
        hospital(rows)


def test_names_are_made_of_syllables_only(patients):
    syllable = "(?:" + "|".join(SYLLABLES) + ")"
    assert patients["patient_name"].str.to_lowercase().str.contains(rf"^{syllable}{{2}} {syllable}{{3}}$").all()


def test_some_cells_are_missing_but_never_many(patients):
    for column in ("zip", "marital_status", "job", "treatment_cost"):
        assert 0 < patients[column].null_count() < 0.06 * patients.height
    for column in ("age", "sex", "admission_date", "ward", "diagnosis", "days"):
        assert patients[column].null_count() == 0


def test_the_table_does_not_contradict_itself(patients):
    born = patients.filter(pl.col("ward") == "obstetrics")
    assert born["sex"].unique().to_list() == ["F"]
    assert born["age"].is_between(18, 39).all()
    assert patients.filter(pl.col("diagnosis") == "prostate cancer")["sex"].unique().to_list() == ["M"]
    assert patients.filter(pl.col("age") < 18)["job"].drop_nulls().unique().to_list() == ["pupil"]
    assert patients.filter(pl.col("age") < 18)["marital_status"].drop_nulls().unique().to_list() == ["single"]


def test_every_diagnosis_belongs_to_one_ward(patients):
    assert patients.group_by("diagnosis").agg(pl.col("ward").n_unique())["ward"].max() == 1


def test_influenza_comes_in_winter(patients):
    winter = pl.col("admission_date").dt.month().is_in([12, 1, 2])
    flu = patients.filter(pl.col("diagnosis") == "influenza").select(winter.mean()).item()
    appendicitis = patients.filter(pl.col("diagnosis") == "appendicitis").select(winter.mean()).item()
    assert flu > 0.5 > 0.35 > appendicitis


def test_the_old_have_the_diagnoses_of_the_old(patients):
    mean = dict(patients.group_by("diagnosis").agg(pl.col("age").mean()).iter_rows())
    assert mean["heart failure"] > 60
    assert mean["asthma"] < 45


def test_a_longer_stay_costs_more(patients):
    known = patients.drop_nulls("treatment_cost").filter(pl.col("diagnosis") == "pneumonia")
    assert known.select(pl.corr("days", "treatment_cost")).item() > 0.7


def test_zip_codes_have_five_digits_and_some_are_rare(patients):
    assert patients["zip"].drop_nulls().str.contains(r"^\d{5}$").all()
    counts = patients["zip"].drop_nulls().value_counts()["count"]
    assert counts.max() > 100
    assert counts.min() < 10


def test_the_raw_table_is_far_from_anonymous(patients):
    quasi_identifiers = ["age", "sex", "zip", "marital_status", "job"]
    alone = patients.group_by(quasi_identifiers).len().filter(pl.col("len") == 1).height
    assert alone > 0.5 * patients.height


def test_the_plan_names_every_column_of_the_table_once(patients):
    plan = yaml.load(hospital_plan(), Loader=yaml.BaseLoader)
    assert sorted(plan["columns"]) == sorted(patients.columns)


def test_the_taxonomies_of_the_plan_hold_every_value_a_patient_can_have():
    plan = yaml.load(hospital_plan(), Loader=yaml.BaseLoader)
    large = hospital(60_000, seed=1)
    for column in ("job", "marital_status"):
        leaves = set(_leaves(plan["columns"][column]["hierarchy"]["tree"]))
        assert leaves == set(large[column].drop_nulls().unique())


def test_the_plan_leads_to_a_release_that_keeps_its_promises(patients, tmp_path):
    patients.write_csv(tmp_path / "patients.csv")
    (tmp_path / "plan.yaml").write_text(hospital_plan(), encoding="utf-8")
    published = Plan.load(tmp_path / "plan.yaml").run().table
    assert "patient_id" not in published.columns
    assert "patient_name" not in published.columns
    assert published.height >= 0.98 * patients.height
    groups = published.group_by("age", "sex", "zip", "marital_status", "job", "admission_date")
    found = groups.agg(pl.len().alias("size"), pl.col("ward", "diagnosis", "treatment_cost").n_unique())
    assert found["size"].min() >= 5
    assert min(found[name].min() for name in ("ward", "diagnosis", "treatment_cost")) >= 2


def _leaves(tree):
    if isinstance(tree, str):
        yield tree
    for branch in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _leaves(branch)
