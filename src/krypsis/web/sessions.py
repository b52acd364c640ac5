"""Who has signed in: a cookie that only this server can have made, or the token itself."""

from __future__ import annotations

import hashlib
import hmac
import time

from starlette.requests import HTTPConnection
from starlette.responses import Response

COOKIE = "krypsis_session"
HOURS = 12
PAUSE = 1.0
"""Seconds until a wrong token is answered. The right one is never held back: behind a proxy, those who guess and those
who know the token come from the same address."""


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
        self.cookie = own_name(COOKIE, secret)

    @property
    def asks(self) -> bool:
        """Whether visitors must know a token."""
        return self._token is not None

    def knows(self, request: HTTPConnection) -> bool:
        """Say whether a request comes from somebody who has signed in."""
        return not self.asks or self.is_valid(request.cookies.get(self.cookie, ""))

    def accepts(self, token: str) -> bool:
        """Say whether this is the token, in a time that does not depend on how much of it is right."""
        return self._token is not None and hmac.compare_digest(token.encode(), self._token)

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
            self.cookie, self.ticket(), max_age=HOURS * 3600, httponly=True, samesite="strict", secure=secure
        )
        return response

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), "sha256").hexdigest()


def own_name(cookie: str, secret: str) -> str:
    """Return the name of a cookie of this server.

    Browsers send the cookies of one port to all ports of a machine, so two servers must not use the same name.

    Examples
    --------
    >>> own_name("krypsis_session", "secret of one") != own_name("krypsis_session", "secret of another")
    True
    """
    return f"{cookie}_{hashlib.sha256(b'cookie' + secret.encode()).hexdigest()[:8]}"


def bearer(request: HTTPConnection) -> str | None:
    """Return the token that a program sent in the header ``Authorization``, or nothing."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None
