"""Columns to perturb."""

import numpy as np

from krypsis.data.columns import CategoryColumn, NumericColumn


def people(count: int, seed: int = 0) -> dict[str, NumericColumn]:
    """Ages and incomes that go together, without missing values."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 12, count)
    return {
        "age": NumericColumn("age", age),
        "income": NumericColumn("income", 1000 * age + rng.normal(0, 8000, count)),
    }


def categories(name: str, counts: dict[str, int], missing: int = 0) -> CategoryColumn:
    """A column with so many records of each label, and some without."""
    labels = (*counts, *((None,) if missing else ()))
    codes = np.repeat(np.arange(len(labels)), [*counts.values(), *((missing,) if missing else ())])
    return CategoryColumn(name, codes.astype(np.int32), labels)
