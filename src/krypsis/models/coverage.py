"""Which sensitive columns a set of promises protects."""

from collections.abc import Sequence

from krypsis.models.base import GroupModel, PrivacyModel, SensitiveModel

NEARLY_CERTAIN = 0.9
"""From this share on, a sensitive value is nearly certain for everybody in a group."""


USUAL = 0.8
"""A value with at least this share of the whole table is likely for everybody, whatever the groups are."""


def without_promise(models: Sequence[PrivacyModel], sensitive: Sequence[str]) -> tuple[str, ...]:
    """Return the sensitive columns that no promise is about.

    Examples
    --------
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> from krypsis.models.recursive_l_diversity import RecursiveLDiversity
    >>> without_promise([KAnonymity(k=5), RecursiveLDiversity(c=3, l=2, attribute="disease")], ["disease", "pay"])
    ('pay',)
    """
    return tuple(name for name in sensitive if not any(covers(model, name, sensitive) for model in models))


def covers(model: PrivacyModel, column: str, sensitive: Sequence[str]) -> bool:
    """Whether a promise is about the values of a sensitive column, and not only about finding a record."""
    if model.covers_all_sensitive:
        return True
    if isinstance(model, SensitiveModel) or model.needs_sensitive:
        return getattr(model, "attribute", None) in (None, column)
    return isinstance(model, GroupModel) and any(column in names for names in model.combinations(sensitive))


def rules_out_certainty(models: Sequence[PrivacyModel], column: str) -> bool:
    """Whether a promise keeps every value of a column below the share at which it is nearly certain in its group.

    Examples
    --------
    >>> from krypsis.models.recursive_l_diversity import RecursiveLDiversity
    >>> rules_out_certainty([RecursiveLDiversity(c=3, l=2)], "disease")
    True
    """
    limits = [model.largest_share for model in models if getattr(model, "attribute", "") in (None, column)]
    return any(share is not None and share < NEARLY_CERTAIN for share in limits)
