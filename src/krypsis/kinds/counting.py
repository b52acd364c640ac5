"""Questions of how many, and what a release says: an estimate, its bounds, and where there is one the truth."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis.errors import UsageError
from krypsis.io.yaml_file import read_yaml

if TYPE_CHECKING:
    from krypsis.plan import Plan
    from krypsis.release.release import Release

Where = Mapping[str, object]
"""Name → condition: a value, a set of values, or a range ``(low, high)`` with both ends included."""
RANGE = re.compile(r"(?P<low>.*)\.\.(?P<high>.*)", re.DOTALL)
KEYS = "the key queries, and where labels need it domains"
EXAMPLE = "queries: [{age: 30..40, disease: flu}]"


@dataclass(frozen=True)
class CountAnswer:
    """What a release says about a count."""

    estimate: float
    low: float | None
    """No data behind the release has fewer; ``None`` where nothing says so."""
    high: float | None
    """No data behind the release has more."""
    basis: str
    """What the bounds mean, or why there are none."""


@dataclass(frozen=True)
class AnsweredQuery:
    """A question with its answer, and the true count where the data before is at hand."""

    where: Where
    answer: CountAnswer
    true: int | None = None

    @property
    def error(self) -> float | None:
        """How far the estimate is from the truth, as a share of it; ``None`` where nobody or nothing is meant."""
        return None if not self.true else abs(self.answer.estimate - self.true) / self.true

    @property
    def text(self) -> str:
        """The question as it is written on the command line."""
        return ", ".join(f"{name}={written(condition)}" for name, condition in self.where.items())

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        answer = self.answer
        found = {"query": self.text, "estimate": answer.estimate, "low": answer.low, "high": answer.high}
        return {**found, "basis": answer.basis, "true": self.true, "relative_error": self.error}


@dataclass(frozen=True)
class Workload:
    """Questions, and the possible values of attributes whose labels stand for several."""

    queries: tuple[Where, ...]
    domains: Mapping[str, object]

    @classmethod
    def load(cls, path: Path) -> "Workload":
        """Read questions from a YAML file.

        Raises
        ------
        UsageError
            if it holds something else.
        """
        content = read_yaml(path, "file of queries", KEYS, f"write one: {EXAMPLE}", UsageError)
        if strange := content.keys() - {"queries", "domains"}:
            raise UsageError(f"{path.name}: unknown key {min(strange)!r}; expected {KEYS}, such as {EXAMPLE}")
        queries, domains = content.get("queries"), content.get("domains") or {}
        if not isinstance(queries, list) or not queries or not isinstance(domains, dict):
            raise UsageError(f"{path.name}: expected a list of queries and a mapping of domains, such as {EXAMPLE}")
        asked = [_query(number, one, path.name) for number, one in enumerate(queries, 1)]
        return cls(tuple(asked), {name: domain_of(name, one) for name, one in domains.items()})


def _query(number: int, given: object, name: str) -> Where:
    if not isinstance(given, dict) or not given:
        raise UsageError(f"{name}: query {number} is no mapping of conditions, such as {EXAMPLE}; got {given!r:.60}")
    return {key: condition_of(key, value) for key, value in given.items()}


def condition_of(name: str, given: object) -> object:
    """Return a condition as people write it: a value, ``30..40``, ``flu|cold``, or a list of values.

    Examples
    --------
    >>> condition_of("age", "30..40"), condition_of("age", "30.."), condition_of("sex", "F"), condition_of("zip", ["1"])
    (('30', '40'), ('30', None), 'F', ['1'])
    >>> condition_of("disease", "flu|cold")
    ['flu', 'cold']
    """
    if isinstance(given, list) and given and all(isinstance(one, str) for one in given):
        return given
    if not isinstance(given, str) or not given:
        raise UsageError(f"{name}: a condition is a value, a range 30..40, or values flu|cold; got {given!r:.60}")
    if found := RANGE.fullmatch(given):
        if not found["low"] and not found["high"]:
            raise UsageError(f"{name}: a range has at least one end, such as 30..40 or 30..; got {given!r}")
        return (found["low"] or None, found["high"] or None)
    return given.split("|") if "|" in given else given


def domain_of(name: str, given: object) -> object:
    """Return possible values as people write them: whole numbers ``0..99``, or ``F|M``.

    Examples
    --------
    >>> domain_of("age", "0..3"), domain_of("sex", "F|M")
    (range(0, 4), ['F', 'M'])
    """
    condition = condition_of(name, given)
    if not isinstance(condition, tuple):
        return [condition] if isinstance(condition, str) else condition
    low, high = condition
    if low is None or high is None or not all(re.fullmatch(r"-?\d{1,9}", end) for end in (low, high)):
        raise UsageError(f"{name}: possible values are whole numbers such as 0..99, or values F|M; got {given!r}")
    if not int(low) <= int(high) <= int(low) + MOST_VALUES:
        raise UsageError(f"{name}: a range of possible values ascends, up to {MOST_VALUES:,} values; got {given!r}")
    return range(int(low), int(high) + 1)


MOST_VALUES = 10_000_000


def written(condition: object) -> str:
    """Return a condition as it is written on the command line."""
    if isinstance(condition, tuple):
        low, high = ("" if end is None else str(end) for end in condition)
        return f"{low}..{high}"
    return "|".join(map(str, condition)) if isinstance(condition, list | set | frozenset) else str(condition)


def answer_queries(
    release: "Release",
    queries: Sequence[Where],
    domains: Mapping[str, object] | None = None,
    plan: "Plan | None" = None,
) -> list[AnsweredQuery]:
    """Return what a release says about each question.

    Parameters
    ----------
    release
        what is published.
    queries
        the questions.
    domains
        attribute → its possible values, where labels stand for several.
    plan
        of the release, where its data is at hand: the true counts are given then, which are private.

    Examples
    --------
    >>> import krypsis
    >>> baskets = krypsis.Transactions.of_sets([["bread", "milk"], ["bread", "milk"], ["bread"], ["bread"]])
    >>> release = krypsis.anonymize(baskets, models="km-anonymity:k=2,m=2", algorithm="disassociation")
    >>> answer = answer_queries(release, [{"items": ["bread", "milk"]}])[0].answer
    >>> answer.estimate, answer.low, answer.high
    (2.0, 2, 2)
    """
    from krypsis.kinds.base import kind_named  # noqa: PLC0415  it names what is here

    kind = kind_named(release.kind)
    original = None if plan is None else plan.read_data()
    known = {**({} if plan is None else kind.domains_of(plan, original, queries)), **(domains or {})}
    true = [None if plan is None else kind.true_count(original, where) for where in queries]
    answers = [kind.count(release, where, known) for where in queries]
    return [AnsweredQuery(*found) for found in zip(queries, answers, true, strict=True)]


def fitting(sizes: Sequence[int], of: int) -> tuple[int, int]:
    """Return how many elements several subsets of so many elements share, at least and at most.

    Examples
    --------
    >>> fitting([3, 4], 5), fitting([2, 2], 5), fitting([], 5)
    ((2, 3), (0, 2), (5, 5))
    """
    return max(0, sum(sizes) - (len(sizes) - 1) * of), min([*sizes, of])
