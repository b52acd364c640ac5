"""FF-anonymity: the table of the thesis, the definition by brute force, releases with blanked cells, bad input."""

from fractions import Fraction
from itertools import combinations, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.checker import Given, check_table
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import ColumnError, Infeasible, PrivacyWarning, UsageError
from krypsis.models.ff_anonymity import FFAnonymity
from krypsis.release.order import in_input_order
from strategies import tables

# Table 5.13 of the thesis, §5.3.2; the bands of income are chosen, High = {1600, 1900} as the example needs it.
TABLE_5_13 = pl.DataFrame(
    {
        "sex": ["Female", "Male", "Female", "Male", "Male", "Male", "Female", "Female"],
        "income": [1900, 1900, 1600, 1600, 1000, 800, 800, 1000],
        "disease": ["Flu", "AIDS", "AIDS", "AIDS", "E.coli", "E.coli", "Tuberculosis", "Tuberculosis"],
    }
)
BANDS = Hierarchy.from_rows([["800", "Low", "*"], ["1000", "Low", "*"], ["1600", "High", "*"], ["1900", "High", "*"]])
OBSERVABLE = ("sex", "disease=Flu", "disease=E.coli", "income@1")
SENSITIVE = ("disease=AIDS", "disease=Tuberculosis", "income")
ROLES = {"sex": "quasi-identifier", "income": "sensitive", "disease": "sensitive"}


def found(lmax: int, theta: float = 0.5) -> dict[frozenset[object], tuple[dict[str, object], float]]:
    promise = FFAnonymity(theta=theta, lmax=lmax, observable=OBSERVABLE, sensitive=SENSITIVE)
    (verdict,) = check_table(TABLE_5_13, [promise], Given(["sex"], hierarchies={"income": BANDS}))
    assert not verdict.holds
    return {frozenset(one["values"].values()): (one["reveals"], one["share"]) for one in verdict.offending}


def share_of(values: dict[str, str], disease: str) -> float:
    bands = TABLE_5_13.with_columns(pl.Series("income@1", ["High"] * 4 + ["Low"] * 4))
    group = bands.filter(pl.all_horizontal(pl.col(name) == value for name, value in values.items()))
    return group.filter(pl.col("disease") == disease).height / group.height


def test_the_attacks_of_the_thesis_are_found():
    attacks = found(lmax=2)
    assert attacks[frozenset({"Male", "High"})] == ({"disease": "AIDS"}, 1.0)
    assert attacks[frozenset({"Female", "Flu"})] == ({"income": "1900"}, 1.0)
    assert attacks[frozenset({"Female", "Low"})] == ({"disease": "Tuberculosis"}, 1.0)
    assert attacks[frozenset({"Flu"})] == ({"income": "1900"}, 1.0)


def test_a_band_alone_tells_three_of_four():
    promise = FFAnonymity(theta=0.75, lmax=1, observable=("income@1",), sensitive=("disease=AIDS",))
    (verdict,) = check_table(TABLE_5_13, [promise], Given(["sex"], hierarchies={"income": BANDS}))
    assert (verdict.holds, verdict.achieved) == (True, 0.75)
    assert share_of({"income@1": "High"}, "AIDS") == 0.75


def test_the_table_is_diverse_by_either_choice_of_a_sensitive_attribute():
    for name, share in (("disease", 0.5), ("income", 0.25)):
        (verdict,) = krypsis.check(TABLE_5_13, "frequency-l-diversity:l=2", quasi_identifiers=["sex"], sensitive=[name])
        assert verdict.achieved == 1 / share


def test_the_largest_sets_alone_do_not_decide():
    """Of those with flu one in three has hiv; whoever shows no sex falls out of every set with it."""
    table = pl.DataFrame({"sex": [None, "m", "f"], "sign": ["cough"] * 3, "illness": ["hiv", "cold", "cold"]})
    promise = FFAnonymity(theta=0.3, lmax=2, observable=("sex", "sign"), sensitive=("illness=hiv",))
    (verdict,) = check_table(table, [promise], Given(["sex"]))
    assert not verdict.holds
    with_both = table.drop_nulls("sex").group_by("sex", "sign").agg((pl.col("illness") == "hiv").mean())
    assert with_both["illness"].max() == 0


def by_definition(table: pl.DataFrame, promise: FFAnonymity) -> bool:
    """Every set of observable values that some record shows, every sensitive value."""
    rows = [_parts(row, promise) for row in table.iter_rows(named=True)]
    sets = {
        frozenset(x) for seen, _ in rows for size in range(promise.lmax + 1) for x in combinations(sorted(seen), size)
    }
    secrets = {secret for _, hidden in rows for secret in hidden}
    for x, secret in product(sets, secrets):
        group = [hidden for seen, hidden in rows if x <= seen]
        if Fraction(sum(secret in hidden for hidden in group), len(group)) > Fraction(str(promise.theta)):
            return False
    return True


def _parts(row: dict[str, str | None], promise: FFAnonymity) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    def named(entries: tuple[str, ...]) -> set[tuple[str, str]]:
        cells = {(name, value) for name, value in row.items() if value is not None}
        return {(name, value) for name, value in cells if name in entries or f"{name}={value}" in entries}

    return named(promise.observable), named(promise.sensitive)


@st.composite
def promises(draw: st.DrawFn) -> FFAnonymity:
    observable = draw(st.lists(st.sampled_from(["q0", "q1", "s0=1", "s0=2"]), min_size=1, unique=True))
    sensitive = draw(st.lists(st.sampled_from(["s0=3", "s0=10", "s1"]), min_size=1, unique=True))
    return FFAnonymity(
        theta=draw(st.sampled_from([0.25, 0.5, 0.75, 1])),
        lmax=draw(st.integers(1, 3)),
        observable=tuple(observable),
        sensitive=tuple(sensitive),
    )


@st.composite
def free_tables(draw: st.DrawFn) -> pl.DataFrame:
    table = draw(tables(max_rows=10))
    names = ["q0", "q1", "s0", "s1"]
    cells = st.sampled_from(["1", "2", "3", "10", None])
    return pl.DataFrame(
        {name: draw(st.lists(cells, min_size=table.height, max_size=table.height)) for name in names},
        schema=dict.fromkeys(names, pl.String),
    )


@given(table=free_tables(), promise=promises())
def test_the_checker_agrees_with_the_definition(table, promise):
    (verdict,) = check_table(table, [promise], Given(["q0"]))
    assert verdict.holds == by_definition(table, promise)


@given(table=free_tables(), promise=promises())
@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")
def test_a_release_keeps_the_definition_and_blanks_only_what_can_be_seen(table, promise, tmp_path_factory):
    roles = {"q0": "quasi-identifier", "q1": "quasi-identifier", "s0": "sensitive", "s1": "sensitive"}
    try:
        release = krypsis.anonymize(table, roles, models=promise)
    except Infeasible:
        nothing = table.with_columns(
            pl.when(~pl.any_horizontal(_is_seen(name, promise))).then(name).alias(name) for name in table.columns
        )
        assert not by_definition(nothing, promise)
        return
    assert release.algorithm == "ff-suppression"
    assert by_definition(release.table, promise)
    for before, after in zip(table.iter_rows(named=True), in_input_order(release).iter_rows(named=True), strict=True):
        seen, _ = _parts(before, promise)
        assert all(
            after[name] == value or (after[name] is None and (name, value) in seen) for name, value in before.items()
        )
    saved = release.save(tmp_path_factory.mktemp("free") / "release")
    assert all(krypsis.check(saved.folder))


def _is_seen(name: str, promise: FFAnonymity) -> list[pl.Expr]:
    values = [entry.partition("=")[2] for entry in promise.observable if entry.startswith(f"{name}=")]
    return [pl.lit(name in promise.observable), pl.col(name).is_in(values)]


def test_a_table_that_keeps_it_stays_as_it_is():
    promise = FFAnonymity(theta=1, lmax=3, observable=OBSERVABLE, sensitive=SENSITIVE)
    release = krypsis.anonymize(TABLE_5_13, ROLES, models=promise, hierarchies={"income": BANDS})
    assert in_input_order(release).equals(TABLE_5_13)


def test_the_table_of_the_thesis_is_made_safe():
    promise = FFAnonymity(theta=0.5, lmax=3, observable=OBSERVABLE, sensitive=SENSITIVE)
    release = krypsis.anonymize(TABLE_5_13, ROLES, models=promise, hierarchies={"income": BANDS})
    assert release.verdicts[0].achieved <= 0.5
    kept = release.table.null_count().sum_horizontal().item()
    assert 0 < kept < TABLE_5_13.height * 2  # some cells are blanked, and by far not all that can be seen
    assert release.table["income"].dtype == TABLE_5_13["income"].dtype


def test_what_is_too_frequent_anyway_cannot_be_hidden():
    promise = FFAnonymity(theta=0.2, lmax=1, observable=("sex",), sensitive=("disease=AIDS",))
    with pytest.raises(Infeasible, match=r"belongs to 0.375 of all records.*theta=0.375"):
        krypsis.anonymize(TABLE_5_13, ROLES, models=promise)


def test_a_value_cannot_be_seen_and_sensitive():
    promise = FFAnonymity(theta=0.5, lmax=1, observable=("disease",), sensitive=("disease=AIDS",))
    with pytest.raises(UsageError, match="'AIDS' of disease can be seen and is sensitive, too"):
        check_table(TABLE_5_13, [promise], Given(["sex"]))


@pytest.mark.parametrize(
    ("entry", "error", "problem"),
    [
        ("sexx", ColumnError, "Did you mean 'sex'"),
        ("diseas=Flu", ColumnError, "Did you mean 'disease'"),
        ("income@1", UsageError, "level of the hierarchy of 'income', and none is given"),
    ],
)
def test_entries_that_mean_nothing_are_explained(entry, error, problem):
    promise = FFAnonymity(theta=0.5, lmax=1, observable=(entry,), sensitive=("disease=AIDS",))
    with pytest.raises(error, match=problem):
        krypsis.anonymize(TABLE_5_13, ROLES, models=promise)


def test_a_level_that_the_hierarchy_does_not_have_is_refused():
    promise = FFAnonymity(theta=0.5, lmax=1, observable=("income@7",), sensitive=("disease=AIDS",))
    with pytest.raises(UsageError, match="has the levels 0 to 2"):
        check_table(TABLE_5_13, [promise], Given(["sex"], hierarchies={"income": BANDS}))


def test_a_value_that_no_record_has_is_warned_of():
    promise = FFAnonymity(theta=1, lmax=1, observable=("sex",), sensitive=("disease=AIDZ",))
    with pytest.warns(PrivacyWarning, match="'AIDZ', which no record has as disease. Did you mean 'AIDS'"):
        krypsis.anonymize(TABLE_5_13, ROLES, models=promise)


def test_other_promises_and_other_algorithms_are_refused():
    promise = "ff-anonymity:theta=0.5,lmax=1,observable=sex,sensitive=disease=AIDS"
    with pytest.raises(UsageError, match="ff-suppression"):
        krypsis.anonymize(TABLE_5_13, ROLES, models=promise, algorithm="optimal")
    with pytest.raises(UsageError, match="keeps the promise 'ff-anonymity', alone"):
        krypsis.anonymize(TABLE_5_13, ROLES, models=[promise, "k-anonymity:k=2"])
    with pytest.raises(UsageError, match="keeps the promise 'ff-anonymity', alone"):
        krypsis.anonymize(TABLE_5_13, ROLES, models="k-anonymity:k=2", algorithm="ff-suppression")


def test_too_many_sets_are_refused_with_their_number():
    table = pl.DataFrame({f"c{number}": ["a"] for number in range(40)} | {"s": ["x"]})
    names = tuple(f"c{number}" for number in range(40))
    promise = FFAnonymity(theta=1, lmax=10, observable=names, sensitive=("s",))
    with pytest.raises(UsageError, match="sets of up to 10 of 40 columns"):
        check_table(table, [promise], Given(["c0"]))


@pytest.mark.parametrize("parameters", ["theta=0,lmax=1", "theta=1.1,lmax=1", "theta=0.5,lmax=0", "theta=0.5"])
def test_parameters_out_of_range_are_refused(parameters):
    with pytest.raises(UsageError, match="ff-anonymity"):
        registry.create("model", f"ff-anonymity:{parameters},observable=a,sensitive=b")


def test_a_table_in_groups_does_not_tell_whose_values_are_whose():
    with pytest.raises(UsageError, match="nobody knows which value of its group a record has"):
        krypsis.check(
            TABLE_5_13.with_columns(group=pl.lit(1)),
            "ff-anonymity:theta=0.5,lmax=1,observable=sex,sensitive=disease=AIDS",
            quasi_identifiers=["sex"],
            group="group",
        )
