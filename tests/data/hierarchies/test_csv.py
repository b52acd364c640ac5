import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from krypsis.data.hierarchies import CsvFile, Hierarchy, format_csv, parse_csv, read_csv, write_csv
from krypsis.errors import HierarchyError, OutputError

SEX = [["male", "*"], ["female", "*"]]


def written(folder, content, name="sex.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_is_read_whatever_separates_its_cells_and_lines(tmp_path, delimiter, line_end, mark):
    text = mark + "".join(delimiter.join(row) + line_end for row in SEX)
    assert read_csv(written(tmp_path, text)).rows() == SEX


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_the_end_of_the_file_may_be_missing_or_blank(tmp_path, end):
    assert read_csv(written(tmp_path, "male;*\nfemale;*" + end)).rows() == SEX


def test_the_semicolon_wins_over_commas_inside_values(tmp_path):
    assert read_csv(written(tmp_path, "Doe, John;*\nRoe, Jane;*\n")).values == ("Doe, John", "Roe, Jane")


def test_commas_are_found_although_a_value_has_a_semicolon(tmp_path):
    assert read_csv(written(tmp_path, 'a,*\n"b;c",*\n')).values == ("a", "b;c")


def test_delimiters_inside_quotes_do_not_count(tmp_path):
    assert read_csv(written(tmp_path, '0,";a",*\n')).rows() == [["0", ";a", "*"]]
    assert read_csv(written(tmp_path, '5" pipe;"a,b";*\n6" pipe;"c,d";*\n')).values == ('5" pipe', '6" pipe')


def test_a_given_delimiter_is_used(tmp_path):
    path = written(tmp_path, "a;b,*\nc;d,*\n")
    assert read_csv(path, ",").values == ("a;b", "c;d")
    assert CsvFile(file=path, delimiter=",").build(["a;b"], "x").values == ("a;b", "c;d")


def test_quoted_cells_may_hold_anything(tmp_path):
    assert read_csv(written(tmp_path, '"say ""hi""";*\n"two\nlines";*\n')).values == ('say "hi"', "two\nlines")


def test_spaces_are_part_of_a_value(tmp_path):
    assert read_csv(written(tmp_path, " a;*\nb ;*\n")).values == (" a", "b ")


def test_an_empty_first_cell_is_the_missing_value(tmp_path):
    built = read_csv(written(tmp_path, "a;x;*\n;;*\n"))
    assert built.rows() == [["a", "x", "*"], [None, None, "*"]]
    assert read_csv(written(tmp_path, "a;x;*\n;unknown;*\n")).label(None, 1) == "unknown"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "sex.csv is empty"),
        (b"\n\n", "sex.csv is empty"),
        (b"\xef\xbb\xbf", "sex.csv is empty"),
        (b"a;*\n\0;*\n", "sex.csv holds NUL bytes"),
        (b"PK\x03\x04\x00\x00", "sex.csv holds NUL bytes"),
        ("a;*\nb;*\n".encode("utf-16"), "sex.csv holds NUL bytes"),
        (b"a;*\nb\xe9;*\n", "sex.csv: row 2 is not UTF-8"),
        (b"a;x;*\nb;*\n", "sex.csv: row 2 has 2 cell(s), expected 3 as in row 1"),
        (b"a;*\n\nb;*\n", "sex.csv: row 2 is empty"),
        (b"a;*\nb;*\na;*\nb;+\n", "sex.csv: row 4: value 'b' stands twice with different generalizations"),
        (b'a;*\n"b;*\n', "sex.csv: row 2 cannot be read"),
        (b'a;*\n"b"c;*\n', "sex.csv: row 2 cannot be read"),
        (b"a;;*\nb;x;*\n", "sex.csv: row 1: cell 2 is empty"),
        (b"a;x;*\nb;x;\n", "sex.csv: row 2: cell 3 is empty"),
        (b"a;x;*\n;;\n", "sex.csv: row 2: cell 3 is empty"),
        (b"sex;top\nmale;*\nfemale;*\n", "sex.csv: row 1 ends with 'top' and all others with '*'; a hierarchy file"),
        (b"a;x;*\nb;x;+\n", "sex.csv has no single top"),
        (b"a\nb\n", "sex.csv has no single top"),
        (b"1;l;s;*\n2;l;t;*\n", "sex.csv: level 2 is not a coarsening of level 1"),
        (b"a;*\n" + b"x" * 10_000_000 + b";*\n", "sex.csv: row 2 cannot be read: field larger than field limit"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused_with_its_name_and_row(tmp_path, content, words):
    with pytest.raises(HierarchyError) as caught:
        read_csv(written(tmp_path, content))
    assert words in str(caught.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(HierarchyError, match="cannot read the hierarchy file"):
            read_csv(path)


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n"])
def test_a_strange_delimiter_is_refused(delimiter):
    with pytest.raises(HierarchyError, match="cannot separate cells"):
        parse_csv("a;*\n", "x", delimiter)
    with pytest.raises(HierarchyError, match=r"delimiter .* is not one of"):
        format_csv(Hierarchy.from_rows(SEX), delimiter)


def test_the_file_is_plain_utf8_with_semicolons(tmp_path):
    write_csv(Hierarchy.from_rows([["Αθήνα", "Αττική", "*"], [None, None, "*"]]), tmp_path / "city.csv")
    assert (tmp_path / "city.csv").read_bytes() == "Αθήνα;Αττική;*\n;;*\n".encode()


@pytest.mark.parametrize("value", ["", "a\0b"])
def test_values_a_csv_file_cannot_tell_are_refused_instead_of_changed(value):
    with pytest.raises(HierarchyError, match="cannot be written to a CSV file"):
        format_csv(Hierarchy.from_rows([[value, "*"]]))


def test_half_a_character_is_refused(tmp_path):
    with pytest.raises(HierarchyError, match=r"x\.csv: a value holds half a character"):
        write_csv(Hierarchy.from_rows([["\ud800", "*"]]), tmp_path / "x.csv")


def test_a_folder_that_does_not_exist_is_an_output_error(tmp_path):
    with pytest.raises(OutputError, match="cannot write the hierarchy file"):
        write_csv(Hierarchy.from_rows(SEX), tmp_path / "no" / "x.csv")


tricky = st.text(st.sampled_from("ab;,\t|\"\n\r \ufeff\u2028\x1c'*"), min_size=1, max_size=5)
labels = st.one_of(tricky, st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))


@given(
    st.lists(labels, min_size=1, unique=True),
    st.booleans(),
    st.data(),
    st.sampled_from([";", ",", "\t", "|"]),
)
@example(["a,b"], False, None, ";")
@example(["\ufeffa"], False, None, ";")
@example(["a", ";b"], True, None, ",")
def test_every_hierarchy_survives_being_written_and_read(tmp_path_factory, values, missing, data, delimiter):
    groups = data.draw(st.lists(labels, min_size=1, max_size=3)) if data else []
    rows = [
        [value, groups[number % len(groups)], "top"] if groups else [value, "top"]
        for number, value in enumerate(values)
    ]
    original = Hierarchy.from_rows(rows)
    original = original.with_missing() if missing else original
    path = tmp_path_factory.getbasetemp() / f"{os.getpid()}.csv"
    write_csv(original, path, delimiter)
    assert read_csv(path).rows() == original.rows()


@pytest.mark.parametrize("value", ["a", "a,b", "a;b", " a", "\ufeffa", 'a"b', "a\tb", "a|b", None])
def test_a_constant_column_survives_being_written_and_read(value):
    assert parse_csv(format_csv(Hierarchy.from_rows([[value]]))).rows() == [[value]]
