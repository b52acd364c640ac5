"""What a program may hand over, and what it is told when it hands over something else."""

import polars as pl
import pytest

import krypsis
from krypsis.errors import UsageError

TABLE = pl.DataFrame({"age": [31, 31, 38, 38], "disease": ["flu", "cold", "flu", "cold"]})
ROLES = {"age": "quasi-identifier", "disease": "sensitive"}


def anonymize(**given):
    return krypsis.anonymize(**{"data": TABLE, "roles": ROLES, "models": "k-anonymity:k=2", **given})


def refused(**given) -> str:
    with pytest.raises(UsageError) as caught:
        anonymize(**given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "hint"), [("Keep", "Did you mean 'keep'"), ("drop", "got 'drop'"), (None, "got None")]
)
def test_an_unknown_way_of_suppressing_is_refused(given, hint):
    message = refused(suppressed=given)
    assert "suppressed must be 'remove' or 'keep'" in message
    assert hint in message
