"""Association rules that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from krypsis.errors import UsageError
from krypsis.utility.apriori import Baskets, Rule, rules_of
from krypsis.utility.tables import Tables


@dataclass(frozen=True)
class RuleAgreement:
    """The strongest rules of the original table: which can still be found in the release, and which not."""

    kept: tuple[Rule, ...]
    lost: tuple[Rule, ...]

    formula: ClassVar[str] = "rules that reach support and confidence in the release, too / rules of the original table"
    range: ClassVar[str] = "0 (no rule is found any more) to 1 (all are)"
    better: ClassVar[str] = "higher"

    @property
    def share(self) -> float:
        """The share of the rules that is kept."""
        return len(self.kept) / (len(self.kept) + len(self.lost))

    @property
    def sentence(self) -> str:
        """The figure in plain words."""
        return (
            f"{len(self.kept)} of the {len(self.kept) + len(self.lost)} strongest rules of the original table "
            "can still be found in the release"
        )


def kept_rules(
    original: Any,
    published: Any,
    *,
    columns: Sequence[str] | None = None,
    support: float = 0.05,
    confidence: float = 0.6,
    most: int = 100,
    longest: int = 3,
) -> RuleAgreement:
    """Return which of the strongest association rules of the original table are still there.

    A rule says that records with some labels have another one, too. It is kept if it reaches ``support`` and
    ``confidence`` in the release word for word: ``age=31 → ward=A`` is lost once 31 is published as ``[30-35)``.
    Support is a share of the original records, so a suppressed record supports nothing.

    Parameters
    ----------
    original, published
        the table before, and the release, its folder or its table.
    columns
        the columns to look at; all that both tables have unless given.
    support, confidence
        the share of all records that must have all labels of a rule, and of the records with its premise those that
        must have its conclusion.
    most
        how many rules to compare, by confidence, then support.
    longest
        how many labels a rule has at most, its conclusion included.

    Notes
    -----
    Agrawal and Srikant, "Fast algorithms for mining association rules", VLDB 1994.

    Raises
    ------
    UsageError
        if the original table has no such rule.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"age": ["31", "32", "58"], "ward": ["A", "A", "B"], "sex": ["F", "F", "F"]})
    >>> after = before.with_columns(age=pl.Series(["[30-40)", "[30-40)", "[50-60)"]))
    >>> found = kept_rules(before, after, support=0.5, confidence=0.6, longest=2)
    >>> found.share, [str(rule) for rule in found.kept]
    (1.0, ['ward=A → sex=F', 'sex=F → ward=A'])
    """
    tables = Tables.of(original, published)
    _check(support, confidence, most, longest)
    names = tables.columns(columns)
    rules = rules_of(Baskets(tables.before, names), tables.rows, support, confidence, longest)[:most]
    if not rules:
        raise UsageError(
            f"the original table has no rule with a support of {support:g} and a confidence of {confidence:g}; "
            "lower one of them, or look at more columns"
        )
    after = Baskets(tables.after, names)
    kept = [rule for rule in rules if _is_kept(rule, after, tables.rows, support, confidence)]
    return RuleAgreement(tuple(kept), tuple(rule for rule in rules if rule not in kept))


def _is_kept(rule: Rule, after: Baskets, rows: int, support: float, confidence: float) -> bool:
    both, premise = after.count((*rule.premise, rule.conclusion)), after.count(rule.premise)
    return both > 0 and both >= support * rows - 1e-9 and both / premise >= confidence


def _check(support: float, confidence: float, most: int, longest: int) -> None:
    for name, share in {"support": support, "confidence": confidence}.items():
        if not 0 < share <= 1:
            raise UsageError(f"{name} must be more than 0 and at most 1, got {share:g}")
    if most < 1 or longest < 2:
        raise UsageError(f"most must be at least 1 and longest at least 2, got {most} and {longest}")
