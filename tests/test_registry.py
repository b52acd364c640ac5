"""How what a user writes becomes a model, an algorithm or a metric."""

import pytest

from krypsis import registry
from krypsis.errors import UsageError


@pytest.mark.parametrize("spec", ["k-anonymity:k=5,k=2", "k-anonymity:k=5, k=5", "recursive-l-diversity:c=4,l=3,c=1"])
def test_a_parameter_that_stands_twice_is_refused(spec):
    with pytest.raises(UsageError, match="twice"):
        registry.create("model", spec)
