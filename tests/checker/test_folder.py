"""Folders that were tampered with, damaged, or made to deceive."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.forging import forge, rewrite
from krypsis.checker import Given, check, check_folder
from krypsis.errors import DataError, PromiseBroken, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity
from krypsis.models.promises import read_promise
from krypsis.models.t_closeness import TCloseness
from krypsis.release.release import Release
from release.sample import make_release


@pytest.fixture
def folder(tmp_path) -> Path:
    return make_release().save(tmp_path / "release", ["csv", "parquet"]).folder


def refused(folder: Path, message: str, error: type[Exception] = PromiseBroken) -> None:
    """Both the checker and the loader refuse the folder."""
    with pytest.raises(error, match=message):
        check_folder(folder)
    with pytest.raises(error, match=message):
        Release.load(folder)


def test_a_changed_file_is_refused(folder):
    data = folder / "data.csv"
    data.write_bytes(data.read_bytes().replace(b"Flu", b"Flo"))
    refused(folder, r"data\.csv was changed after the release was made")


def test_a_shortened_file_is_refused(folder):
    (folder / "data.parquet").write_bytes(b"")
    refused(folder, r"data\.parquet was changed.*got 0 bytes")


def test_a_missing_file_is_refused(folder):
    (folder / "data.csv").unlink()
    refused(folder, r"data\.csv is missing, although the manifest names it")


@pytest.mark.parametrize("name", ["raw.csv", ".hidden", "data.csv.bak"])
def test_a_file_that_the_manifest_does_not_name_is_refused(folder, name):
    (folder / name).write_text("x")
    refused(folder, f"does not name: {name}")


def test_a_link_in_place_of_a_file_is_refused(folder, tmp_path):
    elsewhere = shutil.copy(folder / "data.csv", tmp_path / "elsewhere.csv")
    (folder / "data.csv").unlink()
    (folder / "data.csv").symlink_to(elsewhere)
    refused(folder, "must be a plain file, got a link")


def test_a_folder_in_place_of_a_file_is_refused(folder):
    (folder / "data.csv").unlink()
    (folder / "data.csv").mkdir()
    refused(folder, "must be a plain file")


@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/passwd", "a/b", "..", ".", "", "a\\b", "a\0b", "manifest.json"]
)
def test_a_manifest_that_points_outside_its_folder_is_refused(folder, name):
    (folder.parent / "secret.csv").write_text("age\n1\n")
    files = json.loads((folder / "manifest.json").read_text())["files"]
    rewrite(folder, files=[*files, {**files[0], "name": name}])
    refused(folder, "names files inside its own folder")


def test_a_file_named_twice_is_refused(folder):
    files = json.loads((folder / "manifest.json").read_text())["files"]
    rewrite(folder, files=[*files, files[0]])
    refused(folder, r"names data\.csv twice")


def test_a_manifest_that_is_a_link_is_refused(folder, tmp_path):
    (folder / "manifest.json").rename(tmp_path / "manifest.json")
    (folder / "manifest.json").symlink_to(tmp_path / "manifest.json")
    refused(folder, r"no file manifest\.json", DataError)


def test_a_folder_without_a_manifest_is_no_release(tmp_path):
    refused(tmp_path, "is not a release: it has no file", DataError)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"NaN,"])
def test_a_manifest_that_is_not_json_is_refused(folder, content):
    (folder / "manifest.json").write_bytes(content)
    refused(folder, "is not JSON", DataError)


@pytest.mark.parametrize("content", ["[]", "1", "null", '"x"'])
def test_a_manifest_that_is_not_an_object_is_refused(folder, content):
    (folder / "manifest.json").write_text(content)
    refused(folder, "must hold a JSON object", DataError)


@pytest.mark.parametrize("version", [0, 3, "1", None, [1]])
def test_an_unknown_version_of_the_manifest_is_refused(folder, version):
    rewrite(folder, format=version)
    refused(folder, "this version of krypsis reads formats 1 and 2", DataError)


@pytest.mark.parametrize("field", ["files", "columns", "promises", "rows", "quasi_identifier_sets", "release_id"])
def test_a_manifest_without_a_field_is_refused(folder, field):
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    del content[field]
    path.write_text(json.dumps(content))
    refused(folder, f"not the manifest of a release: {field}", DataError)


def test_forged_data_that_breaks_the_promise_is_found_out(folder):
    rewrite(folder, files=[])
    shutil.move(folder / "data.parquet", folder.parent)
    text = (folder / "data.csv").read_text().replace("[30-35)", "31", 1).encode()
    rewrite(folder, files=[{"name": "data.csv", "sha256": "0" * 64, "bytes": 0}], parquet_writer="")
    forge(folder, "data.csv", text)
    with pytest.raises(PromiseBroken, match="claims 2 for k-anonymity:k=2, but the published data has 1"):
        check_folder(folder)
    (verdict,) = check_folder(folder, [KAnonymity(k=2)])
    assert not verdict.holds
    assert {"age": "31", "zip": None} in [group["values"] for group in verdict.offending]


def test_formats_that_say_different_things_are_refused(folder):
    forge(folder, "data.csv", (folder / "data.csv").read_bytes().replace(b"Flu", b"Flo"))
    refused(folder, r"data\.csv and data\.parquet of .* say different things in column 'disease'")


def test_a_manifest_that_claims_more_than_the_data_keeps_is_refused(folder):
    promises = json.loads((folder / "manifest.json").read_text())["promises"]
    rewrite(folder, promises=[{**promises[0], "achieved": 5}])
    with pytest.raises(PromiseBroken, match="claims 5 for k-anonymity:k=2"):
        check_folder(folder)


@pytest.mark.parametrize(
    "whole",
    [
        [["Flu", 1], ["Fever", 1], ["Cold", 2], [None, 1], ['a "quoted", one', 1]],  # two of Flu are published
        [["Flu", 3], ["Fever", 1], [None, 1], ['a "quoted", one', 2]],  # one record too many
    ],
)
def test_a_distribution_that_the_published_records_cannot_come_from_is_refused(folder, whole):
    rewrite(folder, reference={"disease": whole})
    with pytest.raises(PromiseBroken, match="distribution of 'disease' in the whole table of 6 records"):
        check_folder(folder)


def test_a_distribution_with_a_negative_count_is_refused(folder):
    rewrite(folder, reference={"disease": [["Flu", -1]]})
    refused(folder, "not the manifest of a release: reference", DataError)


def test_a_distribution_of_the_whole_table_is_accepted(folder):
    rewrite(folder, reference={"disease": [["Flu", 3], ["Fever", 1], [None, 1], ['a "quoted", one', 1]]})
    assert all(check_folder(folder))


def test_a_wrong_number_of_records_is_refused(folder):
    rewrite(folder, rows=6)
    refused(folder, "publishes 5 records, but its manifest says 6")


def test_a_column_that_the_manifest_does_not_name_is_refused(folder):
    columns = json.loads((folder / "manifest.json").read_text())["columns"]
    rewrite(folder, columns=columns[:-1])
    refused(folder, "but its manifest names age, zip, disease")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "identifier"}, "publishes age, which its manifest calls an identifier"),
        ({"sets": [["zip"]]}, "calls age a quasi-identifier and leaves it out of all sets"),
        ({"group_column": "age"}, "calls 'age' a quasi-identifier and the number of a group"),
    ],
)
def test_roles_that_would_have_promises_judged_on_less_are_refused(folder, change, message):
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["columns"][0]["role"] = change.get("role", "quasi-identifier")
    sets = change.get("sets", manifest["quasi_identifier_sets"])
    rewrite(
        folder,
        columns=manifest["columns"],
        quasi_identifier_sets=sets,
        group_column=change.get("group_column"),
    )
    with pytest.raises(PromiseBroken, match=message):
        check_folder(folder)


def test_a_release_without_data_is_refused(folder):
    for name in ("data.csv", "data.parquet"):
        (folder / name).unlink()
    rewrite(folder, files=[], parquet_writer="")
    refused(folder, "publishes no data")


@pytest.mark.parametrize("content", [b"", b'age,zip\n"x', b"\xff\xfe\x00", b"a,b\n1,2,3\n"])
def test_a_csv_file_that_is_no_table_is_refused(folder, content):
    forge(folder, "data.csv", content)
    refused(folder, r"data\.csv")


def test_a_parquet_file_that_is_none_is_refused(folder):
    forge(folder, "data.parquet", b"PAR1 nothing")
    refused(folder, r"data\.parquet cannot be read as a table")


def test_two_columns_of_one_name_are_refused(folder):
    forge(folder, "data.csv", b"age,age\n1,2\n")
    refused(folder, "two columns of the same name")


def test_a_column_that_does_not_hold_its_type_is_refused(folder):
    (folder / "data.parquet").unlink()
    files = json.loads((folder / "manifest.json").read_text())["files"]
    rewrite(folder, files=[file for file in files if file["name"] == "data.csv"])
    forge(folder, "data.csv", (folder / "data.csv").read_bytes().replace(b",4\n", b",x\n"))
    with pytest.raises(PromiseBroken, match="does not hold values of its type"):
        Release.load(folder)


def test_an_unknown_type_is_refused(folder):
    columns = json.loads((folder / "manifest.json").read_text())["columns"]
    rewrite(folder, columns=[{**column, "type": "Matrix"} for column in columns])
    refused(folder, "names the type 'Matrix'", DataError)


@pytest.mark.parametrize(
    ("promise", "message"),
    [
        ("k-anonymity:k=x", "not understood"),
        ("k-anonymity", "not understood"),
        ("", "cannot check"),
    ],
)
def test_a_promise_that_is_not_understood_is_refused(folder, promise, message):
    promises = json.loads((folder / "manifest.json").read_text())["promises"]
    rewrite(folder, promises=[{**promises[0], "promise": promise}])
    with pytest.raises(DataError, match=message):
        check_folder(folder)


@pytest.mark.parametrize(
    ("promise", "hint"), [("t-closenes:t=1", "Did you mean 't-closeness'"), ("my-model:k=2", "register its model")]
)
def test_nothing_is_believed_of_a_promise_whose_model_is_not_known_here(folder, promise, hint):
    promises = json.loads((folder / "manifest.json").read_text())["promises"]
    rewrite(folder, promises=[*promises, {**promises[0], "promise": promise}])
    *known, unknown = check_folder(folder)
    assert all(known)
    assert unknown.holds is None
    assert unknown.achieved is None
    assert hint in unknown.sentence


def test_a_folder_without_promises_is_refused(folder):
    rewrite(folder, promises=[])
    with pytest.raises(UsageError, match="no promise is given"):
        check_folder(folder)


def test_other_promises_and_attributes_may_be_asked_about(folder):
    (verdict,) = check_folder(folder, [KAnonymity(k=6)], Given(["disease"]))
    assert (verdict.holds, verdict.achieved) == (False, 1)
    assert all(check_folder(folder, [DistinctLDiversity(l=2)]))
    assert all(check_folder(folder, given=Given(missing="wildcard")))


def test_anything_published_can_be_checked(folder, tmp_path):
    table = pl.read_csv(folder / "data.csv", infer_schema=False)
    models, names = [KAnonymity(k=2)], ["age", "zip"]
    table.write_csv(tmp_path / "semicolons.txt", separator=";")
    for published in (table, table.to_pandas(), table.to_arrow(), folder / "data.csv", str(folder / "data.parquet")):
        (verdict,) = check(published, models, Given(names))
        assert (verdict.holds, verdict.achieved) == (True, 2)
    assert check(tmp_path / "semicolons.txt", models, Given(names, delimiter=";")) == (verdict,)
    assert check(folder) == check(str(folder)) == check_folder(folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, Given(["age"])), "a table brings no promises of its own"),
        (([KAnonymity(k=2)],), "name the quasi-identifiers"),
    ],
)
def test_a_table_without_a_manifest_needs_promises_and_quasi_identifiers(folder, arguments, message):
    for published in (folder / "data.csv", pl.DataFrame({"age": [1]})):
        with pytest.raises(UsageError, match=message):
            check(published, *arguments)


def test_a_path_that_does_not_exist_is_an_error_with_a_hint(folder):
    with pytest.raises(DataError, match="Did you mean 'release'"):
        check(folder.parent / "releese")
    with pytest.raises(DataError, match="no file or folder"):
        check(folder / "nowhere" / "at all")


def test_a_delimiter_is_for_files_only(folder):
    with pytest.raises(UsageError, match="delimiter is for CSV files"):
        check(folder, given=Given(delimiter=";"))


@given(st.text(min_size=1), st.floats(0, 1))
def test_a_promise_is_read_back_from_its_spec(attribute, t):
    for model in (TCloseness(t=t, attribute=attribute, distance="ordered"), KAnonymity(k=3), TCloseness(t=t)):
        assert read_promise(model.spec) == model


def test_an_alias_of_a_promise_is_understood():
    assert read_promise("l-diversity:l=3") == DistinctLDiversity(l=3)
