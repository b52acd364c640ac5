"""Small tables that change, and a history of them."""

import polars as pl

from algorithms.histories.versions import FIGURE_2_18, FIGURE_2_19, table
from krypsis.kinds.history.history import History

ROLES = {"age": "quasi-identifier", "zipcode": "quasi-identifier", "disease": "sensitive"}
FIRST = table(FIGURE_2_18).drop("group")
SECOND = table(FIGURE_2_19)


# Of four values in two families, with e = 1; flu is published as a disease of the lungs.
GENERAL = {
    "models": "em-correlation:e=1,m=2",
    "hierarchies": {"disease": {"any": {"lungs": ["flu", "bronchitis"], "stomach": ["dyspepsia", "gastritis"]}}},
    "algorithm": {
        "name": "frequency-aware",
        "on_ineligible": "counterfeits",
        "probabilities": {"flu": "1/2", "lungs": "1/20"},
    },
}


def start(folder, **options):
    given = {"id": "name", "roles": ROLES, "models": "m-invariance:m=2", **options}
    return History.init(folder / "history", **given)


def changed(frame, name, **values):
    """The table with other values for one person."""
    return frame.with_columns(
        pl.when(pl.col("name") == name).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
        for column, value in values.items()
    )


def without(frame, *names):
    return frame.filter(~pl.col("name").is_in(names))


def row(frame, name):
    return frame.filter(pl.col("name") == name)


def signature_of(history, version, person):
    """The values of somebody's group, from the published files; persons are numbered as they came."""
    return history.versions()[version - 1].signatures()[person]
