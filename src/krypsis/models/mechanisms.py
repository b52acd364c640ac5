"""Promises about how a release was made: by chance, with chances that bound what anybody can learn.

No table shows with which chances it was drawn. The publisher tells what was done, and what was told can be examined:
whether it would keep the promise, and whether the published table has the form it must have then. That the chances were
those, nobody can see.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from krypsis.format.mechanism_record import MechanismRecord
from krypsis.models.base import PrivacyModel


class MethodModel(PrivacyModel):
    """A promise that a method of its own keeps: no search among groups does."""

    kept_by: ClassVar[str]
    """The method that is taken where none is named."""


class MechanismModel(MethodModel):
    """A promise about the chances with which a release was made."""

    covers_all_sensitive: ClassVar[bool] = True
    not_to_see: ClassVar[str]
    """What nobody can verify, in plain words."""

    @abstractmethod
    def achieved(self, record: MechanismRecord) -> float:
        """Return the level that a release made like that has."""

    @abstractmethod
    def contradictions(self, record: MechanismRecord) -> Iterator[str]:
        """Yield what in the record does not fit the promise, in plain words."""
