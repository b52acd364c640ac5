"""The built-in table: invented patients of a hospital."""

from __future__ import annotations

from krypsis.io.hospital import hospital, hospital_plan
from krypsis.kinds.base import PLAN, Demo


def demo() -> Demo:
    """Return the patients with their plan.

    Examples
    --------
    >>> list(demo().files), demo().what
    (['patients.csv', 'plan.yaml'], '5,000 invented patients')
    """
    table = hospital()
    files = {"patients.csv": table.write_csv(), PLAN: hospital_plan()}
    return Demo("demo", files, f"{table.height:,} invented patients")
