import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import OutputError
from krypsis.io import coded_table, write
from krypsis.io.read import read_table
from krypsis.io.write import write_csv, write_parquet

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
CELL = (
    st.none() | TEXT | st.sampled_from(["", '"', '""', "\n", "\r", "\r\n", " ", " x", "x ", ",", "\ufeff", "null", "-"])
)
NAME = TEXT.filter(lambda name: name.strip() and not name.startswith("\ufeff"))


@st.composite
def frames(draw):
    names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(1, 6))
    columns = {name: draw(st.lists(CELL, min_size=rows, max_size=rows)) for name in names}
    return pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))


@given(frame=frames())
def test_texts_survive_writing_and_reading(tmp_path_factory, frame):
    path = tmp_path_factory.mktemp("write") / "t.csv"
    write_csv(frame, path)
    back = read_table(path, delimiter=",")
    assert back.columns == frame.columns
    assert back.rows() == frame.rows()


@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
def test_a_written_file_needs_no_delimiter_to_be_read(tmp_path_factory, rows):
    frame = pl.DataFrame(rows, schema={"name": pl.String, "zip code": pl.String}, orient="row")
    path = tmp_path_factory.mktemp("write") / "t.csv"
    write_csv(frame, path)
    assert read_table(path).rows() == frame.rows()


def test_missing_is_an_empty_field_and_empty_text_is_quoted(tmp_path):
    write_csv(pl.DataFrame({"a": [None, "", "x"], "b": ["1", 'q"', "c,d"]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b'a,b\n,1\n"","q"""\nx,"c,d"\n'


def test_other_types_are_written_as_people_write_them(tmp_path):
    day = dt.date(2024, 3, 15)
    write_csv(pl.DataFrame({"n": [5], "x": [0.1], "d": [day], "b": [True], "z": ["é"]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text("utf-8") == "n,x,d,b,z\n5,0.1,2024-03-15,true,é\n"


def test_parquet_keeps_types_and_values(tmp_path):
    frame = pl.DataFrame({"a": [None, "", "x"], "n": [1, 2, None]})
    write_parquet(frame, tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").equals(frame)


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_place_that_cannot_be_written_is_told(tmp_path, write):
    with pytest.raises(OutputError, match="cannot be written"):
        write(pl.DataFrame({"a": [1]}), tmp_path / "no" / "such" / "t")


def test_lists_do_not_fit_into_csv(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        write_csv(pl.DataFrame({"a": [[1, 2]]}), tmp_path / "t.csv")


def test_many_rows_are_written_alike_however_they_are_kept(tmp_path, monkeypatch):
    texts = pl.DataFrame({"^a$": ["x", None, "", "é", "x"] * 3, "n": range(15)})
    categories = texts.with_columns(pl.nth(0).cast(pl.Enum(["unused", "é", "", "x"])))
    write_parquet(texts, tmp_path / "few.parquet")
    monkeypatch.setattr(coded_table, "MANY_ROWS", 1)
    monkeypatch.setattr(write, "ROW_GROUP", 4)
    for writer, ending in ((write_parquet, "parquet"), (write_csv, "csv")):
        pieces = pl.concat([categories[:2], categories[2:]], rechunk=False)
        for place, table in enumerate((texts, categories, pieces)):
            writer(table, tmp_path / f"{place}.{ending}", as_texts=True)
        written = {(tmp_path / f"{place}.{ending}").read_bytes() for place in range(3)}
        assert len(written) == 1
    assert pl.read_parquet(tmp_path / "1.parquet").equals(texts)
    assert (tmp_path / "1.parquet").read_bytes() != (tmp_path / "few.parquet").read_bytes()
