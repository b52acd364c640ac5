"""Whoever has only the public files of a release does not learn the sensitive value of somebody who was suppressed.

The attack: take the table as it could have been, with another value of the suppressed person, make the release of that
table by the same plan, and compare. Values whose public files are those that were published remain possible.
"""

import json
from functools import cache

import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.errors import Infeasible
from krypsis.models.base import GroupModel

pytestmark = pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")

COMMON = 16
VALUES = ("10", "20", "30", "40")
"""Of the sensitive attribute; two are common, one is rare, and the last is nobody else's."""
PROMISES = {
    "alpha-k-anonymity": "alpha-k-anonymity:alpha=0.7,k=4",
    "average-risk": "average-risk:threshold=0.2",
    "basic-beta-likeness": "basic-beta-likeness:beta=2",
    "bayes-breach": "bayes-breach:p1=0.1,p2=0.9",
    "confidence-bounding": "confidence-bounding:value=10,h=0.9",
    "delta-disclosure": "delta-disclosure:delta=2",
    "distinct-l-diversity": "distinct-l-diversity:l=2",
    "em-anonymity": "em-anonymity:epsilon=5,m=2",
    "enhanced-beta-likeness": "enhanced-beta-likeness:beta=2",
    "entropy-l-diversity": "entropy-l-diversity:l=1.5",
    "estimated-k-map": "estimated-k-map:k=4,fraction=0.5",
    "frequency-l-diversity": "frequency-l-diversity:l=2",
    "grassberger-l-diversity": "grassberger-l-diversity:l=1.5",
    "k-anonymity": "k-anonymity:k=4",
    "ke-anonymity": "ke-anonymity:k=2,e=5",
    "lkc-privacy": "lkc-privacy:l=1,k=4",
    "multi-attribute-l-diversity": "multi-attribute-l-diversity:l=2",
    "npd-recursive-l-diversity": "npd-recursive-l-diversity:c1=4,c2=4,l=2",
    "pd-recursive-l-diversity": "pd-recursive-l-diversity:c=4,l=2",
    "population-uniqueness": "population-uniqueness:threshold=0.5,people=1000",
    "recursive-l-diversity": "recursive-l-diversity:c=4,l=2",
    "sample-uniqueness": "sample-uniqueness:threshold=0",
    "skyline": "skyline:l=1,k=1,m=1,c=0.99",
    "t-closeness": "t-closeness:t=0.2",
    "xy-anonymity": "xy-anonymity:y=pay,k=2",
    "xy-linkability": "xy-linkability:y=pay,h=0.9",
    "xy-privacy": "xy-privacy:y=pay,k=2,h=0.9",
}
ELSEWHERE = {"delta-presence", "k-map", "published-presence", "personalized-privacy"}
"""They compare with a table that the attacker has, or ask people what they guard."""


def test_every_promise_about_groups_is_attacked():
    known = {name for name, cls in registry.classes("model").items() if issubclass(cls, GroupModel)}
    assert known == PROMISES.keys() | ELSEWHERE


def world(value: str) -> pl.DataFrame:
    """Two groups of people, and somebody aged 99 who is unlike all others."""
    ages = ["30"] * COMMON + ["40"] * COMMON + ["99"]
    common = [VALUES[place % 2] for place in range(COMMON - 2)] + [VALUES[2]] * 2
    pay = [*common, *common, value]
    return pl.DataFrame({"age": ages, "pay": pay})


@cache
def public_files(value: str, promises: tuple[str, ...], options: tuple[tuple[str, object], ...], folder) -> str | None:
    """All that is published, but for what is drawn at random for each release; nothing if nothing is."""
    roles = {"age": "quasi-identifier", "pay": "sensitive"}
    try:
        release = krypsis.anonymize(world(value), roles, models=list(promises), **dict(options))
    except Infeasible:
        return None
    if not release.suppressed:
        return None
    saved = release.save(folder / f"{value}-{abs(hash((promises, options)))}")
    manifest = json.loads((saved.folder / "manifest.json").read_text("utf-8"))
    for drawn in ("release_id", "created", "files"):
        manifest.pop(drawn)
    rows = sorted((saved.folder / "data.csv").read_text("utf-8").splitlines())
    return json.dumps([manifest, rows], sort_keys=True)


def possible_values(value: str, promises: tuple[str, ...], options: dict[str, object], folder) -> set[str]:
    """The values that the suppressed person may have, to whoever has the public files and tries the plan again."""
    fixed = tuple(options.items())
    seen = public_files(value, promises, fixed, folder)
    if seen is None:
        return set(VALUES)  # nothing is published that could be attacked
    return {other for other in VALUES if public_files(other, promises, fixed, folder) == seen}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("worlds")


@pytest.mark.parametrize("limit", [1, 0.6])
@pytest.mark.parametrize("name", PROMISES)
def test_the_value_of_a_suppressed_person_cannot_be_told(name, limit, folder):
    promises = tuple(dict.fromkeys(["k-anonymity:k=4", PROMISES[name]]))
    options = {"suppression": limit, "algorithm": "fixed:levels=0"}
    published = [value for value in VALUES if public_files(value, promises, tuple(options.items()), folder)]
    assert published, "nothing was attacked"
    for value in published:
        assert len(possible_values(value, promises, options, folder)) >= 2


@pytest.mark.parametrize("algorithm", ["optimal", "datafly", "k-optimize"])
@pytest.mark.parametrize("promise", ["t-closeness:t=0.2", "enhanced-beta-likeness:beta=2", "delta-disclosure:delta=2"])
def test_no_search_publishes_what_the_promise_was_compared_with(promise, algorithm, folder):
    promises, options = ("k-anonymity:k=4", promise), {"suppression": 1, "algorithm": algorithm}
    for value in VALUES:
        assert len(possible_values(value, promises, options, folder)) >= 2


@pytest.mark.parametrize("metric", ["loss", "classification", "non-uniform-entropy", "discernibility", "kl-divergence"])
def test_no_figure_of_a_release_depends_on_the_value_of_a_suppressed_person(metric, folder):
    options = {"suppression": 1, "algorithm": "fixed:levels=0", "metric": metric}
    for value in VALUES:
        assert len(possible_values(value, ("k-anonymity:k=4",), options, folder)) >= 2


def test_the_case_of_one_old_person_with_hiv_publishes_no_distribution(tmp_path):
    table = pl.DataFrame({"age": ["30"] * 16 + ["99"], "disease": ["flu", "cold"] * 8 + ["hiv"]})
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    release = krypsis.anonymize(
        table, roles, models=["k-anonymity:k=4", "t-closeness:t=0.2"], suppression=1, max_levels={"age": 0}
    )
    assert release.suppressed == 1
    saved = release.save(tmp_path / "release", ["csv", "parquet"])
    assert not any(b"hiv" in path.read_bytes() for path in saved.folder.iterdir())
    assert json.loads((saved.folder / "manifest.json").read_text("utf-8"))["reference"] == {}
    assert [verdict.achieved for verdict in krypsis.check(saved.folder)] == [16, 0]


def manifest_of(oldest: int, folder) -> dict[str, object]:
    """What is published about eleven people and somebody much older, who is suppressed."""
    ages = [21, 22, 23, 24, 31, 32, 33, 34, 41, 42, 43, oldest]
    options = {"hierarchies": {"age": {"kind": "intervals", "width": 5}}, "suppression": 1, "metric": "ncp"}
    release = krypsis.anonymize(pl.DataFrame({"age": ages}), {"age": "QI"}, models="k-anonymity:k=3", **options)
    assert release.suppressed == 1
    assert release.score is not None
    saved = release.save(folder / str(oldest)).folder
    assert krypsis.Release.load(saved).score is None
    manifest = json.loads((saved / "manifest.json").read_text("utf-8"))
    return {name: told for name, told in manifest.items() if name not in ("release_id", "created", "files")}


def test_the_age_of_a_suppressed_person_does_not_follow_from_the_published_figures(tmp_path):
    worlds = {oldest: manifest_of(oldest, tmp_path) for oldest in (85, 91, 97, 99)}
    assert [oldest for oldest in worlds if worlds[oldest] == worlds[99]] == list(worlds)


CODES = ["12345", "12346", "12347", "12355", "12356", "12357"]
STEPS = ["1", "1", "1", "2", "2", "2", "3", "3", "3", "4", "4", "4"]
HIERARCHIES = {
    "masking": ("masking", CODES, ("99999", "9999999", "999999999")),
    "masking-left": ({"kind": "masking", "side": "left"}, [code[::-1] for code in CODES], ("99999", "99999999")),
    "masking-mixed": ("masking", ["123", *CODES[:3], "123", "123"], ("999", "99999", "9999999")),
    "masking-levels": ({"kind": "masking", "length": 5, "levels": 2}, CODES, ("9", "99999", "999999999")),
    "masking-step": ({"kind": "masking", "length": 5, "step": 2}, CODES, ("9", "999999", "999999999")),
    "order": ("order", STEPS, ("5", "6", "99")),
    "order-given": ({"kind": "order", "order": [*"0123456789"]}, STEPS, (*"056789",)),
    "intervals": ({"kind": "intervals", "width": 2}, STEPS, ("11", "99", "9999999")),
    "dates": ("dates", ["2024-03-01", "2024-03-02", "2024-03-03"] * 2, ("1950-01-01", "1999-12-31")),
}


def published_codes(extra: str, spec: object, codes: list[str], folder, **options: object) -> str:
    """What is published about people and somebody with a code like no other, who is suppressed."""
    table = pl.DataFrame({"code": [*codes, extra]})
    release = krypsis.anonymize(
        table, {"code": "QI"}, models="k-anonymity:k=3", hierarchies={"code": spec}, suppression=1, **options
    )
    assert release.suppressed == 1
    saved = release.save(folder / f"{extra}-{len(list(folder.iterdir()))}").folder
    assert all(verdict.holds for verdict in krypsis.check(saved))
    manifest = json.loads((saved / "manifest.json").read_text("utf-8"))
    for drawn in ("release_id", "created", "files"):
        manifest.pop(drawn)
    return json.dumps([manifest, sorted((saved / "data.csv").read_text("utf-8").splitlines())], sort_keys=True)


@pytest.mark.parametrize("metric", ["loss", "precision", "height"])
@pytest.mark.parametrize("name", HIERARCHIES)
def test_the_code_of_a_suppressed_person_does_not_follow_from_labels_levels_or_heights(name, metric, tmp_path):
    spec, codes, extras = HIERARCHIES[name]
    assert len({published_codes(extra, spec, codes, tmp_path, metric=metric) for extra in extras}) == 1


@pytest.mark.parametrize("longest", ["77777", "7" * 7, "7" * 9])
def test_records_that_are_kept_as_suppressed_show_no_length(longest):
    table = pl.DataFrame({"code": [*CODES, "99999", "88888", longest]})
    options = {"hierarchies": {"code": "masking"}, "suppression": 3, "suppressed": "keep"}
    release = krypsis.anonymize(table, {"code": "QI"}, models="k-anonymity:k=3", **options)
    assert sorted(release.table["code"]) == ["*"] * 3 + ["1234*"] * 3 + ["1235*"] * 3
    assert (release.levels, release.heights) == ({"code": 1}, {"code": 5})


@pytest.mark.parametrize("algorithm", ["datafly", "mondrian", "top-down", "mu-argus", "incognito", "samarati"])
def test_the_length_of_a_suppressed_code_is_not_published_by_any_scheme(algorithm, tmp_path):
    table = pl.DataFrame({"code": [*CODES, "9" * 9]})
    hierarchies = {"code": {"kind": "masking"}}
    release = krypsis.anonymize(
        table, {"code": "QI"}, models="k-anonymity:k=3", hierarchies=hierarchies, suppression=1, algorithm=algorithm
    )
    saved = release.save(tmp_path / "release").folder
    assert release.suppressed != 1 or max(release.table["code"].str.len_chars()) <= len(CODES[0])
    assert all(verdict.holds for verdict in krypsis.check(saved))


def test_a_level_that_the_plan_fixes_hides_as_much_whatever_is_suppressed_if_the_length_is_declared(tmp_path):
    spec, fixed = {"kind": "masking", "length": 5}, {"algorithm": "fixed:levels=1"}
    assert len({published_codes(extra, spec, CODES, tmp_path, **fixed) for extra in ("9", "99999", "9" * 20)}) == 1


def test_a_related_table_publishes_no_length_of_a_suppressed_code():
    people = pl.DataFrame({"id": [*range(7)], "code": [*CODES, "9" * 9]})
    options = {"hierarchies": {"code": "masking"}, "suppression": 1, "key": "id"}
    release = krypsis.anonymize(
        people, {"id": "identifier", "code": "QI"}, models="multirelational-k-anonymity:k=3", **options
    )
    assert (release.suppressed, release.levels, release.heights) == (1, {"code": 1}, {"code": 5})
    assert set(release.table["code"]) == {"1234*", "1235*"}


def test_more_records_are_published_with_the_labels_that_were_published(tmp_path):
    table = pl.DataFrame({"code": [*CODES, "9" * 9]})
    options = {"hierarchies": {"code": "masking"}, "suppression": 1}
    release = krypsis.anonymize(table, {"code": "QI"}, models="k-anonymity:k=3", **options)
    saved = release.save(tmp_path / "release").folder
    more = krypsis.apply(saved, pl.DataFrame({"code": CODES}))
    assert set(more.table["code"]) == set(release.table["code"]) == {"1234*", "1235*"}


def test_published_labels_are_read_with_the_hierarchy_of_all_records():
    table = pl.DataFrame({"code": [*CODES, "9" * 9]})
    release = krypsis.anonymize(
        table, {"code": "QI"}, models="k-anonymity:k=3", hierarchies={"code": "masking"}, suppression=1
    )
    [verdict] = krypsis.check(
        release.table,
        ["k-map:k=3"],
        quasi_identifiers=["code"],
        population=table,
        hierarchies={"code": krypsis.data.hierarchies.resolve("masking", table["code"].to_list(), "code")},
    )
    assert (verdict.holds, verdict.achieved) == (True, 3)


def test_the_score_of_several_tables_tells_nothing_of_a_subject_who_is_in_a_further_one_only(tmp_path):
    published = []
    for weight in (70, 99):
        people = pl.DataFrame({"id": ["1", "2", "3", "4"], "age": [30, 31, 32, 33]})
        visits = pl.DataFrame({"id": ["1", "2", "3", "4", "5"], "weight": [70, 71, 72, 73, weight]})
        release = krypsis.anonymize(
            people,
            {"id": "identifier", "age": "quasi-identifier"},
            models="multirelational-k-anonymity:k=4",
            key="id",
            hierarchies={"age": {"kind": "intervals", "width": 10}},
            tables={
                "visits": {
                    "data": visits,
                    "roles": {"id": "identifier", "weight": "quasi-identifier"},
                    "hierarchies": {"weight": {"kind": "intervals", "width": 10}},
                }
            },
            suppression=1,
            metric="loss",
        )
        assert release.private["suppressed_subjects"] == 1
        manifest = json.loads((release.save(tmp_path / str(weight)).folder / "manifest.json").read_text("utf-8"))
        published.append(manifest["score"])
    assert published[0] == published[1]
