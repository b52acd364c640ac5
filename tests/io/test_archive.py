"""Zip files of strangers."""

import errno
import os
import stat
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import DataError, OutputError
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


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=str
)
@given(data=st.data())
def test_a_damaged_file_is_told_whatever_it_is_packed_with(tmp_path_factory, method, data):
    folder = tmp_path_factory.mktemp("damaged")
    with zipfile.ZipFile(folder / "release.zip", "w", method) as archive:
        archive.writestr("data.csv", bytes(range(256)) * 20)
    content = bytearray((folder / "release.zip").read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
        content[place] ^= data.draw(st.integers(1, 255))
    (folder / "release.zip").write_bytes(content)
    (folder / "out").mkdir()
    with suppress(DataError):  # nothing else may come; some changes do no harm
        unpack(folder / "release.zip", folder / "out", 10_000)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2], ids=str)
def test_packed_bytes_that_make_no_sense_are_told(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "release.zip", "w", method) as archive:
        archive.writestr("data.csv", bytes(range(256)) * 20)
    content = bytearray((tmp_path / "release.zip").read_bytes())
    content[50:90] = bytes(byte ^ 0x5A for byte in content[50:90])
    (tmp_path / "release.zip").write_bytes(content)
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match=r"release\.zip is no zip file that can be unpacked"):
        unpack(tmp_path / "release.zip", tmp_path / "out", 10_000)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"data": "1", "data/more": "2"}, "twice, or as a file and as a folder"),
        ({"x" * 300: "1"}, "name is longer than 255 bytes"),
    ],
)
def test_names_that_no_folder_can_hold_are_refused_before_anything_is_written(tmp_path, files, message):
    archive = zip_of(tmp_path / "release.zip", files)
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match=message) as caught:
        unpack(archive, tmp_path / "out", 1000)
    assert everything_below(tmp_path / "out") == []
    assert str(tmp_path) not in str(caught.value)


def test_a_password_is_told(tmp_path):
    archive = zip_of(tmp_path / "release.zip", {"data.csv": "1"})
    content = bytearray(archive.read_bytes())
    content[6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(content)
    with pytest.raises(DataError, match="is encrypted; expected a zip file without a password"):
        unpack(archive, tmp_path, 1000)


def test_a_full_disk_is_not_the_fault_of_the_archive(tmp_path, monkeypatch):
    archive = zip_of(tmp_path / "release.zip", {"data.csv": "1"})

    def full(self, mode):  # noqa: ARG001  as it is called
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OutputError, match=r"release\.zip cannot be unpacked: No space left") as caught:
        unpack(archive, tmp_path, 1000)
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize("place", ["open", "read"])
def test_a_disk_that_fails_is_not_the_fault_of_the_archive(tmp_path, monkeypatch, place):
    archive = zip_of(tmp_path / "release.zip", {"data.csv": "age\n1\n"})
    (tmp_path / "out").mkdir()

    def fail(*_arguments, **_options):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    failing = (zipfile.ZipFile, "__init__") if place == "open" else (zipfile.ZipExtFile, "read")
    with monkeypatch.context() as patched:
        patched.setattr(*failing, fail)
        with pytest.raises(OSError, match="Input/output error") as caught:
            unpack(archive, tmp_path / "out", 1000)
    assert not isinstance(caught.value, DataError | OutputError)
    assert (caught.value.errno, caught.value.filename) == (errno.EIO, "release.zip")
