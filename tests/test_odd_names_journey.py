"""Columns may have any name: what polars, SQL, CSV or a shell takes for more than a name is one like others."""

import polars as pl
import pytest

import krypsis
from anatomy_view import anatomy_of
from krypsis.kinds.history.history import History
from krypsis.release.order import in_input_order
from krypsis.release.release import Release
from krypsis.report import write_report

pytestmark = pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")

NAMES = [
    "^a$", "*", "^.*$", 'a"b', "a'b", "a,b", " a", "a ", "ηλικία", "; DROP TABLE people; --", "SELECT", "a\tb", "a.b",
    "%s", "{a}", "[a]", "-a", "=1+1", "values", "count", "group", "__index__",
]  # fmt: skip
every_name = pytest.mark.parametrize("name", NAMES)


def table(name: str, secret: str, other: str) -> pl.DataFrame:
    """A table with a further column called ``a``, which patterns would find, and a number that is none."""
    return pl.DataFrame(
        {
            name: [20, 21, 22, 23, 40, 41, 42, 43],
            secret: [1.5, 2.5, float("nan"), 4.0, 1.5, 2.5, 3.5, None],
            other: pl.Series(["x", "y"] * 4, dtype=pl.Categorical),
            "a": list("abcdefgh"),
        }
    )


def named(name: str) -> tuple[pl.DataFrame, dict[str, str]]:
    secret, other = f"^{name}s$", f"*{name}*"
    return table(name, secret, other), {name: "QI", secret: "sensitive", other: "insensitive", "a": "insensitive"}


def journey(release: Release, folder, original: pl.DataFrame) -> None:
    """Save, check, load, attack and report a release, and look for each record where it was."""
    saved = release.save(folder / "release", ["csv", "parquet"])
    assert all(krypsis.check(saved.folder))
    assert Release.load(saved.folder).table.equals(release.table)
    assert write_report(saved.release, saved.folder)[0].is_file()
    assert release.summary()
    if (found := in_input_order(release)) is not None and release.table.height == original.height:
        assert found.get_column("a").to_list() == original.get_column("a").to_list()


@every_name
@pytest.mark.parametrize(
    "options",
    [
        {"models": ["k-anonymity:k=2", "distinct-l-diversity:l=2"], "algorithm": "optimal", "suppression": 2},
        {"models": "distinct-l-diversity:l=2", "algorithm": "anatomize"},
        {"models": "k-anonymity:k=2", "algorithm": "mondrian"},
        {"models": [], "algorithm": "noise"},
    ],
    ids=lambda options: options["algorithm"],
)
def test_any_name_goes_the_whole_way(name, options, tmp_path):
    data, roles = named(name)
    before = data.clone()
    release = krypsis.anonymize(data, roles, **options)
    assert set(release.table.columns) <= {*data.columns, "group", "group 2"}
    journey(release, tmp_path, data)
    assert data.equals(before)


@every_name
def test_any_name_can_be_explored_and_applied_again(name, tmp_path):
    data, roles = named(name)
    options = {
        "models": ["k-anonymity:k=2", "t-closeness:t=0.9"],
        "hierarchies": {name: {"kind": "intervals", "width": 10}},
    }
    assert krypsis.explore(data, roles, **options).nodes.height
    folder = krypsis.anonymize(data, roles, **options).save(tmp_path / "release", ["csv", "parquet"]).folder
    assert krypsis.apply(folder, data).table.height == data.height
    assert krypsis.apply(folder, data, together_with=folder).table.height == 2 * data.height


@every_name
def test_any_name_may_be_in_a_csv_file_and_in_a_history(name, tmp_path):
    data, roles = named(name)
    (secret,) = (column for column, role in roles.items() if role == "sensitive")
    data.write_csv(tmp_path / "people.csv")
    release = krypsis.anonymize(tmp_path / "people.csv", roles, models="k-anonymity:k=2")
    journey(release, tmp_path, data)
    history = History.init(
        tmp_path / "history", id="id", roles={name: "QI", secret: "sensitive"}, models="m-invariance:m=2"
    )
    people = pl.DataFrame({"id": list("abcdefgh"), name: list(range(8)), secret: list("uvwxuvwx")})
    history.publish(people)
    history.publish(people)
    assert all(history.check())


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize(
    "algorithm", ["data-swapping:rate=1", "pram:keep=0", "rank-swapping:p=50", "microaggregation:k=2"]
)
def test_what_is_no_number_is_missing_also_after_values_were_changed(name, algorithm, tmp_path):
    values = [value for row in range(4) for value in (row + 0.5, float("nan"), row + 9.5, None)]
    data = pl.DataFrame({name: values, "a": list(range(16))})
    release = krypsis.anonymize(data, {name: "QI", "a": "insensitive"}, algorithm=algorithm)
    folder = release.save(tmp_path / "release", ["csv", "parquet"]).folder
    assert b"NaN" not in (folder / "data.csv").read_bytes()
    assert Release.load(folder).table.get_column(name).null_count() == 8


@pytest.mark.parametrize("name", NAMES[:3])
def test_patterns_choose_no_columns_of_two_tables_with_exact_records(name):
    data = pl.DataFrame({name: ["x", "x"], "a": ["1", "2"]})
    records, values = anatomy_of(data, data, quasi_identifiers=["a"], sensitive=name)
    assert records.columns == ["a", "group"]
    assert values.columns == ["group", name, "count"]
