"""The utility gauge, its parts and the dependence of columns, against counting record by record."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import log, log2, sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.errors import UsageError
from krypsis.kinds.table.utility import dependence, utility_gauge
from krypsis.kinds.table.utility.bins import bins_of
from krypsis.kinds.table.utility.dependence import shared_information
from release.sample import changed

pytestmark = pytest.mark.exposed

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
records = st.lists(
    st.tuples(st.integers(20, 27), st.sampled_from(["F", "M"]), st.sampled_from(["flu", "hiv", None])),
    min_size=4,
    max_size=24,
)


def frame(rows):
    return pl.DataFrame(rows, schema={"age": pl.Int64, "sex": pl.String, "disease": pl.String}, orient="row")


def anonymized(rows, **options):
    given = {
        "models": "k-anonymity:k=2",
        "suppression": 1.0,
        "hierarchies": {"age": {"kind": "intervals", "width": 2}},
        "algorithm": "optimal",
    }
    return krypsis.anonymize(frame(rows), ROLES, **{**given, **options})


def shares_of(release):
    return {part.name: part.share for part in utility_gauge(release).parts}


def meanings(release, column, values):
    """For each published record the values it may have: read from the labels of intervals, by hand."""
    for label in release.table[column].to_list():
        if label == "*":
            yield values
        elif isinstance(label, str) and label.startswith("["):
            low, high = label[1:-1].split("-")
            yield [value for value in values if int(low) <= int(value) < int(high)]
        else:
            yield [None if label is None else str(label)]


@given(rows=records)
def test_the_parts_are_what_counting_record_by_record_gives(rows):
    release = anonymized(rows)
    found = shares_of(release)
    assert found["records"] == pytest.approx(release.table.height / len(rows))
    details, kept = [], []
    for place, column in enumerate(["age", "sex"]):  # the disease is published as it was, whatever is done
        before = [None if row[place] is None else str(row[place]) for row in rows]
        values = sorted(set(before), key=str)
        told = list(meanings(release, column, values))
        if len(values) > 1:
            losses = [(len(one) - 1) / (len(values) - 1) for one in told]
            details.append(1 - sum(losses) / len(losses) if losses else 1)
        old, new = Counter(before), Counter()
        for one in told:
            for value in one:
                new[value] += 1 / len(one)
        most = sum((1 / len(values) - old[value] / len(rows)) ** 2 for value in values)
        far = sum((new[value] / len(told) - old[value] / len(rows)) ** 2 for value in values) if told else most
        kept += [max(1 - far / most, 0)] if most > 1e-9 else [] if told else [0]
    assert found["detail"] == pytest.approx(sum(details) / len(details) if details else None)
    assert found["distributions"] == pytest.approx(sum(kept) / len(kept) if kept else None)
    before, after = (getattr(dependence(release), when) for when in ("before", "after"))
    changes = [abs(before[i, j] - after[i, j]) for i, j in combinations(range(3), 2)]
    shared = sum(before[i, j] for i, j in combinations(range(3), 2))
    assert found["dependence"] == pytest.approx(max(1 - sum(changes) / shared, 0) if shared else None)
    faithful = [share for share in (found["distributions"], found["dependence"]) if share is not None] or [1]
    faithful = sum(faithful) / len(faithful)
    detail = 1 if found["detail"] is None else found["detail"]
    assert utility_gauge(release).value == pytest.approx(100 * found["records"] * sqrt(detail * faithful))


@given(rows=records)
def test_the_gauge_of_an_unchanged_table_is_100_and_of_one_without_records_0(rows):
    unchanged = anonymized(rows, models="k-anonymity:k=1")
    assert utility_gauge(unchanged).value == pytest.approx(100)
    assert utility_gauge(changed(unchanged, table=unchanged.table.clear())).value == 0


def test_a_table_of_which_nothing_is_left_has_a_gauge_of_0():
    table = pl.DataFrame({"age": [20] * 5 + [21] * 2, "sex": list("FFFFMMM")})
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier"}
    gauge = utility_gauge(krypsis.anonymize(table, roles, models="k-anonymity:k=7"))
    assert gauge.value == pytest.approx(0)


def patients(rows=120):
    """Ages go with diseases, so that there is something to lose."""
    ages = [20 + number * 7 % 24 for number in range(rows)]
    diseases = ["flu" if (age + number % 5) < 30 else "hiv" for number, age in enumerate(ages)]
    return [(age, "FMM"[number % 3], one) for number, (age, one) in enumerate(zip(ages, diseases, strict=True))]


FORMS = {
    "levels": {"algorithm": "optimal"},
    "local recoding": {"algorithm": "mondrian", "suppression": None},
    "clusters": {"algorithm": "bottom-up", "suppression": None},
}


@pytest.mark.parametrize("form", FORMS)
def test_where_every_quasi_identifier_is_a_star_every_part_but_the_records_is_0(form):
    release = anonymized(patients(), models="k-anonymity:k=120", **FORMS[form])
    assert len(set(release.table.select("age", "sex").rows())) == 1
    assert release.table["disease"].n_unique() == 2
    found = shares_of(release)
    assert found == pytest.approx({"records": 1, "detail": 0, "distributions": 0, "dependence": 0}, abs=1e-9)
    assert utility_gauge(release).value == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_the_table_as_it_was_has_every_part_complete(form):
    release = anonymized(patients(), models="k-anonymity:k=1", **FORMS[form])
    found = shares_of(release)
    assert found == pytest.approx({"records": 1, "detail": 1, "distributions": 1, "dependence": 1})
    assert utility_gauge(release).value == pytest.approx(100)


def test_a_release_without_records_has_a_gauge_of_0():
    unchanged = anonymized(patients(), models="k-anonymity:k=1")
    assert utility_gauge(changed(unchanged, table=unchanged.table.clear())).value == 0


@given(rows=records)
def test_more_general_levels_never_raise_the_gauge_nor_a_part(rows):
    """Every step of the chain generalizes the one before; no record is suppressed, no column has many values."""
    chain = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1)]
    heights = anonymized(rows, models="k-anonymity:k=1").heights
    last = {"value": 100.0}
    for levels in chain:
        wanted = {name: min(level, heights[name]) for name, level in zip(["age", "sex"], levels, strict=True)}
        release = anonymized(rows, models="k-anonymity:k=1", min_levels=wanted, max_levels=wanted)
        found = {part.name: part.share for part in utility_gauge(release).parts if part.share is not None}
        found["value"] = utility_gauge(release).value
        assert all(share <= last.get(name, 1.0) + 1e-9 for name, share in found.items())
        last = found


def test_larger_groups_of_values_apart_lower_the_gauge_down_to_0_in_one_group():
    rows = [("FM"[number % 2], f"d{number % 6 if number % 2 else number % 3}") for number in range(60)]
    table = pl.DataFrame(rows, schema=["sex", "disease"], orient="row")
    roles = {"sex": "quasi-identifier", "disease": "sensitive"}
    release = krypsis.anonymize(table, roles, models="frequency-l-diversity:l=2", algorithm="anatomize:seed=1")
    groups = sorted(release.table["group"].unique())
    values = []
    for size in (1, 2, 6, len(groups)):  # so many groups are joined
        number = {group: place // size for place, group in enumerate(groups)}
        both = (release.table, release.sensitive_table)
        merged = [one.with_columns(pl.col("group").replace_strict(number)) for one in both]
        counted = merged[1].group_by("group", "disease").agg(pl.col("count").sum())
        values.append(utility_gauge(changed(release, table=merged[0], sensitive_table=counted)).value)
    assert values == sorted(values, reverse=True)
    assert values[0] > 10
    assert values[-1] == pytest.approx(0, abs=1e-6)


def bits(counts):
    """Entropy by its definition."""
    total = sum(counts)
    return -sum(count / total * log2(count / total) for count in counts if count)


def information(pairs):
    """Mutual information by its definition, less what chance adds."""
    ones, others = Counter(), Counter()
    for (one, other), count in pairs.items():
        ones[one] += count
        others[other] += count
    total = sum(pairs.values())
    if min(len(ones), len(others)) < 2:
        return 0
    found = sum(n / total * log2(n * total / (ones[one] * others[other])) for (one, other), n in pairs.items() if n)
    return max(0, found - (len(ones) - 1) * (len(others) - 1) / (2 * total * log(2)))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=6, max_size=40))
def test_shared_information_is_what_its_definition_says(pairs):
    found = Counter(pairs)
    counts = np.array([[float(found[one, other]) for other in range(4)] for one in range(3)])
    assert shared_information(counts) == pytest.approx(information(found), abs=1e-9)
    assert shared_information(counts) == pytest.approx(shared_information(counts.T), abs=1e-9)


@given(rows=records)
def test_the_dependence_of_a_release_compares_its_own_columns(rows):
    release = anonymized(rows, models="k-anonymity:k=1")
    found = dependence(release)
    assert found.columns == ("age", "sex", "disease")
    for i, j in combinations(range(3), 2):
        shared = information(Counter((row[i], row[j]) for row in rows))
        most = min(bits(Counter(row[place] for row in rows).values()) for place in (i, j))
        assert found.before[i, j] == found.before[j, i] == pytest.approx(shared / most if most else 0, abs=1e-9)
        assert found.after[i, j] == pytest.approx(found.before[i, j])


def test_values_in_groups_depend_as_much_as_the_groups_tell():
    rows = [("F", "1"), ("F", "2"), ("M", "1"), ("M", "3"), ("M", "2"), ("F", "3")] * 10
    table = pl.DataFrame(rows, schema=["sex", "disease"], orient="row")
    roles = {"sex": "quasi-identifier", "disease": "sensitive"}
    methods = {"anatomize:seed=1": "frequency-l-diversity:l=2", "permutation:seed=1": "ke-anonymity:k=2,e=1"}
    for algorithm, promise in methods.items():
        release = krypsis.anonymize(table, roles, models=promise, algorithm=algorithm)
        groups = _groups_of(release)
        told = Counter()
        for sexes, values in groups.values():
            for sex in sexes:
                for value, number in values.items():
                    told[sex, value] += number / values.total()
        most = min(bits([30, 30]), bits([20, 20, 20]))
        assert dependence(release).after[0, 1] == pytest.approx(information(told) / most, abs=1e-9)
        found = shares_of(release)
        assert found["records"] == 1
        losses = [(len(values) - 1) / 2 for sexes, values in groups.values() for _ in sexes]
        assert found["detail"] == pytest.approx(1 - sum(losses) / len(losses))


def _groups_of(release):
    groups = {}
    for row in release.table.rows(named=True):
        sexes, values = groups.setdefault(row["group"], ([], Counter()))
        sexes.append(row["sex"])
        if release.sensitive_table is None:
            values[row["disease"]] += 1
    for row in () if release.sensitive_table is None else release.sensitive_table.rows(named=True):
        groups[row["group"]][1][row["disease"]] += row["count"]
    return groups


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "noise:columns=age,seed=3", "models": ()},
        {"algorithm": "microaggregation:columns=age,k=7,seed=1", "models": ()},
        {"algorithm": "synthetic:seed=3", "models": ()},
        {"algorithm": "mondrian", "models": "k-anonymity:k=7"},
        {"suppressed": "keep", "models": "k-anonymity:k=7"},
    ],
    ids=lambda options: str(options.get("algorithm", "keep")).partition(":")[0],
)
def test_every_kind_of_release_has_a_gauge_between_0_and_100(options):
    rows = [(20 + number % 40, "FM"[number % 2], "flu" if number % 3 else "hiv") for number in range(200)]
    options = {"suppression": None, "hierarchies": None, **options} if options.get("models") == () else options
    gauge = utility_gauge(anonymized(rows, **options))
    assert 0 < gauge.value < 100
    assert all(part.share is None or 0 <= part.share <= 1 for part in gauge.parts)


def test_a_changed_number_is_as_far_from_the_one_before_as_there_are_values_between():
    table = pl.DataFrame({"age": [20, 30, 40, 50], "job": ["a", "a", "b", "b"]})
    roles = {"age": "quasi-identifier", "job": "quasi-identifier"}
    release = krypsis.anonymize(table, roles, algorithm="noise:columns=age,seed=1")
    published = pl.DataFrame({"age": [20, 50, 30, 60], "job": ["a", "b", "b", "b"]})
    before = replace(release.before, rows=table)  # in the order of what is published here
    found = shares_of(changed(release, table=published, before=before))
    # Of 20, 30, 40, 50, 60: 0, 2, 1 and 1 values away; of the jobs, one of four is another.
    assert found["detail"] == pytest.approx(1 - ((0 + 2 + 1 + 1) / 4 / 4 + 1 / 4) / 2)


def test_a_blank_cell_may_be_any_value():
    rows = [("F", "flu"), ("M", "hiv"), ("F", "flu"), ("M", "flu")]
    table = pl.DataFrame(rows, schema=["sex", "disease"], orient="row")
    roles = {"sex": "quasi-identifier", "disease": "sensitive"}
    promise = {"name": "ff-anonymity", "theta": 0.4, "lmax": 1, "observable": ["sex"], "sensitive": ["disease=hiv"]}
    release = krypsis.anonymize(table, roles, models=promise, algorithm="ff-suppression")
    blank = release.table["sex"].null_count()
    assert blank
    assert shares_of(release)["detail"] == pytest.approx(1 - blank / 4)


def test_long_columns_are_put_into_bins_that_keep_their_order_and_their_missing_values():
    ages = [str(age) for age in range(200)]
    bins = bins_of([*ages, None], pl.Series([1] * 201).to_numpy())
    assert (bins[1:200] >= bins[:199]).all()
    assert bins[200] not in bins[:200]
    assert Counter(bins[:200].tolist()) == dict.fromkeys(range(20), 10)
    days = [f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in (3, 9, 27)]
    assert (
        bins_of(days[::-1], pl.Series([1] * 36).to_numpy())[1:]
        <= bins_of(days[::-1], pl.Series([1] * 36).to_numpy())[:-1]
    ).all()
    words = [f"w{number}" for number in range(100)]
    found = bins_of(words, pl.Series(range(100)).to_numpy())
    assert len(set(found[71:].tolist())) == 29
    assert len(set(found[:71].tolist())) == 1


def test_a_release_without_the_table_before_has_no_gauge(tmp_path):
    saved = anonymized([(20, "F", "flu")] * 4).save(tmp_path / "release")
    with pytest.raises(UsageError, match="does not carry it"):
        utility_gauge(krypsis.Release.load(saved.folder))
