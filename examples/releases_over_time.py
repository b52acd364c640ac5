"""Two releases that are safe one by one, and what they tell together."""

import polars as pl

from krypsis.attacks.intersection import CandidateAttack
from krypsis.checker import check_history
from krypsis.io.history import Version
from krypsis.models.m_invariance import MInvariance


def version(rows: list[tuple[str | None, int, str]], counterfeits: dict[int, int] | None = None) -> Version:
    table = pl.DataFrame(rows, schema=["name", "group", "disease"], orient="row")
    return Version.of(table, group="group", sensitive="disease", person="name", counterfeits=counterfeits)


spring = version([("Bob", 1, "dyspepsia"), ("Alice", 1, "bronchitis"), ("David", 2, "gastritis"), ("Andy", 2, "flu")])
careless = version([("Bob", 1, "dyspepsia"), ("David", 1, "gastritis")])
# Alice and Andy have left. A record of nobody keeps Bob among the same diseases as before, Emily does so for David.
careful = version(
    [("Bob", 1, "dyspepsia"), (None, 1, "bronchitis"), ("David", 2, "gastritis"), ("Emily", 2, "flu")],
    counterfeits={1: 1},
)

for autumn in (careless, careful):
    (verdict,) = check_history([spring, autumn], [MInvariance(m=2)])
    left = CandidateAttack(cascade=True).find([spring, autumn])
    print(verdict.sentence)
    print("  left for the attacker:", {name: sorted(values) for name, values in left.items()})
