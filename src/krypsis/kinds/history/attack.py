"""Attack the releases of a history with what its private state knows."""

from collections.abc import Sequence
from pathlib import Path

from krypsis.attacks.histories import HistoryAttackReport, attack_history
from krypsis.attacks.history_attack import ReleaseSequence
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError
from krypsis.io.history import Version
from krypsis.kinds.history.arrays import taxonomy_of
from krypsis.kinds.history.settings import HistorySettings
from krypsis.kinds.history.state import State
from krypsis.kinds.history.storage import HistoryFiles, working
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.k_anonymity import KAnonymity


def attack_folder(folder: Path, settings: HistorySettings, versions: Sequence[Version]) -> HistoryAttackReport:
    """Return what all attacks find in the releases of a history, compared with what is promised.

    Raises
    ------
    DataError
        if nothing was published yet.
    """
    releases = release_sequence(folder, settings, versions)
    promised = max(int(model.required) for model in settings.models if not isinstance(model, KAnonymity))
    related = [model for model in settings.models if isinstance(model, EMCorrelation)]
    e = min(model.e for model in related) if related and (releases.limits or releases.hierarchy) else None
    return attack_history(
        versions,
        m=promised,
        hierarchy=releases.hierarchy,
        limits=releases.limits,
        e=e,
        k=settings.k,
        values=releases.values,
    )


def release_sequence(folder: Path, settings: HistorySettings, versions: Sequence[Version]) -> ReleaseSequence:
    """Return the releases of a history with what its private state knows, to be attacked.

    Raises
    ------
    DataError
        if nothing was published yet.
    """
    if not versions:
        raise DataError(f"{folder} has no versions yet; publish one first")
    is_given = settings.hierarchy_of(settings.sensitive) is not None
    taxonomy = taxonomy_so_far(folder, settings) if is_given else None
    related = [model for model in settings.models if isinstance(model, EMCorrelation)]
    with working(HistoryFiles(folder)) as state:
        values = state.frame("SELECT person, value FROM people")
    return ReleaseSequence(versions, taxonomy, related[0].limits if related else None, values)


def taxonomy_so_far(folder: Path, settings: HistorySettings) -> Hierarchy:
    """Return the hierarchy of the sensitive attribute for all values so far; flat if the user gave none."""
    with working(HistoryFiles(folder)) as state:
        return taxonomy_in(state, settings)


def taxonomy_in(state: State, settings: HistorySettings) -> Hierarchy:
    """Return the hierarchy of the sensitive attribute for all values that a state knows."""
    values = state.frame("SELECT DISTINCT value FROM turnover").get_column("value")
    return taxonomy_of(settings, values, state)
