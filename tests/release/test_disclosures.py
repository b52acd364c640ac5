"""What groups disclose is counted once for a release, and stays with the publisher."""

import pickle

import polars as pl
import pytest

import krypsis
from krypsis.errors import PrivacyWarning
from krypsis.kinds.table import publication as releases

TABLE = pl.DataFrame({"sex": ["F", "F", "M", "M"] * 3, "disease": ["flu", "flu", "hiv", "flu"] * 3})


@pytest.fixture
def counted(monkeypatch):
    calls, count = [], releases.disclosures
    monkeypatch.setattr(releases, "disclosures", lambda *given: calls.append(given) or count(*given))
    return calls


def test_what_groups_disclose_is_counted_once_from_the_search_to_the_summary(tmp_path, counted):
    with pytest.warns(PrivacyWarning):
        made = krypsis.anonymize(TABLE, {"sex": "QI", "disease": "sensitive"}, models="k-anonymity:k=2")
    saved = made.save(tmp_path / "release").release
    assert saved.disclosures
    assert saved.summary()
    assert len(counted) == 1


def test_a_pickled_release_does_not_carry_what_its_groups_disclose():
    with pytest.warns(PrivacyWarning):
        made = krypsis.anonymize(TABLE, {"sex": "QI", "disease": "sensitive"}, models="k-anonymity:k=2")
    assert made.disclosures
    assert "disclosures" not in vars(pickle.loads(pickle.dumps(made)))
