"""Small files that unpack to more than a machine can hold end in a clear error, and the queue goes on."""

import gzip
import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from jobs.following import SMALL, wait_for
from krypsis.projects import Workspace
from krypsis.projects.jobs import Queue

MEMORY = 2000 * 1024**2


def packed_csv():
    """More than a gigabyte of rows: a packed file may be several, one after another."""
    return gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n" * 2**24) * 20


def parquet():
    """A quarter of a billion rows of the same number, which take no place."""
    buffer, rows = io.BytesIO(), pa.table({"a": pa.array([1] * 2**20, pa.int64())})
    with pq.ParquetWriter(buffer, rows.schema, compression="zstd") as writer:
        for _ in range(256):
            writer.write_table(rows)
    return buffer.getvalue()


def workbook():
    """Two cells, and all the empty ones between the corners of the largest sheet there can be."""
    before, after = io.BytesIO(), io.BytesIO()
    with xlsxwriter.Workbook(before, {"in_memory": True}) as book:
        book.add_worksheet().write(0, 0, "a")
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/worksheets/sheet1.xml":
                far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
                content = content.replace(b"</sheetData>", far)
            target.writestr(name, content)
    return after.getvalue()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return Workspace(tmp_path_factory.mktemp("bombs"))


@pytest.fixture(scope="module")
def queue(workspace):
    queue = Queue(workspace, memory=MEMORY)
    yield queue
    queue.close()


def read(workspace, queue, name, content):
    project = workspace.create("Bomb")
    (project.folder / "data" / name).write_bytes(content)
    return wait_for(queue, project, queue.submit(project, "read"))


MEMORY_ENDS, REFUSED = "2,000 MB of memory", "unpacks to more than 4,096 MB"


@pytest.mark.parametrize(
    ("name", "bomb", "reason"),
    [("b.csv.gz", packed_csv, MEMORY_ENDS), ("b.parquet", parquet, MEMORY_ENDS), ("b.xlsx", workbook, REFUSED)],
)
def test_a_bomb_ends_in_a_clear_error(workspace, queue, name, bomb, reason):
    content = bomb()
    assert len(content) < 5 * 1024**2
    job = read(workspace, queue, name, content)
    assert job.state == "failed"
    assert reason in job.error


def test_a_good_file_is_read_within_the_same_limit(workspace, queue):
    assert read(workspace, queue, "good.csv", SMALL.encode()).state == "done"


def test_a_zip_file_is_no_table(workspace, queue):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("data.csv", SMALL)
    job = read(workspace, queue, "data.zip", archive.getvalue())
    assert job.state == "failed"
    assert "data.zip" in job.error
