"""New rows, recoded as a release was."""

import json
import warnings
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import krypsis
from krypsis import Recipe
from krypsis.errors import ColumnError, DataError, HierarchyError, Infeasible, PrivacyWarning, UsageError
from strategies import VALUES, hierarchies, tables

FIRST = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay"],
        "age": ["31", "34", "47", "48", "33", "41"],
        "sex": ["F", "F", "M", "M", "F", "M"],
        "disease": ["flu", "cold", "flu", "cold", "flu", "flu"],
    }
)
ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
HIERARCHIES = {
    "age": {"kind": "intervals", "width": 10},
    "sex": krypsis.Hierarchy.from_rows([["F", "*"], ["M", "*"]]),
}


def first(**more):
    options = {"models": ["k-anonymity:k=2"], "hierarchies": HIERARCHIES, "suppression": 0, **more}
    return krypsis.anonymize(FIRST, ROLES, **options)


def people(*rows):
    return pl.DataFrame(rows, schema=dict.fromkeys(["age", "sex", "disease"], pl.String), orient="row")


PAIR = people(("38", "F", "flu"), ("30", "F", "rash"))


@st.composite
def tasks(draw):
    table = draw(tables(max_rows=10, max_sensitive=1))
    secret = [column for column in table.columns if column.startswith("s")]
    return {
        "data": table,
        "roles": {column: "sensitive" if column in secret else "quasi-identifier" for column in table.columns},
        "hierarchies": {column: draw(hierarchies(VALUES)) for column in table.columns},
        "models": [draw(st.sampled_from(["k-anonymity:k=2", "k-anonymity:k=3"]))]
        + (["t-closeness:t=0.6", "distinct-l-diversity:l=2"] if secret and draw(st.booleans()) else []),
        "suppression": draw(st.sampled_from([0, 2, 0.5, None])),
        "suppressed": draw(st.sampled_from(["remove", "keep"])),
        "algorithm": draw(st.sampled_from(["optimal", "datafly"])),
    }


@given(tasks())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_the_same_rows_give_the_same_release(task):
    try:
        made = krypsis.anonymize(**task)
    except Infeasible:
        return
    recipe = Recipe.model_validate_json(Recipe.of(made).model_dump_json())
    again = krypsis.apply(recipe, task["data"])
    assert_frame_equal(again.table, made.table, check_row_order=False)
    assert again.verdicts == made.verdicts
    assert again.metrics == made.metrics
    for name in ("levels", "heights", "hierarchies", "score", "suppressed", "promises"):
        assert getattr(again, name) == getattr(made, name)


def test_new_numbers_fall_into_the_same_intervals():
    release = krypsis.apply(Recipe.of(first()), PAIR)
    assert sorted(release.table.rows()) == [("[30-40)", "F", "flu"), ("[30-40)", "F", "rash")]
    assert release.hierarchies == {"age": "intervals", "sex": "given"}
    assert all(release.verdicts)


def test_columns_may_come_in_any_order_with_others_between_and_without_identifiers():
    rows = PAIR.select("disease", pl.lit("secret").alias("diary"), "sex", "age")
    release = krypsis.apply(Recipe.of(first()), rows)
    assert release.table.columns == ["age", "sex", "disease"]
    assert release.table.height == 2


def test_a_release_of_new_rows_is_a_release_like_any_other(tmp_path):
    saved = first().save(tmp_path / "first")
    more = krypsis.apply(saved.folder, PAIR).save(tmp_path / "more")
    assert all(krypsis.check(more.folder))
    third = krypsis.apply(more.folder, PAIR)
    assert sorted(third.table.rows()) == sorted(krypsis.Release.load(more.folder).table.rows())


def test_rows_can_come_from_a_file_and_keep_their_types(tmp_path):
    PAIR.with_columns(pl.col("age").cast(pl.Int64)).write_parquet(tmp_path / "new.parquet")
    assert krypsis.apply(Recipe.of(first()), tmp_path / "new.parquet").table["age"].to_list() == ["[30-40)"] * 2


def test_groups_that_are_too_small_are_refused_with_numbers():
    rows = people(("38", "F", "flu"), ("30", "F", "flu"), ("44", "M", "flu"))
    with pytest.raises(Infeasible, match=r"by themselves.*1 of 3 records \(33\.33%\).*together with") as caught:
        krypsis.apply(Recipe.of(first()), rows)
    assert caught.value.closest["suppression"] == 1
    release = krypsis.apply(Recipe.of(first()), rows, suppression=1)
    assert release.table.height == 2
    assert release.suppressed == 1


def test_a_share_of_suppression_is_one_of_the_new_rows():
    recipe = Recipe.of(first(suppression=0.4))
    rows = people(("38", "F", "flu"), ("30", "F", "flu"), ("44", "M", "flu"))
    assert krypsis.apply(recipe, rows).suppressed == 1


def test_unknown_categories_are_listed():
    with pytest.raises(HierarchyError, match=r"'sex' lacks 2 value\(s\).*'D'.*'X'"):
        krypsis.apply(Recipe.of(first()), people(("38", "D", "flu"), ("30", "X", "flu")))


def test_missing_values_find_their_place_even_if_there_were_none():
    release = krypsis.apply(Recipe.of(first()), people((None, None, "flu"), (None, None, "rash")))
    assert sorted(release.table["disease"]) == ["flu", "rash"]
    assert release.table["age"].null_count() == 2


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (PAIR.drop("sex"), ColumnError, "column 'sex' not found"),
        (PAIR.rename({"disease": "diseas"}), ColumnError, "Did you mean 'diseas'"),
        (PAIR.clear(), DataError, "no rows"),
        ("nowhere.csv", DataError, "not found"),
        (17, UsageError, "expected a polars"),
        (PAIR.with_columns(age=pl.lit([1])), DataError, "'age'"),
    ],
    ids=["missing column", "misspelled column", "empty", "no file", "no table", "lists"],
)
def test_rows_that_cannot_be_used_are_told_why(rows, error, message):
    with pytest.raises(error, match=message):
        krypsis.apply(Recipe.of(first()), rows)


def test_a_level_beyond_the_hierarchy_is_refused():
    recipe = Recipe.of(first())
    with pytest.raises(UsageError, match=r"level 9 chosen for 'age'.*0 to 4"):
        krypsis.apply(recipe.model_copy(update={"levels": {"age": 9, "sex": 0}}), PAIR)


# Together with the earlier release


def test_groups_may_be_completed_by_earlier_records():
    earlier = first()
    alone = people(("38", "F", "rash"))
    with pytest.raises(Infeasible):
        krypsis.apply(Recipe.of(earlier), alone)
    with pytest.warns(PrivacyWarning, match="1 of 1 new records are hidden only among records of the earlier release"):
        both = krypsis.apply(Recipe.of(earlier), alone, together_with=earlier)
    assert Counter(both.table.rows()) == Counter([*earlier.table.rows(), ("[30-40)", "F", "rash")])
    assert both.verdicts[0].achieved == 3
    assert both.rows_before == 7


def test_rows_that_keep_the_promises_by_themselves_need_no_warning():
    earlier = first()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = krypsis.apply(Recipe.of(earlier), PAIR, together_with=earlier)
    assert both.table.height == 8


@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_only_new_records_are_suppressed_and_only_within_the_limit(tmp_path):
    saved = first().save(tmp_path / "first")
    rows = people(("38", "F", "rash"), ("70", "F", "rash"), ("39", "F", "flu"))
    with pytest.raises(Infeasible, match=r"1 of 3 new records \(33\.33%\).*at most 0 may be suppressed") as caught:
        krypsis.apply(saved.folder, rows, together_with=saved.folder)
    assert caught.value.closest == {"rows": 3, "suppression": 1}
    both = krypsis.apply(saved.folder, rows, together_with=saved.folder, suppression=1).save(tmp_path / "both")
    table = krypsis.Release.load(both.folder).table
    assert table.height == 8
    assert Counter(saved.release.table.rows()) <= Counter(table.rows())
    assert all(krypsis.check(both.folder))
    assert both.release.private["suppressed_new_rows"] == [1]
    assert Recipe.load(both.folder) == Recipe.load(saved.folder)


def test_nothing_new_is_no_release():
    earlier = first()
    with pytest.raises(Infeasible, match="nothing new would be left"):
        krypsis.apply(Recipe.of(earlier), people(("70", "F", "rash")), together_with=earlier, suppression=1)


def test_suppressed_records_that_are_kept_join_those_of_the_earlier_release():
    loners = pl.DataFrame({"name": ["Gus", "Hal"], "age": ["75", "95"], "sex": ["F", "M"], "disease": ["flu", "cold"]})
    options = {"models": "k-anonymity:k=2", "hierarchies": HIERARCHIES, "suppression": 2, "suppressed": "keep"}
    earlier = krypsis.anonymize(pl.concat([FIRST, loners]), ROLES, **options)
    assert earlier.suppressed == 2
    new = pl.concat([PAIR, people(("60", "M", "flu"))])
    with pytest.warns(PrivacyWarning, match="1 of 3 new records"):
        both = krypsis.apply(Recipe.of(earlier), new, together_with=earlier, suppression=1)
    assert both.table.filter(pl.col("age") == "*").height == 3
    assert both.suppressed == 3


def test_kept_records_that_would_stand_alone_at_the_top_are_refused():
    earlier = first(suppressed="keep")
    with pytest.raises(Infeasible, match="published together at the top"):
        krypsis.apply(Recipe.of(earlier), people(("60", "M", "flu")), together_with=earlier, suppression=1)


def test_new_values_that_change_the_whole_may_break_what_held_before():
    """t-closeness compares with the whole table: many new records of one kind move it away from the old groups."""
    table = pl.DataFrame({"q": ["a", "a", "b", "b"], "s": ["x", "y", "x", "y"]})
    earlier = krypsis.anonymize(table, {"q": "QI", "s": "sensitive"}, models=["t-closeness:t=0.1"])
    assert earlier.levels == {"q": 0}
    flood = pl.DataFrame({"q": ["c"] * 20, "s": ["x"] * 20})
    with pytest.raises(Infeasible, match=r"4 of 4 records of the earlier release.*no longer keep the promises"):
        krypsis.apply(Recipe.of(earlier), flood, together_with=earlier, suppression=1.0)


def test_sensitive_values_are_compared_with_those_of_both_releases(tmp_path):
    table = pl.DataFrame({"q": ["a"] * 4 + ["b"] * 4 + ["c"], "s": ["x", "y"] * 4 + ["y"]})
    roles, promise = {"q": "QI", "s": "sensitive"}, ["k-anonymity:k=2", "t-closeness:t=0.2"]
    earlier = krypsis.anonymize(table, roles, models=promise, suppression=1)
    assert earlier.suppressed == 1
    more = pl.DataFrame({"q": ["a", "a", "a"], "s": ["x", "x", "y"]})
    both = krypsis.apply(Recipe.of(earlier), more, together_with=earlier).save(tmp_path / "both")
    verdicts = krypsis.check(both.folder)
    assert all(verdicts)
    # x is 6 of 11; of the four records with b it is 2
    assert verdicts[1].achieved == pytest.approx(6 / 11 - 1 / 2)


def test_types_of_the_earlier_release_are_kept(tmp_path):
    typed = FIRST.with_columns(cost=pl.Series([1.5, 2, 3, 4, 5, 6]), seen=pl.lit("2024-01-02").str.to_date())
    roles = {**ROLES, "cost": "insensitive", "seen": "insensitive"}
    earlier = krypsis.anonymize(typed, roles, models="k-anonymity:k=2", hierarchies=HIERARCHIES)
    saved = earlier.save(tmp_path / "first", formats=("csv", "parquet"))
    new = PAIR.with_columns(cost=pl.lit("7"), seen=pl.lit("2025-06-07"))
    both = krypsis.apply(saved.folder, new, together_with=saved.folder)
    assert both.table.schema == earlier.table.schema
    with pytest.raises(DataError, match="column 'cost' holds Float64 in the earlier release"):
        krypsis.apply(saved.folder, new.with_columns(cost=pl.lit("much")), together_with=saved.folder)


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"models": "k-anonymity:k=3"}, "promises"),
        ({"algorithm": {"name": "fixed", "levels": {"age": 4, "sex": 0}}}, "levels"),
        ({"hierarchies": {**HIERARCHIES, "age": "flat"}, "suppression": 1.0, "min_levels": {"age": 1}}, "hierarchies"),
        ({"suppressed": "keep"}, "suppressed records"),
        ({"quasi_identifier_sets": [["age"], ["sex"]]}, "quasi-identifier sets"),
    ],
    ids=str,
)
def test_a_release_of_another_recipe_is_refused(other, what):
    with pytest.raises(UsageError, match=f"was not made by this recipe: its {what} are"):
        krypsis.apply(Recipe.of(first()), PAIR, together_with=first(**other))


def test_a_release_of_another_table_is_refused():
    other = krypsis.anonymize(FIRST, {"age": "QI"}, models="k-anonymity:k=1")
    with pytest.raises(UsageError, match="its columns are age: quasi-identifier, those of the recipe"):
        krypsis.apply(Recipe.of(first()), PAIR, together_with=other)


@given(tasks(), st.data())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_whatever_is_published_together_keeps_the_promises_and_every_earlier_record(task, data):
    try:
        earlier = krypsis.anonymize(**task)
    except Infeasible:
        return
    table = task["data"]
    places = data.draw(st.lists(st.integers(0, table.height - 1), min_size=1, max_size=8))
    limit = data.draw(st.sampled_from([0, 0.5, 1.0]))
    try:
        both = krypsis.apply(Recipe.of(earlier), table[places], together_with=earlier, suppression=limit)
    except Infeasible:
        return
    hidden = both.suppressed - earlier.suppressed
    assert all(both.verdicts)
    assert hidden <= limit * len(places)
    assert Counter(earlier.table.rows()) <= Counter(both.table.rows())
    assert both.table.height == earlier.table.height + len(places) - (hidden if task["suppressed"] == "remove" else 0)


def test_a_value_whose_records_were_all_suppressed_is_known():
    ages = pl.DataFrame({"age": ["18", *["30"] * 5]})
    options = {"models": "k-anonymity:k=3", "algorithm": "k-optimize", "suppression": 1}
    release = krypsis.anonymize(ages, {"age": "quasi-identifier"}, **options)
    assert (release.suppressed, release.table.height) == (1, 5)
    again = krypsis.apply(Recipe.of(release), ages)
    assert (again.suppressed, sorted(again.table["age"])) == (1, sorted(release.table["age"]))


def test_codes_do_not_lose_their_zeros_next_to_numbers_of_an_earlier_release():
    table = pl.DataFrame({"q": ["a", "a"], "code": [5, 77]})
    earlier = krypsis.anonymize(table, {"q": "QI", "code": "insensitive"}, models=["k-anonymity:k=2"])
    more = pl.DataFrame({"q": ["a", "a"], "code": ["01234", "8"]})
    with pytest.raises(DataError, match="'01234' among the new values is a code"):
        krypsis.apply(Recipe.of(earlier), more, together_with=earlier)


def test_figures_of_new_rows_tell_nothing_of_records_suppressed_earlier(tmp_path):
    """The recipe keeps the age of the oldest, whom the earlier release suppressed."""
    ages = [21, 22, 23, 31, 32, 33, 41, 42, 43]
    rows = pl.DataFrame({"age": ages, "disease": ["flu", "cold", "rash"] * 3})
    published = []
    for oldest in (None, 60, 99):
        everybody = rows if oldest is None else rows.vstack(pl.DataFrame({"age": [oldest], "disease": ["flu"]}))
        earlier = krypsis.anonymize(
            everybody,
            {"age": "quasi-identifier", "disease": "sensitive"},
            models=["k-anonymity:k=3", "distinct-l-diversity:l=2"],
            hierarchies={"age": {"kind": "intervals", "width": 5, "levels": 4}},
            algorithm="fixed:levels=1",
            suppression=1,
        )
        assert earlier.suppressed == (oldest is not None)
        again = krypsis.apply(Recipe.of(earlier), rows)
        saved = again.save(tmp_path / f"{oldest}")
        assert "loss" in again.metrics
        manifest = json.loads((saved.folder / "manifest.json").read_text("utf-8"))
        published.append({name: manifest[name] for name in ("metrics", "score", "heights")})
    assert published[0] == published[1] == published[2]


def test_a_recipe_applies_itself():
    first = krypsis.anonymize(FIRST, ROLES, hierarchies=HIERARCHIES, models="k-anonymity:k=2")
    recipe = Recipe.of(first)
    alone = recipe.apply(FIRST)
    assert_frame_equal(alone.table, krypsis.apply(recipe, FIRST).table, check_row_order=False)
    assert recipe.apply(FIRST, together_with=first).records == 12


def test_what_is_shown_of_a_recipe_names_no_original_value():
    recipe = Recipe.of(krypsis.anonymize(FIRST, ROLES, hierarchies=HIERARCHIES, models="k-anonymity:k=2"))
    shown = f"{recipe!r} {recipe} {recipe.hierarchies}"
    assert "age" in shown
    assert not [value for value in [*FIRST["age"], *FIRST["name"]] if value in shown]
