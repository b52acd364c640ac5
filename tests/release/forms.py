"""A release of every form, of data whose names and values would do harm in a page."""

import tempfile
import warnings
from functools import cache
from pathlib import Path

import polars as pl

import krypsis
from krypsis.errors import PrivacyWarning, SearchWarning

EVIL = "<script>alert('x')</script>"
AGE = f"age{EVIL}&\"'"
"""The name of a column."""
PRIVATE = "Zenobia"
"""A name that is never published."""

PEOPLE = pl.DataFrame(
    {
        "name": [f"{PRIVATE} {row}" for row in range(24)],
        AGE: [str(30 + row // 6) for row in range(24)],
        "sex": ["F", "M"] * 12,
        "disease": [EVIL, "flu", "gout", "cold"] * 6,
    }
)
ROLES = {"name": "identifier", AGE: "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
SETS = krypsis.Transactions.of_sets([["bread", EVIL], ["bread", EVIL], ["bread", "milk", "wine"], ["wine", EVIL]] * 6)
GOODS = krypsis.Hierarchy.from_rows([[item, "food", "*"] for item in ("bread", "milk", "wine", EVIL)])


def generalized(**options):
    return krypsis.anonymize(PEOPLE, ROLES, **{"models": "k-anonymity:k=3", **options})


def suppressed():
    """The four oldest are too few, and ages may not be generalized."""
    levels = {AGE: 0, "sex": 0}
    table, options = PEOPLE.head(22), {"models": "k-anonymity:k=3", "suppression": 4, "max_levels": levels}
    return krypsis.anonymize(table, ROLES, **options)


def bucketed():
    return generalized(models="distinct-l-diversity:l=2", algorithm="anatomize")


def linked():
    visits = pl.DataFrame({"name": PEOPLE["name"], "year": ["2020", "2021"] * 12, "drug": [EVIL, "x", "y"] * 8})
    related = {"data": visits, "roles": {"year": "quasi-identifier", "drug": "sensitive"}}
    return generalized(models="multirelational-k-anonymity:k=2", key="name", tables={"visits": related})


def mechanism():
    roles = {"sex": "quasi-identifier"}
    sex = krypsis.Hierarchy.from_rows([["F", EVIL, "*"], ["M", EVIL, "*"]])
    model = "differential-privacy:epsilon=100"
    return krypsis.anonymize(PEOPLE, roles, models=model, algorithm="dp-histogram", hierarchies={"sex": sex})


def perturbed():
    return krypsis.anonymize(PEOPLE, {AGE: "quasi-identifier"}, algorithm=krypsis.Noise(share=0.2, seed=1))


def sets(name, promise, **options):
    return krypsis.anonymize(SETS, models=promise, algorithm=name, **options)


def history_version():
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "history")
        history = krypsis.History.init(place, id="name", roles=ROLES, models="m-invariance:m=2")
        published = history.publish(PEOPLE)
        return krypsis.Release.load(published.folder)


FORMS = {
    "generalized": generalized,
    "suppressed": suppressed,
    "bucketed": bucketed,
    "linked": linked,
    "mechanism": mechanism,
    "perturbed": perturbed,
    "sets": lambda: sets("apriori", "km-anonymity:k=3,m=2", hierarchies={"item": GOODS}),
    "pieces": lambda: sets("disassociation", "km-anonymity:k=3,m=2"),
    "grouped sets": lambda: sets("cahd", "privacy-degree:p=2", sensitive_items=["milk"]),
    "history": history_version,
}


@cache
def release_of_form(name):
    with warnings.catch_warnings():
        for category in (PrivacyWarning, SearchWarning):
            warnings.simplefilter("ignore", category)
        return FORMS[name]()
