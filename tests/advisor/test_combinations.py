"""Every combination of models that the extended tree writes into a plan is one that a run keeps."""

import polars as pl
import pytest

import krypsis
from krypsis.advisor import DataEvidence, advise, load_tree
from krypsis.advisor.promise import combinable, proposal
from krypsis.kinds.table.demo import hospital

VALUES = {"value": "200", "guarding": "hides", "observable": "sex", "sensitive": "pay"}
PERSON = DataEvidence({}, {"person": "patient_id", "nearness": "10", "spread": "100"})
PAY = {"any": {"low": ["100", "200"], "high": ["400", "800", "1600"]}}
PATIENTS = (
    hospital(80)
    .select("patient_id", "age", "sex")
    .with_columns(
        pay=pl.Series([100, 200, 400, 800, 1600] * 16),
        hides=pl.Series(["low", None] * 40),
        town=pl.Series(["x", "y"] * 40),
    )
)
ROLES = {"patient_id": "identifier", "hides": "identifier", "age": "QI", "sex": "QI", "town": "QI", "pay": "sensitive"}


def paths(tree):
    """Every list of answers that ends in a result."""
    found, open_paths = [], [(tree.start, ())]
    while open_paths:
        page, before = open_paths.pop()
        if page in tree.results:
            found.append(before)
        else:
            question = tree.questions[page]
            open_paths += [(question.edge(taken).to, (*before, taken)) for taken in ("yes", "no")]
    return found


def advice_for(answers):
    advice = advise(answers, evidence=PERSON)
    known = {name for one in (advice, *advice.complements) for name in one.names}
    return advice.with_values({name: value for name, value in VALUES.items() if name in known})


def combinations():
    proposals = {proposal(advice_for(answers)) for answers in paths(load_tree("extended"))} - {None}
    return sorted((one for one in proposals if len(one.promises) > 1), key=str)


@pytest.mark.parametrize("proposed", combinations(), ids=lambda one: "+".join(one.promises))
def test_promises_that_are_written_together_are_kept_together(proposed):
    release = krypsis.anonymize(
        PATIENTS,
        ROLES,
        models=list(proposed.promises),
        algorithm=proposed.algorithm,
        hierarchies={"age": {"kind": "intervals", "width": 50}, "pay": PAY},
        population=pl.concat([PATIENTS] * 2),
    )
    assert len(release.verdicts) == len(proposed.promises)
    assert all(release.verdicts)


def test_a_model_with_a_method_of_its_own_stands_alone_and_others_come_together():
    advised = [advice_for(answers) for answers in paths(load_tree("extended"))]
    alone = [one for one in advised if one.result in {"ff-anonymity", "multirelational-k-anonymity"}]
    assert any(one.complements for one in alone)
    assert not any(combinable(one) for one in alone)
    assert not [
        one for advice in advised for one in combinable(advice) if one.result in {"ff-anonymity", "ct-isolation"}
    ]
