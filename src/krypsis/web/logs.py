"""What a server writes to its log: never the message of an unexpected error, for it may hold values of the data."""

from __future__ import annotations

import logging

from krypsis.web.security import place_of


class Discreet(logging.Formatter):
    """Tells of an error what it was and where it came from, and no more."""

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
