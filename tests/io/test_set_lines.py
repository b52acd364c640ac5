"""Sets of items in text files: what stands between items, the marks of SPMF, quotes, encodings, odd files."""

import json
import lzma
from pathlib import Path

import pytest

from krypsis.errors import DataError
from krypsis.io.item_sets import transactions_of


def sets_in(folder: Path, text: str | bytes, name: str = "sales.dat", **options: str) -> list[list[str]]:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [sorted(one) for one in transactions_of(file, **options).sets()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 2 3\n2 3 \n", [["1", "2", "3"], ["2", "3"]]),
        ("bread,milk\nred wine\n", [["bread", "milk"], ["red wine"]]),
        ("bread;milk\nwine", [["bread", "milk"], ["wine"]]),
        ("bread\tmilk\r\nwine\r\n", [["bread", "milk"], ["wine"]]),
        ('"salt, coarse",milk\nmilk\n', [["milk", "salt, coarse"], ["milk"]]),
        ("1 1 2\n", [["1", "2"]]),
        ("7\n8\n", [["7"], ["8"]]),
    ],
)
def test_what_stands_between_items_is_found_out(tmp_path: Path, text: str, expected: list[list[str]]) -> None:
    assert sets_in(tmp_path, text) == expected


def test_an_empty_line_is_a_record_without_items_and_the_last_line_end_is_not(tmp_path: Path) -> None:
    assert sets_in(tmp_path, "1 2\n\n3\n") == [["1", "2"], [], ["3"]]


def test_the_marks_of_spmf_are_no_items(tmp_path: Path) -> None:
    assert sets_in(tmp_path, "1 -1 2 -1 -2\n3 -1 -2\n") == [["1", "2"], ["3"]]
    assert sets_in(tmp_path, "@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n@ITEM=2=red wine\n1 2\n2\n") == [
        ["milk", "red wine"],
        ["red wine"],
    ]


def test_a_negative_number_is_an_item_where_sets_do_not_end_with_it(tmp_path: Path) -> None:
    assert sets_in(tmp_path, "-1 5\n7 8\n") == [["-1", "5"], ["7", "8"]]


def test_json_lines_hold_lists_or_objects_with_one_list(tmp_path: Path) -> None:
    text = '["red wine, dry", 7]\n{"id": 3, "items": ["milk"]}\n[]\n'
    assert sets_in(tmp_path, text, "sales.jsonl") == [["7", "red wine, dry"], ["milk"], []]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_file_may_be_one_list_of_all_records(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps([["bread", "milk"], {"id": 3, "items": [7]}, []], indent=indent)
    assert sets_in(tmp_path, text, "sales.json") == [["bread", "milk"], ["7"], []]
    with pytest.raises(DataError, match="record 2 holds the item True"):
        sets_in(tmp_path, json.dumps([["bread"], [True]], indent=indent), "sales.json")


def test_a_json_file_with_one_list_of_items_per_line_is_read_by_lines(tmp_path: Path) -> None:
    assert sets_in(tmp_path, '["bread", "milk"]\n', "one.json") == [["bread", "milk"]]
    assert sets_in(tmp_path, '[]\n["milk"]\n', "two.json") == [[], ["milk"]]
    with pytest.raises(DataError, match="line 2 is not JSON"):
        sets_in(tmp_path, '["milk"]\n[\n', "cut.json")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{]", "line 1 is not JSON"),
        ('"milk"', "line 1: expected a list of items"),
        ("[1.5]", "line 1 holds the item 1.5"),
        ("[true]", "line 1 holds the item True"),
        ('{"a": [1], "b": [2]}', "an object with one list"),
    ],
)
def test_json_of_another_form_is_refused_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        sets_in(tmp_path, line + "\n", "sales.jsonl")


def test_packed_files_are_unpacked_and_damaged_ones_named(tmp_path: Path) -> None:
    assert sets_in(tmp_path, lzma.compress(b"1 2\n"), "sales.dat.xz") == [["1", "2"]]
    with pytest.raises(DataError, match="damaged xz file"):
        sets_in(tmp_path, lzma.compress(b"1 2\n")[:-8], "sales.dat.xz")


def test_items_in_another_encoding_can_be_read_when_it_is_named(tmp_path: Path) -> None:
    assert sets_in(tmp_path, "ψωμί γάλα\n".encode("iso-8859-7"), encoding="iso-8859-7") == [["γάλα", "ψωμί"]]
    with pytest.raises(DataError, match="name the encoding"):
        sets_in(tmp_path, b"\xff\xfe\x00\x81 milk\n", encoding="utf-8")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not found"):
        transactions_of(tmp_path / "sales.dat")
