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
