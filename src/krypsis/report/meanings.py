"""What the kinds of risk of a solution space mean, as people read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RiskMeaning:
    """What a kind of risk means, as people read it."""

    title: str
    sentence: str
    formula: str


MEANINGS: Mapping[str, RiskMeaning] = {
    "average": RiskMeaning(
        "Average risk",
        "The chance to pick the right record of a person known to be in the table, for a person drawn by chance.",
        "groups ÷ published records",
    ),
    "highest": RiskMeaning(
        "Highest risk",
        "The chance to pick the right record of a person known to be in the table, for the person most at risk.",
        "1 ÷ size of the smallest group",
    ),
    "suppressed": RiskMeaning(
        "Suppressed share",
        "The share of records in groups that the promises refuse, which are therefore left out.",
        "suppressed records ÷ records",
    ),
}
