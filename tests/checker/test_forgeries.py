"""Forged releases: somebody who knows the format changes a good one, checksums included, and none is accepted.

A forgery is a function that changes the folder. ``krypsis check`` must refuse every one (exit code 1 or 2) or say that
it is undecided (3); it never exits with 0. Every release that is forged here is one that the checker accepts as it is.
"""

import gzip
import hashlib
import io
import json
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import krypsis
from checker.forging import forge, rewrite
from history.people import FIRST, SECOND, start
from krypsis.cli.main import app
from krypsis.errors import KrypsisError

PEOPLE = pl.DataFrame(
    {
        "name": [f"person {number}" for number in range(12)],
        "age": [20, 20, 20, 20, 31, 31, 31, 31, 45, 45, 45, 45],
        "big": [2**60 + 1] * 12,
        "disease": ["flu", "fever", "cough", "asthma"] * 3,
    }
)
ROLES = {"name": "identifier", "age": "QI", "big": "insensitive", "disease": "sensitive"}
BASKETS = krypsis.Transactions.of_sets(
    [["bread", "milk"], ["bread", "milk"], ["bread"], ["milk"], ["wine", "milk"], ["wine"]] * 3
)
VISITS = pl.DataFrame({"name": PEOPLE["name"].to_list() * 2, "year": [2020] * 12 + [2021] * 12})


def table(place: Path) -> Path:
    promises = ["k-anonymity:k=4", "distinct-l-diversity:l=2"]
    return krypsis.anonymize(PEOPLE, ROLES, models=promises).save(place / "r", ["csv", "parquet"]).folder


def csv_alone(place: Path) -> Path:
    return krypsis.anonymize(PEOPLE, ROLES, models="k-anonymity:k=4").save(place / "r").folder


def anatomy(place: Path) -> Path:
    release = krypsis.anonymize(PEOPLE, ROLES, models="frequency-l-diversity:l=2", algorithm="anatomize")
    return release.save(place / "r").folder


def several(place: Path) -> Path:
    visits = {"visits": {"data": VISITS, "roles": {"year": "QI"}}}
    promise = "multirelational-k-anonymity:k=4"
    return krypsis.anonymize(PEOPLE, ROLES, models=promise, key="name", tables=visits).save(place / "r").folder


def sets(place: Path) -> Path:
    promise = "km-anonymity:k=3,m=1"
    return krypsis.anonymize(BASKETS, models=promise, algorithm="km-suppression").save(place / "r").folder


def chunks(place: Path) -> Path:
    promise = "km-anonymity:k=3,m=2"
    return krypsis.anonymize(BASKETS, models=promise, algorithm="disassociation").save(place / "r").folder


def groups(place: Path) -> Path:
    release = krypsis.anonymize(BASKETS, models="privacy-degree:p=2", algorithm="cahd", sensitive_items=["wine"])
    return release.save(place / "r").folder


def version(place: Path) -> Path:
    history = start(place)
    history.publish(FIRST)
    return history.publish(SECOND).folder


def noise(place: Path) -> Path:
    hierarchies = {"disease": {"*": ["flu", "fever", "cough", "asthma"]}}
    roles = {"name": "identifier", "age": "insensitive", "big": "insensitive", "disease": "sensitive"}
    promise = "differential-privacy:epsilon=1"
    return krypsis.anonymize(PEOPLE, roles, hierarchies=hierarchies, models=promise).save(place / "r").folder


def perturbed(place: Path) -> Path:
    return krypsis.anonymize(PEOPLE, ROLES, algorithm="noise:columns=age").save(place / "r").folder


ACCEPTED = {table: 0, csv_alone: 0, anatomy: 0, several: 0, sets: 0, chunks: 0, groups: 0}
UNDECIDED = {version: 3, noise: 3, perturbed: 3}


def exit_code(folder: Path) -> int:
    return CliRunner().invoke(app, ["check", "--", str(folder)]).exit_code


@pytest.mark.parametrize(("make", "code"), [*ACCEPTED.items(), *UNDECIDED.items()])
def test_what_is_forged_below_is_accepted_as_it_is_or_undecided(make, code, tmp_path):
    assert exit_code(make(tmp_path)) == code


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def add(folder, name, content, **changes):
    """Add a file that the manifest lists."""
    digest = hashlib.sha256(content).hexdigest()
    listed = {"name": name, "sha256": digest, "bytes": len(content)}
    rewrite(folder, files=[*manifest(folder)["files"], listed], **changes)
    (folder / name).write_bytes(content)


def edit(folder, name, change):
    forge(folder, name, change((folder / name).read_bytes()))


def parquet(folder, **options):
    """Write the same values again with another program."""
    target = io.BytesIO()
    pq.write_table(pq.read_table(folder / "data.parquet"), target, **options)
    forge(folder, "data.parquet", target.getvalue())


def typed(folder, column, dtype):
    """Publish a column of the Parquet copy with another type, and say so."""
    target = io.BytesIO()
    pl.read_parquet(folder / "data.parquet").with_columns(pl.col(column).cast(dtype)).write_parquet(target)
    forge(folder, "data.parquet", target.getvalue())


def declared(folder, column, dtype):
    columns = [{**one, "type": dtype} if one["name"] == column else one for one in manifest(folder)["columns"]]
    rewrite(folder, columns=columns)


def rounded(folder):
    """2⁶⁰ + 1 and 2⁶⁰ are the same floating point number, and both copies say that they hold such."""
    declared(folder, "big", "Float64")
    typed(folder, "big", pl.Float64)


def with_metadata(folder):
    found = pq.read_table(folder / "data.parquet")
    target = io.BytesIO()
    pq.write_table(found.replace_schema_metadata({b"original": b"Ann, 31, flu"}), target)
    forge(folder, "data.parquet", target.getvalue())


def with_unused_values(folder, **options):
    """The dictionary of a column lists values of people who were suppressed."""
    found = pq.read_table(folder / "data.parquet")
    place = found.column_names.index("disease")
    codes = found.column("disease").combine_chunks().dictionary_encode()
    values = pa.DictionaryArray.from_arrays(
        codes.indices, pa.concat_arrays([codes.dictionary, pa.array(["HIV"], codes.dictionary.type)])
    )
    target = io.BytesIO()
    pq.write_table(found.set_column(place, "disease", values), target, **options)
    forge(folder, "data.parquet", target.getvalue())


def pretended(folder, change):
    """Say that another program wrote the Parquet file, so that its bytes cannot be compared."""
    change(folder)
    rewrite(folder, parquet_writer="polars 0.1")


def twice(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"rows":', '"rows": 1000000, "rows":', 1))


def unlisted_table(folder):
    add(folder, "original.csv", b"name\nAnn\n", tables={"original": {"columns": [], "rows": 1}})


def linked_by_nothing(folder):
    column = {"name": "name", "role": "insensitive", "type": "String"}
    add(folder, "original.csv", b"name\nAnn\n", tables={"original": {"columns": [column], "rows": 1}})


def sensitive_table(folder):
    names = [("who", "insensitive", "String"), ("what", "insensitive", "String"), ("count", "insensitive", "Int64")]
    columns = [dict(zip(("name", "role", "type"), one, strict=True)) for one in names]
    add(folder, "sensitive.csv", b"who,what,count\nAnn,flu,1\n", sensitive_table={"columns": columns, "rows": 1})


def claim(folder, **changes):
    first, *others = manifest(folder)["promises"]
    rewrite(folder, promises=[{**first, **changes}, *others])


def linked_out(folder):
    shutil.move(folder / "data.csv", folder.parent / "elsewhere.csv")
    (folder / "data.csv").symlink_to(folder.parent / "elsewhere.csv")


def one_promise_less(folder):
    rewrite(folder, promises=[], guarantee="Nobody can be found, we promise.")


OF_ANY = {
    "a further file": lambda folder: (folder / "original.csv").write_text("name\nAnn\n"),
    "a further folder": lambda folder: (folder / "more").mkdir(),
    "a listed file that nothing reads": lambda folder: add(folder, "original.csv", b"name\nAnn\n"),
    "binary garbage that is listed": lambda folder: add(folder, "data.bin", bytes(range(256))),
    "a table without columns": unlisted_table,
    "a table linked by nothing": linked_by_nothing,
    "a field of the manifest": lambda folder: rewrite(folder, original=[["Ann", 31, "flu"]]),
    "a name twice in the manifest": twice,
    "text after the manifest": lambda folder: (folder / "manifest.json").write_text(
        (folder / "manifest.json").read_text() + "Ann, 31, flu"
    ),
    "no promise and an invented guarantee": one_promise_less,
    "no promise and no guarantee": lambda folder: rewrite(folder, promises=[], guarantee=""),
    "levels of a column that is not there": lambda folder: rewrite(folder, levels={"Ann, 31, flu": 1}),
    "a figure of no metric": lambda folder: rewrite(folder, metrics={"Ann, 31, flu": 1.0}),
    "a figure called like a metric": lambda folder: rewrite(folder, metrics={"ann-has-flu": 1.0}),
    "a text in place of the metric": lambda folder: rewrite(folder, metric="Ann, 31, flu"),
    "a distribution of a column that is not there": lambda folder: rewrite(
        folder, reference={"name": [["Ann", manifest(folder)["rows"]]]}
    ),
    "a number of records": lambda folder: rewrite(folder, rows=manifest(folder)["rows"] + 1),
}
OF_CLAIMS = {
    "a weaker promise than is required": lambda folder: claim(folder, promise="k-anonymity:k=1"),
    "a claim of another level": lambda folder: claim(folder, achieved=1000.0),
    "a promise that does not exist": lambda folder: claim(folder, promise="perfect-privacy:k=5"),
}
OF_TABLES = {
    "a sensitive_table without groups": sensitive_table,
    "an identifier": lambda folder: edit(folder, "data.csv", lambda old: old.replace(b"age", b"name", 1)),
    "a quasi-identifier called insensitive": lambda folder: rewrite(
        folder,
        quasi_identifier_sets=[],
        columns=[{**one, "role": "insensitive"} for one in manifest(folder)["columns"]],
    ),
    "a link": linked_out,
}
OF_CSV = {
    "a packed file": lambda folder: edit(folder, "data.csv", gzip.compress),
    "a mark at the beginning": lambda folder: edit(folder, "data.csv", lambda old: b"\xef\xbb\xbf" + old),
    "other ends of lines": lambda folder: edit(folder, "data.csv", lambda old: old.replace(b"\n", b"\r\n")),
    "empty lines at the end": lambda folder: edit(folder, "data.csv", lambda old: old + b"\n\n"),
    "no end of the last line": lambda folder: edit(folder, "data.csv", lambda old: old.rstrip(b"\n")),
    "needless quotation marks": lambda folder: edit(folder, "data.csv", lambda old: old.replace(b"flu", b'"flu"')),
    "zeros in front of a number": lambda folder: edit(
        folder, "data.csv", lambda old: old.replace(b"1152921504606846977", b"01152921504606846977", 1)
    ),
    "a sign before a number": lambda folder: edit(
        folder, "data.csv", lambda old: old.replace(b"1152921504606846977", b"+1152921504606846977", 1)
    ),
    "a larger number than the type holds": lambda folder: declared(folder, "big", "Float64"),
}
OF_PARQUET = {
    "bytes before the file": lambda folder: edit(folder, "data.parquet", lambda old: b"Ann, 31, flu" + old),
    "bytes after the file": lambda folder: edit(folder, "data.parquet", lambda old: old + b"Ann, 31, flu"),
    "bytes in the file": lambda folder: edit(folder, "data.parquet", lambda old: old[:4] + b"Ann" + old[4:]),
    "metadata": with_metadata,
    "unused values of a dictionary": with_unused_values,
    "another program": parquet,
    "another type": lambda folder: typed(folder, "big", pl.Int128),
    "decimals for whole numbers": lambda folder: typed(folder, "big", pl.Decimal(38, 0)),
    "numbers as text": lambda folder: typed(folder, "big", pl.String),
    "numbers that are rounded alike": rounded,
    "another program that is named": lambda folder: pretended(folder, with_metadata),
    "unused values of a program that is named": lambda folder: pretended(folder, with_unused_values),
}
OF_SEVERAL = {
    "no promise about all tables": lambda folder: claim(folder, promise="k-anonymity:k=4", required=4.0, achieved=12.0),
    "no subject": lambda folder: rewrite(folder, subject_column=None),
    "tables that are not named": lambda folder: rewrite(folder, tables={}),
    "another subject": lambda folder: rewrite(folder, subject_column="disease"),
}
OF_ANATOMY = {
    "no groups": lambda folder: rewrite(folder, group_column=None),
    "no sensitive table": lambda folder: rewrite(folder, sensitive_table=None),
    "other groups": lambda folder: rewrite(folder, group_column="age"),
    "a count too many": lambda folder: edit(folder, "sensitive.csv", lambda old: old.replace(b",1\n", b",2\n", 1)),
}
OF_CHUNKS = {
    "blanks": lambda folder: edit(folder, "data.json", lambda old: old.replace(b'"size"', b' "size"', 1)),
    "other ends of lines": lambda folder: edit(folder, "data.json", lambda old: old.replace(b"\n", b"\r\n")),
    "another spelling": lambda folder: edit(folder, "data.json", lambda old: old.replace(b"bread", b"bre\\u0061d")),
    "text after the end": lambda folder: edit(folder, "data.json", lambda old: old + b"Ann\n"),
    "fields of tables": lambda folder: rewrite(folder, subject_column="record"),
}
OF_NOISE = {
    "proven": lambda folder: claim(folder, proven=True),
    "no mechanism_record": lambda folder: rewrite(folder, mechanism_record=None),
    "another promise": lambda folder: claim(folder, promise="k-anonymity:k=1", required=1.0, achieved=1.0, proven=True),
}
EVERY = [*ACCEPTED, *UNDECIDED]
FORGERIES = [
    *((make, name, change) for make in EVERY for name, change in OF_ANY.items()),
    *((make, name, change) for make in EVERY if make is not perturbed for name, change in OF_CLAIMS.items()),
    *((table, name, change) for name, change in (OF_TABLES | OF_CSV | OF_PARQUET).items()),
    *((csv_alone, name, change) for name, change in (OF_TABLES | OF_CSV).items() if change is not linked_out),
    *((several, name, change) for name, change in OF_SEVERAL.items()),
    *((anatomy, name, change) for name, change in OF_ANATOMY.items()),
    *((chunks, name, change) for name, change in OF_CHUNKS.items()),
    *((noise, name, change) for name, change in OF_NOISE.items()),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Each good release, made once."""
    return {make: make(tmp_path_factory.mktemp(make.__name__)) for make in EVERY}


@pytest.mark.parametrize(
    ("make", "change"),
    [pytest.param(make, change, id=f"{make.__name__}-{name}") for make, name, change in FORGERIES],
)
def test_no_forgery_is_accepted(make, change, made, tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(made[make], folder)
    change(folder)
    assert exit_code(folder) in (1, 2, 3)
    verdicts = _verdicts(folder)
    unknown = [verdict for verdict in verdicts if "is no promise that krypsis knows" in verdict.sentence]
    assert not any(unknown or verdicts)  # next to an unknown promise, a true one may be called true


def _verdicts(folder):
    try:
        return krypsis.check(folder)
    except KrypsisError:
        return ()


def of_duckdb(folder, **options):
    """Write the same values again with DuckDB."""
    found = pl.read_parquet(folder / "data.parquet")  # noqa: F841  DuckDB finds it by its name
    path = folder.parent / "again.parquet"
    options = {"write_bloom_filter": "false", **options}
    named = ", ".join(f"{name} {value}" for name, value in options.items())
    duckdb.sql(f"COPY found TO '{path}' (FORMAT parquet, {named})")
    forge(folder, "data.parquet", path.read_bytes())


def written_otherwise(content):
    target = io.BytesIO()
    pl.read_parquet(content).write_parquet(target, compression="snappy", row_group_size=5, statistics="full")
    return target.getvalue()


def with_field_metadata(folder):
    found = pq.read_table(folder / "data.parquet")
    field = found.schema.field("age").with_metadata({b"original": b"Ann, 31, flu"})
    target = io.BytesIO()
    pq.write_table(found.cast(found.schema.set(found.column_names.index("age"), field)), target)
    forge(folder, "data.parquet", target.getvalue())


def with_bytes_before_the_footer(folder):
    def change(old):
        footer = 8 + int.from_bytes(old[-8:-4], "little")
        return old[:-footer] + b"Ann, 31, flu" + old[-footer:]

    edit(folder, "data.parquet", change)


def replaced(old, new):
    """Write other text of the same length where the file describes itself."""

    def change(folder):
        def changed(content):
            footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
            assert old in content[footer:]
            return content[:footer] + content[footer:].replace(old, new)

        edit(folder, "data.parquet", changed)

    return change


def with_another_statistic(folder):
    """Say in the description of the file that the last disease is one that nobody has."""
    edit(folder, "data.parquet", lambda content: content.replace(b"(\x03flu", b"(\x03hiv"))


CLEAN = {
    "pyarrow": parquet,
    "pyarrow, pages of the second version": lambda folder: parquet(
        folder, data_page_version="2.0", compression="zstd", write_page_index=True, write_page_checksum=True
    ),
    "pyarrow, small pages": lambda folder: parquet(folder, compression="none", data_page_size=8, row_group_size=5),
    "duckdb": of_duckdb,
    "polars with other settings": lambda folder: edit(folder, "data.parquet", written_otherwise),
}
SMUGGLED = {
    "metadata": with_metadata,
    "metadata of a column": with_field_metadata,
    "unused values of a dictionary": with_unused_values,
    "unused values that are read as texts": lambda folder: with_unused_values(folder, store_schema=False),
    "bytes before the file": OF_PARQUET["bytes before the file"],
    "bytes after the file": OF_PARQUET["bytes after the file"],
    "bytes in the file": OF_PARQUET["bytes in the file"],
    "bytes before the footer": with_bytes_before_the_footer,
    "a Bloom filter": lambda folder: of_duckdb(folder, write_bloom_filter="true"),
    "metadata of DuckDB": lambda folder: of_duckdb(folder, kv_metadata="{original: 'Ann, 31, flu'}"),
    "another name of the writer": replaced(b"Polars (python) version", b"Ann, 31, flu, 15122 ATH"),
    "another name of the table": replaced(b"root", b"Anna"),
    "statistics of values that nobody has": with_another_statistic,
    "gzip, which may hold names of files": lambda folder: parquet(folder, compression="gzip"),
}


@pytest.mark.parametrize("name", CLEAN)
def test_a_parquet_file_of_another_writer_is_accepted_if_it_holds_its_values_alone(name, made, tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(made[table], folder)
    before = pl.read_parquet(folder / "data.parquet")
    pretended(folder, CLEAN[name])
    assert pl.read_parquet(folder / "data.parquet").equals(before)
    result = CliRunner().invoke(app, ["check", str(folder)])
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("name", SMUGGLED)
def test_a_parquet_file_of_another_writer_is_refused_if_it_holds_more(name, made, tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(made[table], folder)
    before = (folder / "data.parquet").read_bytes()
    pretended(folder, SMUGGLED[name])
    assert (folder / "data.parquet").read_bytes() != before
    assert exit_code(folder) == (3 if "gzip" in name else 1)


def test_a_file_of_another_writer_is_refused_where_this_version_is_named(made, tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(made[table], folder)
    own = manifest(folder)["parquet_writer"]
    pretended(folder, parquet)
    assert exit_code(folder) == 0
    rewrite(folder, parquet_writer=own)
    assert exit_code(folder) == 1


def test_a_text_in_place_of_the_writer_is_refused(made, tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(made[table], folder)
    rewrite(folder, parquet_writer="Ann, 31, flu")
    assert exit_code(folder) == 1


def test_a_writer_of_parquet_files_that_are_not_there_is_refused(made, tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(made[csv_alone], folder)
    rewrite(folder, parquet_writer="polars 1.2")
    assert exit_code(folder) == 1


ODD = [
    "rel[1]",
    "rel*",
    "rel?",
    "two words",
    "άλφα",
    "-rel",
    "'quoted'",
    '"double"',
    "[red]rel[/red]",
    "{a,b}",
    "$HOME",
]


@pytest.mark.parametrize("name", ODD)
def test_the_release_that_is_named_is_the_one_that_is_judged(name, made, tmp_path):
    """The neighbors that a pattern would find hold another table: theirs must not be judged."""
    folder = tmp_path / name
    shutil.copytree(made[table], folder)
    broken = edit_all(folder, tmp_path / "broken" / name)
    for neighbor in ("rel1", "rela", "r", "rel"):
        shutil.copytree(made[table], broken.parent / neighbor)
    assert exit_code(folder) == 0
    assert exit_code(broken) == 1
    again = krypsis.Release.load(folder).save(tmp_path / "again" / name, ["csv", "parquet"])
    assert exit_code(again.folder) == 0


def edit_all(folder, target):
    """Copy a release and break its promise in both formats."""
    shutil.copytree(folder, target)
    found = pl.read_parquet((target / "data.parquet").read_bytes()).with_row_index("row")
    alone = found.with_columns(age=pl.when(pl.col("row") == 0).then(0).otherwise(pl.col("age"))).drop("row")
    alone = alone.cast({"age": found.schema["age"]})
    csv, parquet_ = io.BytesIO(), io.BytesIO()
    alone.write_csv(csv)
    alone.write_parquet(parquet_)
    forge(target, "data.csv", csv.getvalue())
    forge(target, "data.parquet", parquet_.getvalue())
    return target
