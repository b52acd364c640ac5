"""Tables that change, from the sources, as the arrays that a method works on."""

import io

import numpy as np
import polars as pl

from krypsis.algorithms.histories.base import NEW, Past, Snapshot, Turnover
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.data.hierarchies import resolve
from krypsis.io.texts import distinct, encode

# Dynamic data, S10.16, figures 2.18 and 2.19; Emily has flu (erratum 34). Relational thesis, tables 5.14 to 5.16, tells
# the same story with other names.
FIGURE_2_18 = """name,age,zipcode,disease,group
Bob,21,12000,dyspepsia,1
Alice,22,14000,bronchitis,1
Andy,24,18000,flu,2
David,23,25000,gastritis,2
Gary,41,20000,flu,3
Helen,36,27000,gastritis,3
Jane,37,33000,dyspepsia,4
Ken,40,35000,flu,4
Linda,43,26000,gastritis,4
Paul,52,33000,dyspepsia,5
Steve,56,34000,gastritis,5
"""
FIGURE_2_19 = """name,age,zipcode,disease
Bob,21,12000,dyspepsia
David,23,25000,gastritis
Emily,25,21000,flu
Jane,37,33000,dyspepsia
Linda,43,26000,gastritis
Gary,41,20000,flu
Mary,46,30000,gastritis
Ray,54,31000,dyspepsia
Steve,56,34000,gastritis
Tom,60,44000,gastritis
Vince,65,36000,flu
"""
# S10.4 and S10.5, figures 1.3 to 1.5; the name of a record is what identifies it there.
FIGURE_1_3 = """name,age,sex,zipcode,disease,group
Ahmed,25,Male,53771,Prostate Cancer,1
28/Male,28,Male,53711,Lung Cancer,1
26/Male,26,Male,53771,Prostate Cancer,2
27/Male,27,Male,53710,Broken Arm,2
27/Female,27,Female,53712,AIDS,3
25/Female,25,Female,53772,Hepatitis,3
"""
FIGURE_1_4 = """name,age,sex,zipcode,disease
Ahmed,25,Male,53771,Prostate Cancer
16/Female,16,Female,43772,Melanoma
40/Male,40,Male,63771,Prostate Cancer
27/Male,27,Male,53710,Broken Arm
27/Female,27,Female,53712,AIDS
31/Male,31,Male,63711,Hang Nail
"""
# S10.17, figures 2.22 and 2.23.
FIGURE_2_22 = """name,age,zipcode,disease,group
Bob,21,12000,dyspepsia,1
Alice,22,14000,flu,1
Andy,24,18000,dyspepsia,2
David,23,25000,flu,2
Gary,41,20000,flu,3
Helen,36,27000,dyspepsia,3
"""
FIGURE_2_23 = """name,age,zipcode,disease
Bob,21,12000,dyspepsia
John,25,15000,flu
Andy,24,18000,dyspepsia
Sam,30,28000,flu
Gary,41,20000,flu
George,37,27000,dyspepsia
"""


def table(text):
    return pl.read_csv(io.StringIO(text), infer_schema=False)


def second_version(first, second):
    """The snapshot and the past of a second version, given the first with its published groups."""
    before, now = table(first), table(second)
    known = [name for name in now.columns if name not in ("name", "disease")]
    every = pl.concat([before.select(now.columns), now])
    hierarchies = {name: resolve(None, distinct(every[name]), name) for name in (*known, "disease")}
    disease = hierarchies["disease"]
    groups = before.group_by("group", maintain_order=True).agg("disease")["disease"].to_list()
    sets = list(dict.fromkeys(frozenset(disease.code_of[value] for value in values) for values in groups))
    by_group = dict(zip(before["group"].unique(maintain_order=True), groups, strict=True))
    number = {
        name: sets.index(frozenset(disease.code_of[value] for value in by_group[group]))
        for name, group in before.select("name", "group").iter_rows()
    }
    absent = before.filter(~pl.col("name").is_in(now["name"].to_list()))

    def codes(rows):
        return np.stack([encode(rows[name], hierarchies[name], name) for name in known], axis=1)

    snapshot = Snapshot(
        tuple(known),
        tuple(hierarchies[name] for name in known),
        codes(now),
        "disease",
        disease,
        encode(now["disease"], disease, "disease").astype(np.int64),
        np.array([number.get(name, NEW) for name in now["name"]]),
    )
    past = Past(
        Signatures.of(sets),
        codes(absent),
        encode(absent["disease"], disease, "disease").astype(np.int64),
        np.array([number[name] for name in absent["name"]]),
        Turnover.none(len(disease.values)),
    )
    return now, snapshot, past


def groups_of(now, snapshot, found):
    """The groups as sets: names of records, and the values of counterfeits in brackets."""
    groups = {}
    for name, group in zip(now["name"], found.group.tolist(), strict=True):
        groups.setdefault(group, set()).add(name)
    for value, group in zip(found.counterfeits.published.tolist(), found.counterfeits.group.tolist(), strict=True):
        groups[group].add(f"({snapshot.taxonomy.values[value]})")
    return {frozenset(one) for one in groups.values()}


def looks_of(snapshot, found):
    """The counterfeits as rows of quasi-identifiers and sensitive value."""
    return {
        (
            *(tree.values[code] for tree, code in zip(snapshot.hierarchies, row, strict=True)),
            snapshot.taxonomy.values[value],
        )
        for row, value in zip(found.counterfeits.codes.tolist(), found.counterfeits.published.tolist(), strict=True)
    }
