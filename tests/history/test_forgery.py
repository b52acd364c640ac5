"""Releases that are not what the history says they are: a mistake of a method, or somebody who knows the format."""

from dataclasses import replace

import numpy as np
import pytest

from history.people import FIRST, GENERAL, SECOND, start
from krypsis.algorithms.histories.base import NEW
from krypsis.algorithms.histories.correlation import Correlation
from krypsis.algorithms.histories.frequency_aware import FrequencyAware
from krypsis.algorithms.histories.m_invariance import MInvariant
from krypsis.errors import PromiseBroken

FAMILIES = {name: GENERAL[name] for name in ("models", "hierarchies")}
METHODS = [
    (MInvariant, {}),
    (Correlation, {**FAMILIES, "algorithm": "correlation:on_ineligible=counterfeits"}),
    (FrequencyAware, GENERAL),
]


@pytest.mark.parametrize(("method", "options"), METHODS, ids=lambda one: getattr(one, "name", ""))
def test_a_method_that_forgets_what_people_are_bound_to_is_refused(tmp_path, monkeypatch, method, options):
    """It names other values for people who were published before; only the state knows better."""
    usual = method.publication

    def forgetful(self, snapshot, *rest):
        return usual(self, replace(snapshot, signature=np.full(len(snapshot), NEW)), *rest)

    history = start(tmp_path, **options)
    history.publish(FIRST)
    monkeypatch.setattr(method, "publication", forgetful)
    with pytest.raises(PromiseBroken, match=r"person.s. are not always among"):
        simulate_often(history)


def simulate_often(history):
    """Groups are made by chance, and all of them could be as they were."""
    for _ in range(20):
        history.simulate(SECOND)
