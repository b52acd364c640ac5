"""However a command ends, it ends with a code of its own and one sentence, and never with a traceback."""

import errno
import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from krypsis.cli import failures as crash_log
from krypsis.cli import memory, supervision
from krypsis.cli.failures import failure_of
from krypsis.cli.main import app
from krypsis.errors import DataError, Infeasible, InternalError, OutputError, PromiseBroken
from krypsis.io import memory as io_memory
from krypsis.kinds.table.plan import TablePlan
from krypsis.progress import Interrupted
from patience import PATIENCE

COMMAND = [sys.executable, "-m", "krypsis.cli.start"]
DOCUMENTED = {0, 1, 2, 3, 70, 71, 74, 130, 143}
MB = 1024**2


@pytest.fixture
def folder(tmp_path):
    """A small table and a plan for it."""
    (tmp_path / "data.csv").write_text("age,ill\n" + "31,a\n32,b\n" * 20)
    plan = "data: data.csv\ncolumns: {age: {role: QI, hierarchy: {kind: flat}}, ill: insensitive}\n"
    (tmp_path / "plan.yaml").write_text(plan + "promises: ['k-anonymity:k=2']\n")
    return tmp_path


def krypsis(*words, limits=(), **options):
    """Run the command in a process of its own, under limits of the system."""

    def limit():
        for which, most in limits:
            resource.setrlimit(which, (most, most))

    result = subprocess.run(
        [*COMMAND, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        preexec_fn=limit,
        **options,
    )
    assert "Traceback" not in result.stderr
    return result


def said(result):
    """The only sentence about what went wrong."""
    (sentence,) = [line for line in result.stderr.splitlines() if line.startswith("krypsis: ")]
    return sentence


def wrapped(error, cause):
    """An error of the toolkit that was raised from another one."""
    error.__cause__ = cause
    return error


def left_behind(error, context):
    """An error that was raised from nothing while another one was handled."""
    try:
        try:
            raise context
        except type(context):
            raise error from None
    except type(error) as raised:
        return raised


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DataError("no table"), 2),
        (OutputError("release exists; use --force"), 2),
        (left_behind(DataError("no table"), OSError(errno.ENOSPC, "No space left on device")), 2),
        (left_behind(DataError("no table"), MemoryError()), 2),
        (duckdb.IOException('IO Error: Could not write file "x": No space left on device'), 74),
        (duckdb.IOException('IO Error: Could not write all bytes to file "x": wanted=8 wrote=3'), 74),
        (duckdb.FatalException("FATAL Error: Failed: Input/output error"), 74),
        (wrapped(DataError("damaged"), duckdb.IOException('IO Error: "x" is not a valid DuckDB database file!')), 2),
        (PromiseBroken("no"), 1),
        (Infeasible("no"), 1),
        (InternalError("contradiction"), 70),
        (ZeroDivisionError("secret"), 70),
        (RecursionError(), 70),
        (MemoryError(), 71),
        (RuntimeError("can't start new thread"), 71),
        (ImportError("libx.so: failed to map segment from shared object"), 71),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 71),
        (OSError(errno.EMFILE, "Too many open files"), 71),
        (OSError(errno.ENOSPC, "No space left on device", "out.csv"), 74),
        (PermissionError(errno.EACCES, "Permission denied", "out.csv"), 74),
        (wrapped(OutputError("out cannot be written"), PermissionError(errno.EACCES, "Permission denied")), 74),
        (wrapped(OutputError("out cannot be written"), OSError("No space left on device (os error 28)")), 74),
        (wrapped(OutputError("out is no folder"), NotADirectoryError(errno.ENOTDIR, "Not a directory")), 2),
        (wrapped(DataError("in cannot be read"), OSError(errno.EIO, "Input/output error")), 74),
        (wrapped(DataError("in cannot be read"), PermissionError(errno.EACCES, "Permission denied")), 2),
        (wrapped(DataError("out of memory is a disease here"), None), 2),
        (KeyboardInterrupt(), 130),
        (Interrupted("interrupted; nothing was written"), 130),
    ],
)
def test_every_error_has_its_exit_code_and_a_sentence(error, code, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    failure = failure_of(error)
    assert failure.code == code
    assert failure.sentence
    assert "secret" not in failure.sentence


def test_an_unexpected_error_is_logged_in_a_private_place_without_values(folder, monkeypatch):
    def fail(_):
        patient = "Smith"
        raise ZeroDivisionError(patient)

    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.setattr(TablePlan, "read_data", fail)
    result = CliRunner().invoke(app, ["run", str(folder / "plan.yaml"), "--quiet"])
    assert result.exit_code == 70
    (log,) = (folder / "state" / "krypsis").iterdir()
    assert str(log) in result.stderr
    assert "ZeroDivisionError" in log.read_text()
    assert "Smith" not in log.read_text() + result.output
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700


def test_without_a_home_folder_there_is_no_log_and_still_a_sentence(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert crash_log.write_crash_log(ValueError()) is None
    assert "no place was found for a log" in failure_of(ValueError()).sentence


@pytest.mark.parametrize("most", [50, 350, 640])
def test_too_little_memory_ends_with_71_and_never_hangs(folder, most):
    limits = [(resource.RLIMIT_AS, most * MB)]
    result = krypsis("run", folder / "plan.yaml", limits=limits)
    assert result.returncode == 71
    assert f"{most} MB" in said(result)
    assert "not enough memory" in said(result)


def test_whatever_a_library_raises_when_the_limit_was_reached_is_a_lack_of_memory(monkeypatch):
    assert failure_of(SystemError("returned a result with an exception set")).code == 70
    monkeypatch.setattr(io_memory, "memory_limit", lambda: 50 * MB)  # less than this process has taken
    assert failure_of(SystemError("returned a result with an exception set")).code == 71
    assert failure_of(DataError("no table")).code == 2
    monkeypatch.setattr(io_memory, "memory_limit", lambda: 2**50)
    assert failure_of(SystemError("returned a result with an exception set")).code == 70


def test_a_process_that_the_system_kills_for_want_of_memory_ends_with_71(capfd):
    code = supervision.supervise(lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert code == 71
    assert "killed" in capfd.readouterr().err


def abort(words):
    """End as a compiled library does that gets no memory."""
    os.write(2, words)
    signal.signal(signal.SIGABRT, signal.SIG_DFL)  # pytest has a handler of its own
    os.abort()


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda: abort(b""), 70),
        (lambda: abort(b"memory allocation of 9 bytes failed"), 71),
        (lambda: os._exit(1), 70),
        (lambda: (os.write(2, b"OpenBLAS error: Memory allocation still failed"), os._exit(1)), 71),
        (lambda: 3, 3),
    ],
    ids=["abort", "abort-memory", "exit-1", "exit-1-memory", "in-order"],
)
def test_a_compiled_library_that_ends_the_process_does_not_decide_the_exit_code(end, code, capfd):
    assert supervision.supervise(end) == code
    shown = capfd.readouterr().err
    assert shown.startswith("krypsis: ") if code != 3 else not shown
    assert "OpenBLAS" not in shown


def test_a_limit_that_loading_alone_exceeds_is_named_at_once(monkeypatch):
    monkeypatch.setattr(memory, "memory_limit", lambda: 100 * MB)
    with pytest.raises(MemoryError):
        memory.load_what_hangs_without_memory()


@pytest.mark.parametrize("most", [5, 8])
def test_too_few_open_files_end_with_71(folder, most):
    result = krypsis("run", folder / "plan.yaml", limits=[(resource.RLIMIT_NOFILE, most)])
    assert result.returncode == 71
    assert "ulimit -n" in said(result)


def test_a_file_that_grows_too_large_for_its_disk_ends_with_74_and_leaves_nothing(folder):
    result = krypsis("run", folder / "plan.yaml", limits=[(resource.RLIMIT_FSIZE, 16)])
    assert result.returncode == 74
    assert "too large" in said(result).lower()
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "plan.yaml"]


HOSTILE = {
    "no home": {"HOME": "/dev/null/home"},
    "no place for machine code": {"NUMBA_CACHE_DIR": "/dev/null/cache"},
    "no temporary folder": {"TMPDIR": "/dev/null/tmp"},
    "unknown locale": {"LC_ALL": "xx_YY.nonsense"},
    "ascii only": {"PYTHONIOENCODING": "ascii"},
}


def test_a_hostile_environment_does_not_stop_a_check(folder):
    everything = {name: value for one in HOSTILE.values() for name, value in one.items()}
    promise = ["--promise", "k-anonymity:k=2", "--qi", "age"]
    result = krypsis("check", folder / "data.csv", *promise, env={**os.environ, **everything})
    assert result.returncode == 0, result.stderr


def test_a_reader_that_stops_reading_does_not_change_the_verdict(folder):
    promise = ["--promise", "k-anonymity:k=30", "--qi", "age"]
    command = [*COMMAND, "check", str(folder / "data.csv"), *promise]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        messages = process.stderr.read()
    assert process.returncode == 1
    assert messages == b""


def test_output_that_cannot_be_written_ends_with_74():
    with Path("/dev/full").open("w") as full:
        process = subprocess.run([*COMMAND, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert process.returncode == 74
    assert "No space left" in process.stderr


def test_closed_streams_are_no_crash():
    close = "exec 0<&- 1>&- 2>&-; "
    process = subprocess.run(["sh", "-c", close + " ".join([*COMMAND, "--version"])], check=False)
    assert process.returncode == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("has_asked", [False, True])
def test_signals_end_a_command_in_order_whenever_they_come(folder, number, code, has_asked):
    command = [*COMMAND, "advise", str(folder / "plan.yaml")]  # waits for answers
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        if has_asked:
            process.stderr.readline()  # of the first question
        else:
            time.sleep(0.2)
        process.send_signal(number)
        process.wait(timeout=PATIENCE)  # with its input still open: at the end of it the command would end by itself
        messages = process.stderr.read()
    if not has_asked and process.returncode == -number:  # before the first line of ours was read
        return
    assert process.returncode == code, messages
    assert "Traceback" not in messages
    assert messages.count("krypsis: ") == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_during_the_callback_of_a_reference_is_not_lost(number, code):
    """Python ignores what is raised there; modules that are being imported use such callbacks."""
    script = f"""
import os, signal, time, weakref
from krypsis.cli.failures import failure_of
from krypsis.cli.supervision import terminate_in_order
class Thing: pass
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
terminate_in_order()
thing = Thing()
reference = weakref.ref(thing, lambda _: os.kill(os.getpid(), {int(number)}))
try:
    del thing
    time.sleep(1000)
except BaseException as error:
    os._exit(failure_of(error).code)
"""
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (process.returncode, process.stderr) == (code, "")


HIDING_MODULE = """
import os, time
try:
    os.kill(os.getpid(), {number})
    time.sleep(0.3)
except:
    pass
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_during_an_import_waits_for_its_end_and_the_end_is_not_interrupted(tmp_path, number, code):
    """Libraries catch everything while they are imported; what is cleaned up must be finished all the same."""
    (tmp_path / "hiding.py").write_text(HIDING_MODULE.format(number=int(number)), encoding="utf-8")
    # A second Ctrl-C ends at once, as everywhere.
    interrupted_again = "pass" if number == signal.SIGINT else f"os.kill(os.getpid(), {int(number)})"
    script = f"""
import os, signal, sys, time
from krypsis.cli.failures import failure_of
from krypsis.cli.supervision import terminate_in_order
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
sys.path.insert(0, {str(tmp_path)!r})
terminate_in_order()
try:
    import hiding
    try:
        time.sleep(1000)
    finally:
        {interrupted_again}
        time.sleep(0.2)
        print("cleaned up", flush=True)
except BaseException as error:
    os._exit(failure_of(error).code)
"""
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (process.returncode, process.stdout, process.stderr) == (code, "cleaned up\n", "")


def test_a_module_that_does_not_end_loading_is_interrupted_all_the_same(tmp_path):
    endless = "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(1000)\n"
    (tmp_path / "endless.py").write_text(endless, encoding="utf-8")
    script = f"""
import os, sys
from krypsis.cli import supervision
from krypsis.cli.failures import failure_of
supervision.LONGEST_LOADING = 0.2
sys.path.insert(0, {str(tmp_path)!r})
supervision.terminate_in_order()
try:
    import endless
except BaseException as error:
    os._exit(failure_of(error).code)
"""
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (process.returncode, process.stderr) == (143, "")


def test_questions_that_nobody_answers_end_with_130(folder):
    result = krypsis("advise", folder / "plan.yaml", stdin=subprocess.DEVNULL)
    assert result.returncode in (0, 2, 130)
    assert result.returncode == 0 or said(result)


def test_a_packed_file_that_unpacks_to_too_much_is_refused_with_the_name_of_the_limit(folder, monkeypatch):
    monkeypatch.setenv("KRYPSIS_MOST_UNPACKED", "1")
    (folder / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * MB))
    result = CliRunner().invoke(app, ["init", str(folder / "bomb.csv.gz"), "-o", str(folder / "new.yaml")])
    assert result.exit_code == 2
    assert "KRYPSIS_MOST_UNPACKED" in result.stderr
    assert not (folder / "new.yaml").exists()


def test_the_documented_table_is_the_one_of_the_code():
    pages = Path(__file__).parents[2]
    for page in ("README.md", "docs/cli.md"):
        text = (pages / page).read_text(encoding="utf-8")
        codes = {int(line.split("|")[1]) for line in text.splitlines() if line.startswith("| ") and line[2].isdigit()}
        assert codes == DOCUMENTED, page


def test_a_crash_log_leaves_out_what_an_error_left_behind():
    def left_behind():
        try:
            {}["absent"]
        except KeyError:
            raise ValueError from None

    with pytest.raises(ValueError) as caught:  # noqa: PT011  it has no message
        left_behind()
    assert "KeyError" not in crash_log.description(caught.value)
