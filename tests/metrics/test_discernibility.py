"""Discernibility."""

import numpy as np
import pytest

from krypsis import registry
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet


def two_jobs(first: int, second: int) -> FrequencySet:
    """Section 5.2.2 of the thesis: two values below one parent."""
    job = Hierarchy.from_rows([["a", "both", "*"], ["b", "both", "*"], ["c", "c", "*"]])
    codes = np.array([[0], [1]], dtype=np.int32)
    return FrequencySet(("job",), (job,), codes, np.array([first, second], dtype=np.int64))


@pytest.mark.parametrize(
    ("sizes", "before", "after", "increase"), [((99, 1), 9802, 10000, 198), ((50, 50), 5000, 10000, 5000)]
)
def test_discernibility_of_the_thesis_example(sizes, before, after, increase):
    """Erratum E20: the printed 9802 and 5000 are sums before generalization; the increase tells which is cheaper."""
    metric = registry.create("metric", "dm")
    frequency = two_jobs(*sizes)
    judge = Judge(frequency, [])
    nodes = [judge.rollup.coarsen(judge.rollup.bottom(), (level,))[0] for level in (0, 1)]
    values = [metric.compute(judge.outcome(node, judge.refused(node, []))) for node in nodes]
    assert values == [before, after]
    assert values[1] - values[0] == increase
