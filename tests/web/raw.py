"""Requests as no library would send them."""

import socket
from urllib.parse import urlsplit

from patience import PATIENCE


def status_of(address: str, path: str, method: str = "GET", **headers: str) -> int:
    """Send a path as it is written, and return the status of the answer."""
    place = urlsplit(address)
    sent = {"Host": place.netloc, "Content-Length": "0"} | headers
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in sent.items())
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
        return int(connection.recv(100).split()[1])
