"""A Parquet file has numbers where the CSV file it was made of has numbers, and texts where it has texts."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.kinds.history.history import History
from krypsis.release.plain_types import typed
from krypsis.release.release import Release

pytestmark = pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")

PEOPLE = {
    "age": ["31", "31", "47", "47"],
    "pay": ["12.50", "9", "-3.25", "100"],
    "code": ["01234", "5", "77", "8"],
    "born": ["2001-02-03", "1999-12-31", None, "2010-01-01"],
    "member": ["true", "false", "true", "true"],
    "visits": ["1", "2", None, "4"],
    "note": ["1e5", "+3", "NaN", " 7"],
    "disease": ["flu", "cold", "flu", "cold"],
}
TYPES = {
    "age": pl.Int64(),
    "pay": pl.Float64(),
    "code": pl.String(),
    "born": pl.Date(),
    "member": pl.Boolean(),
    "visits": pl.Int64(),
    "note": pl.String(),
    "disease": pl.String(),
}
ROLES = {**dict.fromkeys(PEOPLE, "insensitive"), "age": "quasi-identifier", "disease": "sensitive"}


def saved(tmp_path, formats=("csv", "parquet"), **options):
    tmp_path.mkdir(exist_ok=True)
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    options = {"models": "k-anonymity:k=2", **options}
    return krypsis.anonymize(tmp_path / "people.csv", ROLES, **options).save(tmp_path / "release", formats)


@pytest.mark.parametrize("formats", [("parquet",), ("csv", "parquet")])
def test_untouched_columns_of_a_csv_file_keep_their_types_in_parquet(tmp_path, formats):
    folder = saved(tmp_path, formats).folder
    table = pl.read_parquet(folder / "data.parquet")
    assert dict(table.schema) == TYPES
    assert sorted(table["pay"]) == [-3.25, 9, 12.5, 100]
    assert all(krypsis.check(folder))
    assert dict(Release.load(folder).table.schema) == TYPES


def test_a_csv_file_alone_has_the_texts_of_the_input_and_one_next_to_parquet_the_same_numbers(tmp_path):
    alone = pl.read_csv(saved(tmp_path / "alone", ["csv"]).folder / "data.csv", infer_schema=False)
    both = pl.read_csv(saved(tmp_path / "both").folder / "data.csv", infer_schema=False)
    for name in ("code", "note", "visits", "born", "member"):
        assert sorted(alone[name].drop_nulls()) == sorted(both[name].drop_nulls())
    assert sorted(alone["pay"]) == sorted(PEOPLE["pay"])
    assert sorted(both["pay"].cast(pl.Float64)) == sorted(map(float, PEOPLE["pay"]))


def test_generalized_labels_stay_text_though_they_look_like_numbers(tmp_path):
    years = {"kind": "masking", "side": "right"}
    folder = saved(tmp_path, hierarchies={"age": years}, min_levels={"age": 2}, max_levels={"age": 2}).folder
    assert pl.read_parquet(folder / "data.parquet")["age"].dtype == pl.String


def test_the_second_table_of_groups_has_types_too(tmp_path):
    pl.DataFrame({"age": ["31", "34", "47", "48"], "pay": ["1", "2", "1", "2"]}).write_csv(tmp_path / "people.csv")
    roles = {"age": "quasi-identifier", "pay": "sensitive"}
    options = {"models": "distinct-l-diversity:l=2", "algorithm": "anatomize"}
    folder = (
        krypsis.anonymize(tmp_path / "people.csv", roles, **options).save(tmp_path / "r", ["csv", "parquet"]).folder
    )
    assert pl.read_parquet(folder / "data.parquet")["age"].dtype == pl.Int64
    assert pl.read_parquet(folder / "sensitive.parquet")["pay"].dtype == pl.Int64
    assert all(krypsis.check(folder))


def test_texts_of_a_program_stay_texts(tmp_path):
    release = krypsis.anonymize(pl.DataFrame(PEOPLE), ROLES, models="k-anonymity:k=2")
    folder = release.save(tmp_path / "release", ["parquet"]).folder
    assert set(pl.read_parquet(folder / "data.parquet").dtypes) == {pl.String()}


def test_the_value_of_a_suppressed_person_does_not_decide_about_types(tmp_path):
    rows = {"age": ["31"] * 4 + ["99"], "pay": ["1", "2", "3", "4", "unknown"]}
    pl.DataFrame(rows).write_csv(tmp_path / "people.csv")
    roles = {"age": "quasi-identifier", "pay": "insensitive"}
    options = {"models": "k-anonymity:k=4", "suppression": 1, "max_levels": {"age": 0}}
    folder = krypsis.anonymize(tmp_path / "people.csv", roles, **options).save(tmp_path / "r", ["parquet"]).folder
    assert pl.read_parquet(folder / "data.parquet")["pay"].dtype == pl.Int64


def written(path, **columns):
    pl.DataFrame(columns).write_csv(path)
    return path


def schema_of(folder, stem="data"):
    return dict(pl.read_parquet(folder / f"{stem}.parquet").schema)


BOTH = pytest.mark.parametrize("formats", [["parquet"], ["csv", "parquet"]], ids=["parquet", "both"])
FIRST = {
    "id": [f"p{number}" for number in range(12)],
    "age": [str(20 + number) for number in range(12)],
    "code": [f"0{number}" for number in range(12)],
    "rate": [f"{number}.50" for number in range(12)],
    "weight": ["3", "2.5", "1", "4.25"] * 3,
    "salary": ["1000", "2000", "3000.5", "4000"] * 3,
}
ROLES_OF_HISTORY = {**dict.fromkeys(("age", "code", "rate", "weight"), "quasi-identifier"), "salary": "sensitive"}


@BOTH
@pytest.mark.parametrize("form", ["anatomy", "generalization"])
def test_histories_have_numbers_where_these_are_the_same_texts_again(tmp_path, formats, form):
    algorithm = f"m-invariant:publish={form},on_ineligible=counterfeits"
    options = {"models": "m-invariance:m=2", "algorithm": algorithm, "formats": formats}
    history = History.init(tmp_path / "history", id="id", roles=ROLES_OF_HISTORY, **options)
    changed = {name: values[1:] for name, values in FIRST.items()}
    for number, people in enumerate((FIRST, changed)):
        folder = history.publish(written(tmp_path / f"{number}.csv", **people)).folder
        found = schema_of(folder)
        if form == "anatomy":
            assert [found[name] for name in ("age", "code", "rate", "weight")] == [
                pl.Int64(),
                pl.String(),
                pl.String(),
                pl.Float64(),
            ]
            found = schema_of(folder, "sensitive")
        assert found["salary"] == pl.Float64
        krypsis.check(folder)
    assert all(history.check())
    assert all(History.open(tmp_path / "history").check())


def test_general_sensitive_values_of_a_history_stay_text(tmp_path):
    hierarchies = {"salary": {"*": {"1": ["1000", "2000"], "2": ["3000", "4000"]}}}
    options = {"models": "em-correlation:e=1,m=2", "formats": ["parquet"], "hierarchies": hierarchies}
    rare = {"name": "frequency-aware", "on_ineligible": "counterfeits", "probabilities": {"1000": "1/2", "1": "1/20"}}
    roles = {"age": "quasi-identifier", "salary": "sensitive"}
    history = History.init(tmp_path / "history", id="id", roles=roles, algorithm=rare, **options)
    people = {"id": FIRST["id"], "age": FIRST["age"], "salary": ["1000", "2000", "3000", "4000"] * 3}
    folder = history.publish(written(tmp_path / "people.csv", **people)).folder
    table = pl.read_parquet(next(iter(folder.glob("sensitive.parquet")), folder / "data.parquet"))
    assert "1" in table["salary"].to_list()
    assert table["salary"].dtype == pl.String


@BOTH
def test_every_table_of_a_release_of_several_has_types(tmp_path, formats):
    people = written(tmp_path / "people.csv", id=["1", "2", "3", "4"], year=["1950"] * 4, height=["170", "180"] * 2)
    visits = written(
        tmp_path / "visits.csv",
        id=["1", "2", "3", "4"] * 2,
        year=["2020", "2020", "2021", "2021"] * 2,
        cost=["12.5", "7"] * 4,
        ward=["01", "02"] * 4,
    )
    years = {"kind": "csv", "file": str(tmp_path / "years.csv")}
    (tmp_path / "years.csv").write_text("2020;2000;*\n2021;2000;*\n")
    related = {
        "visits": {
            "data": visits,
            "roles": {"year": "QI", "cost": "insensitive", "ward": "insensitive"},
            "hierarchies": {"year": years},
            "min_levels": {"year": 1},
            "max_levels": {"year": 1},
        }
    }
    roles = {"id": "identifier", "year": "QI", "height": "insensitive"}
    options = {"models": "multirelational-k-anonymity:k=2", "key": "id", "max_levels": {"year": 0}}
    folder = krypsis.anonymize(people, roles, tables=related, **options).save(tmp_path / "r", formats).folder
    assert {name: schema_of(folder)[name] for name in ("year", "height")} == {"year": pl.Int64(), "height": pl.Int64()}
    found = schema_of(folder, "visits")
    assert found["cost"] == pl.Float64
    assert found["ward"] == pl.String
    assert found["year"] == pl.String  # 2000 stands for both years: it is a label
    assert all(krypsis.check(folder))


def test_new_rows_published_together_with_a_release_have_types(tmp_path):
    rows = {"age": ["31", "31", "47", "47"], "visits": ["1", "2", "3", "4"]}
    roles = {"age": "quasi-identifier", "visits": "insensitive"}
    options = {"models": "k-anonymity:k=2", "max_levels": {"age": 0}}
    first = krypsis.anonymize(written(tmp_path / "first.csv", **rows), roles, **options)
    saved = first.save(tmp_path / "first")
    new = krypsis.apply(saved.private, written(tmp_path / "new.csv", **rows), together_with=saved.folder)
    folder = new.save(tmp_path / "r", ["csv", "parquet"]).folder
    assert schema_of(folder)["visits"] == pl.Int64
    assert all(krypsis.check(folder))


numbers = st.integers(-(10**20), 10**20).map(str) | st.decimals(-1000, 1000, places=3).map(str)
codes = st.from_regex(r"[0-9.eE+-]{1,6}", fullmatch=True)


@given(st.lists(numbers | codes | st.none(), min_size=1, max_size=6))
def test_no_two_texts_become_one_value_and_none_becomes_another(texts):
    found = typed(pl.Series("a", texts, dtype=pl.String))
    if found.dtype == pl.String:
        return
    assert found.n_unique() == len(set(texts))
    for text, value in zip(texts, found, strict=True):
        assert (value is None) if text is None else (float(text) == value if found.dtype.is_numeric() else True)
        assert text is None or found.dtype != pl.Int64 or str(value) == text
