"""How the checker reads the promises of a manifest."""

import pytest

from krypsis import registry
from krypsis.errors import DataError
from krypsis.models.promises import read_promise


@pytest.mark.parametrize(
    "spec", ["k-anonymity:k=5", "recursive-l-diversity:c=4,l=3", 'distinct-l-diversity:l=2,attribute="pay, ""gross"""']
)
def test_a_promise_is_read_as_it_was_written(spec):
    assert read_promise(spec) == registry.create("model", spec)
    assert read_promise(registry.create("model", spec).spec) == read_promise(spec)


@pytest.mark.parametrize(
    "spec", ["k-anonymity:k=5,k=2", "k-anonymity:5,k=2", "k-anonymity:k=2 or more,,", "k-anonymity:-k=2"]
)
def test_a_promise_that_could_be_read_in_two_ways_is_refused(spec):
    with pytest.raises(DataError, match="not understood"):
        read_promise(spec)
