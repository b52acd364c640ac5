"""Who has signed in: a cookie that only this server can have made, or the token itself."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections import deque

from starlette.requests import HTTPConnection
from starlette.responses import Response

COOKIE = "krypsis_session"
HOURS = 12
MOST_FAILURES = 10
"""Wrong tokens in a minute from one address; then nobody can sign in from there until the minute is over."""
MOST_ADDRESSES = 10_000
"""How many addresses are remembered for that."""


class Sessions:
    """Decides who is let in; without a token everybody is, who can reach the server at all.

    Examples
    --------
    >>> sessions = Sessions("correct horse battery", "secret of the server")
    >>> sessions.accepts("correct horse"), sessions.accepts("correct horse battery")
    (False, True)
    >>> sessions.is_valid(sessions.ticket()), sessions.is_valid("1924905600.0000")
    (True, False)
    """

    def __init__(self, token: str | None, secret: str) -> None:
        self._token = None if token is None else token.encode()
        # another token makes all cookies of the old one worthless
        self._key = hashlib.sha256(secret.encode() + b"\0" + (self._token or b"")).digest()
        self._failures: dict[str, deque[float]] = {}

    def knows(self, request: HTTPConnection) -> bool:
        """Say whether a request comes from somebody who has signed in."""
        if self._token is None or self.is_valid(request.cookies.get(COOKIE, "")):
            return True
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self.accepts(token.strip(), address_of(request))

    def accepts(self, token: str, address: str = "") -> bool:
        """Say whether this is the token, in a time that tells nothing about it; after many wrong ones, it never is."""
        is_right = self._token is not None and hmac.compare_digest(token.encode(), self._token)
        if self.is_barred(address):
            return False
        if not is_right:
            self._remember_failure(address)
        return is_right

    def is_barred(self, address: str) -> bool:
        """Say whether so many wrong tokens came from an address in the last minute that none is looked at."""
        failures = self._failures.get(address)
        return failures is not None and len(failures) == MOST_FAILURES and time.monotonic() - failures[0] < 60

    def _remember_failure(self, address: str) -> None:
        if address not in self._failures and len(self._failures) >= MOST_ADDRESSES:
            del self._failures[next(iter(self._failures))]
        self._failures.setdefault(address, deque(maxlen=MOST_FAILURES)).append(time.monotonic())

    def ticket(self) -> str:
        """Return the value of a cookie for somebody who knows the token."""
        end = str(int(time.time()) + HOURS * 3600)
        return f"{end}.{self._signature(end)}"

    def is_valid(self, ticket: str) -> bool:
        """Say whether a cookie was made here and has not run out."""
        end, _, signature = ticket.partition(".")
        is_ours = hmac.compare_digest(signature.encode(), self._signature(end).encode())
        return is_ours and end.isdecimal() and time.time() < int(end)

    def welcome(self, response: Response, *, secure: bool) -> Response:
        """Give somebody who knows the token the cookie."""
        response.set_cookie(
            COOKIE, self.ticket(), max_age=HOURS * 3600, httponly=True, samesite="strict", secure=secure
        )
        return response

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), "sha256").hexdigest()


def address_of(request: HTTPConnection) -> str:
    """Return the address a request comes from."""
    return request.client.host if request.client else ""
