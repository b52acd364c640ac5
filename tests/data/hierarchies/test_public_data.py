import csv
import re
from pathlib import Path

import pytest

from krypsis.data.hierarchies import format_csv, parse_csv, read_csv
from krypsis.errors import HierarchyError

pytestmark = pytest.mark.data

FOLDERS = {
    "adult": 9,
    "fars_subset": 8,
    "cahousing": 5,
    "cmc": 3,
    "mgm": 5,
    "italia": 3,
    "creditcard_int": 24,
    "mach2019_int": 16,
}
# Ages 15 to 19 become 0~20 like the others and then 50~100 instead of 0~50; villages of the same name lie in
# several provinces.
BROKEN = {"italia_hierarchy_age.csv", "italia_hierarchy_city_birth.csv"}


def files(data_folder: Path, table: str) -> list[Path]:
    return sorted((data_folder / "relational" / table).glob("*_hierarchy_*.csv"))


def distinct_rows(path: Path) -> list[list[str]]:
    text = path.read_text(encoding="utf-8")
    return [list(row) for row in dict.fromkeys(tuple(line.split(";")) for line in text.splitlines())]


@pytest.mark.parametrize(("table", "count"), FOLDERS.items())
def test_every_sound_hierarchy_is_read_as_it_stands_and_survives_writing(data_folder, table, count):
    paths = files(data_folder, table)
    assert len(paths) == count
    for path in paths:
        if path.name not in BROKEN:
            hierarchy = read_csv(path)
            assert hierarchy.rows() == distinct_rows(path), path.name
            assert parse_csv(format_csv(hierarchy)).rows() == hierarchy.rows(), path.name


@pytest.mark.parametrize(("table", "count"), FOLDERS.items())
def test_every_value_of_the_table_is_in_its_hierarchy(data_folder, table, count):  # noqa: ARG001
    with (data_folder / "relational" / table / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter=";")
    for path in files(data_folder, table):
        if path.name not in BROKEN:
            position = header.index(path.stem.partition("_hierarchy_")[2])
            read_csv(path).covering({row[position] or None for row in rows}, path.name)


def test_the_ages_of_italia_are_refused_because_a_label_has_two_parents(data_folder):
    with pytest.raises(HierarchyError) as caught:
        read_csv(data_folder / "relational" / "italia" / "italia_hierarchy_age.csv")
    found = re.search(
        r"level 3 is not .*'(.*)' becomes '(.*)' for the value '(.*)' and '(.*)' for the value '(.*)';",
        str(caught.value),
    )
    rows = {row[0]: row for row in distinct_rows(data_folder / "relational" / "italia" / "italia_hierarchy_age.csv")}
    child, parent, value, other_parent, other_value = found.groups()
    assert rows[value][2:4] == [child, parent]
    assert rows[other_value][2:4] == [child, other_parent]
    assert parent != other_parent


def test_the_cities_of_italia_are_refused_because_names_stand_twice(data_folder):
    path = data_folder / "relational" / "italia" / "italia_hierarchy_city_birth.csv"
    with pytest.raises(HierarchyError, match=r"row 319: value 'San Nicola' stands twice.*L'Aquila.* and Chieti"):
        read_csv(path)
