"""Files that hold no table: each is refused with the place and the reason."""

import builtins
import gzip

import polars as pl
import pytest
import xlsxwriter

from krypsis.errors import DataError, UsageError
from krypsis.io.read import read_table


def refused(tmp_path, content: str | bytes, name="bad.csv", **options):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as caught:
        read_table(path, **options)
    return str(caught.value)


def test_a_missing_file_is_named_with_the_nearest_one(tmp_path):
    (tmp_path / "patients.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"patient\.csv not found.*Did you mean 'patients\.csv'"):
        read_table(tmp_path / "patient.csv")


def test_a_missing_folder_is_no_crash(tmp_path):
    with pytest.raises(DataError, match="not found"):
        read_table(tmp_path / "nowhere" / "x.csv")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize("name", ["bad.csv", "bad.parquet", "bad.xlsx", "bad"])
def test_an_empty_file_is_refused(tmp_path, name):
    assert "bad" in refused(tmp_path, b"", name)
    assert "is empty" in refused(tmp_path, b"", name)


@pytest.mark.parametrize("content", ["\n", "\r\n\r\n", "\ufeff", "\ufeff\n\n"])
def test_a_file_of_empty_lines_is_empty(tmp_path, content):
    assert "is empty" in refused(tmp_path, content)


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\r\n\r\n", "a", '"a"\n', "\ufeffa;b\n"])
def test_a_header_alone_is_refused(tmp_path, content):
    assert refused(tmp_path, content).startswith("bad.csv has a header and no rows")


def test_columns_of_the_same_name_are_named(tmp_path):
    message = refused(tmp_path, 'age,zip,"age",zip,age\n1,2,3,4,5\n')
    assert "'age' (3 times)" in message
    assert "'zip' (2 times)" in message


@pytest.mark.parametrize("header", ["a,,c", "a,b,", ',"",c', "a, ,c"])
def test_columns_without_a_name_are_refused(tmp_path, header):
    assert "without a name" in refused(tmp_path, header + "\n1,2,3\n")


def test_the_place_of_a_column_without_name_is_told(tmp_path):
    assert "column 2, 4 of 4" in refused(tmp_path, "a,,c,\n1,2,3,4\n")


@pytest.mark.parametrize(
    ("content", "line", "got"),
    [
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n", 3, 2),
        ("a,b,c\n1,2,3\n4\n6,7,8\n", 3, 1),
        ("a,b,c\n1,2,3\n4,5,6,7\n", 3, 4),
        ("a,b,c\n1,2,3\n4,5,6,\n", 3, 4),
        ("a,b,c\n1,2,3\n4,5,6,", 3, 4),
        ("a,b,c\n1,2\n4,5,6,", 2, 2),
        ('a,b,c\n"x\ny\n",2,3\n"4,5"\n', 5, 1),
        ('a,b,c\n"1,1","2,2"\n4,5,6\n', 2, 2),
        ("a,b,c\n1,2,3\n4,5,\n6,7\n", 4, 2),
        ("a,b,c\r\n1,2,3\r\n4,5\r\n", 3, 2),
    ],
)
def test_a_ragged_row_is_told_with_its_line(tmp_path, content, line, got):
    message = refused(tmp_path, content)
    assert f"line {line}: expected 3 fields as in the header, got {got}" in message


def test_a_ragged_row_is_found_among_many(tmp_path):
    rows = ["1,2,"] * 200_000
    rows[123_456] = "1,2"
    assert "line 123458: expected 3 fields" in refused(tmp_path, "a,b,c\n" + "\n".join(rows) + "\n")


def test_an_extra_field_is_found_among_many(tmp_path):
    rows = ["1,2,3"] * 200_000
    rows[150_000] = "1,2,3,4"
    assert "line 150002: expected 3 fields as in the header, got 4" in refused(tmp_path, "a,b,c\n" + "\n".join(rows))


def test_an_empty_line_between_records_is_told(tmp_path):
    assert "line 3: the line is empty" in refused(tmp_path, "a,b\n1,2\n\n3,4\n")


def test_a_ragged_row_under_a_semicolon_is_not_taken_for_another_delimiter(tmp_path):
    message = refused(tmp_path, "a;b;c\n1;2;3\n4;5\n6;7;8\n")
    assert "line 3: expected 3 fields" in message
    assert "delimiter ';'" in message


@pytest.mark.parametrize("name", ["bad.csv", "bad.csv.gz"])
def test_a_nul_byte_is_told_with_its_line(tmp_path, name):
    content = b"a,b\n" + b"1,2\n" * 400_000 + b"3,\x004\n"
    packed = gzip.compress(content) if name.endswith("gz") else content
    assert "line 400002: NUL byte" in refused(tmp_path, packed, name)


def test_a_damaged_utf8_file_is_not_taken_for_latin1(tmp_path):
    content = "name,city\nJosé,Köln\nZoë,Málaga\n".encode() + b"Ren\xe9,Lyon\n"
    message = refused(tmp_path, content)
    assert "line 4: byte 0xe9" in message
    assert "is not utf-8" in message


def test_bytes_of_no_known_encoding_are_refused(tmp_path):
    assert "line 2: byte 0x81" in refused(tmp_path, b"a,b\n1,\x81\x8d\n")


def test_bytes_that_are_not_in_the_given_encoding_are_refused(tmp_path):
    assert "line 2: byte 0xe9 at offset 6 is not utf-8" in refused(tmp_path, b"a,b\n1,\xe9\n", encoding="utf-8")
    assert "line 2: byte 0xe9 at offset 6 is not ascii" in refused(tmp_path, b"a,b\n1,\xe9\n", encoding="ascii")


def test_wrong_bytes_in_the_header_are_refused(tmp_path):
    assert "line 1: byte 0xe9" in refused(tmp_path, b"\xe9,b\n1,2\n", encoding="utf-8")


def test_half_a_utf16_file_is_refused(tmp_path):
    assert "is not utf-16" in refused(tmp_path, "a,b\n1,2\n".encode("utf-16")[:-1])


@pytest.mark.parametrize("encoding", ["iso-8859-7", "cp1253"])
@pytest.mark.parametrize("text", ["ηλικία,πόλη\n30,Αθήνα\n40,Πάτρα\n", "age,πόλη\n" + "30,x\n" * 50, "a,b\n1,ΓΡΙΠΗ\n"])
def test_greek_that_is_not_utf8_is_not_guessed(tmp_path, encoding, text):
    message = refused(tmp_path, text.encode(encoding))
    assert "--encoding cp1253" in message
    assert "iso-8859-7" in message
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    assert read_table(path, encoding=encoding).columns == text.split("\n")[0].split(",")


def test_the_message_about_greek_shows_how_the_word_reads(tmp_path):
    assert "'Θεσσαλονίκη' in cp1253 (Greek)" in refused(tmp_path, "a,b\n1,Θεσσαλονίκη\n".encode("cp1253"))


def test_cyrillic_is_not_guessed_either(tmp_path):
    assert "'Москва' in cp1251 (Cyrillic)" in refused(tmp_path, "a,b\n1,Москва\n".encode("cp1251"))


@pytest.mark.parametrize(
    "text",
    [
        "été,créée,naïf,Öl,Übergröße,à,où",
        "Ærøskøbing,Åbenrå,Málaga,São João,señor",
        "FRÈRES,GRÖSSE,ÇA,ÉLÈVE",
    ],
)
def test_western_text_is_read(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_bytes(f"word\n{text.replace(',', chr(10))}\n".encode("cp1252"))
    assert read_table(path)["word"].to_list() == text.split(",")


def test_bytes_that_are_no_text_are_refused_as_such(tmp_path):
    assert "is not a text file" in refused(tmp_path, bytes(range(256)) * 4)
    assert "is not a text file" in refused(tmp_path, b"\x7fELF\x02\x01\x01\x00\x00\x00\x03\x00>\x05\x06\x0e")


@pytest.mark.parametrize("encoding", ["utf-99", "hex", "", "base64"])
def test_an_unknown_encoding_is_refused(tmp_path, encoding):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match=f"encoding '{encoding}' is not known"):
        read_table(path, encoding=encoding)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('a,b\n1,"open\n2,3\n', 2),
        ('"a,b\n1,2\n', 1),
        ('a,b\n1,2\n3,"', 3),
        ('a,b\n1,"x""\n2,3\n', 2),
        ('a,b\n1,"\n,\r\n,,1\r\n\r\n""', 2),
    ],
)
def test_a_quote_that_is_never_closed_is_told_with_its_line(tmp_path, content, line):
    message = refused(tmp_path, content, delimiter=",")
    assert f"line {line}: a quoted field starts here and is never closed" in message


@pytest.mark.parametrize("cell", ['"5" nail"', '"the "big" one"', '"x" ', '"a"b'])
def test_a_quote_in_the_middle_of_a_quoted_field_is_refused_rather_than_dropped(tmp_path, cell):
    message = refused(tmp_path, f"a,b\n1,2\n3,{cell}\n4,5\n")
    assert "line 3: expected a delimiter or the end of the line after a closing quote" in message


@pytest.mark.parametrize("cut", [5, 12, -1, -8])
def test_a_damaged_gzip_file_is_refused(tmp_path, cut):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1000, mtime=0)
    assert "damaged gzip" in refused(tmp_path, packed[:cut], "bad.csv.gz")


def test_a_gzip_file_with_changed_bytes_is_refused(tmp_path):
    packed = bytearray(gzip.compress(b"a,b\n" + b"1,2\n" * 1000, mtime=0))
    packed[20] ^= 0xFF
    assert "damaged gzip" in refused(tmp_path, bytes(packed), "bad.csv.gz")


@pytest.mark.parametrize("content", [b"hello", b"PAR1hello world and morePAR1", b"a,b\n1,2\n"])
def test_what_is_not_parquet_is_refused(tmp_path, content):
    assert "is not a Parquet file" in refused(tmp_path, content, "bad.parquet")


def test_parquet_without_rows_is_refused(tmp_path):
    path = tmp_path / "none.parquet"
    pl.DataFrame({"a": []}, schema={"a": pl.Int64}).write_parquet(path)
    with pytest.raises(DataError, match="no rows"):
        read_table(path)


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04 no zip"])
def test_what_is_not_excel_is_refused(tmp_path, content):
    assert "is not an Excel workbook" in refused(tmp_path, content, "bad.xlsx")


def workbook(path, rows):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Patients")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        book.add_worksheet("Empty")
    return path


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "b"]], "header and no rows"),
        ([["a", "a"], [1, 2]], r"'a' \(2 times\)"),
        ([["a", "", "c"], [1, 2, 3]], "column 2 of 3"),
        ([], "is empty"),
    ],
)
def test_a_sheet_without_a_table_is_refused(tmp_path, rows, message):
    with pytest.raises(DataError, match=message):
        read_table(workbook(tmp_path / "t.xlsx", rows))


def test_an_unknown_sheet_is_refused_with_the_known_ones(tmp_path):
    path = workbook(tmp_path / "t.xlsx", [["a"], [1]])
    with pytest.raises(UsageError, match=r"sheets: Patients, Empty.*Did you mean 'Patients'"):
        read_table(path, sheet="Patient")
    with pytest.raises(UsageError, match="no sheet 3"):
        read_table(path, sheet=3)
    with pytest.raises(DataError, match=r"sheet 'Empty' .* is empty"):
        read_table(path, sheet="2")


def test_excel_without_its_extra_names_what_to_install(tmp_path, monkeypatch):
    path = workbook(tmp_path / "t.xlsx", [["a"], [1]])
    original = builtins.__import__

    def without_fastexcel(name, *rest, **options):
        if name == "fastexcel":
            raise ModuleNotFoundError(name)
        return original(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_fastexcel)
    with pytest.raises(UsageError, match=r"pip install 'krypsis\[excel\]'"):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "option"),
    [("t.csv", {"sheet": "x"}), ("t.parquet", {"delimiter": ","}), ("t.xlsx", {"encoding": "utf-8"})],
)
def test_an_option_of_another_format_is_refused(tmp_path, name, option):
    (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(UsageError, match="has no meaning"):
        read_table(tmp_path / name, **option)


def test_a_letter_that_is_cut_in_two_by_a_delimiter_is_no_name(tmp_path):
    """Each half is a wrong byte of its own, although both together would be a letter."""
    path = tmp_path / "cut.csv"
    path.write_bytes(b"a\xc3,\xa9b\n1,2\n")
    names = read_table(path).columns
    assert names == [b"a\xc3".decode("cp1252"), b"\xa9b".decode("cp1252")]
