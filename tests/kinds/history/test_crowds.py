"""k-anonymity together with m-invariance: nobody is found, and nobody's value is learned."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.people import FIRST, ROLES, SECOND, start
from krypsis.algorithms.histories.groups import crowds_of
from krypsis.attacks.identification import Identification
from krypsis.errors import Infeasible, UsageError
from krypsis.io.history import Version
from krypsis.kinds.history.report import version_figures
from krypsis.release.release import Release

pytestmark = pytest.mark.exposed

BOTH = ["m-invariance:m=2", "k-anonymity:k=4"]
KNOWN = ("age", "zipcode")


def people_alike(history, version):
    """How many people share each published combination, from the files and the public counts of counterfeits."""
    release = Release.load(history.folder / "releases" / str(version))
    false = dict(release.tables["counterfeits"].iter_rows())
    sizes = Counter(release.table.select(KNOWN).iter_rows())
    looks = dict(zip(release.table["group"].to_list(), release.table.select(KNOWN).iter_rows(), strict=True))
    for group, count in false.items():
        sizes[looks[group]] -= count
    return sizes


def test_both_promises_are_kept_in_every_release_and_counterfeits_are_nobody(tmp_path):
    history = start(tmp_path, models=BOTH)
    for version, table in enumerate((FIRST, SECOND), start=1):
        published = history.publish(table)
        assert [verdict.promise for verdict in published.verdicts] == BOTH
        assert all(published.verdicts)
        assert min(people_alike(history, version).values()) >= 4
    assert all(history.check())
    assert history.attack().holds


@settings(max_examples=25)
@given(data=st.data())
def test_crowds_of_random_groups_have_k_people_and_lose_no_group(data):
    groups = data.draw(st.integers(1, 25))
    people = np.array(data.draw(st.lists(st.integers(1, 4), min_size=groups, max_size=groups)))
    signature = np.array(data.draw(st.lists(st.integers(0, 5), min_size=groups, max_size=groups)))
    center = np.random.default_rng(groups).random((groups, 2))
    k = data.draw(st.integers(1, int(people.sum())))
    crowd = crowds_of(people, signature, center, k)
    assert np.bincount(crowd, weights=people).min() >= k
    assert crowd.shape == people.shape
    for own in set(signature[crowd == crowd[0]].tolist()):
        # no signature with people enough for a crowd of its own is torn apart for the sake of another one
        rest = people[(signature == own) & (crowd != crowd[0])].sum()
        assert rest == 0 or people[signature == own].sum() >= k


def test_exact_quasi_identifiers_cannot_be_promised_to_be_k_anonymous(tmp_path):
    with pytest.raises(UsageError, match="publish=generalization"):
        start(tmp_path, models=BOTH, algorithm="m-invariant:publish=anatomy")


def test_k_anonymity_alone_protects_no_sensitive_value_and_is_refused(tmp_path):
    with pytest.raises(UsageError, match="m-invariance"):
        start(tmp_path, models="k-anonymity:k=4")


def test_too_few_people_for_k_are_refused_and_nothing_is_published(tmp_path):
    history = start(tmp_path, models=["m-invariance:m=2", "k-anonymity:k=12"])
    with pytest.raises(Infeasible, match="at least 12 people, and 11"):
        history.publish(FIRST)
    assert history.log() == []


def test_exact_quasi_identifiers_are_named_as_the_highest_risk(tmp_path):
    published = start(tmp_path).publish(FIRST)
    first = published.summary().splitlines()[0]
    assert first.startswith("Highest risk: identification, 100 %: up to 11 of 11 people")
    assert "k-anonymity" in first


def test_the_attack_states_the_highest_risk_first_and_does_not_call_it_safe(tmp_path):
    history = start(tmp_path)
    history.publish(FIRST)
    words = history.attack().sentences()
    assert words[0].startswith("Highest risk: identification, 100 %")
    assert "nobody is given away" not in "\n".join(words)


def test_with_both_promises_the_sensitive_value_is_the_highest_risk(tmp_path):
    published = start(tmp_path, models=BOTH).publish(FIRST)
    assert published.summary().startswith("Highest risk: sensitive value, 50 %")
    assert published.identification.smallest >= 4


def test_releases_that_can_be_compared_leave_fewer_records_and_the_attack_counts_them():
    """Ann is among {a, b} and {c, d} first, among {a, b} and {e, f} then: only two records are left of each look."""

    def version(second):
        records = pl.DataFrame({"group": ["1", "1", "2", "2"], "value": ["a", "b", *second]})
        members = pl.DataFrame({"person": ["Ann", "Bob", *second], "group": ["1", "1", "2", "2"]})
        looks = pl.DataFrame({"group": ["1", "1", "2", "2"], "look": [0, 0, 0, 0]})
        return Version(records, members, {}, looks)

    found = Identification.of([version(["c", "d"]), version(["e", "f"])])
    assert (found.smallest, found.across) == (4, 2)
    assert Identification.of([version(["c", "d"]), version(["c", "d"])]).across == 4


@pytest.mark.parametrize("form", ["nodes", "ranges"])
def test_numbers_are_generalized_to_the_nodes_of_their_hierarchy_and_only_then_is_it_named(tmp_path, form):
    given_hierarchy = {"age": {"kind": "intervals", "width": 10, "levels": 3}} if form == "nodes" else {}
    typed = FIRST.with_columns(pl.col("age").cast(pl.Int64))
    history = start(tmp_path, models=BOTH, hierarchies=given_hierarchy)
    release = history.publish(typed).release
    labels = set(release.table["age"].to_list())
    if form == "ranges":
        assert release.hierarchies == {}
        return
    nodes = {f"[{low}-{low + width})" for width in (10, 20, 40) for low in range(0, 200, width)} | {"*"}
    assert labels <= nodes | set(map(str, typed["age"].to_list()))
    assert release.hierarchies == {"age": "intervals"}


def test_roles_stay_those_of_the_history(tmp_path):
    release = start(tmp_path, models=BOTH).publish(FIRST).release
    assert release.schema.quasi_identifiers == tuple(name for name, role in ROLES.items() if role == "quasi-identifier")


def test_a_summary_says_that_generalized_attributes_were_generalized(tmp_path):
    assert "age, zipcode: generalized" in start(tmp_path, models=BOTH).publish(FIRST).release.summary()


def test_the_report_states_the_highest_risk_first(tmp_path):
    content = version_figures(start(tmp_path).publish(FIRST))
    assert content.summary[0].startswith("Highest risk: identification, 100 %")
