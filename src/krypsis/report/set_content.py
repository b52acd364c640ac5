"""What a report says about a release of sets: every number is computed here, so that page and JSON agree."""

from __future__ import annotations

from collections.abc import Sequence

from krypsis import registry
from krypsis.algorithms.sets.grouping.band import band_order, column_order
from krypsis.arrays import IntArray
from krypsis.dossier import Dossier
from krypsis.errors import UsageError
from krypsis.kinds.sets.publication import SetsPublication
from krypsis.kinds.sets.summary import published_sets, set_losses
from krypsis.profile.sets import profile_sets
from krypsis.release.release import Release
from krypsis.report.band import band_pictures
from krypsis.report.citation import citation_of
from krypsis.report.content import promise_results
from krypsis.report.dossier import dossier_section
from krypsis.report.risk import BUCKETS, bucket_label, numbers_between
from krypsis.report.set_items import general_items, told_as_before
from krypsis.report.set_values import Counts, KnownItems, SetMetricFigure, SetReportContent
from krypsis.report.summary import verdict_sentence
from krypsis.report.text import percent, readable
from krypsis.report.values import Bar
from krypsis.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.version import __version__


def build_set_content(release: Release, name: str = "", dossier: Dossier | None = None) -> SetReportContent:
    """Return everything the report of a release of sets says; ``name`` is what the release is called.

    Raises
    ------
    UsageError
        if the release was loaded from its published files: the sets before are not there to compare with.

    Examples
    --------
    >>> import krypsis
    >>> baskets = krypsis.Transactions.of_sets([["bread", "milk"]] * 3 + [["wine"]] * 3)
    >>> release = krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")
    >>> build_set_content(release).summary[0]
    'The promise holds.'
    """
    before, publication = None if release.before is None else release.before.sets, release.publication
    if before is None or not isinstance(publication, SetsPublication):
        raise UsageError(
            "a report compares the sets before with the release, and this release does not carry them (it was loaded "
            "from its published files); make the report from the result of krypsis.anonymize"
        )
    published, promises = publication.sets, promise_results(release)
    identified = _identified(before, published)
    return SetReportContent(
        release_id=release.release_id,
        title="Anonymization report",
        name=readable(name) if name else "",
        tool_version=__version__,
        holds=bool(promises) and all(promise.holds for promise in promises),
        summary=(verdict_sentence(promises), f"{published_sets(published)}.", _risk_sentence(identified)),
        promises=promises,
        guarantee=release.guarantee,
        records_published=len(published),
        items_before=len(before.items),
        items_published=_items(published),
        occurrences=len(before.codes),
        identified=identified,
        lost=(*told_as_before(before, published), *set_losses(release, published)),
        metrics=tuple(_metric(metric, value) for metric, value in release.metrics.items()),
        counts=(*_counts(before, published), *general_items(before, published)),
        band=_band(before, published, publication.sensitive_items),
        algorithm=release.algorithm,
        dossier=None if dossier is None else dossier_section(dossier),
        citation=citation_of(release),
    )


def _items(published: PublishedSets) -> int:
    if isinstance(published, GroupedSets):
        return len(published.records.items) + len(published.sensitive)
    return len(published.items)


def _sets(published: PublishedSets) -> Transactions | None:
    """Return the sets that are published as such, one for each record."""
    if isinstance(published, Disassociated):
        return None
    return published.records if isinstance(published, GroupedSets) else published


def _identified(before: Transactions, published: PublishedSets) -> tuple[KnownItems, ...]:
    old, sets = profile_sets(before, "before"), _sets(published)
    new = None if sets is None else profile_sets(sets, "after")
    return tuple(
        KnownItems(
            known=known,
            before=old.identified[known - 1],
            after=None if new is None else new.identified[known - 1],
            is_exact=known < 3 or (old.is_exact and (new is None or new.is_exact)),
        )
        for known in (1, 2, 3)
    )


def _risk_sentence(identified: Sequence[KnownItems]) -> str:
    two = identified[1]
    before = f"Before, {percent(two.before)} of the records could be told from all others by two of their items"
    if two.after is None:
        return f"{before}; now no record is published as one set."
    return f"{before}; now {percent(two.after)}."


def _metric(spec: str, value: float) -> SetMetricFigure:
    metric = registry.find("metric", spec.partition(":")[0])
    return SetMetricFigure(
        name=spec,
        value=value,
        range=metric.range,
        formula=metric.formula,
        sentence=metric.sentence,
        direction="lower is better",
    )


def _counts(before: Transactions, published: PublishedSets) -> tuple[Counts, ...]:
    sets = _sets(published)
    found = [
        Counts(
            title="How many items have the records?",
            sentence="Number of records by the number of their items. Long records are easier to tell apart.",
            before=_bars(before.sizes),
            after=() if sets is None else _bars(sets.sizes),
        ),
        Counts(
            title="In how many records are the items?",
            sentence="Number of items by the number of records that hold them. Rare items tell records apart.",
            before=_bars(before.supports),
            after=() if sets is None else _bars(sets.supports),
        ),
    ]
    if isinstance(published, Disassociated | GroupedSets):
        what = "clusters" if isinstance(published, Disassociated) else "groups"
        sentence = f"Number of {what} by the number of their records."
        found.append(
            Counts(title=f"How large are the {what}?", sentence=sentence, before=(), after=_bars(published.sizes))
        )
    return tuple(found)


def _bars(numbers: IntArray) -> tuple[Bar, ...]:
    """Return how many numbers fall into each range."""
    ranges = [(0, 0), *BUCKETS] if (numbers == 0).any() else list(BUCKETS)
    return tuple(
        Bar(label=bucket_label(smallest, largest), records=len(numbers_between(numbers, smallest, largest)))
        for smallest, largest in ranges
    )


def _band(before: Transactions, published: PublishedSets, sensitive: frozenset[str]) -> tuple[str, str] | None:
    if not isinstance(published, GroupedSets):
        return None
    harmless = before.without(sensitive)
    rows = band_order(harmless)
    return band_pictures(harmless, rows, column_order(harmless, rows))
