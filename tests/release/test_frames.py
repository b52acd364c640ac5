"""Releases as frames of polars, pandas and pyarrow."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from krypsis.errors import UsageError
from release.forms import FORMS, PRIVATE, release_of_form


@pytest.mark.parametrize("form", FORMS)
def test_every_table_of_every_form_becomes_a_frame(form):
    release = release_of_form(form)
    assert_frame_equal(release.to_polars(), release.table)
    for name, table in release.tables.items():
        assert_frame_equal(release.to_polars(name), table)
        assert_frame_equal(pl.from_arrow(release.to_arrow(name)), table)
        frame = release.to_pandas(name)
        assert list(frame.columns) == table.columns
        assert list(frame.index) == list(range(table.height))
        shown = [[None if value != value else value for value in row] for row in frame.itertuples(index=False)]
        assert shown == [list(row) for row in table.rows()]
        assert PRIVATE not in frame.to_csv()


@pytest.mark.parametrize("way", ["to_polars", "to_pandas", "to_arrow"])
def test_a_table_that_is_not_there_is_named(way):
    with pytest.raises(UsageError, match=r"no table 'visit'; tables: data, visits\. Did you mean 'visits'"):
        getattr(release_of_form("linked"), way)("visit")
