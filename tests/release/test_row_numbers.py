"""Numbers of suppressed rows survive the private record, few or many."""

import json

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis.errors import DataError, PrivacyWarning
from krypsis.kinds.table.utility.tables import Tables
from krypsis.release.order import origins
from krypsis.release.row_numbers import MOST_LISTED, rows_in, written_rows


@pytest.mark.parametrize("count", [0, 1, MOST_LISTED, MOST_LISTED + 1, 20_000])
def test_rows_are_read_as_they_were_written(count):
    rows = np.sort(np.random.default_rng(count).choice(1_000_000, count, replace=False)).tolist()
    text = json.dumps(written_rows(rows))
    assert rows_in(json.loads(text)).tolist() == rows
    assert len(text) < max(8 * MOST_LISTED, 5 * count)


def test_many_suppressed_rows_lead_back_to_the_original_records(tmp_path):
    ages = [31] * 6_000
    ages[::2] = range(10_000, 13_000)  # each of them is alone
    table = pl.DataFrame({"age": ages, "row": range(6_000)})
    with pytest.warns(PrivacyWarning, match="'row'"):
        release = krypsis.anonymize(
            table,
            {"age": "quasi-identifier", "row": "insensitive"},
            models="k-anonymity:k=5",
            algorithm="fixed:levels=0",
            suppression=1.0,
        )
    saved = release.save(tmp_path / "release")
    assert json.loads(saved.private.read_text("utf-8"))["suppressed_rows"]["rows"] == 3_000
    assert (origins(saved.folder) == krypsis.Release.load(saved.folder).table["row"].cast(int).to_numpy()).all()
    assert Tables.of(table, saved.folder).left_out == tuple(range(0, 6_000, 2))


@pytest.mark.parametrize("change", [{"zlib_bitmap": "!"}, {"zlib_bitmap": "AAAA"}, {"zlib_bitmap": None}, {"rows": 7}])
def test_a_damaged_record_is_refused(change):
    written = written_rows(range(2_000))
    with pytest.raises(DataError, match="it is damaged"):
        rows_in({**written, **change})
