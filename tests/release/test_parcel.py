"""A release as a zip file, and the way back to the records it was made of."""

from pathlib import Path
from zipfile import ZipFile

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.errors import PromiseBroken
from krypsis.release.order import origins
from krypsis.release.zip_archive import pack

TABLE = pl.DataFrame({"age": ["31", "31", "47", "47"], "cell": ["=1+1", "plain", "-5", None]})
ROLES = {"age": "quasi-identifier", "cell": "insensitive"}


def saved(folder: Path, table=TABLE, formats=("csv",), **options) -> Path:
    settings = {"models": "k-anonymity:k=2", "suppression": 1.0, **options}
    return krypsis.anonymize(table, ROLES, **settings).save(folder / "release", formats).folder


def unpacked(file: Path, folder: Path) -> Path:
    with ZipFile(file) as parcel:
        assert parcel.testzip() is None
        parcel.extractall(folder)
    return folder


@pytest.mark.parametrize("neutral", [False, True])
def test_a_parcel_does_not_tell_the_minute_in_which_a_release_was_made_nor_the_rights_on_its_files(tmp_path, neutral):
    folder = saved(tmp_path, formats=("csv", "parquet"))
    (folder / "data.csv").chmod(0o600)
    with ZipFile(pack(folder, tmp_path / "release.zip", neutral=neutral)) as parcel:
        entries = parcel.infolist()
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert len({entry.external_attr for entry in entries}) == 1


def test_a_release_that_was_packed_and_unpacked_keeps_its_promise(tmp_path):
    parcel = pack(saved(tmp_path), tmp_path / "release.zip", name="mine")
    folder = unpacked(parcel, tmp_path / "unpacked")
    assert [path.name for path in folder.iterdir()] == ["mine"]
    assert all(verdict.holds for verdict in krypsis.check(folder / "mine"))


@pytest.mark.parametrize("formats", [("csv",), ("parquet",), ("csv", "parquet")])
def test_a_neutral_parcel_holds_the_table_without_formulas_and_nothing_to_verify(tmp_path, formats):
    parcel = pack(saved(tmp_path, formats=formats), tmp_path / "release.zip", neutral=True)
    folder = unpacked(parcel, tmp_path / "unpacked") / "release"
    assert {path.name for path in folder.iterdir()} == {"README.txt", "data.csv"}
    notes = pl.read_csv(folder / "data.csv", infer_schema=False)["cell"].to_list()
    assert sorted(notes, key=str) == sorted(["'=1+1", "plain", "-5", None], key=str)


def test_a_release_that_was_changed_is_not_packed(tmp_path):
    folder = saved(tmp_path)
    (folder / "data.csv").write_text("age,note\n31,x\n")
    with pytest.raises(PromiseBroken, match="was changed"):
        pack(folder, tmp_path / "release.zip")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers()), min_size=1, max_size=12), st.booleans())
def test_every_published_record_is_led_back_to_the_row_it_was_made_of(tmp_path_factory, rows, keep):
    table = pl.DataFrame(
        {"age": [age for age, _ in rows], "cell": [f"{place}:{note}" for place, (_, note) in enumerate(rows)]}
    )
    mode = {"suppressed": "keep"} if keep else {}
    try:
        folder = saved(tmp_path_factory.mktemp("origins"), table, **mode)
    except krypsis.errors.Infeasible:
        return
    published = pl.read_csv(folder / "data.csv", infer_schema=False)
    assert published["cell"].to_list() == table["cell"].gather(origins(folder)).to_list()


def test_without_the_private_record_nothing_leads_back(tmp_path):
    folder = saved(tmp_path)
    next(tmp_path.glob("*.private.json")).unlink()
    assert origins(folder) is None


def test_a_release_in_groups_leads_back_to_nobody(tmp_path):
    roles = {"age": "quasi-identifier", "cell": "sensitive"}
    options = {"models": "distinct-l-diversity:l=2", "algorithm": "anatomize"}
    folder = krypsis.anonymize(TABLE, roles, **options).save(tmp_path / "release").folder
    assert origins(folder) is None
