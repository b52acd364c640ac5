"""The private state is compared with all releases before anything is built on it."""

from __future__ import annotations

import polars as pl

from krypsis.checker.histories import check_history, version_of_folder
from krypsis.checker.invariance import Bound
from krypsis.datasets.history import Version
from krypsis.errors import DataError, shorten
from krypsis.history.attacking import taxonomy_in
from krypsis.history.settings import Settings
from krypsis.history.staging import Places
from krypsis.history.state import State
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.verdict import all_hold


def read_versions(places: Places, state: State) -> list[Version]:
    """Return all releases with who is in which group, the oldest first."""
    return [
        version_of_folder(places.release(number), people=members_in(state, number))
        for number in range(1, state.last + 1)
    ]


def members_in(state: State, version: int) -> pl.DataFrame:
    """Return who was in which published group of a version, the groups as text."""
    query = f'SELECT person, "group" FROM members WHERE version = {version} AND "group" IS NOT NULL'  # noqa: S608
    return state.frame(query).with_columns(pl.col("group").cast(pl.String))


def verified_versions(places: Places, state: State, settings: Settings) -> list[Version]:
    """Return all releases after making sure that the state says the same as their files.

    Raises
    ------
    DataError
        if the state binds somebody to other values than the releases show, or if other files lie with the releases.
    """
    refuse_strays(places, state.last)
    versions = read_versions(places, state)
    if versions:
        _compare(places, state, settings, versions)
    return versions


def refuse_strays(places: Places, last: int) -> None:
    """Raise for anything that lies with the releases and is none of them: the whole folder may be published."""
    known = {str(number) for number in range(1, last + 1)}
    if strays := sorted(path.name for path in places.releases.iterdir() if path.name not in known):
        raise DataError(
            f"{places.releases} holds {shorten(map(repr, strays), 5)}, which no version of this history has written. "
            "The folder is meant to be published as a whole: move these elsewhere"
        )


def _compare(places: Places, state: State, settings: Settings, versions: list[Version]) -> None:
    """Compare what the state binds everybody to with the values of the groups in all releases."""
    bound = Bound(
        state.frame("SELECT person, signature FROM people WHERE signature IS NOT NULL"),
        state.frame("SELECT signature, label AS value FROM signatures"),
        is_lowest=True,
    )
    known = bound.people.join(bound.values.select("signature").unique(), on="signature", how="anti")
    models = [model for model in settings.models if not isinstance(model, KAnonymity)]
    needs_taxonomy = any(isinstance(model, EMCorrelation) for model in models)
    taxonomy = taxonomy_in(state, settings) if needs_taxonomy else None
    together = check_history(versions, models, bound, taxonomy)
    # What the releases break by themselves is no fault of the state; where nothing is broken, nothing is compared.
    alone = together if all_hold(together) else check_history(versions, models, taxonomy=taxonomy)
    wrong = [verdict for before, verdict in zip(alone, together, strict=True) if before.holds and not verdict.holds]
    if wrong or known.height:
        named = [str(one["values"]) for verdict in wrong for one in verdict.offending[:3]]
        raise DataError(
            f"{places.state} does not fit the releases: it binds people to other values than their groups show"
            f"{f' ({shorten(named, 3)})' if named else ''}. The state was changed or damaged; bring it back from a "
            "backup of the same moment as the last release"
        )
