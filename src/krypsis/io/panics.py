"""Damaged files that make a compiled reader panic, as an ordinary error."""

from collections.abc import Iterator
from contextlib import contextmanager

from krypsis.errors import DataError, KrypsisError

SYSTEM = ("spawn", "os error")
"""What a panic speaks of that is no fault of the file."""


@contextmanager
def panics_are_errors(name: str, error: type[KrypsisError] = DataError) -> Iterator[None]:
    """Turn the panic of a compiled library, which is no ``Exception``, into an error about the file.

    What the panic says is left out: it may hold values of the data.

    Examples
    --------
    >>> with panics_are_errors("data.parquet"):
    ...     pass
    """
    try:
        yield
    except BaseException as panic:
        if type(panic).__name__ != "PanicException" or any(word in str(panic) for word in SYSTEM):
            raise
        raise error(f"{name} cannot be read: its content is damaged; fetch or write it again") from None
