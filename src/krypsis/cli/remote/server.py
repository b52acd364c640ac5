"""A server, seen from the command line."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from krypsis.errors import DataError, KrypsisError, PrivacyWarning, UsageError
from krypsis.progress import Interrupted, JudgedNode, Progress
from krypsis.projects.jobs import Job

try:
    import httpx
except ModuleNotFoundError as error:
    raise UsageError("--server needs httpx; install it: pip install 'krypsis[web]'") from error

LOOK = 0.3
"""Seconds between two looks at a job."""
HERE = ("127.0.0.1", "localhost", "::1")


@contextmanager
def connected(address: str, token: str | None) -> "Iterator[Server]":
    """Connect to a server, and close the connection at the end.

    Parameters
    ----------
    address
        of the server; one with a token, as ``krypsis serve`` prints it, will do.
    token
        of the server, if the address has none.

    Raises
    ------
    UsageError
        if that is no address.
    """
    place = urlsplit(address)
    if place.scheme not in ("http", "https") or not place.hostname:
        raise UsageError(f"a server is an address such as http://127.0.0.1:8765, got {address!r}")
    if place.scheme == "http" and place.hostname not in HERE:
        text = f"data and token go to {place.hostname} in clear text; use https, or a tunnel"
        warnings.warn(text, PrivacyWarning, stacklevel=3)
    token = token or dict(parse_qsl(place.query)).get("token")  # the address may be the one that was printed
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    base = place._replace(path=f"{place.path.rstrip('/')}/api/", query="", fragment="").geturl()
    with httpx.Client(base_url=base, headers=headers, timeout=60) as client:
        yield Server(client)


class Server:
    """Calls the API of a server.

    Raises
    ------
    UsageError
        in all methods, with what the server says, or if it does not answer.
    """

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def call(self, method: str, path: str, **content: Any) -> Any:
        """Call the API and return what it answers; nothing if that is nothing."""
        answer = self._sent(method, path, **content)
        return answer.json() if answer.content else None

    def upload(self, method: str, path: str, file: Path, **parameters: Any) -> Any:
        """Send a file piece by piece."""
        try:
            with file.open("rb") as stream:
                return self.call(method, path, content=stream, params=parameters, timeout=None)
        except OSError as error:
            raise DataError(f"{file} cannot be read: {error.strerror}") from error

    def content(self, path: str) -> bytes:
        """Return a file as the API sends it."""
        return self._sent("GET", path, timeout=None).content

    def save(self, path: str, file: Path) -> None:
        """Write a file as the API sends it, piece by piece."""
        with self._client.stream("GET", path, timeout=None) as answer, file.open("wb") as out:
            if not answer.is_success:
                answer.read()
                raise UsageError(f"the server refuses ({answer.status_code}): {_reason(answer)}")
            for piece in answer.iter_bytes():
                out.write(piece)

    def has(self, path: str) -> bool:
        """Say whether there is a file."""
        return self._answer("GET", path, timeout=None).is_success

    @contextmanager
    def project(self, title: str) -> Iterator[str]:
        """Make a project for a while, and return its name; nothing of it stays on the server."""
        name = quote(self.call("POST", "projects", json={"title": title[:80]})["name"])
        try:
            yield f"projects/{name}"
        finally:
            self.call("DELETE", f"projects/{name}")

    def follow(self, project: str, started: dict[str, Any], progress: Progress) -> Job:
        """Wait for a job and return it at its end; a listener that asks to stop cancels it.

        Raises
        ------
        KrypsisError
            with the reason, if the job did not do its work.
        """
        job, seen = Job.model_validate(started), Job.model_validate(started)
        while not job.is_over:
            time.sleep(LOOK)
            if progress.wants_stop():
                self.call("POST", f"{project}/jobs/{job.id}/cancel")
            job = Job.model_validate(self.call("GET", f"{project}/jobs/{job.id}"))
            _report_progress(progress, seen, job)
            seen = job
        if job.state == "cancelled":
            raise Interrupted("interrupted; nothing was written")
        if job.state != "done":
            raise KrypsisError(f"the server says: {job.error}")
        return job

    def _sent(self, method: str, path: str, **content: Any) -> httpx.Response:
        answer = self._answer(method, path, **content)
        if not answer.is_success:
            raise UsageError(f"the server refuses ({answer.status_code}): {_reason(answer)}")
        return answer

    def _answer(self, method: str, path: str, **content: Any) -> httpx.Response:
        try:
            return self._client.request(method, path, **content)
        except httpx.HTTPError as error:
            place = self._client.base_url.copy_with(path="/")
            raise UsageError(
                f"{place} does not answer as a server of Krypsis ({type(error).__name__}); is 'krypsis serve' running?"
            ) from error


def _report_progress(progress: Progress, before: Job, now: Job) -> None:
    """Report here what has happened there."""
    if now.phase != before.phase and now.phase:
        progress.phase(now.phase)
    node = JudgedNode((), feasible=now.best is not None, score=now.best, suppressed=0, groups=0)
    for _ in range(now.judged - before.judged):
        progress.judged(node)


def _reason(answer: httpx.Response) -> str:
    is_ours = answer.headers.get("content-type", "").startswith("application/json")
    content = answer.json() if is_ours else {}
    return str(content.get("error", answer.reason_phrase)) if isinstance(content, dict) else answer.reason_phrase
