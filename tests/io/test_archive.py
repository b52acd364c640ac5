"""Zip files of strangers."""

import stat
import zipfile

import pytest

from krypsis.errors import DataError
from krypsis.io.archive import unpack


def zip_of(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def everything_below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_files_come_out_as_they_went_in(tmp_path):
    archive = zip_of(tmp_path / "release.zip", {"manifest.json": "{}", "more/data.csv": "age\n1\n"})
    (tmp_path / "out").mkdir()
    unpack(archive, tmp_path / "out", 1000)
    assert (tmp_path / "out" / "more" / "data.csv").read_text() == "age\n1\n"


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "..\\evil", "C:evil", "a/../evil"])
def test_no_file_is_written_outside_of_the_folder(tmp_path, name):
    archive = zip_of(tmp_path / "release.zip", {"good.csv": "1", name: "2"})
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="not a file in its own folder"):
        unpack(archive, tmp_path / "out", 1000)
    assert everything_below(tmp_path) == ["out", "release.zip"]


def test_a_link_is_refused(tmp_path):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive = zip_of(tmp_path / "release.zip", {link: "/etc/passwd"})
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="not a file in its own folder"):
        unpack(archive, tmp_path / "out", 1000)


def test_a_bomb_is_refused_by_what_it_says_of_itself(tmp_path):
    archive = zip_of(tmp_path / "bomb.zip", {"data.csv": b"0" * 5_000_000})
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match=r"would unpack to more than 1 MB"):
        unpack(archive, tmp_path / "out", 1024**2)
    assert everything_below(tmp_path / "out") == []


def test_a_bomb_that_lies_about_its_size_is_refused_while_it_is_unpacked(tmp_path):
    archive = zip_of(tmp_path / "bomb.zip", {"data.csv": b"0" * 5_000_000})
    told = (5_000_000).to_bytes(4, "little")
    archive.write_bytes(archive.read_bytes().replace(told, (10).to_bytes(4, "little")))
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match=r"bomb\.zip"):
        unpack(archive, tmp_path / "out", 1024**2)
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) <= 1024**2


def test_too_many_files_are_refused(tmp_path):
    archive = zip_of(tmp_path / "many.zip", {str(number): "" for number in range(11)})
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="holds 11 files; at most 10"):
        unpack(archive, tmp_path / "out", 1000, most_files=10)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"age,sex\n1,f\n", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_zip_file_or_an_empty_one_is_told(tmp_path, content):
    (tmp_path / "release.zip").write_bytes(content)
    with pytest.raises(DataError, match=r"release\.zip"):
        unpack(tmp_path / "release.zip", tmp_path, 1000)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("data.csv", "1")
        archive.writestr("data.csv", "2")
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match=r"twice\.zip"):
        unpack(tmp_path / "twice.zip", tmp_path / "out", 1000)
