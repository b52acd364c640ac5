"""A privacy model is a promise about what is published."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from krypsis.groups import BoolArray, Groups


class PrivacyModel(BaseModel, ABC):
    """A promise, with its parameters declared as fields.

    A subclass in its own file under ``krypsis/models`` is found by the registry; nothing else has to be changed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "table"
    protects_from: ClassVar[str]
    does_not_protect_from: ClassVar[str]
    reference: ClassVar[str]

    @property
    def spec(self) -> str:
        """The promise as one word, such as ``k-anonymity:k=5``, which the registry can read back."""
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        return self.name + ":" + ",".join(f"{name}={value}" for name, value in given.items()) if given else self.name

    @abstractmethod
    def promise(self) -> str:
        """Return the promise as one plain sentence."""


class GroupModel(PrivacyModel):
    """A promise that can be decided group by group.

    ``monotone``: the union of two accepted groups is accepted.
    ``monotone_with_suppression``: the union of an accepted group with anything is accepted.
    Searches prune by what is stated here and by nothing else; a property test checks both statements.
    """

    monotone: ClassVar[bool]
    monotone_with_suppression: ClassVar[bool]
    needs_sensitive: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]]

    @property
    @abstractmethod
    def required(self) -> float:
        """The level that is promised."""

    @abstractmethod
    def accepts(self, groups: Groups) -> BoolArray:
        """Say for each group whether it keeps the promise."""

    @abstractmethod
    def measure(self, groups: Groups) -> float:
        """Return the level achieved by the worst group."""
