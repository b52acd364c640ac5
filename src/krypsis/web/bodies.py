"""How much a visitor may send."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive


def limited(request: HTTPConnection, receive: Receive, most: int) -> Receive:
    """Return a way to receive the body of a request that ends as soon as it is larger than allowed.

    Raises
    ------
    HTTPException
        with the status 413, from the first piece that is too much.
    """
    said = request.headers.get("content-length", "")
    received = 0

    async def receiving() -> Message:
        nonlocal received
        message = await receive()
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            if received > most or (said.isdigit() and int(said) > most):
                raise HTTPException(413, f"more was sent than the {most / 1024**2:,.0f} MB that are taken here")
        return message

    return receiving
