"""Judge what a release states about the way it was made, and whether its table has the form it must have then."""

from collections.abc import Iterator
from math import prod

import polars as pl

from krypsis.checker.base import Given, judges
from krypsis.checker.evidence import required_record
from krypsis.checker.graphs import GraphCase
from krypsis.checker.published_tables import PublishedTables
from krypsis.data.graphs import Graph
from krypsis.data.hierarchies.base import Label
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.base import Verdict
from krypsis.models.edge_differential_privacy import EdgeDifferentialPrivacy
from krypsis.models.mechanisms import MechanismModel, MechanismRecord

FORMS = {
    "counts": "there is one count for each of the {cells} combinations of declared values, whether it occurs or not",
    "records": "every value of every record is a declared one",
    "tuples": "every combination is one of the {cells} of declared values, and none is there twice",
    "graph": "there are edges alone, and nothing is published about vertices",
    "sample": "every value is a declared one, and {k} records or more share each combination of values",
}


def judge_mechanism(model: MechanismModel, record: MechanismRecord | None, table: pl.DataFrame) -> Verdict:
    """Return the verdict about a promise of chances: what was stated is examined, nobody can see the chances.

    Raises
    ------
    Undecidable
        if nothing is known about the record.
    """
    record = required_record(model, record)
    return _verdict(model, record, _wrong_form(record, table))


def _verdict(model: MechanismModel, record: MechanismRecord, wrong_form: Iterator[str]) -> Verdict:
    # ε-differential privacy and (d,γ)-privacy are about the mechanism: one output can refute them, never prove them.
    wrong = [*model.contradictions(record), *wrong_form]
    return Verdict(
        promise=model.spec,
        holds=False if wrong else None,
        required=model.required,
        achieved=model.achieved(record),
        sentence=_refusal(model, wrong) if wrong else _sentence(model, record),
    )


@judges(MechanismModel, pl.DataFrame)
def _judge_table(model: MechanismModel, table: pl.DataFrame, case: object) -> Verdict:  # noqa: ARG001
    return judge_mechanism(model, None, table)


@judges(MechanismModel, PublishedTables)
def _judge_release(model: MechanismModel, published: PublishedTables, given: Given) -> Verdict:  # noqa: ARG001
    return judge_mechanism(model, published.mechanism_record, published.table)


@judges(EdgeDifferentialPrivacy, Graph)
def judge_drawn_graph(model: EdgeDifferentialPrivacy, published: Graph, case: GraphCase) -> Verdict:
    """Return the verdict about a graph that was drawn by chance: what was stated is examined.

    Raises
    ------
    Undecidable
        if nothing is known about the record.
    """
    return _verdict(model, required_record(model, case.mechanism_record), _more_than_edges(published))


def _more_than_edges(published: Graph) -> Iterator[str]:
    if published.attributes.width:
        yield f"attributes of vertices are published, which carry no noise: {', '.join(published.attributes.columns)}"
    if published.edge_types is not None:
        yield "types of edges are published, which carry no noise"


def _refusal(model: MechanismModel, wrong: list[str]) -> str:
    return f"Not kept: the release cannot have been made so that {model.promise()}: {'; '.join(wrong)}."


def _sentence(model: MechanismModel, record: MechanismRecord) -> str:
    form = FORMS[record.publishes].format(cells=prod(map(len, record.domains.values())), k=record.smallest_group)
    achieved = model.achieved(record)
    return (
        f"Undecided from the published files: {model.promise()} (required at most {model.required:.6g}, stated "
        f"{achieved:.6g}, for {record.unit}). Verified: the figures stated fit the promise, and {form}. The "
        f"publisher's word, which no file shows: {model.not_to_see}."
    )


def _wrong_form(record: MechanismRecord, table: pl.DataFrame) -> Iterator[str]:
    expected = [
        *record.domains,
        *([record.count_column] if record.count_column is not None else []),
    ]
    if table.columns != expected or (record.publishes == "counts") != (record.count_column is not None):
        yield f"the columns must be {', '.join(expected)}, published are {', '.join(table.columns)}"
        return
    for name, domain in record.domains.items():
        if strangers := _strangers(table.get_column(name), domain):
            yield f"{name} has values that were not declared, such as {strangers[0]!r}"
            return
    yield from _wrong_rows(record, table)


def _strangers(column: pl.Series, domain: tuple[Label, ...]) -> list[Label]:
    known = set(domain)
    return [value for value in text_of(column.rename(PLAIN)).unique().to_list() if value not in known]


def _wrong_rows(record: MechanismRecord, table: pl.DataFrame) -> Iterator[str]:
    # Under names of our own: polars takes some names of columns, such as * and ^a$, for patterns.
    values = pl.DataFrame([table.get_column(name).rename(f"d{place}") for place, name in enumerate(record.domains)])
    if record.publishes in ("counts", "tuples") and values.n_unique() < values.height:
        yield "a combination of values is there twice"
    if record.publishes == "sample":
        sizes = values.group_by(values.columns).len("size").get_column("size")
        if (sizes < record.smallest_group).any():
            yield f"a combination of values is shared by fewer than {record.smallest_group} records"
    if record.publishes != "counts" or record.count_column is None:
        return
    # A histogram that leaves out empty cells shows which combinations nobody has.
    if values.height != prod(map(len, record.domains.values())):
        yield "combinations of declared values are missing, which reveals that nobody has them"
    counts = table.get_column(record.count_column).rename(PLAIN).cast(pl.Int64, strict=False)
    if counts.has_nulls():
        yield "a count is no whole number"
    elif record.nonnegative and (counts < 0).any():
        yield "a count is below 0, although none should be"
