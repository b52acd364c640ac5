"""An algorithm turns a frequency set into a recoding that keeps given promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from krypsis.algorithms.evaluation import Limits
from krypsis.algorithms.watch import UNWATCHED, Watch
from krypsis.frequency import FrequencySet, Grain
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.recoding import Recoding


class Algorithm(BaseModel, ABC):
    """A way to find a recoding, with its parameters declared as fields.

    A subclass in its own file under ``krypsis/algorithms`` is found by the registry; nothing else has to be changed.
    ``scheme`` names what is generalized and what is suppressed: attributes (AG) or cells (CG), tuples (TS), attributes
    (AS) or cells (CS).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = "table"
    scheme: ClassVar[str]
    grain: ClassVar[Grain] = "tuple"
    """``record`` for algorithms that may publish records with equal quasi-identifiers differently."""
    reference: ClassVar[str]

    @abstractmethod
    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        watch: Watch = UNWATCHED,
    ) -> Recoding:
        """Return a recoding that keeps the models' promises within the limits.

        Raises
        ------
        Infeasible
            if there is none, or this algorithm finds none.
        """
