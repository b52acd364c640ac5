"""The frontier against the definition: no other point is at least as good in both and better in one."""

from hypothesis import given
from hypothesis import strategies as st

from krypsis.kinds.table.exploration.exploration import frontier

FIGURES = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.1 + 0.2, 1.0])
POINTS = st.lists(st.tuples(FIGURES, FIGURES, st.integers(0, 3)), max_size=12)


def near(one, other):
    return abs(one - other) < 1e-9


def beats(one, other):
    no_worse = all(left < right or near(left, right) for left, right in zip(one, other, strict=True))
    return no_worse and not all(map(near, one, other))


@given(POINTS)
def test_it_holds_exactly_the_points_that_nothing_beats_one_of_each_kind(points):
    chosen = frontier(*([point[part] for point in points] for part in range(3)))
    pairs = [(risk, loss) for risk, loss, _ in points]
    unbeaten = [place for place, one in enumerate(pairs) if not any(beats(other, one) for other in pairs)]
    assert set(chosen) <= set(unbeaten)
    for place in unbeaten:
        alike = [other for other in chosen if all(map(near, pairs[other], pairs[place]))]
        assert len(alike) == 1
        assert points[alike[0]][2] <= points[place][2]


@given(POINTS)
def test_it_goes_from_the_lowest_loss_to_the_lowest_risk(points):
    chosen = frontier(*([point[part] for point in points] for part in range(3)))
    assert [points[place][1] for place in chosen] == sorted(points[place][1] for place in chosen)
    assert [points[place][0] for place in chosen] == sorted((points[place][0] for place in chosen), reverse=True)
