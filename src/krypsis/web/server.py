"""Running a server until it is stopped.

The application: pages, API and everything that guards them.
"""

import logging
import os
import re
import secrets
import shutil
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Timer
from types import FrameType

import uvicorn
from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui
from nicegui.storage import Storage

from krypsis.errors import UsageError
from krypsis.io.private import MARK, is_alive, owner_mark, write_private_files
from krypsis.projects import Workspace
from krypsis.version import __version__
from krypsis.web.api import add_api
from krypsis.web.pages import add_pages
from krypsis.web.security import Guard, check_address, place_of
from krypsis.web.served import Served, ServerSettings, serve
from krypsis.web.sessions import Sessions, add_login, own_name

STATIC = Path(__file__).with_name("static")
VISITORS = ".visitors"
"""The folder in the workspace that keeps what visitors choose, such as their language."""


def create_app(served: Served) -> FastAPI:
    """Return the application of a workspace: the API and the pages. There is one in a process.

    Raises
    ------
    UsageError
        if other machines could come in without a token.
    """
    app = create_api(served)
    secret = _secret(served)
    (served.workspace.root / VISITORS).mkdir(mode=0o700, exist_ok=True)
    Storage.path = served.workspace.root / VISITORS  # else it would be in the folder where the server was started
    pages_app.add_static_files("/static", STATIC)
    add_pages()
    ui.run_with(
        app,
        title="Krypsis",
        storage_secret=secret,
        session_middleware_kwargs={"session_cookie": own_name("krypsis_visitor", secret), "same_site": "strict"},
        show_welcome_message=False,
    )
    return app


def create_api(served: Served) -> FastAPI:
    """Return the API alone, guarded as everything is."""
    check_address(served.settings)
    serve(served)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        served.queue.wake()  # finds what an earlier server has left
        yield
        served.close()

    app = FastAPI(
        title="Krypsis",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,  # everything has one address
    )
    sessions = Sessions(served.settings.token, _secret(served), served.workspace.root / ".ended-sessions")
    app.add_middleware(Guard, settings=served.settings, sessions=sessions)
    add_login(app, sessions)
    add_api(app)
    return app


def _secret(served: Served) -> str:
    """Return what signs the cookies; it stays the same, so that a restart signs nobody out."""
    file = served.workspace.root / ".secret"
    if not file.exists():
        write_private_files({file: secrets.token_hex(32).encode()})
    return file.read_text("ascii")


TEMPORARY = ".temporary"
LATEST = 15.0
"""Seconds after which a server is gone that was asked to stop, whatever still runs in it."""
HANGUP = getattr(signal, "SIGHUP", None)


def run_server(folder: Path, settings: ServerSettings, announce: Callable[[str], None]) -> None:
    """Serve a workspace until Ctrl-C; the jobs are asked to stop then. A second Ctrl-C ends everything at once.

    Parameters
    ----------
    folder
        of the workspace; it is made if it is not there.
    settings
        of the server; the port 0 takes any that is free.
    announce
        is called with the address when it is known.

    Raises
    ------
    UsageError
        if the address is taken, or would be open to everybody.
    """
    check_address(settings)
    with _listening(settings) as port:
        os.umask(0o077)  # whatever is written, nobody but the owner can read it
        served = Served(Workspace(folder), settings)
        _check_own_entries(served.workspace.root)
        served.workspace.sweep()
        _keep_uploads_in(served.workspace.root / TEMPORARY)
        log_discreetly()
        # Access logs would reveal who did what with which project; nobody needs them here.
        config = uvicorn.Config(
            create_app(served), log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=3
        )
        announce(address_of(settings.host, port.getsockname()[1]))
        server = _Server(config, served)
        if HANGUP is not None and signal.getsignal(HANGUP) is not signal.SIG_IGN:  # nohup ignores it
            signal.signal(HANGUP, server.handle_exit)
        server.run(sockets=[port])


class _Server(uvicorn.Server):
    """Comes to an orderly end at the first signal; at the second, or after a while, to an end at once."""

    def __init__(self, config: uvicorn.Config, served: Served) -> None:
        super().__init__(config)
        self._served = served

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            self._end_at_once(sig)
        # A request may hang in a thread, which nothing can interrupt, and which the interpreter would wait for.
        latest = Timer(LATEST, self._end_at_once, [sig])
        latest.daemon = True
        latest.start()
        super().handle_exit(sig, frame)

    def _end_at_once(self, sig: int) -> None:
        self._served.kill()
        os._exit(128 + sig)


def address_of(host: str, port: int) -> str:
    """Return the address to type into a browser.

    Examples
    --------
    >>> address_of("127.0.0.1", 8765), address_of("::1", 80)
    ('http://127.0.0.1:8765/', 'http://[::1]:80/')
    """
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _check_own_entries(root: Path) -> None:
    """Raise if others can put files into the workspace, or what the server keeps in it for itself is a link."""
    found = root.stat()
    is_foreign = hasattr(os, "geteuid") and os.geteuid() not in (0, found.st_uid)
    if is_foreign or (os.name == "posix" and found.st_mode & 0o002):
        raise UsageError(
            f"other users of this machine can write into {root}; choose a folder of your own: "
            "krypsis serve --workspace …"
        )
    for entry in root.glob(".*"):
        if entry.is_symlink():
            raise UsageError(f"{entry} is a link, and a workspace has none; remove it, or choose another workspace")


def _keep_uploads_in(folder: Path) -> None:
    """Let large uploads wait in the workspace rather than in a folder of the whole machine."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for left in folder.iterdir():
        mark = re.fullmatch(MARK, left.name)
        if mark is None or not is_alive(mark):  # another server may use the same workspace
            _remove(left)
    own = folder / owner_mark()
    own.mkdir(mode=0o700, exist_ok=True)
    tempfile.tempdir = str(own)


def _remove(left: Path) -> None:
    if left.is_dir():
        shutil.rmtree(left, ignore_errors=True)
    else:
        left.unlink(missing_ok=True)


def _listening(settings: ServerSettings) -> socket.socket:
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        raise UsageError(
            f"nothing can listen on {settings.host}, port {settings.port}: {error.strerror or error}; choose another "
            "port: krypsis serve --port 0 takes any that is free"
        ) from error


class Discreet(logging.Formatter):
    """Says of an error what it was and where it came from, and no more."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(record.msg, BaseException):
            error = record.msg
        if error is None:
            return super().format(record)
        said = "" if isinstance(record.msg, BaseException) else f"{str(record.msg).splitlines()[0]}: "
        plain = logging.LogRecord(
            record.name, record.levelno, record.pathname, record.lineno, f"{said}{place_of(error)}", None, None
        )
        return super().format(plain)


def log_discreetly() -> None:
    """Send all logs of this process to stderr, in discreet lines."""
    handler = logging.StreamHandler()
    handler.setFormatter(Discreet("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("nicegui", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
