"""What releases lose: the exact fractions of S10.20, and the ranges of S13.12."""

import io
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms.histories.diseases import DISEASES, FIGURE_3_7_AND_3_8
from krypsis.algorithms.histories.base import NEW, Counterfeits, Snapshot, VersionGrouping
from krypsis.algorithms.histories.families import first_nodes
from krypsis.algorithms.histories.penalties import (
    attribute_penalty,
    counterfeit_penalty,
    penalties_of,
    record_penalty,
    sensitive_penalty,
    version_figures,
)
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.splits import axes_of_snapshot
from krypsis.data.hierarchies import resolve
from krypsis.errors import UsageError
from krypsis.io.texts import encode

TABLE = pl.read_csv(io.StringIO(FIGURE_3_7_AND_3_8), infer_schema=False)
KNOWN = ("age", "zipcode", "sex")
VALUES = np.array([DISEASES.code_of[value] for value in TABLE["condition"]])
figures = pytest.mark.parametrize("figure", ["ordinary", "correlated"])
shares = st.floats(0, 1)


def snapshot():
    hierarchies = tuple(resolve(None, sorted(set(TABLE[name])), name) for name in KNOWN)
    codes = [encode(TABLE[name], hierarchy, name) for name, hierarchy in zip(KNOWN, hierarchies, strict=True)]
    return Snapshot(
        KNOWN, hierarchies, np.stack(codes, axis=1), "condition", DISEASES, VALUES, np.full(len(VALUES), NEW)
    )


def group_of(figure):
    return TABLE[figure].cast(pl.Int64).to_numpy() - 1


# S10.20, cb.ncp_s, by id.
SENSITIVE = {
    "ordinary": "1/4 1/4 1/4 1/4 1/4 1/4 9/16 9/16 9/16 1/4 1/4 9/16",
    "correlated": "9/16 9/16 3/8 9/16 9/16 3/8 3/8 3/8 9/16 9/16 9/16 9/16",
}
# S10.20, cb.perimeter, by group: age, zipcode, sex.
PERIMETERS = {
    "ordinary": "19/26 460/487 1; 9/13 10/487 0; 25/52 290/487 1; 1/4 100/487 1; 5/52 197/487 0",
    "correlated": "11/26 140/487 0; 29/52 420/487 1; 0 0 0; 12/13 27/487 1; 35/52 290/487 1",
}


@figures
def test_the_penalty_of_the_sensitive_attribute_of_the_worked_example(figure):
    expected = [float(Fraction(one)) for one in SENSITIVE[figure].split()]
    assert sensitive_penalty(DISEASES, group_of(figure), VALUES, VALUES) == pytest.approx(expected)


@figures
def test_the_perimeters_of_the_worked_example(figure):
    rows = [[float(Fraction(cell)) for cell in row.split()] for row in PERIMETERS[figure].split("; ")]
    now = snapshot()
    found = attribute_penalty(axes_of_snapshot(now), now.codes, group_of(figure))
    assert found == pytest.approx(np.array(rows)[group_of(figure)])


def publication(figure):
    none = np.zeros(0, dtype=np.int64)
    false = Counterfeits(none, np.zeros((0, 3), dtype=np.int32), none)
    return VersionGrouping(group_of(figure), VALUES, false, np.zeros(5, dtype=np.int64), Signatures.none())


@pytest.mark.parametrize(("figure", "mean"), [("ordinary", 0.509198), ("correlated", 0.533244)])
def test_the_mean_penalty_of_the_worked_example(figure, mean):
    """Equal weights that sum to 1 and no second division (erratum 20)."""
    found = penalties_of(snapshot(), publication(figure))
    assert found.mean == pytest.approx(mean, abs=5e-7)
    assert found.total == pytest.approx(12 * found.mean)


def test_exact_values_cost_nothing_or_one_leaf_as_the_reading_says():
    now = snapshot()
    axes, group = axes_of_snapshot(now), group_of("ordinary")
    assert not attribute_penalty(axes, now.codes, group, "published").any()
    literal = attribute_penalty(axes, now.codes, group, "published", "literal")
    assert literal.tolist() == [[0, 0, 1 / 2]] * 12


def test_a_general_value_costs_the_share_of_values_below_it():
    """Definition 26: flu published as X next to aids: (3/8 + 5/8) / 2."""
    general = int(first_nodes(DISEASES)[1])
    values, published = np.array([1, 3]), np.array([general, 3])
    found = sensitive_penalty(DISEASES, np.zeros(2, dtype=np.int64), values, published)
    assert found == pytest.approx([1 / 2, (1 / 8 + 5 / 8) / 2])


@given(
    arrays(np.int64, 9, elements=st.integers(0, 2)),
    arrays(np.int64, 9, elements=st.integers(0, 7)),
    st.lists(st.floats(0.1, 5), min_size=4, max_size=4),
    shares,
)
def test_all_penalties_lie_between_zero_and_one(group, values, weights, c):
    now = snapshot()
    sensitive = sensitive_penalty(DISEASES, group, values, values)
    for leaves in ("literal", "zero"):
        attributes = attribute_penalty(axes_of_snapshot(now), now.codes[:9], group, leaves=leaves)
        record = record_penalty(sensitive, attributes, weights)
        for found in (sensitive, attributes, record, counterfeit_penalty(record, c)):
            assert (found >= 0).all()
            assert (found <= 1 + 1e-12).all()
        assert (counterfeit_penalty(record, c) >= record - 1e-12).all()


def test_a_counterfeit_costs_everything_or_what_a_record_costs():
    now, found = snapshot(), publication("correlated")
    false = Counterfeits(np.array([0]), now.codes[:1], VALUES[:1])
    more = VersionGrouping(found.group, found.published, false, found.signature, found.signatures)
    charged, spared = (penalties_of(now, more, c=c) for c in (0.0, 1.0))
    assert charged.record[-1] == 1
    assert spared.record[-1] == pytest.approx(spared.record[0])
    assert charged.record[:-1].tolist() == spared.record[:-1].tolist()


def test_nothing_published_costs_nothing():
    nobody = np.zeros(0, dtype=np.int64)
    assert len(sensitive_penalty(DISEASES, nobody, nobody, nobody)) == 0


@pytest.mark.parametrize("weights", [[1.0], [0.0] * 4, [-1.0, 1, 1, 1], [float("nan")] * 4])
def test_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises(UsageError, match="weights must be 4 numbers from 0 on"):
        record_penalty(np.zeros(2), np.zeros((2, 3)), weights)


@pytest.mark.parametrize("c", [-0.1, 1.1, float("nan")])
def test_a_share_outside_of_zero_to_one_is_refused(c):
    with pytest.raises(UsageError, match="between 0 and 1"):
        counterfeit_penalty(np.zeros(1), c)


def test_the_figures_of_a_version_follow_the_weights_of_the_user():
    """S10.20, figure 3.8, with the sensitive attribute as heavy as all three others together, and one counterfeit."""
    now, found = snapshot(), publication("correlated")
    sensitive = np.array([float(Fraction(one)) for one in SENSITIVE["correlated"].split()])
    rows = [[float(Fraction(cell)) for cell in row.split()] for row in PERIMETERS["correlated"].split("; ")]
    each = sensitive / 2 + np.array(rows)[group_of("correlated")].sum(axis=1) / 6
    figures = version_figures(now, found, c=0.25, sensitive_weight=3)
    assert figures["perimeter"].ncp_s == pytest.approx(0.5)
    assert figures["perimeter"].ncp_tau == pytest.approx(each.mean())
    assert figures["perimeter"].ncp_c is None
    assert figures["published"].ncp_tau == pytest.approx(sensitive.mean() / 2)
    false = Counterfeits(np.array([0]), now.codes[:1], VALUES[:1])
    more = VersionGrouping(found.group, found.published, false, found.signature, found.signatures)
    with_one = version_figures(now, more, c=0.25, sensitive_weight=3)["perimeter"]
    assert with_one.ncp_c == pytest.approx(1 - 0.25 + 0.25 * each[0])
    assert with_one.total == pytest.approx(each.sum() + with_one.ncp_c)
