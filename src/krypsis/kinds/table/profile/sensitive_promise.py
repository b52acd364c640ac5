"""Proposing a promise about a sensitive column, chosen from its values.

k-anonymity alone lets a group share one sensitive value, which is then certain for everybody in it. So every sensitive
column gets a promise of its own. Which one a column supports depends on its values: no group can be more diverse than
the column itself allows. A candidate counts as reachable if random groups that are not much larger than expected keep
it nearly always; the first reachable one of a list, from strong to weak, is proposed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.data.groups import Domain, Groups, Histogram
from krypsis.errors import InternalError
from krypsis.io.yaml_file import packaged_yaml
from krypsis.kinds.table.profile.column import ColumnProfile, profile_column
from krypsis.kinds.table.profile.propose import is_code
from krypsis.kinds.table.profile.roles import Language
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.coverage import USUAL
from krypsis.models.l_diversity import DistinctLDiversity
from krypsis.models.promises import read_promise
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from krypsis.models.t_closeness import TCloseness
from krypsis.specs import write_spec

Candidate = RecursiveLDiversity | TCloseness | DistinctLDiversity

CATEGORIES = 10
"""Up to so many different numbers are treated as categories: they are often codes."""
GROWTH = 4
"""How many times as large as expected groups may have to become for a promise."""
NEARLY_ALL = 0.9
"""The share of random groups that must keep a promise."""
DRAWN = 400
"""How many random groups are drawn to see whether they keep a promise."""
WIDEST_DRAW = 2000
"""More different numbers than this are drawn from evenly spaced ones of them: the distance hardly differs."""


@dataclass(frozen=True)
class SensitivePromise:
    """A promise about one sensitive column, and why this one."""

    column: str
    spec: str
    """As a plan writes it, such as ``recursive-l-diversity:c=3,l=2,attribute=diagnosis``."""
    supports_little: bool
    """Whether one value is so frequent, or the groups so small, that no promise protects the column well."""
    key: str
    figures: dict[str, str]

    def said(self, language: Language = "en") -> str:
        """Return what the promise means for this column, and why it was chosen, in one or two sentences.

        Examples
        --------
        >>> propose_promise("hiv", pl.Series(["no"] * 97 + ["yes"] * 3), groups=10).said()
        '97 % of the records have the same value of hiv, so it is likely for everybody, ...'
        """
        return str(_texts()[self.key][language].format(**self.figures))


def expected_groups(rows: int, k: int = 5) -> int:
    """Return how many groups a release of so many records has if groups are about twice as large as they must be.

    Examples
    --------
    >>> expected_groups(1000, k=5), expected_groups(3, k=5)
    (100, 1)
    """
    return max(rows // (2 * k), 1)


def propose_promise(column: str, values: pl.Series, groups: int) -> SensitivePromise:
    """Return the promise that fits the values of a sensitive column.

    Categories get recursive (c,l)-diversity, which limits the share of one value in a group. A column with two values,
    or one in which a value dominates, gets t-closeness, which limits how far a group may differ from the whole table;
    numbers get it with the ordered distance, since near numbers reveal nearly the same.

    Parameters
    ----------
    column
        the name of the column.
    values
        its values as text, one per record; a missing value is a value of its own.
    groups
        how many groups the release is expected to have; see :func:`expected_groups`.

    Examples
    --------
    >>> propose_promise("disease", pl.Series(["flu", "cold", "hiv", "asthma"] * 50), groups=20).spec
    'recursive-l-diversity:c=3,l=3,attribute=disease'
    >>> propose_promise("smoker", pl.Series(["yes", "no"] * 100), groups=20).spec
    't-closeness:t=0.2,attribute=smoker'
    >>> propose_promise("pay", pl.Series([str(pay) for pay in range(1000, 1200)]), groups=20).spec
    't-closeness:t=0.2,distance=ordered,attribute=pay'
    """
    whole = _counted(column, values)
    size = max(len(values) // max(groups, 1), 2)
    known = proposals(column, values)
    reachable = (one for one in known if _is_reachable(read_promise(one.spec), whole, size))
    return next(reachable, known[-1])


def proposals(column: str, values: pl.Series) -> tuple[SensitivePromise, ...]:
    """Return the promises that fit the values of a sensitive column, from strong to weak.

    Examples
    --------
    >>> [one.spec.partition(",attribute")[0] for one in proposals("smoker", pl.Series(["yes", "no"] * 100))]
    ['t-closeness:t=0.2', 'recursive-l-diversity:c=9,l=2', 'distinct-l-diversity:l=2']
    """
    whole = _counted(column, values)
    largest = float(whole.whole.max() / whole.whole.sum())
    kind, models = _candidates(profile_column(column, values), whole.domain, largest)
    return tuple(
        SensitivePromise(
            column=column,
            spec=_spec(model),
            supports_little=kind == "dominated" or isinstance(model, DistinctLDiversity),
            key=_key(kind, model),
            figures=_figures(column, model, whole.domain, largest),
        )
        for model in models
    )


def _candidates(profile: ColumnProfile, domain: Domain, largest: float) -> tuple[str, Sequence[Candidate]]:
    """Return what kind of column it is, and the promises for it from strong to weak."""
    name = profile.name
    weakest = DistinctLDiversity(l=2, attribute=name)
    if largest >= USUAL:
        return "dominated", [TCloseness(t=t, attribute=name) for t in (0.2, 0.3, 0.4)]
    if profile.is_number and not is_code(profile) and len(domain) > CATEGORIES and domain.is_numeric:
        return "numbers", [
            *(TCloseness(t=t, distance="ordered", attribute=name) for t in (0.2, 0.25, 0.3)),
            weakest,
        ]
    if len(domain) == 2:
        return "binary", [TCloseness(t=0.2, attribute=name), RecursiveLDiversity(c=9, l=2, attribute=name), weakest]
    strengths = ((3, 3), (3, 2), (4, 2), (9, 2))
    return "categories", [*(RecursiveLDiversity(c=c, l=rank, attribute=name) for c, rank in strengths), weakest]


def _key(kind: str, model: Candidate) -> str:
    """Return under which the reason stands in the file of texts."""
    if isinstance(model, DistinctLDiversity):
        return "distinct"
    if isinstance(model, RecursiveLDiversity):
        return "categories-ruled-out" if model.l == 3 else "categories"
    return kind


def _spec(model: Candidate) -> str:
    """Return the promise as people write it: without what needs not be said."""
    given = {name: getattr(model, name) for name in type(model).model_fields if name in model.model_fields_set}
    order = sorted(given, key=lambda name: name == "attribute")
    return write_spec(model.name, {name: _plain(given[name]) for name in order})


def _plain(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value


def _counted(column: str, values: pl.Series) -> Histogram:
    """Return the column as the histogram of one group with all records; spellings of one value are one."""
    table = values.rename("text").value_counts(name="count").sort("text", nulls_last=True)
    domain, place = Domain.counting(table["text"].to_list(), None, column)
    counts = np.bincount(place, table["count"].to_numpy(), minlength=len(domain)).astype(np.int64)
    codes = np.arange(len(counts))
    return Histogram(np.zeros_like(codes), codes, counts, counts, domain)


def _is_reachable(model: PrivacyModel, whole: Histogram, size: int) -> bool:
    """Whether nearly all random groups keep the promise before they are many times as large as expected."""
    sizes = {min(size * factor, int(whole.whole.sum())) for factor in (1, 2, GROWTH)}
    return any(_share_kept(model, whole, size) >= NEARLY_ALL for size in sorted(sizes))


def _share_kept(model: PrivacyModel, whole: Histogram, size: int) -> float:
    drawn = _random_groups(whole, size)
    name = whole.domain.name
    if not isinstance(model, GroupModel):
        raise InternalError(f"{model.spec} is not about groups")
    return float(model.accepts(Groups(np.full(DRAWN, size, dtype=np.int64), {name: drawn})).mean())


def _random_groups(whole: Histogram, size: int) -> Histogram:
    """Return random groups of one size; the draw is the same each time, so that a plan is proposed again as it was."""
    thinned = _thinned(whole)
    shares = thinned.whole / thinned.whole.sum()
    counts: IntArray = np.random.default_rng(0).multinomial(size, shares, DRAWN).astype(np.int64)
    group, value = np.nonzero(counts)
    return Histogram(group, value, counts[group, value], thinned.whole, thinned.domain)


def _thinned(whole: Histogram) -> Histogram:
    """Return the column with so few values that many groups can be drawn from it."""
    if len(whole.domain) <= WIDEST_DRAW:
        return whole
    in_order = np.argsort(whole.domain.ranks)
    kept = in_order[np.linspace(0, len(in_order) - 1, WIDEST_DRAW).astype(np.int64)]
    domain = Domain(tuple(whole.domain.values[code] for code in kept), name=whole.domain.name)
    codes = np.arange(len(kept))
    return Histogram(np.zeros_like(codes), codes, whole.whole[kept], whole.whole[kept], domain)


def _figures(column: str, model: Candidate, domain: Domain, largest: float) -> dict[str, str]:
    figures = {"column": column, "largest": _percent(largest), "values": f"{len(domain):,}"}
    if isinstance(model, TCloseness):
        most = min(largest + model.t, 1.0)
        return figures | {"t": f"{model.t:g}", "most": _percent(most), "rarest": _percent(1 - largest + model.t)}
    if isinstance(model, RecursiveLDiversity):
        return figures | {"limit": _percent(model.c / (model.c + 1))}
    return figures


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


@cache
def _texts() -> dict[str, Any]:
    return packaged_yaml("krypsis.kinds.table.profile", "sensitive_promise.yaml")
