"""Where a release may be written, and what is never touched."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from krypsis.checker import check_folder
from krypsis.checker.check import check_data
from krypsis.errors import DataError, OutputError
from krypsis.release import workshop, writer
from krypsis.release.release import Release
from krypsis.release.writer import check_destination
from release.sample import TABLE, make_release, same_records


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["one step", "two steps"])
def steps(request, monkeypatch):
    """Run a test with the system's swap, and as on a system without it."""
    if request.param == "two steps":
        monkeypatch.setattr(workshop, "_rename", lambda *_: False)


def test_missing_folders_above_are_created(release, tmp_path):
    assert release.save(tmp_path / "a" / "b" / "release").folder.is_dir()


def test_an_existing_release_is_kept_unless_forced(release, tmp_path):
    first = release.save(tmp_path / "release")
    with pytest.raises(OutputError, match="exists; choose another name, or replace it: --force, force=True"):
        release.save(tmp_path / "release")
    assert Release.load(tmp_path / "release").release_id == first.release.release_id


@pytest.mark.usefixtures("steps")
def test_force_replaces_a_release_and_keeps_both_private_records(release, tmp_path):
    first = release.save(tmp_path / "release", ["csv", "parquet"])
    second = make_release(table=TABLE.slice(2)).save(tmp_path / "release", force=True)
    loaded = Release.load(tmp_path / "release")
    assert loaded.release_id == second.release.release_id
    assert loaded.table.height == 3
    assert names(second.folder) == ["data.csv", "manifest.json"]
    assert names(tmp_path) == sorted(["release", first.private.name, second.private.name])


@pytest.mark.usefixtures("steps")
def test_force_takes_an_empty_folder(release, tmp_path):
    (tmp_path / "release").mkdir()
    release.save(tmp_path / "release", force=True)
    assert all(check_folder(tmp_path / "release"))


@pytest.mark.parametrize("content", [{"thesis.txt": "mine"}, {"manifest.json": "{}"}, {"manifest.json": "[1]"}])
def test_a_folder_that_is_not_a_release_is_never_replaced(release, tmp_path, content):
    place = tmp_path / "release"
    place.mkdir()
    for name, text in content.items():
        (place / name).write_text(text)
    with pytest.raises(OutputError, match="not part of a release"):
        release.save(place, force=True)
    assert {path.name: path.read_text() for path in place.iterdir()} == content


def test_a_release_with_a_file_of_somebody_else_in_it_is_not_replaced(release, tmp_path):
    folder = release.save(tmp_path / "release").folder
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"not part of a release: notes\.txt"):
        release.save(folder, force=True)
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_file_is_not_a_place_for_a_release(release, tmp_path):
    (tmp_path / "release").write_text("x")
    with pytest.raises(OutputError, match="is a file; a release is a folder"):
        release.save(tmp_path / "release", force=True)
    with pytest.raises(OutputError, match="is not a folder, so no release can lie in it"):
        release.save(tmp_path / "release" / "inner")
    with pytest.raises(OutputError, match="is not a folder, so no release can lie in it"):
        release.save(tmp_path / "release" / "deep" / "inner")


def test_a_link_is_not_followed_to_replace_what_it_points_to(release, tmp_path):
    folder = release.save(tmp_path / "real").folder
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(OutputError, match="is a link"):
        release.save(tmp_path / "link", force=True)
    assert all(check_folder(folder))


def test_the_root_is_not_a_place_for_a_release(release):
    with pytest.raises(OutputError, match="give it a name"):
        release.save(Path("/"), force=True)


def test_the_destination_can_be_checked_before_a_long_run(release, tmp_path):
    check_destination(tmp_path / "new")
    folder = release.save(tmp_path / "release").folder
    with pytest.raises(OutputError, match="exists"):
        check_destination(folder)
    check_destination(folder, force=True)


def test_a_relative_path_is_understood(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved = release.save("release")
    assert saved.folder == tmp_path.resolve() / "release"
    assert Release.load("release").table.equals(saved.release.table)


def test_a_refusal_of_the_system_is_an_error_with_its_reason(release, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", "somewhere")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OutputError, match="Permission denied; nothing that was there has changed"):
        release.save(tmp_path / "release")


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


WRITES = [
    (pl.DataFrame, "write_csv"),
    (pl.DataFrame, "write_parquet"),
    (Path, "write_text"),
    (writer.json, "dump"),
    (os, "fsync"),
    (workshop, "move_to_free_place"),
    (workshop, "exchange"),
    (writer, "write_private"),
]


@pytest.mark.parametrize("target", WRITES, ids=[name for _, name in WRITES])
def test_a_full_disk_leaves_the_old_release_and_nothing_else(release, tmp_path, monkeypatch, target):
    old = release.save(tmp_path / "release", ["csv", "parquet"])
    before = names(tmp_path)
    place = tmp_path / ("new" if target[1] == "move_to_free_place" else "release")
    with monkeypatch.context() as patched:
        patched.setattr(*target, no_space)
        with pytest.raises(OutputError, match="No space left on device"):
            release.save(place, ["csv", "parquet"], force=True)
    assert names(tmp_path) == before
    assert Release.load(tmp_path / "release").release_id == old.release.release_id
    assert all(check_folder(tmp_path / "release"))


def test_a_limit_of_the_system_on_what_may_be_written_leaves_the_old_release(tmp_path):
    folder = tmp_path / "release"
    old = make_release().save(folder)
    program = (
        "import resource, polars as pl\n"
        "from krypsis.kinds.table.make import release_of\nfrom krypsis.data.schema import Schema\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "table = pl.DataFrame({'age': ['x' * 1000] * 1000})\n"
        f"release_of(table, Schema.of({{'age': 'QI'}}), ('k-anonymity:k=2',)).save({str(folder)!r}, force=True)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "OutputError: data.csv of the release cannot be written: File too large" in ended.stderr
    assert names(tmp_path) == sorted(["release", old.private.name])
    assert Release.load(folder).release_id == old.release.release_id


def test_a_failure_between_the_two_steps_brings_the_old_release_back(release, tmp_path, monkeypatch):
    old = release.save(tmp_path / "release")
    monkeypatch.setattr(workshop, "_rename", lambda *_: False)
    monkeypatch.setattr(workshop, "move_to_free_place", no_space)
    with pytest.raises(OutputError, match="No space left"):
        release.save(tmp_path / "release", force=True)
    assert names(tmp_path) == sorted(["release", old.private.name])
    assert Release.load(tmp_path / "release").release_id == old.release.release_id


def test_an_interruption_leaves_no_trace(release, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(writer, "check_data", interrupt)
    with pytest.raises(KeyboardInterrupt):
        release.save(tmp_path / "release")
    assert not names(tmp_path)


def test_a_destination_that_appears_meanwhile_is_not_overwritten(release, tmp_path, monkeypatch):
    def meanwhile(*arguments, **options):
        (tmp_path / "release").mkdir()
        (tmp_path / "release" / "theirs.txt").write_text("theirs")
        return check_data(*arguments, **options)

    monkeypatch.setattr(writer, "check_data", meanwhile)
    with pytest.raises(OutputError, match="File exists"):
        release.save(tmp_path / "release", force=True)
    assert names(tmp_path / "release") == ["theirs.txt"]


def test_load_says_what_is_missing(tmp_path):
    with pytest.raises(DataError, match="is not a folder; give the folder of a release"):
        Release.load(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"no file manifest\.json"):
        Release.load(tmp_path)


def test_load_of_a_link_to_a_release_works(release, tmp_path):
    (tmp_path / "link").symlink_to(release.save(tmp_path / "release").folder)
    assert same_records(Release.load(tmp_path / "link").table, release.table)
