"""Judge what a release tells about the way it was made, and whether its table has the form it must have then."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import polars as pl

from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import Undecidable
from krypsis.hierarchies.base import Label
from krypsis.models.mechanisms import Making, MechanismModel
from krypsis.models.verdict import Verdict

FORMS = {
    "counts": "there is one count for each of the {cells} combinations of declared values, whether it occurs or not",
    "records": "every value of every record is a declared one",
    "tuples": "every combination is one of the {cells} of declared values, and none is there twice",
    "sample": "every value is a declared one, and {k} records or more share each combination of values",
}


def judge_making(model: MechanismModel, making: Making | None, table: pl.DataFrame) -> Verdict:
    """Return the verdict about a promise of chances: what was told is examined, the chances themselves nobody can see.

    Raises
    ------
    Undecidable
        if nothing is known about the making.
    """
    making = required_making(model, making)
    wrong = [*model.contradictions(making), *_wrong_form(making, table)]
    return Verdict(
        promise=model.spec,
        holds=False if wrong else None,
        required=model.required,
        achieved=model.achieved(making),
        sentence=_refusal(model, wrong) if wrong else _sentence(model, making),
    )


def required_making(model: MechanismModel, making: Making | None) -> Making:
    """Return how a table was made, or say that a promise of chances cannot be decided without it."""
    if making is None:
        raise Undecidable(
            f"{model.spec} is a promise about how a table was made, which the table does not show; check the folder of "
            "a release, whose manifest describes it"
        )
    return making


def _refusal(model: MechanismModel, wrong: list[str]) -> str:
    return f"Not kept: the release cannot have been made so that {model.promise()}: {'; '.join(wrong)}."


def _sentence(model: MechanismModel, making: Making) -> str:
    form = FORMS[making.publishes].format(cells=prod(map(len, making.domains.values())), k=making.smallest_group)
    achieved = model.achieved(making)
    return (
        f"Undecided from the published files: {model.promise()} (required at most {model.required:.6g}, stated "
        f"{achieved:.6g}, for {making.unit}). Verified: the figures stated fit the promise, and {form}. The "
        f"publisher's word, which no file shows: {model.not_to_see}."
    )


def _wrong_form(making: Making, table: pl.DataFrame) -> Iterator[str]:
    expected = [*making.domains, *([making.count_column] if making.count_column is not None else [])]
    if table.columns != expected or (making.publishes == "counts") != (making.count_column is not None):
        yield f"the columns must be {', '.join(expected)}, published are {', '.join(table.columns)}"
        return
    for name, domain in making.domains.items():
        if strangers := _strangers(table.get_column(name), domain):
            yield f"{name} has values that were not declared, such as {strangers[0]!r}"
            return
    yield from _wrong_rows(making, table)


def _strangers(column: pl.Series, domain: tuple[Label, ...]) -> list[Label]:
    known = set(domain)
    return [value for value in text_of(column.rename(PLAIN)).unique().to_list() if value not in known]


def _wrong_rows(making: Making, table: pl.DataFrame) -> Iterator[str]:
    # Under names of our own: polars takes some names of columns, such as * and ^a$, for patterns.
    values = pl.DataFrame([table.get_column(name).rename(f"d{place}") for place, name in enumerate(making.domains)])
    if making.publishes in ("counts", "tuples") and values.n_unique() < values.height:
        yield "a combination of values is there twice"
    if making.publishes == "sample":
        sizes = values.group_by(values.columns).len("size").get_column("size")
        if (sizes < making.smallest_group).any():
            yield f"a combination of values is shared by fewer than {making.smallest_group} records"
    if making.publishes != "counts" or making.count_column is None:
        return
    if values.height != prod(map(len, making.domains.values())):
        yield "combinations of declared values are missing, which tells that nobody has them"
    counts = table.get_column(making.count_column).rename(PLAIN).cast(pl.Int64, strict=False)
    if counts.has_nulls():
        yield "a count is no whole number"
    elif making.nonnegative and (counts < 0).any():
        yield "a count is below 0, although none should be"
