"""The order of the input leaves no trace in what an engine publishes of rows that stay where they lie."""

import numpy as np
import polars as pl
import pytest

from engines.nasty_values import counted, some_recoding
from engines.places import SERVERS, lies_in
from krypsis.io.sql import publishing

ROWS = 3000
RANDOM = np.random.default_rng(7)
TABLE = pl.DataFrame(
    {
        "age": RANDOM.integers(20, 26, ROWS),
        "zip": RANDOM.integers(0, 4, ROWS).astype(str),
        "disease": RANDOM.choice(["flu", "hiv", None], ROWS),
        "number": np.arange(ROWS),
    }
)
ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "disease": "sensitive"}
WITH_OTHERS = ROLES | {"number": "insensitive"}


@pytest.fixture(params=SERVERS)
def engine(request):
    return request.param


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(publishing, "PART_ROWS", (400, 400))


def parts_of(table, engine, roles, seed="5ad3", levels=(1, 0)):
    found = counted(lies_in(table, engine).engine, roles)
    parts = found.publish(some_recoding(found.frequency, levels), "remove", seed)
    return parts, [path.read_bytes() for path in parts.paths]


@pytest.mark.parametrize("roles", [ROLES, WITH_OTHERS])
@pytest.mark.parametrize("levels", [(0, 0), (1, 1)])
def test_rows_in_another_order_give_the_same_files(engine, roles, levels):
    _, first = parts_of(TABLE, engine, roles, levels=levels)
    _, other = parts_of(TABLE.sample(fraction=1.0, shuffle=True, seed=3), engine, roles, levels=levels)
    assert len(first) > 3
    assert first == other


@pytest.mark.parametrize("roles", [ROLES, WITH_OTHERS])
def test_another_seed_gives_another_order_of_the_same_rows(engine, roles):
    first, files = parts_of(TABLE, engine, roles)
    second, others = parts_of(TABLE, engine, roles, seed="5ad4")
    assert files != others
    both = [pl.concat(parts.frames()) for parts in (first, second)]
    assert both[0].sort(pl.all()).equals(both[1].sort(pl.all()))


@pytest.mark.parametrize("roles", [ROLES, WITH_OTHERS])
def test_records_of_a_group_stand_together(engine, roles):
    parts, _ = parts_of(TABLE, engine, roles)
    labels = pl.concat(parts.frames()).select("age", "zip")
    assert labels.select(pl.struct("age", "zip").rle_id().max()).item() + 1 == labels.n_unique()


def test_parts_have_about_the_size_they_may_have(engine):
    parts, _ = parts_of(TABLE, engine, WITH_OTHERS, levels=(1, 1))
    sizes = [frame.height for frame in parts.frames()]
    assert sum(sizes) == parts.rows > 1000
    assert max(sizes) <= 3 * 400


def test_a_large_group_of_records_that_are_alike_goes_into_several_parts(engine):
    table = pl.DataFrame({"age": [1] * ROWS, "kind": ["x"] * ROWS, "other": ["y", None] * (ROWS // 2)})
    roles = {"age": "quasi-identifier", "kind": "insensitive", "other": "insensitive"}
    parts, _ = parts_of(table, engine, roles, levels=(0,))
    assert max(frame.height for frame in parts.frames()) <= 400
    assert pl.concat(parts.frames()).sort("other").equals(table.sort("other"))


def test_nothing_is_published_as_one_part_without_rows(engine):
    for roles in (ROLES, WITH_OTHERS):
        found = counted(lies_in(TABLE, engine).engine, roles)
        recoding = some_recoding(found.frequency, (0, 0))
        recoding.suppressed[:] = True
        parts = found.publish(recoding, "remove", "5ad3")
        assert (parts.rows, len(parts.paths)) == (0, 1)
        assert parts.columns == list(roles)
