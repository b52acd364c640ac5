"""A table that changes, published version after version: the private state, and one release per version."""

from krypsis.history.history import History
from krypsis.history.published import Change, Published

__all__ = ["Change", "History", "Published"]
