"""A table of values that engines like to change, and what to compare of two engines."""

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FullDomain
from krypsis.data.schema import Schema
from krypsis.io.engines.base import CountedElsewhere

MOMENT = dt.datetime(2024, 3, 31, 1, 30, 0, 123456, tzinfo=dt.UTC)
LOCAL = MOMENT.replace(tzinfo=None)
INFINITE = float("inf")
NASTY = pl.DataFrame(
    {
        "int8": pl.Series([-128, 127, None, 0, 127, 0], dtype=pl.Int8),
        "int16": pl.Series([-(2**15), 2**15 - 1, None, 0, 0, 0], dtype=pl.Int16),
        "int32": pl.Series([-(2**31), 2**31 - 1, None, 0, 0, 0], dtype=pl.Int32),
        "int64": pl.Series([-(2**63), 2**63 - 1, None, 2**53 + 1, 2**53, 0], dtype=pl.Int64),
        "uint8": pl.Series([255, 0, None, 1, 1, 0], dtype=pl.UInt8),
        "uint64": pl.Series([2**64 - 1, 0, None, 2**63, 1, 0], dtype=pl.UInt64),
        "float32": pl.Series([0.1, float("nan"), None, -0.0, 0.0, INFINITE], dtype=pl.Float32),
        "float64": pl.Series([0.1, float("nan"), None, -0.0, 0.0, -INFINITE], dtype=pl.Float64),
        "tiny": pl.Series([5e-324, 1e308, None, 1 / 3, 1e22, 123456789012345680.0]),
        "decimal": pl.Series([Decimal("1.50"), Decimal("-0.01"), None, Decimal(0), Decimal("1.5"), Decimal("9" * 20)]),
        "text": ["a ", "a", None, "", "A", "a"],
        "odd": ["it's", 'say "hi"', "\t", "z\u0301", "\u017a", "\U0001f600\\n%_;--"],
        "digits": ["01", "1", "1.0", "1e3", None, "١"],
        "date": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None, dt.date(1970, 1, 1), dt.date(1900, 2, 28), None],
        "moment": pl.Series([LOCAL, LOCAL.replace(microsecond=1), None, LOCAL, LOCAL, LOCAL], dtype=pl.Datetime("us")),
        "midnight": pl.Series([dt.datetime(2024, 3, 5)] * 5 + [None], dtype=pl.Datetime("us")),  # noqa: DTZ001
        "milliseconds": pl.Series([LOCAL, None, LOCAL, LOCAL, LOCAL, LOCAL], dtype=pl.Datetime("ms")),
        "nanoseconds": pl.Series([1, 2, None, 1000, 0, 0]).cast(pl.Datetime("ns")),
        "zoned": pl.Series([MOMENT, None, MOMENT, MOMENT, MOMENT, MOMENT], dtype=pl.Datetime("us", "Europe/Berlin")),
        "utc": pl.Series([MOMENT, None, MOMENT, MOMENT, MOMENT, MOMENT], dtype=pl.Datetime("us", "UTC")),
        "time": [dt.time(0), dt.time(23, 59, 59, 999999), None, dt.time(0), dt.time(1), dt.time(1)],
        "truth": [True, False, None, True, True, False],
        "nothing": pl.Series([None] * 6, dtype=pl.String),
        "less than nothing": pl.Series([None] * 6, dtype=pl.Null),
        "kind": pl.Series(["b", "a", None, "b", "b", "a"], dtype=pl.Enum(["b", "a"])),
        "category": pl.Series(["b", "a", None, "b", "b", "a"], dtype=pl.Categorical),
        "duration": pl.Series([1, 2, None, 86_400_000_000, 0, 0]).cast(pl.Duration("us")),
        "^a$": [1, 2, None, 1, 1, 1],
        'he said "a"; drop table t': [1, 2, None, 1, 1, 1],
        "Straße ✓ 'x'": [1, 2, None, 1, 1, 1],
        "same": [1, 2, 3, 1, 1, 1],
        "SAME": ["x", "y", "z", "x", "x", "x"],
        "select": [1, 2, None, 1, 1, 1],
    }
)


def flat(engine, names):
    """Return hierarchies of one step for some columns."""
    return {name: Hierarchy.from_rows([value, "*"] for value in engine.distinct(name)) for name in names}


def counted(engine, roles, population=None, **options):
    schema = Schema.of(roles)
    hierarchies = flat(population or engine, schema.quasi_identifiers)
    return engine.count_tuples(schema, hierarchies, population=population, **options)


def histogram_of(histogram):
    order = np.lexsort([histogram.value, histogram.group])
    entries = [array[order].tolist() for array in (histogram.group, histogram.value, histogram.count)]
    domain = histogram.domain
    inner = [(one.values, one.spellings) for one in getattr(domain, "columns", (domain,))]
    codes = domain.codes.tolist() if hasattr(domain, "codes") else None
    return [*entries, histogram.whole.tolist(), inner, codes, domain.name]


def frequency_of(frequency):
    """Return everything that a frequency set says, in a form that is equal where it says the same."""
    return {
        "codes": (frequency.codes.dtype, frequency.codes.tolist()),
        "counts": (frequency.counts.dtype, frequency.counts.tolist()),
        "values": [hierarchy.values for hierarchy in frequency.hierarchies],
        "sensitive": {name: histogram_of(one) for name, one in frequency.sensitive.items()},
        "combined": {names: histogram_of(one) for names, one in frequency.combined.items()},
        "population": None if frequency.population is None else frequency.population.tolist(),
        "sets": (frequency.sets, frequency.weights, frequency.attributes),
    }


def rows_of(frame):
    """Return the rows so that NaN equals NaN and −0.0 differs from 0.0, in an order of their own."""
    return sorted(map(repr, frame.rows()))


def some_recoding(frequency, levels=None):
    """Return a recoding that changes every second attribute and suppresses some tuples."""
    lowest = levels or tuple(place % 2 for place in range(len(frequency.attributes)))
    return FullDomain(lowest, np.arange(len(frequency.counts)) % 3 == 1)


def published(table, recoding, suppressed="remove", seed="5ad3"):
    if isinstance(table, CountedElsewhere):
        return pl.concat(table.publish(recoding, suppressed, seed).frames())
    return table.apply(recoding, suppressed)
