"""Check a table that was published several times."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.base import Given, attribute_sets, judge_of, judges, names_of, refuse_others
from krypsis.checker.invariance import Bound, Versions
from krypsis.checker.published_tables import PublishedTables, PublishedVersion, check_records, matched
from krypsis.checker.table import said_of_spellings
from krypsis.data.hierarchies.base import TOP, Hierarchy
from krypsis.errors import DataError, PromiseBroken, UsageError, shorten
from krypsis.format.claims import Claims, restore_types
from krypsis.format.files import read_data, read_sensitive_table, read_tables, verify_files
from krypsis.io.history import People, Version
from krypsis.io.texts import PLAIN, numbered, text_of
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.m_invariance import MInvariance
from krypsis.texts.spelling import alike


def looks_of(table: pl.DataFrame, quasi_identifiers: Sequence[str], group_column: str) -> pl.DataFrame:
    """Return the group of each published record, and a number that records with equal quasi-identifiers share.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["3*", "3*", "4*"], "g": [1, 1, 2]})
    >>> first, second, third = looks_of(table, ["age"], "g")["look"]
    >>> first == second, second == third
    (True, False)
    """
    look = np.zeros(table.height, dtype=np.int64)
    for name in dict.fromkeys(quasi_identifiers):
        (codes,), limit = numbered([text_of(table.get_column(name)).rename("value")])
        look = np.unique(look * max(limit, 1) + codes, return_inverse=True)[1].astype(np.int64)
    return pl.DataFrame({"group": text_of(table.get_column(group_column)), "look": look})


def people_alike(version: Version) -> IntArray:
    """Return how many people share each look, at the least: counterfeits of a group may be among any of its records.

    Examples
    --------
    >>> looks = pl.DataFrame({"group": ["1", "1", "2"], "look": [0, 0, 1]})
    >>> records = pl.DataFrame({"group": ["1", "1", "2"], "value": ["a", "b", "a"]})
    >>> people_alike(Version(records, counterfeits={"1": 1}, looks=looks)).tolist()
    [1, 1]
    """
    if version.looks is None:
        raise UsageError("how many people look alike is decided by the published quasi-identifiers; read the release")
    counts = version.looks.group_by("look", "group").len("records")
    false = _counterfeits(counts.get_column("group"), version.counterfeits or {})
    # The worst case for k-anonymity: all counterfeits of a group may share this look.
    real = counts.get_column("records").cast(pl.Int64).to_numpy() - np.minimum(
        false, counts.get_column("records").to_numpy()
    )
    found: IntArray = np.bincount(counts.get_column("look").to_numpy(), weights=real).astype(np.int64)
    return found


def judge_crowds(model: KAnonymity, versions: Sequence[Version]) -> Verdict:
    """Say whether at least ``k`` people look alike in each of the releases; counterfeits are nobody."""
    alike = [people_alike(version) for version in versions]
    smallest = min((int(one.min()) for one in alike if len(one)), default=0)
    broken = [int((one < model.k).sum()) for one in alike]
    figures = f"required at least {model.k}, achieved {smallest}"
    others = "1 other person" if model.k == 2 else f"{model.k - 1} other people"
    promise = f"everybody looks like at least {others} in the quasi-identifiers of each release"
    over = f"in {len(versions)} release(s)"
    sentence = (
        f"Not kept {over}: {sum(broken)} combination(s) of quasi-identifiers stand for fewer people. The promise is "
        f"that {promise}; counterfeits do not count ({figures})."
        if sum(broken)
        else f"Kept {over}: {promise}; counterfeits do not count ({figures})."
    )
    return Verdict(
        promise=model.spec,
        holds=not sum(broken),
        required=model.required,
        achieved=float(smallest),
        sentence=sentence,
        offending=tuple(
            {"values": {"release": number + 1}, "size": int(one.min())}
            for number, one in enumerate(alike)
            if broken[number]
        ),
    )


def _counterfeits(groups: pl.Series, stated: Mapping[str, int]) -> IntArray:
    return np.array([stated.get(group, 0) for group in groups.to_list()], dtype=np.int64)


def in_one_spelling(
    versions: Sequence[Version], bound: Bound | None, taxonomy: Hierarchy | None
) -> tuple[Sequence[Version], Bound | None, str]:
    """Return releases and what people are bound to with one spelling of each value, and a sentence about the others.

    General values of the hierarchy stay as they are: they mean what the hierarchy says.

    Examples
    --------
    >>> versions, _, sentence = in_one_spelling([Version.of_signatures({"Ann": ["Flu", "flu", "hiv"]})], None, None)
    >>> sorted(versions[0].signatures()["Ann"]), sentence
    (['Flu', 'hiv'], " 1 sensitive value(s) occur in several spellings and count as one each, such as 'Flu', 'flu'.")
    """
    columns = [version.records.get_column("value") for version in versions]
    columns += [] if bound is None else [bound.values.get_column("value")]
    every = pl.concat([column.cast(pl.String).unique().rename("value") for column in columns])
    values = every.unique().sort(nulls_last=True).to_list()
    nodes = () if taxonomy is None else {label for labels in taxonomy.labels[1:] for label in labels}
    found = alike(values, nodes)
    if not found.several:
        return versions, bound, ""
    one = {value: found.values[place] for value, place in zip(values, found.place, strict=True)}
    spelt = [replace(version, records=_spelt(version.records, one)) for version in versions]
    return (
        spelt,
        None if bound is None else replace(bound, values=_spelt(bound.values, one)),
        said_of_spellings(found.several),
    )


def _spelt(table: pl.DataFrame, one: dict[str | None, str | None]) -> pl.DataFrame:
    values = table.get_column("value").cast(pl.String)
    return table.with_columns(values.replace_strict(list(one), list(one.values()), return_dtype=pl.String))


COUNTERFEITS = "counterfeits"
"""The name of the published table that states how many counterfeits a group has."""

ALONE = "Whether everybody is among the same values in all releases cannot be seen from one of them."
UNRELATED = " How closely the values of a group are related cannot be seen without their hierarchy."


def check_history(
    versions: Sequence[Version],
    models: Sequence[PrivacyModel],
    bound: Bound | None = None,
    taxonomy: Hierarchy | None = None,
) -> tuple[Verdict, ...]:
    """Say for each promise whether all releases of a table that changes keep it together.

    Parameters
    ----------
    versions
        the releases, the oldest first. With more than one, they must know who is in which group: that somebody was in
        another group before cannot be seen from what is published.
    models
        the promises.
    bound
        what people are bound to by releases that are not among these.
    taxonomy
        the hierarchy of the sensitive attribute, for promises about how closely values are related.

    Examples
    --------
    >>> first = Version.of_signatures({"Ann": ["flu", "cancer"], "Bob": ["flu", "cancer"]})
    >>> second = Version.of_signatures({"Ann": ["flu", "asthma"], "Cat": ["flu", "asthma"]})
    >>> verdict, = check_history([first, second], [MInvariance(m=2)])
    >>> verdict.holds, verdict.offending
    (False, ({'values': {'person': 'Ann', 'signatures': '{cancer, flu}; {asthma, flu}'}, 'size': 2},))
    """
    if not versions:
        raise UsageError("no release is given; give the releases of the table, the oldest first")
    judged = [(model, judge_of(model, Versions)) for model in models]
    several = len(versions) > 1 or bound is not None
    if several and any(version.members is None for version in versions):
        raise UsageError(
            "whether everybody is among the same values in all releases is decided by who is in which group, which is "
            "not published; give 'person' or 'people' with every version"
        )
    versions, bound, several_spellings = in_one_spelling(versions, bound, taxonomy)
    published = Versions(versions, bound, taxonomy)
    found = [judge(model, published) for model, judge in judged]
    return tuple(
        verdict.model_copy(update={"sentence": verdict.sentence + several_spellings}) if several_spellings else verdict
        for verdict in found
    )


refuse_others(
    Versions,
    "a promise about several releases is such as m-invariance:m=3, or k-anonymity:k=5 in each of them; got {model!r}",
)


@judges(KAnonymity, Versions)
def _judge_each(model: KAnonymity, published: Versions) -> Verdict:
    return judge_crowds(model, published.versions)


@judges(KAnonymity, PublishedVersion)
def _judge_people(model: KAnonymity, published: PublishedVersion, given: Given) -> Verdict:
    """Judge k-anonymity where some records are counterfeits: only people count."""
    sets = attribute_sets(given.quasi_identifiers or ())
    if published.group_column is None or len(sets) != 1 or given.missing != "value":
        return check_records(published, [model], given)[0]
    looks = looks_of(published.table, sets[0], published.group_column)
    return judge_crowds(model, [replace(_version(published, model, given), looks=looks)])


@judges(MInvariance, PublishedTables)
@judges(EMCorrelation, PublishedTables)
def _judge_one_release(model: PrivacyModel, published: PublishedTables, given: Given) -> Verdict:
    version = _version(published, model, given)
    return judge_alone(version, model, (given.hierarchies or {}).get(names_of(given.sensitive)[0]))


def judge_alone(version: Version, model: PrivacyModel, taxonomy: Hierarchy | None = None) -> Verdict:
    """Say what one release reveals about a promise over all of them, which never decides it.

    Without the hierarchy of the sensitive attribute, nothing is said about how closely its values are related.
    """
    alone = Version(version.records, None, version.counterfeits)
    (verdict,) = check_history([alone], [model], taxonomy=taxonomy or _flat(version))
    return _undecided(verdict, UNRELATED * (taxonomy is None and getattr(model, "limits", ()) is None))


def _version(published: PublishedTables, model: PrivacyModel, given: Given) -> Version:
    """Return the groups of one release of a table that changes.

    Raises
    ------
    PromiseBroken
        if the counterfeits that it declares cannot be among its records.
    """
    table, column, names = published.table, published.group_column, names_of(given.sensitive)
    if column is None or len(names) != 1:
        raise UsageError(
            f"{model.spec} is about the published groups and one sensitive attribute; name both the column of the "
            "groups and the attribute"
        )
    if published.sensitive_table is not None:
        matched(table, published.sensitive_table, column)
        table = each_record(published.sensitive_table)
    counterfeits = published.counterfeits if isinstance(published, PublishedVersion) else None
    return version_with(table, column, names[0], counterfeits)


def version_of_folder(
    path: str | os.PathLike[str], people: People | None = None, counterfeits: Mapping[Any, int] | None = None
) -> Version:
    """Return the version that the folder of a release publishes; ``people`` says who is in which group.

    How many counterfeits a group has is stated by the release itself, unless given.

    Raises
    ------
    DataError
        if the release does not name the groups of its records, or not one sensitive attribute.
    """
    folder = Path(path)
    claims = Claims.read(folder)
    verify_files(folder, claims.files)
    if claims.group_column is None or len(claims.sensitive) != 1:
        raise DataError(
            f"{folder} must state the group of every record and one sensitive attribute, as releases in groups do; "
            "read its table and name both with Version.of"
        )
    values_table, table = read_sensitive_table(folder, claims), read_data(folder, claims)
    columns = claims.columns if claims.sensitive_table is None else claims.sensitive_table.columns
    # The state knows a value by its canonical text, in which a number is not written as in a CSV file: 3 and not 3.0.
    records = restore_types(table if values_table is None else each_record(values_table), columns, claims.sensitive)
    if counterfeits is None:
        counterfeits = counterfeits_in(folder, claims)
        version_with(records, claims.group_column, claims.sensitive[0], counterfeits)
    options: dict[str, Any] = {"people": people, "counterfeits": counterfeits}
    version = Version.of(records, group=claims.group_column, sensitive=claims.sensitive[0], **options)
    known = [name for names in claims.quasi_identifier_sets for name in names]
    return replace(version, looks=looks_of(table, known, claims.group_column))


def each_record(sensitive_table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of sensitive values counted by group with one row per record.

    Examples
    --------
    >>> each_record(pl.DataFrame({"group": ["1", "1"], "disease": ["flu", "cough"], "count": ["2", "1"]})).height
    3
    """
    number = sensitive_table.get_column(sensitive_table.columns[2]).cast(pl.Int64).to_numpy()
    return (
        sensitive_table
        if (number == 1).all()
        else sensitive_table[np.repeat(np.arange(sensitive_table.height), number)]
    )


def _flat(version: Version) -> Hierarchy:
    """Return the hierarchy in which no two values are related."""
    values = version.records.get_column("value").cast(pl.String).unique().sort().to_list()
    rows = [[value, TOP] for value in values if value not in (None, TOP)]
    flat = Hierarchy.from_rows([*rows, *([[TOP, TOP]] if TOP in values or not rows else [])])
    return flat.with_missing() if None in values else flat


def _undecided(verdict: Verdict, more: str) -> Verdict:
    if not verdict.holds:
        return verdict
    figures = f"required {verdict.required:g}, achieved {verdict.achieved:g}"
    sentence = f"Undecided: nothing in this release contradicts it ({figures}). {ALONE}{more}"
    return verdict.model_copy(update={"holds": None, "sentence": sentence})


def counterfeits_in(folder: Path, claims: Claims) -> dict[str, int] | None:
    """Return how many counterfeits each group of a release has, as it declares them; ``None`` if it has no such table.

    Raises
    ------
    PromiseBroken
        if the table holds anything but one count per group.
    """
    return _declared(folder, read_tables(folder, claims)[COUNTERFEITS]) if COUNTERFEITS in claims.tables else None


def version_with(table: pl.DataFrame, group: str, sensitive: str, counterfeits: Mapping[str, int] | None) -> Version:
    """Return the groups of a release, after making sure that the declared counterfeits can be among its records.

    Raises
    ------
    PromiseBroken
        if a group has fewer records than counterfeits, or nothing else, or is not there.
    """
    version = Version.of(table, group=group, sensitive=sensitive)
    sizes = dict(version.records.get_column("group").value_counts().iter_rows())
    for name, count in (counterfeits or {}).items():
        if count >= sizes.get(name, 0):
            raise PromiseBroken(
                f"the table of counterfeits declares {count} in group {name!r}, which has {sizes.get(name, 0)} "
                "record(s); every group has a record of somebody: do not trust this release"
            )
    return replace(version, counterfeits=counterfeits)


def _declared(folder: Path, table: pl.DataFrame) -> dict[str, int]:
    """Return the counts of a table of counterfeits."""
    if table.width != 2:
        raise PromiseBroken(f"the table of counterfeits of {folder} must have two columns, group and count")
    group, text = (text_of(column.rename(PLAIN)) for column in table.get_columns())
    count = text.cast(pl.Int64, strict=False)
    is_wrong = count.is_null() | (count < 1) | group.is_null() | group.is_duplicated()
    if is_wrong.any():
        shown = [f"{name},{number}" for name, number in zip(group.filter(is_wrong), text.filter(is_wrong), strict=True)]
        raise PromiseBroken(
            f"the table of counterfeits of {folder} must name every group once, with a whole number from 1 on; got "
            f"{shorten(shown, 5)}: do not trust this release"
        )
    return dict(zip(group, count, strict=True))
