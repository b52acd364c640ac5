"""The audit log of a project: every run, who started it and when, the plan, the data, and what came of it.

::

    project/
        plan.yaml
        release/
        release.<id>.private.json
        audit.jsonl                one line when a run begins, one when it ends; readable by the owner only

Lines are only ever added. Each holds the checksum of the line before it, so that a line that is changed, removed or put
in between shows; only who makes up the whole rest of the log anew leaves no trace in it, and the dossiers of releases
hold its latest checksum.
"""

import csv
import io
import json
import os
import platform
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from krypsis.errors import DataError, DossierRefused, Infeasible, OutputError, PrivacyRefused, PromiseBroken, UsageError
from krypsis.format.files import fingerprint
from krypsis.io.private import HELD, lock
from krypsis.models.base import Verdict
from krypsis.progress import Interrupted
from krypsis.release.dossier.values import NotedRun
from krypsis.release.release import Release
from krypsis.version import __version__

AUDIT_LOG = "audit.jsonl"
PATIENCE = 10.0
"""Seconds to wait for another run that writes its line."""

MOST_NOTED = 100
"""How many runs a dossier names, the latest ones; the log has all of them."""

Outcome = Literal["published", "infeasible", "refused", "interrupted", "failed"]
OUTCOMES: Mapping[type[BaseException], Outcome] = {
    Infeasible: "infeasible",
    PrivacyRefused: "refused",
    DossierRefused: "refused",
    PromiseBroken: "refused",
    Interrupted: "interrupted",
    KeyboardInterrupt: "interrupted",
    SystemExit: "interrupted",
}
"""What an error says of a run; every other one means that it failed."""


class LoggedVerdict(BaseModel):
    """What the checker found about one promise; the groups that break it are not noted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    promise: str
    holds: bool | None
    required: float
    achieved: float | None = None

    @property
    def text(self) -> str:
        """The verdict in a few words."""
        word = {True: "kept", False: "broken", None: "undecided"}[self.holds]
        return f"{self.promise} {word}" + ("" if self.achieved is None else f" ({self.achieved:.6g})")


class AuditLine(BaseModel):
    """A line of the log: a run begins or ends, or the release of one is removed again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    time: datetime
    event: Literal["begin", "end", "withdrawn"]
    run: str
    """The id of the run."""
    before: str
    """The SHA-256 of the line before it; empty in the first line."""

    who: str = ""
    """The account that the run belongs to."""
    machine: str = ""
    tool: str = ""
    action: str = ""
    """What was run, such as ``run`` or ``apply``."""
    plan: str = ""
    """The whole plan, as JSON."""
    plan_sha256: str = ""
    data: str = ""

    outcome: Outcome | None = None
    reason: str = ""
    """Of a run that published nothing, the kind of the error; its message may hold values."""
    data_sha256: str = ""
    release: str = ""
    """The name of the folder."""
    release_id: str = ""
    algorithm: str = ""
    verdicts: tuple[LoggedVerdict, ...] = ()


@dataclass(frozen=True)
class LoggedRun:
    """A run as the log has it: how it began, and how it ended if it has."""

    begin: AuditLine
    end: AuditLine | None = None
    is_withdrawn: bool = False

    @property
    def outcome(self) -> str:
        """What came of it; of a run that still works or was killed, that it is not ended."""
        if self.is_withdrawn:
            return "withdrawn"
        return "not ended" if self.end is None or self.end.outcome is None else self.end.outcome

    def as_dict(self) -> dict[str, Any]:
        """Return everything about the run, ready for JSON."""
        end = self.end
        began = {name: getattr(self.begin, name) for name in BEGINNING}
        ended = {name: "" if end is None else getattr(end, name) for name in ENDING}
        verdicts = [] if end is None else [verdict.model_dump(mode="json") for verdict in end.verdicts]
        times = {"began": self.begin.time.isoformat(), "ended": "" if end is None else end.time.isoformat()}
        return {"run": self.begin.run, **times, **began, "outcome": self.outcome, **ended, "verdicts": verdicts}

    def noted(self) -> NotedRun:
        """Return what a dossier says of the run."""
        known = self.as_dict()
        verdicts = () if self.end is None else tuple(verdict.text for verdict in self.end.verdicts)
        known = {name: known[name] for name in NotedRun.model_fields}
        return NotedRun(**{**known, "verdicts": verdicts})

    def as_row(self) -> dict[str, str]:
        """Return the run as a row of texts, without the text of the plan."""
        verdicts = "" if self.end is None else "; ".join(verdict.text for verdict in self.end.verdicts)
        known = {**self.as_dict(), "verdicts": verdicts}
        return {name: str(value) for name, value in known.items() if name != "plan"}


BEGINNING = ("who", "machine", "tool", "action", "plan", "plan_sha256", "data")
ENDING = ("reason", "data_sha256", "release", "release_id", "algorithm")
ALL = ("run", "began", "ended", *BEGINNING, "outcome", *ENDING, "verdicts")
COLUMNS = tuple(name for name in ALL if name != "plan")


@dataclass(frozen=True)
class AuditLog:
    """The log in a folder; what was written is never changed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     log = AuditLog.of(Path(folder))
    ...     with log.running("run", {"promises": ["k-anonymity:k=5"]}, "patients.csv"):
    ...         pass
    ...     [(run.begin.data, run.outcome) for run in log.runs()], log.problems()
    ([('patients.csv', 'failed')], ())
    """

    path: Path

    @classmethod
    def of(cls, folder: Path) -> "AuditLog":
        """Return the log of the releases that lie in a folder."""
        return cls(folder / AUDIT_LOG)

    @contextmanager
    def running(
        self, action: str, plan: Mapping[str, Any], data: str, source: Path | None = None
    ) -> Iterator["RunInProgress"]:
        """Note that a run begins, and what came of it, whatever it is.

        Parameters
        ----------
        action, plan, data
            what is run, with what, on which data.
        source
            the file of the data, whose checksum is noted where the run did not come to reading it.

        Raises
        ------
        OutputError
            if the log cannot be written; nothing is run then.
        """
        text = json.dumps(plan, ensure_ascii=False, sort_keys=True, default=str)
        run = RunInProgress(self, uuid.uuid4().hex[:12], source)
        self._add(
            event="begin",
            run=run.id,
            who=_account(),
            machine=platform.node(),
            tool=f"krypsis {__version__}",
            action=action,
            plan=text,
            plan_sha256=sha256(text.encode()).hexdigest(),
            data=data,
        )
        try:
            yield run
        except BaseException as error:
            run.failed(error)
            raise
        run.failed(None)

    def withdraw(self, release: str) -> None:
        """Note that the release in a folder is removed, because it is not wanted after all."""
        published = [run for run in self.runs() if run.end is not None and run.end.release == release]
        if published:
            self._add(event="withdrawn", run=published[-1].begin.run)

    def lines(self) -> list[AuditLine]:
        """Return what was written.

        Raises
        ------
        DataError
            if there is no log, or a line in it is none of ours; :meth:`problems` names all of them.
        """
        found = [_parsed(line) for line in self._raw()]
        for number, line in enumerate(found, 1):
            if isinstance(line, str):
                raise DataError(f"{self.path}: line {number}: {line}; 'krypsis audit check' names all that is wrong")
        return [line for line in found if isinstance(line, AuditLine)]

    def runs(self) -> list[LoggedRun]:
        """Return the runs in the order in which they began."""
        found: dict[str, LoggedRun] = {}
        for line in self.lines():
            if line.event == "begin":
                found[line.run] = LoggedRun(line)
            elif line.run in found and line.event == "end":
                found[line.run] = LoggedRun(found[line.run].begin, line)
            elif line.run in found:
                found[line.run] = replace(found[line.run], is_withdrawn=True)
        return list(found.values())

    def problems(self) -> tuple[str, ...]:
        """Return what shows that the log is not as it was written; nothing if it is."""
        return tuple(_problems(self._raw()))

    def digest(self) -> str:
        """Return the checksum of the last line, which the next one will hold; it stands for everything before it."""
        raw = self._raw()
        return _digest(raw[-1]) if raw else ""

    def export(self, path: Path) -> None:
        """Write all runs to a new file, as CSV or as JSON by its ending; only the owner can read it.

        Raises
        ------
        UsageError
            if the file has another ending.
        OutputError
            if it is there already, or cannot be written.
        """
        write = EXPORTS.get(path.suffix.lower())
        if write is None:
            known = " or ".join(EXPORTS)
            raise UsageError(f"expected a file that ends in {known}, got {path.name}; krypsis audit export audit.csv")
        content = write(self.runs())
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode())
        except FileExistsError:
            raise OutputError(f"{path} is there already; name a new file") from None
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error

    def _raw(self) -> list[bytes]:
        try:
            return self.path.read_bytes().split(b"\n")[:-1] if self.path.exists() else _missing(self.path)
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror or error}") from error

    def _add(self, **content: Any) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(self.path, flags, 0o600), "rb+", buffering=0) as file:
                self.path.chmod(0o600)
                _wait_for_lock(file)
                file.seek(0)
                written = file.readall()
                torn = b"\n" if written and not written.endswith(b"\n") else b""  # by a full disk; it stays
                last = (written + torn).split(b"\n")[-2:-1]
                line = AuditLine(time=datetime.now(UTC), before=_digest(last[0]) if last else "", **content)
                self._append(file, torn + line.model_dump_json(exclude_defaults=True).encode() + b"\n", len(written))
        except OSError as error:
            raise OutputError(
                f"the audit log {self.path} cannot be written: {error.strerror or error}; no run goes without it"
            ) from error

    def _append(self, file: io.FileIO, line: bytes, size: int) -> None:
        """Write a line as a whole, or nothing of it."""
        try:
            while line:
                line = line[file.write(line) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(size)
            if not size:
                self.path.unlink()
            raise


@dataclass
class RunInProgress:
    """A run whose end is still to be noted."""

    log: AuditLog
    id: str
    source: Path | None = None
    is_over: bool = field(default=False, init=False)

    def published(self, release: Release, folder: Path, verdicts: Sequence[Verdict] | None = None) -> None:
        """Note that a release is written."""
        self._end(
            outcome="published",
            data_sha256=str(release.private.get("input_sha256") or self._checksum()),
            release=folder.name,
            release_id=release.release_id,
            algorithm=release.algorithm,
            verdicts=[_logged(verdict) for verdict in (release.verdicts if verdicts is None else verdicts)],
        )

    def noted(self) -> tuple[tuple[NotedRun, ...], str]:
        """Return the runs of the project for a dossier, this one with them, and the checksum of the log."""
        return tuple(run.noted() for run in self.log.runs()[-MOST_NOTED:]), self.log.digest()

    def failed(self, error: BaseException | None) -> None:
        """Note that the run ended without a release, unless it has published one."""
        if not self.is_over:
            outcome = next((found for kind, found in OUTCOMES.items() if isinstance(error, kind)), "failed")
            reason = "" if error is None else type(error).__name__
            self._end(outcome=outcome, reason=reason, data_sha256=self._checksum())

    def _end(self, **content: Any) -> None:
        self.is_over = True
        if not self.log.path.exists():  # deleted with its project while the run was working
            return
        self.log._add(event="end", run=self.id, **content)  # noqa: SLF001  the same module

    def _checksum(self) -> str:
        try:
            return fingerprint(self.source).sha256 if self.source is not None and self.source.is_file() else ""
        except OSError:  # the file is gone or cannot be read, which is why the run failed
            return ""


def _logged(verdict: Verdict) -> LoggedVerdict:
    return LoggedVerdict(
        promise=verdict.promise, holds=verdict.holds, required=verdict.required, achieved=verdict.achieved
    )


def _parsed(line: bytes) -> AuditLine | str:
    """Return a line, or what is wrong with it."""
    try:
        return AuditLine.model_validate_json(line)
    except ValidationError as error:
        return f"no line of an audit log ({error.error_count()} problems)"


def _problems(raw: Sequence[bytes]) -> Iterator[str]:
    before, begun, ended = "", set[str](), set[str]()
    for number, text in enumerate(raw, 1):
        line = _parsed(text)
        if isinstance(line, str):
            yield f"line {number}: {line}"
        else:
            if line.before != before:
                yield f"line {number}: does not follow the line before it: lines were changed, removed or put in"
            if line.event == "end" and (line.run not in begun or line.run in ended):
                yield f"line {number}: ends the run {line.run}, which had not begun or had ended before"
            if line.event == "withdrawn" and line.run not in ended:
                yield f"line {number}: withdraws the release of the run {line.run}, which had not ended"
            {"begin": begun, "end": ended, "withdrawn": ended}[line.event].add(line.run)
        before = _digest(text)


def _digest(line: bytes) -> str:
    return sha256(line).hexdigest()


def _missing(path: Path) -> list[bytes]:
    raise DataError(f"there is no audit log {path}; 'krypsis run' begins one next to the folder of the release")


def _account() -> str:
    """Return the account that this process belongs to; not what a variable says, which anybody can set."""
    if os.name != "posix":
        return os.environ.get("USERNAME", "unknown")
    import pwd  # noqa: PLC0415  not on every system

    number = os.geteuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _wait_for_lock(file: Any) -> None:
    latest = time.monotonic() + PATIENCE
    while True:
        try:
            lock(file)
        except HELD:
            if time.monotonic() > latest:
                raise
            time.sleep(0.02)
        else:
            return


def _csv(runs: Sequence[LoggedRun]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(run.as_row() for run in runs)
    return out.getvalue()


def _json(runs: Sequence[LoggedRun]) -> str:
    return json.dumps([run.as_dict() for run in runs], indent=2, ensure_ascii=False) + "\n"


EXPORTS: Mapping[str, Callable[[Sequence[LoggedRun]], str]] = {".csv": _csv, ".json": _json}
