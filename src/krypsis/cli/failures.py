"""What went wrong, as a sentence for people and an exit code for programs."""

import errno
import os
import platform
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from krypsis import errors
from krypsis.cli.memory import no_memory
from krypsis.io.memory import is_lack_of_memory, limit_was_reached
from krypsis.progress import Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from krypsis.models.base import Verdict


EXIT_PROMISE = 1
"""A promise does not hold, or nothing feasible was found."""
EXIT_USAGE = 2
"""Wrong usage, or input that cannot be used."""
EXIT_UNDECIDED = 3
"""Nothing is broken, and the files do not decide every promise."""
EXIT_INTERNAL = 70
"""A contradiction inside Krypsis: our bug, not the user's (EX_SOFTWARE)."""
EXIT_MEMORY = 71
"""Not enough memory, or too few open files allowed (EX_OSERR)."""
EXIT_DISK = 74
"""The disk cannot be read or written: full, read-only or broken (EX_IOERR)."""
EXIT_INTERRUPTED = 130


def exit_code_of(verdicts: "Iterable[Verdict]") -> int:
    """Return 0 only if every promise was shown to hold; without a promise nothing was shown.

    Examples
    --------
    >>> exit_code_of([])
    3
    """
    from krypsis.models.base import all_hold  # noqa: PLC0415  not loaded for `krypsis --help`

    return {True: 0, False: EXIT_PROMISE, None: EXIT_UNDECIDED}[all_hold(verdicts)]


LIBRARIES = ("krypsis", "polars", "numba", "numpy", "pydantic", "typer")


def write_crash_log(error: BaseException) -> Path | None:
    """Write which functions an error came through, readable by its owner alone; return where, if it could be written.

    Messages are left out: those of other libraries quote what they could not read.
    """
    moment = datetime.now(UTC)
    try:
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"crash-{moment:%Y%m%dT%H%M%S}-{os.getpid()}.log"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(description(error))
    except (OSError, RuntimeError, MemoryError):  # RuntimeError: nobody knows the home folder
        return None
    return path


def description(error: BaseException) -> str:
    """Return kinds of errors, places and versions.

    Examples
    --------
    >>> "secret" in description(ValueError("secret"))
    False
    """
    system = f"python {platform.python_version()}, {platform.system()} {platform.release()}"
    lines = [f"krypsis {_version('krypsis')}, {system}"]
    lines += [f"{name} {_version(name)}" for name in LIBRARIES[1:]]
    for found in causes(error):
        lines += ["", f"{type(found).__module__}.{type(found).__qualname__}", *_places(found)]
    return "\n".join(lines) + "\n"


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all that led to it, without what was deliberately left behind (``raise … from None``)."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def place_of(error: BaseException) -> str:
    """Return the file and line of the toolkit where an error came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "krypsis" in Path(one.filename).parts] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "an unknown place"


def _places(error: BaseException) -> list[str]:
    """Return file, line and function of each step; no line of code, no variable."""
    return [f"  {_short(one.filename)}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)]


def _short(file: str) -> str:
    """Return the path inside its package: where people keep things is not needed."""
    parts = Path(file).parts
    roots = [
        place for place, part in enumerate(parts) if part in ("site-packages", "src") or part.startswith("python3")
    ]
    return "/".join(parts[roots[-1] + 1 :]) if roots else parts[-1]


def _folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "krypsis"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "krypsis"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "of unknown version"


if sys.platform != "win32":
    import resource  # loaded now: where too many files are open, nothing can be loaded

DISK = {errno.ENOSPC, errno.EROFS, errno.EIO, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""The disk is full, read-only or broken, whatever was tried with it."""
TOO_MANY_FILES = {errno.EMFILE, errno.ENFILE}
SYSTEM = {errno.ENOMEM, errno.EAGAIN, *TOO_MANY_FILES}
"""The system gives no more memory, files or threads."""
LEAST_FILES = 64
"""So many files are opened while libraries are loaded, with some to spare."""
NOT_WRITTEN = re.compile(r"^IO Error: Could not (?:write|sync|fsync|truncate)")


class Terminated(SystemExit):
    """The system or somebody else asked the process to end, by the signal of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


@dataclass(frozen=True)
class Failure:
    """A sentence about what went wrong, and the exit code for it."""

    code: int
    sentence: str


def failure_of(error: BaseException) -> Failure:
    """Return what to say about an error, and with which exit code to end.

    Examples
    --------
    >>> failure_of(MemoryError()).code, failure_of(OSError(28, "No space left on device", "out.csv")).code
    (71, 74)
    >>> failure_of(KeyboardInterrupt())
    Failure(code=130, sentence='interrupted')
    """
    if isinstance(error, (KeyboardInterrupt, Interrupted)):
        return Failure(EXIT_INTERRUPTED, str(error) or "interrupted")
    if isinstance(error, Terminated):
        return Failure(128 + error.number, "ended by a signal of the system; nothing was left half-written")
    failure = _of_the_system(error) or _of_the_toolkit(error)
    # Notes say what was done before the error came, such as a release that is already written.
    return Failure(failure.code, "; ".join([failure.sentence, *getattr(error, "__notes__", ())]))


def _of_the_system(error: BaseException) -> Failure | None:
    """Return what the system did not give, if that is the reason."""
    numbers = {one for cause in causes(error) for one in _system_numbers(cause)}
    if numbers & TOO_MANY_FILES or (_is_unexpected(error) and _too_few_files_may_be_open()):
        return Failure(EXIT_MEMORY, "too many files are open; raise the limit (ulimit -n), then start again")
    if _is_of_the_disk(error, numbers):
        return Failure(EXIT_DISK, _disk_sentence(error))
    if any(map(is_lack_of_memory, causes(error))) or (_is_unexpected(error) and limit_was_reached()):
        return Failure(EXIT_MEMORY, no_memory())
    return None


def _of_the_toolkit(error: BaseException) -> Failure:
    if not _is_unexpected(error):
        return Failure(_code_of(error), str(error))
    return Failure(EXIT_INTERNAL, _unexpected(error))


def _code_of(error: BaseException) -> int:
    if isinstance(error, errors.Undecidable):
        return EXIT_UNDECIDED
    is_refused = isinstance(
        error, (errors.DossierRefused, errors.Infeasible, errors.PrivacyRefused, errors.PromiseBroken)
    )
    return EXIT_PROMISE if is_refused else EXIT_USAGE


def _is_unexpected(error: BaseException) -> bool:
    return isinstance(error, errors.InternalError) or not isinstance(error, errors.KrypsisError)


def _too_few_files_may_be_open() -> bool:
    """Say whether a low limit of open files explains an error: libraries then fail in ways of their own."""
    if sys.platform == "win32":
        return False
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] < LEAST_FILES


def _system_numbers(error: BaseException) -> set[int]:
    """Return the number of the error of the system; compiled libraries write it, or its words, into their message."""
    if isinstance(error, OSError) and error.errno is not None:
        return {error.errno}
    if type(error).__module__ in ("duckdb", "_duckdb"):
        return {number for number in DISK | SYSTEM if os.strerror(number) in str(error)} | _unwritten(error)
    compiled = isinstance(error, OSError) or type(error).__module__.startswith(("polars", "pyo3_runtime"))
    return set(map(int, re.findall(r"\(os error (\d+)\)", str(error)))) if compiled else set()


def _unwritten(error: BaseException) -> set[int]:
    """Return "no space" for an error of DuckDB that says only that less was written than there was to write."""
    return {errno.ENOSPC} if NOT_WRITTEN.search(str(error)) else set()


def _is_of_the_disk(error: BaseException, numbers: set[int]) -> bool:
    if numbers & DISK:
        return True
    if isinstance(error, errors.OutputError):  # a place that cannot be written for whatever reason the system has
        return bool(numbers - {errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOENT, errno.ENAMETOOLONG})
    return isinstance(error, OSError) and error.errno is not None and not numbers & SYSTEM


def _disk_sentence(error: BaseException) -> str:
    if isinstance(error, errors.KrypsisError):
        return str(error)
    found = next((one for one in causes(error) if isinstance(one, OSError) and one.strerror), None)
    if found is None:
        return "a file could not be read or written: the disk is full, read-only or damaged"
    where = os.fsdecode(found.filename) if isinstance(found.filename, str | bytes) else "a file or stream"
    return f"{where} cannot be read or written: {found.strerror}"


def _unexpected(error: BaseException) -> str:
    """Name what happened and where; the message of another library may hold values of the data."""
    said = str(error) if isinstance(error, errors.InternalError) else f"{type(error).__name__} in {place_of(error)}"
    log = write_crash_log(error)
    details = f"details without any data are in {log}" if log else "no place was found for a log of the details"
    return f"something went wrong that should not ({said}); please report it: {details}"
