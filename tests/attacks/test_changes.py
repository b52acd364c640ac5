"""A value that changes within its signature: what an attacker sees who compares all releases."""

from itertools import product

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from history.people import start
from krypsis.attacks.changes import ChangeAttack
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.io.history import Version

PAIR = ("flu", "gout")


def version(groups):
    """A release: groups of (person, value); a person of None is a counterfeit."""
    rows = [(person, str(number), value) for number, group in enumerate(groups) for person, value in group]
    table = pl.DataFrame(rows, schema=dict.fromkeys(("person", "group", "value"), pl.String), orient="row")
    return Version.of(table, group="group", sensitive="value", person="person")


def is_explained(versions):
    """Whether any assignment of one value to each person explains all groups, by trying all of them."""
    people = sorted({person for one in versions for group in one for person, _ in group if person})
    values = sorted({value for one in versions for group in one for _, value in group})
    for chosen in product(values, repeat=len(people)):
        has = dict(zip(people, chosen, strict=True))
        if all(_fits(group, has) for one in versions for group in one):
            return True
    return False


def _fits(group, has):
    left = [value for _, value in group]
    for person, _ in group:
        if person and has[person] not in left:
            return False
        if person:
            left.remove(has[person])
    return True


@settings(max_examples=examples(60), deadline=None)
@given(seed=st.integers(0, 2**20), m=st.integers(2, 3), groups=st.integers(2, 3))
def test_a_change_is_reported_exactly_if_no_constant_values_explain_the_releases(seed, m, groups):
    rng = np.random.default_rng(seed)
    people = [str(number) for number in range(min(m * groups, 6))]
    versions = []
    for _ in range(4):
        order = rng.permutation(people).tolist()
        parts = [order[begin : begin + m] for begin in range(0, len(order), m)]
        values = [rng.permutation(["a", "b", "c"][:m]).tolist() for _ in parts]
        filled = [[*part, *[None] * (m - len(part))] for part in parts]
        versions.append([list(zip(part, own, strict=True)) for part, own in zip(filled, values, strict=True)])
    found = ChangeAttack().find([version(one) for one in versions])
    assert found.undecided == 0
    assert bool(found.clusters) is not is_explained(versions)


def test_values_that_explain_the_releases_leave_nothing_to_examine():
    pairs = [("12", "34"), ("13", "24"), ("14", "23")]
    versions = [version([[(group[0], "a"), (group[1], "b")] for group in one]) for one in pairs]
    assert ChangeAttack(most_steps=0).find(versions).undecided == 4
    constant = [versions[0]] * 3
    values = pl.DataFrame({"person": ["1", "2", "3", "4"], "value": ["a", "b", "a", "b"]})
    assert ChangeAttack(most_steps=0).find(ReleaseSequence(constant, values=values)).undecided == 0


def test_the_attack_on_a_history_names_people_whose_value_changed_within_the_signature(tmp_path):
    """Groups follow the ages, so that everybody meets everybody else; 2 has gout, then flu."""
    history = start(tmp_path, roles={"age": "quasi-identifier", "disease": "sensitive"})
    for young, old in (("12", "34"), ("13", "24"), ("14", "23")):
        rows = [
            (who, age, value) for one, age in ((young, "20"), (old, "80")) for who, value in zip(one, PAIR, strict=True)
        ]
        history.publish(pl.DataFrame(rows, schema=["name", "age", "disease"], orient="row"))
    report = history.attack()
    assert [sorted(one) for one in report.changes.clusters] == [["0", "1", "2", "3"]]
    assert report.holds  # the value itself stays hidden among m
    assert "at least one has another sensitive value than before" in "\n".join(report.sentences())
    assert report.as_dict()["changes"]["undecided"] == 0
