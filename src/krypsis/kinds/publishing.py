"""Publishing: carry a plan out, check the release, and write it with everything that belongs to it."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from krypsis import report
from krypsis.errors import (
    Infeasible,
    KrypsisError,
    KrypsisWarning,
    OutputError,
    PrivacyRefused,
    PrivacyWarning,
    UsageError,
)
from krypsis.io.addresses import is_address, without_password
from krypsis.io.targets import TableTarget
from krypsis.models.base import all_hold
from krypsis.plan import Plan
from krypsis.progress import NO_PROGRESS, Interrupted, Progress
from krypsis.release.audit_log import AuditLog, RunInProgress
from krypsis.release.dossier import Dossier
from krypsis.release.release import Release
from krypsis.release.writer import Saved, check_destination

if TYPE_CHECKING:
    from krypsis.kinds.history.history import History
    from krypsis.kinds.history.version_release import VersionRelease


@dataclass(frozen=True, eq=False)
class PublishedFiles:
    """A release that was written, with its verdicts, and where everything lies."""

    release: Release
    paths: dict[str, Path]
    """``release``, ``private record`` and, where there are any, ``dossier``, ``statement`` and ``report``."""
    table: str = ""
    """The table of a database that the release was written to, too."""

    def as_dict(self) -> dict[str, Any]:
        """Return what was published, ready for JSON, without the places of the files."""
        release = self.release
        return {
            "holds": all_hold(release.verdicts),
            "guarantee": release.guarantee,
            "verdicts": [verdict.model_dump(mode="json") for verdict in release.verdicts],
            "disclosed": [found.as_dict() for found in release.disclosures],
            "algorithm": release.algorithm,
            "scheme": release.scheme,
            "metric": release.metric,
            "score": release.score,
            "lower_bound": release.lower_bound,
            "levels": dict(release.levels),
            "suppressed": release.suppressed,
            "rows": release.rows_before,
            "metrics": dict(release.metrics),
            "choice": release.private.get("choice", ""),
            "improvements": list(release.private.get("improvements", ())),
            "improvement_parts": list(release.private.get("improvement_parts", ())),
        }


TOO_LARGE = (
    "none: with this many records the table before is not kept to compare with, so that memory is left for the release"
)


PUBLISHED_BEFORE = "not written again: a report is written when its version is published"


@dataclass(frozen=True, eq=False)
class VersionPublication:
    """A version of a history that was published, and where its report lies."""

    published: "VersionRelease"
    report: Path | None = None
    no_report: str = ""
    """Why there is no report although it was wanted."""


def at_levels(plan: Plan, levels: str | Sequence[int]) -> Plan:
    """Return the plan that goes to levels, such as ``0,3,1`` or ``age=3,sex=0``, instead of searching."""
    written = levels if isinstance(levels, str) else ",".join(map(str, levels))
    return plan.model_copy(update={"algorithm": {"name": "fixed", "levels": written}})


def publish(plan: Plan, folder: Path, progress: Progress = NO_PROGRESS, *, force: bool = False) -> PublishedFiles:
    """Carry out a plan and write its release.

    Parameters
    ----------
    plan
        what to do.
    folder
        of the release.
    progress
        follows the work; where it wants to stop before the release is written, nothing is written.
    force
        whether a release that lies there may be replaced.

    Raises
    ------
    Interrupted
        if the progress wanted to stop.
    PrivacyRefused
        if the plan is strict and there is something to warn of.
    """
    output = plan.output
    run: Callable[[Progress], Release] = partial(plan.run, improve=True)
    make = refusing_risks(run) if plan.strict else run
    with audit_log_of(folder).running("run", plan.model_dump(exclude_unset=True), *_data_of(plan)) as logged:
        wanted = WantedFiles(output.formats, output.report, plan.checked_dossier(), plan.table_target())
        return publish_made(make, folder, progress, wanted, force=force, logged=logged)


def audit_log_of(folder: Path) -> AuditLog:
    """Return the audit log of the project that a release belongs to: it lies next to the folder of the release."""
    return AuditLog.of(Path(os.path.abspath(folder)).parent)  # noqa: PTH100  resolve() would follow a link elsewhere


def _data_of(plan: Plan) -> tuple[str, Path | None]:
    """Return what the data of a plan is called, and its file if it is one."""
    if plan.data is None:
        return "data of a program", None
    source = plan.source
    return (without_password(source), None) if isinstance(source, str) else (source.name, source)


def data_named(given: str | Path) -> tuple[str, Path | None]:
    """Return what data is called in the log, and its file if it is one.

    Examples
    --------
    >>> data_named("visits/may.csv")[0]
    'may.csv'
    >>> data_named("postgresql://host/clinic?table=visits")
    ('postgresql://host/clinic', None)
    """
    if is_address(given):
        return without_password(str(given)), None
    return Path(given).name, Path(given)


def refusing_risks(make: Callable[[Progress], Release]) -> Callable[[Progress], Release]:
    """Return what makes a release and raises where it would otherwise warn of a risk to privacy."""

    def made(progress: Progress) -> Release:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", KrypsisWarning)
            release = make(progress)
        warned = [str(one.message) for one in heard if issubclass(one.category, PrivacyWarning)]
        for one in heard:
            if not issubclass(one.category, PrivacyWarning):
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        if warned:
            raise PrivacyRefused("\n".join([*dict.fromkeys(warned), "nothing was written, since the run is strict"]))
        return release

    return made


@dataclass(frozen=True)
class WantedFiles:
    """What is written of a release, and what is documented with it."""

    formats: Sequence[str]
    report: bool
    dossier: Dossier | None = None
    table: TableTarget | None = None


def publish_made(
    make: Callable[[Progress], Release],
    folder: Path,
    progress: Progress,
    wanted: WantedFiles,
    *,
    force: bool,
    logged: RunInProgress | None = None,
) -> PublishedFiles:
    """Make a release and write it with its report, as :func:`publish` does for a plan."""
    dossier, target = wanted.dossier, wanted.table
    check_destination(folder, force=force)  # better now than after a long search
    if target is not None:
        target.check_free(force=force)
    if wanted.report:
        report.check_ready()
    release = _made(make, progress)
    if dossier is not None:
        report.complete_dossier(dossier, release)  # better refused now than after the release is written
    if target is not None:
        _refuse_several_tables(release)
    progress.phase("check")
    saved = release.save(folder, formats=wanted.formats, force=force)
    written = f"the release is written to {saved.folder}"
    if logged is not None:
        logged.published(saved.release, saved.folder)
    if target is not None:
        progress.phase("table")
        _put_into(target, saved, written, force=force)
    try:
        paths = _with_what_belongs_to_it(saved, progress, dossier, logged, with_report=wanted.report)
    except (OSError, UsageError) as error:
        raise OutputError(f"{written}; what belongs to it could not be written: {error}") from error
    except Exception as error:
        error.add_note(written)
        raise
    if progress.wants_stop():
        raise Interrupted(f"interrupted after the release was written to {saved.folder}")
    return PublishedFiles(saved.release, paths, "" if target is None else target.name)


def _refuse_several_tables(release: Release) -> None:
    published = release.publication
    if published.is_in_memory and len(names := list(published.tables())) > 1:
        raise UsageError(
            f"this release has {len(names)} tables ({', '.join(names)}), and 'table' under 'output' names one; leave "
            "it out, and load the files"
        )


def _put_into(target: TableTarget, saved: Saved, written: str, *, force: bool) -> None:
    """Write a table from the files that the checker has judged."""
    published = Release.load(saved.folder).publication
    frames = published.frames
    types = dict(next(frames()).schema)
    try:
        target.put(types, frames, saved.release.release_id, force=force)
    except KrypsisError as error:
        raise OutputError(f"{written}, and not to the database: {error}") from error


def _with_what_belongs_to_it(
    saved: Saved, progress: Progress, dossier: Dossier | None, logged: RunInProgress | None, *, with_report: bool
) -> dict[str, Path]:
    """Write the dossier and the report of a release; return where everything lies."""
    paths = {"release": saved.folder, "private record": saved.private}
    if dossier is not None:
        noted = ((), "") if logged is None else logged.noted()
        dossier = report.complete_dossier(dossier, saved.release, report.risk_of(saved.release), *noted)
        paths["dossier"], paths["statement"] = report.write_dossier(dossier, saved.release, saved.folder)
    if with_report and saved.release.has_evidence and not progress.wants_stop():
        progress.phase("report")
        paths["report"], _ = report.write_report(saved.release, saved.folder, dossier)
    return paths if logged is None else {**paths, "audit log": logged.log.path}


def publish_version(
    history: "History", data: Any, progress: Progress = NO_PROGRESS, *, with_report: bool = True, **options: Any
) -> VersionPublication:
    """Publish a table as the next version of a history, and write its report into the private folder.

    Parameters
    ----------
    history
        of the table.
    data
        the table of this version.
    progress
        follows the work.
    with_report
        whether to write the report.
    options
        of :meth:`krypsis.kinds.history.History.publish`.

    Raises
    ------
    OutputError
        if the report cannot be written. The version is published then.
    """
    if with_report:
        report.check_ready()  # better now than after the version is out
    published = _logged_version(history, data, progress, options)
    is_out = f"version {published.change.version} is published in {published.folder}, do not publish it again"
    try:
        return _reported(published, progress, with_report=with_report)
    except (OSError, UsageError) as error:
        raise OutputError(f"{is_out}; only its report could not be written: {error}") from error
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted before the report was written; {is_out}") from None
    except Exception as error:
        error.add_note(is_out)
        raise


def _logged_version(history: "History", data: Any, progress: Progress, options: Mapping[str, Any]) -> "VersionRelease":
    """Publish a version, and note it in the audit log of the history, which is private as its state is."""
    from krypsis.kinds.history.storage import HistoryFiles  # noqa: PLC0415

    name, source = data_named(data) if isinstance(data, str | Path) else ("data of a program", None)
    private = HistoryFiles(history.folder).private
    plan = {"settings": history.settings.model_dump(), "options": dict(options)}
    with AuditLog.of(private).running("history publish", plan, name, source) as logged:
        published = history.publish(data, progress=progress, **options)
        if published.folder is not None:
            logged.published(published.release, published.folder, published.verdicts)
    return published


def _reported(published: "VersionRelease", progress: Progress, *, with_report: bool) -> VersionPublication:
    """Write the report of a version that is out, if it is wanted and can be made."""
    if not published.is_new:
        return VersionPublication(published, no_report=PUBLISHED_BEFORE * with_report)
    if published.folder is not None:
        _remove_reports(published.folder)
    if not with_report:
        return VersionPublication(published)
    if not published.release.has_evidence:
        return VersionPublication(published, no_report=TOO_LARGE)
    progress.phase("report")
    return VersionPublication(published, report.write_report(published, published.folder)[0])


def _remove_reports(folder: Path) -> None:
    """Remove what describes a release that is no longer there."""
    for outdated in (*report.report_paths(folder), report.pdf_path(folder)):
        outdated.unlink(missing_ok=True)


def _made(make: Callable[[Progress], Release], progress: Progress) -> Release:
    try:
        release = make(progress)
    except Infeasible as error:
        if progress.wants_stop():
            raise Interrupted(f"interrupted; nothing was written, nothing was found so far: {error}") from None
        raise
    if progress.wants_stop():
        raise Interrupted(f"interrupted; nothing was written. Best so far:\n\n{release.summary()}")
    return release
