"""Linkage: who knows some columns of a person looks for the person's record, for everybody or with a register."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from pydantic import Field

from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.attacks.exposure import AttackerView, Columns, Exposure, TableAttack, measure
from krypsis.checker.coverage import read_span
from krypsis.checker.linkage import Linkage, Tuples
from krypsis.data.hierarchies import resolve
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.errors import column_not_found
from krypsis.io.dataset import Dataset
from krypsis.io.frames import frame_of
from krypsis.io.texts import PLAIN, text_of


class LinkageAttack(TableAttack):
    """Picks one of the records that show what is known of a person.

    The chance to be right is one over their number. A record is exposed if that chance reaches ``certainty``: with 1,
    if no other record looks like it.

    Notes
    -----
    Published labels count as they stand: where those of different groups overlap, as after local recoding, an attacker
    who knows only the value finds more records that fit, and is less sure. A missing value fits a missing value only.

    References
    ----------
    Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> people = pl.DataFrame({"age": [31, 31, 40], "sex": ["F", "M", "M"]})
    >>> found = LinkageAttack(known=["age"]).find(people)
    >>> found.exposed, found.sample, round(found.expected)
    (1.0, (2,), 2)
    """

    name: ClassVar[str] = "linkage"
    title: ClassVar[str] = "linkage"
    knowledge: ClassVar[str] = "that a person is in the table, and some columns of everybody"
    success: ClassVar[str] = "the picked record is that of the person"
    baseline: ClassVar[str] = "a record picked among all records of the table is that of the person"
    reference: ClassVar[str] = "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"

    def find(self, target: Any, *, before: Any = None) -> Exposure:
        """Return how many records are found.

        Parameters
        ----------
        target
            a table in any form that :func:`krypsis.anonymize` takes, a release, or the folder of a release.
        before
            where values were changed: the same records before, row by row. Then the attacker knows these, and is right
            only where a record still shows them.

        Returns
        -------
        Exposure
            ``average_chance`` is the marketer's risk, ``highest_chance`` the prosecutor's, and ``expected`` the number
            of records found by guessing for everybody; ``baseline`` is the chance of somebody who knows nothing.
        """
        view = self.view(target)
        chances = (1.0 / view.sizes)[view.look]
        if before is not None:
            chances = chances * view.unchanged_since(frame_of(before))
        exposed, average, highest, sure = measure(chances, view.records_of_rows, self.certainty)
        return Exposure(
            attack=self.name,
            known=view.known,
            sensitive="",
            records=view.records,
            exposed=exposed,
            sample=view.first_rows(sure, self.sample),
            average_chance=average,
            highest_chance=highest,
            baseline=1.0 / view.records if view.records else 0.0,
            certainty=self.certainty,
            note=view.note if before is None else "",
        )


class RegisterLinkageAttack(Attack):
    """Joins a published table with a register of persons, by all records that a person's values may stand behind.

    A generalized value fits every value below it, as its hierarchy says. Without one, a label is a range such as
    ``[30-35)``, a set such as ``{a, b}``, everything (``*``), or a value that stands for itself.

    References
    ----------
    Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002, Figure 1.

    Examples
    --------
    >>> published = pl.DataFrame({"age": ["[30-35)", "[30-35)", "38"], "disease": ["flu", "flu", "cancer"]})
    >>> voters = pl.DataFrame({"name": ["Ann", "Bob", "Cat"], "age": [31, 38, 50]})
    >>> attack = RegisterLinkageAttack(persons=voters, known=["age"], sensitive="disease")
    >>> attack.find(published).rows()
    [(2, 'flu', 1.0), (1, 'cancer', 1.0), (0, None, None)]
    >>> attack.run(published).rate
    0.5
    """

    name: ClassVar[str] = "register-linkage"
    aliases: ClassVar[tuple[str, ...]] = ("linking",)
    title: ClassVar[str] = "linkage with a register"
    kind: ClassVar[str] = "table"
    knowledge: ClassVar[str] = "a register with the names of persons and some columns that the table has, too"
    success: ClassVar[str] = (
        "a record picked among those that fit a person of the register is that of the person, if the person is in the "
        "table; a person whom no record fits is not found"
    )
    baseline: ClassVar[str] = "a record picked among all records of the table is that of the person"
    reference: ClassVar[str] = "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002, Figure 1"

    persons: Any = Field(repr=False, description="the register: a table, or the path of one")
    known: Columns | None = Field(
        default=None, description="the columns that both have; the quasi-identifiers of the release unless given"
    )
    sensitive: str | None = Field(default=None, description="the published column that the attacker wants to learn")
    hierarchies: Mapping[str, Any] | None = Field(
        default=None, repr=False, description="of generalized columns, in any form that a plan may give"
    )

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for each set of quasi-identifiers of a release."""
        sets = LinkageAttack(known=self.known).aimed_at(target)
        return tuple(self.model_copy(update={"known": attack.known}) for attack in sets)

    def find(self, target: Any) -> pl.DataFrame:
        """Return for each person of the register how many published records fit, and what these say.

        Parameters
        ----------
        target
            a table in any form that :func:`krypsis.anonymize` takes, a release, or the folder of a release.

        Returns
        -------
        polars.DataFrame
            one row per person, in the order of the register: ``matches``, the published records that could be the
            person's; ``value``, the most frequent sensitive value among these, and ``share``, how sure one can be of
            it. Who matches one record only, is found; of whom the share is 1, everything is known.
        """
        wanted = () if self.sensitive is None else (self.sensitive,)
        view, register = AttackerView.of(target, self.known, wanted), frame_of(self.persons)
        table, names, sensitive = view.table, view.known, self.sensitive
        if sensitive is not None and sensitive not in table.columns:
            raise column_not_found(sensitive, table.columns)
        for name in names:
            if name not in register.columns:
                raise column_not_found(name, register.columns)
        given = self.hierarchies or {}
        trees = {name: resolve(spec, Dataset.of(register).engine.distinct(name), name) for name, spec in given.items()}
        linkage = Linkage.between(_with_strangers(register, table, names, trees), table, names, trees)
        records = _records(view, linkage.published, sensitive)
        # cand(x) = the published records that match x, by equality or containment.
        labels, persons = linkage.pairs
        learned = _learned(pl.DataFrame({"person": persons, "label": labels}).join(records, on="label"))
        people = _places(register, linkage.originals, names).rename("person").to_frame()
        found = people.join(learned, on="person", how="left", maintain_order="left")
        found = found.with_columns(pl.col("matches").fill_null(0))
        return found.select("matches", "value", "share") if sensitive is not None else found.select("matches")

    def evaluate(self, found: pl.DataFrame, target: Any) -> AttackSuccess:
        """Return the average chance over the persons of the register."""
        matches = found.get_column("matches").to_numpy()
        # Identity risk = 1 / |cand|, and 0 if nothing fits.
        chances = np.divide(1.0, matches, out=np.zeros(len(matches)), where=matches > 0)
        records = AttackerView.of(target, self.known).records
        return AttackSuccess.of(
            self.name,
            targets=len(matches),
            rate=float(chances.mean()) if len(matches) else 0.0,
            baseline=1.0 / records if records else 0.0,
            certain=float((matches == 1).sum()),
            cannot_say=["Who of the register is in the table is not known; whoever fits a record is taken to be."],
        )


def _records(view: AttackerView, looks: Tuples, sensitive: str | None) -> pl.DataFrame:
    """Return how many records look how and have which sensitive value: ``label``, ``value``, ``number``."""
    table = view.table
    nothing = pl.repeat(None, table.height, dtype=pl.String, eager=True)
    values = nothing if sensitive is None else text_of(table.get_column(sensitive).rename(PLAIN))
    columns = [_places(table, looks, view.known).rename("label"), values.rename("value")]
    counted = pl.DataFrame([*columns, pl.Series("number", view.records_of_rows)])
    return counted.group_by("label", "value").agg(pl.col("number").sum())


def _learned(links: pl.DataFrame) -> pl.DataFrame:
    """Return for each combination of known values how many records fit, and the most frequent value of these."""
    counted = links.group_by("person", "value").agg(pl.col("number").sum())
    likely = counted.sort("number", "value", descending=[True, False], nulls_last=True)
    likeliest = likely.group_by("person", maintain_order=True).agg(pl.col("value", "number").first())
    total = counted.group_by("person").agg(matches=pl.col("number").sum())
    return likeliest.join(total, on="person").with_columns(share=pl.col("number") / pl.col("matches"))


def _places(table: pl.DataFrame, tuples: Tuples, names: Sequence[str]) -> pl.Series:
    """Return for each row the place of its tuple."""
    keys = [f"k{place}" for place in range(len(names))]
    rows = pl.DataFrame(
        [text_of(table.get_column(name).rename(PLAIN)).rename(key) for name, key in zip(names, keys, strict=True)]
    )
    known = pl.DataFrame(
        [
            pl.Series(key, values, dtype=pl.String).gather(tuples.codes[:, place])
            for place, (key, values) in enumerate(zip(keys, tuples.values, strict=True))
        ]
    ).with_row_index("place")
    return rows.join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")["place"].cast(pl.Int64)


def _with_strangers(
    register: pl.DataFrame, table: pl.DataFrame, names: Sequence[str], known: Mapping[str, Hierarchy]
) -> pl.DataFrame:
    """Return the register and below it rows of nobody, with the published values that nobody of the register has.

    So a value that is published as it is is understood as one, and not taken for a label of unknown meaning.
    """
    columns = []
    for name in names:
        values = text_of(register.get_column(name).rename(PLAIN))
        labels = [] if name in known else Dataset.of(table).engine.distinct(name)
        strangers = dict.fromkeys(value for label in labels for value in _named_by(label))
        columns.append([*values.to_list(), *strangers])
    longest = max(map(len, columns))
    rows = {name: [*values, *[None] * (longest - len(values))] for name, values in zip(names, columns, strict=True)}
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String))


def _named_by(label: Label) -> list[str]:
    """Return the values that a label names: itself or the members of a set; none where it is a range or everything."""
    if label is None or label == TOP or read_span(label) is not None:
        return []
    return label[1:-1].split(", ") if label.startswith("{") and label.endswith("}") else [label]
