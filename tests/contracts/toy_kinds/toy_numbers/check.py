"""How the checker reads lists of numbers back."""

from dataclasses import dataclass

import polars as pl

from krypsis.checker.base import KindCheck, judge_of, judges
from krypsis.format.files import read_data
from krypsis.models.base import Verdict
from krypsis.models.k_anonymity import KAnonymity


@dataclass(frozen=True, eq=False)
class Numbers:
    values: pl.Series


class NumbersCheck(KindCheck):
    name = "toy-numbers"

    def check_files(self, folder, claims, models, given):  # noqa: ARG002
        numbers = Numbers(read_data(folder, claims)["number"].cast(pl.Int64))
        return tuple(judge_of(model, Numbers)(model, numbers) for model in models)


@judges(KAnonymity, Numbers)
def judge_numbers(model, numbers):
    rarest = int(numbers.values.value_counts()["count"].min())
    sentence = f"The rarest number is there {rarest} time(s)."
    return Verdict(
        promise=model.spec, holds=rarest >= model.k, required=model.k, achieved=float(rarest), sentence=sentence
    )
