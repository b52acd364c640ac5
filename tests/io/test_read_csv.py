import codecs
import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import DataError, UsageError
from krypsis.io import csv_file
from krypsis.io.csv_file import describe_csv
from krypsis.io.read import read_table


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def only_polars(monkeypatch):
    def refuse(*_):
        pytest.fail("an ordinary file was read record by record")

    monkeypatch.setattr(csv_file, "_read_exactly", refuse)


@pytest.mark.usefixtures("only_polars")
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~", ":", "\x1f", "\x01"])
def test_the_delimiter_is_found(write, delimiter):
    path = write("\n".join(delimiter.join(row) for row in (["name", "age"], ["Ann", "5"], ["Bob", "61"])))
    assert read_table(path).to_dict(as_series=False) == {"name": ["Ann", "Bob"], "age": ["5", "61"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("price;weight\n1,5;2,5\n3,5;4,5\n", {"price": ["1,5", "3,5"], "weight": ["2,5", "4,5"]}),
        ('a;b\n"x,y";1\n"z,w";2\n', {"a": ["x,y", "z,w"], "b": ["1", "2"]}),
        ("time,room\n10:30,A\n11:45,B\n", {"time": ["10:30", "11:45"], "room": ["A", "B"]}),
        ("full name\nAnn Lee\nBob Ray\n", {"full name": ["Ann Lee", "Bob Ray"]}),
        ("a,b|c\n1,2|3\n4,5|6\n", {"a": ["1", "4"], "b|c": ["2|3", "5|6"]}),
    ],
    ids=["decimal commas", "delimiter in quotes", "times", "one column with spaces", "two candidates"],
)
def test_marks_inside_values_do_not_mislead(write, text, expected):
    assert read_table(write(text)).to_dict(as_series=False) == expected


@pytest.mark.parametrize(("given", "mark"), [(" ", " "), ("tab", "\t"), ("\\t", "\t"), (";", ";"), ("x", "x")])
def test_a_given_delimiter_is_used(write, given, mark):
    assert read_table(write(f"a{mark}b\n1{mark}2\n"), delimiter=given).rows() == [("1", "2")]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "€"])
def test_an_impossible_delimiter_is_refused(write, delimiter):
    with pytest.raises(UsageError, match="one ASCII character"):
        read_table(write("a,b\n1,2\n"), delimiter=delimiter)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"]
)
def test_the_encoding_is_found(write, encoding):
    path = write("name;city\nJosé;Köln\nZoë;Málaga\n".encode(encoding))
    assert read_table(path).rows() == [("José", "Köln"), ("Zoë", "Málaga")]


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE], ids=["big", "little"])
def test_utf16_greek_is_found_by_its_mark(write, mark):
    codec = "utf-16-be" if mark == codecs.BOM_UTF16_BE else "utf-16-le"
    path = write(mark + "όνομα,πόλη\nΆννα,Αθήνα\n".encode(codec))
    assert read_table(path).to_dict(as_series=False) == {"όνομα": ["Άννα"], "πόλη": ["Αθήνα"]}


def test_a_given_encoding_is_used(write):
    path = write("όνομα,πόλη\nΆννα,Αθήνα\n".encode("iso-8859-7"))
    assert read_table(path, encoding="iso-8859-7").rows() == [("Άννα", "Αθήνα")]


def test_a_file_in_another_encoding_than_utf8_is_mentioned_in_the_log(write, caplog):
    read_table(write("a,b\n1,é\n".encode("cp1252")))
    assert "read as cp1252" in caplog.text


def test_the_encoding_and_delimiter_can_be_asked_for(write):
    assert describe_csv(write("a;b\n1;é\n".encode("cp1252"))) == (";", "cp1252")
    assert describe_csv(write("a\tb\n1\té\n".encode("utf-16"))) == ("\t", "utf-16")
    assert describe_csv(write("a,b\n1,é\n")) == (",", "utf-8")


@pytest.mark.parametrize("name", ["table.csv.gz", "table.gz", "table.csv"])
def test_gzip_is_unpacked_whatever_the_name(write, name):
    assert read_table(write(gzip.compress(b"a,b\n1,01234\n"), name)).rows() == [("1", "01234")]


def test_a_packed_latin1_file_is_read(write):
    assert read_table(write(gzip.compress("a;b\n1;é\n".encode("latin-1")), "x.csv.gz")).rows() == [("1", "é")]


@pytest.mark.usefixtures("only_polars")
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "with byte order mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_quotes_line_ends_and_marks_combine(write, mark, end):
    text = mark + end.join(['"a","b ""x"""', '"1","two, ""three"""', '"line\nbreak",""', ",4"]) + end
    frame = read_table(write(text))
    assert frame.columns == ["a", 'b "x"']
    assert frame.rows() == [("1", 'two, "three"'), ("line\nbreak", ""), (None, "4")]


def test_old_macintosh_line_ends_are_understood(write):
    assert read_table(write("a,b\r1,2\r3,4\r")).rows() == [("1", "2"), ("3", "4")]


@pytest.mark.usefixtures("only_polars")
def test_every_column_is_text_and_nothing_is_stripped(write):
    frame = read_table(write("zip,n,flag,x\n01234,007,TRUE, a \n1e5,NA,null,-\n"))
    assert set(map(str, frame.dtypes)) == {"String"}
    assert frame.rows() == [("01234", "007", "TRUE", " a "), ("1e5", "NA", "null", "-")]


@pytest.mark.usefixtures("only_polars")
def test_missing_and_empty_text_are_told_apart(write):
    assert read_table(write('a,b\n,""\n"",\n')).rows() == [(None, ""), ("", None)]


def test_a_quote_inside_an_unquoted_field_is_an_ordinary_character(write):
    assert read_table(write('item,length\nnail,5"\nbolt,6\nrod,7"\n')).rows() == [
        ("nail", '5"'),
        ("bolt", "6"),
        ("rod", '7"'),
    ]


def test_one_row_is_a_table(write):
    assert read_table(write("a,b\n1,2")).rows() == [("1", "2")]


def test_an_empty_line_of_a_single_column_is_a_missing_value(write):
    assert read_table(write("a\n1\n\n2\n\n")).rows() == [("1",), (None,), ("2",), (None,)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_at_both_ends_of_a_wider_table_are_no_records(write, end):
    assert read_table(write(end + end.join(["a,b", "1,2", ",", "", ""]))).rows() == [("1", "2"), (None, None)]


def test_a_cell_of_ten_megabytes_is_read(write):
    cell = "x,\n" * 3_500_000
    frame = read_table(write(f'a,b\n1,"{cell}"\n2,y\n'))
    assert frame.height == 2
    assert frame["b"][0] == cell


def test_a_header_longer_than_what_is_sniffed_is_read(write):
    names = [f"column number {number}" for number in range(10_000)]
    frame = read_table(write(";".join(names) + "\n" + ";".join("1" for _ in names) + "\n"))
    assert frame.columns == names


def test_letters_cut_by_the_end_of_the_sniffed_part_are_no_error(write):
    text = "a,b\n" + "x,é\n" * 30_000
    for shift in range(2):
        assert read_table(write("n" * shift + text)).height == 30_000


def test_names_like_patterns_are_taken_literally(write):
    write("a,b\n1,2\n", "x1.csv")
    assert read_table(write("a,b\n3,4\n", "x[1].csv")).rows() == [("3", "4")]


def test_a_file_without_a_known_ending_is_recognized(write):
    assert read_table(write("a,b\n1,2\n", "table")).rows() == [("1", "2")]


CELL = st.text(st.sampled_from("ab1, ;\t|\"'\n.é€ß漢-"), max_size=6)


@given(
    rows=st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1, max_size=6)),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    style=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_whatever_the_csv_module_writes_is_read_back(tmp_path_factory, rows, delimiter, end, style, encoding):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=style)
    writer.writerows([[f"column{place}" for place in range(len(rows[0]))], *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    frame = read_table(path, delimiter=delimiter)
    assert [[cell or "" for cell in row] for row in frame.rows()] == rows


@given(body=st.text(st.sampled_from('ab"",\n'), max_size=16), width=st.integers(1, 3))
def test_messy_text_is_read_as_the_strict_csv_module_does_or_refused(tmp_path_factory, body, width):
    text = ",".join("hij"[:width]) + "\n" + body
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        expected = list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    except csv.Error:
        expected = None
    if expected is not None and width == 1:
        expected = [row or [""] for row in expected]
    elif expected is not None:
        while expected and not expected[-1]:
            expected.pop()
    if expected and all(len(row) == width for row in expected):
        frame = read_table(path, delimiter=",")
        assert [[cell or "" for cell in row] for row in frame.rows()] == expected
    else:
        with pytest.raises(DataError):
            read_table(path, delimiter=",")
