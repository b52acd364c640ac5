"""The plan of a list of numbers, and what makes a release of it."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import polars as pl
from krypsis.kinds.toy_numbers.publication import NumbersPublication

from krypsis.data.schema import Schema
from krypsis.plan.plan import Plan
from krypsis.release.order import in_published_order
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.run import Run


@dataclass(frozen=True, eq=False, repr=False)
class NumbersTask:
    """Numbers, and the promises that their frequencies keep."""

    numbers: pl.DataFrame
    promises: tuple[str, ...]

    def release(self, progress) -> Any:
        run = Run(progress)
        with run.phase("search"):
            publication = NumbersPublication(self.numbers, Schema.of({"number": "quasi-identifier"}))
        return in_published_order(run.release(publication, MadeBy(promises=self.promises), Before(self.numbers)))

    def improved(self, release: Any) -> Any:
        return release


class NumbersPlan(Plan):
    about: ClassVar[str] = "a list of numbers"
    kind: Literal["toy-numbers"] = "toy-numbers"

    def check(self) -> None:
        self.models()

    def read_data(self) -> pl.DataFrame:
        return pl.read_csv(self.data_path, infer_schema=False)

    def bind(self, data: Any) -> NumbersTask:
        return NumbersTask(data, tuple(model.spec for model in self.models()))
