"""What a table says about the questions of the advisor, by rules that count its columns."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from krypsis.data.schema import Schema
from krypsis.errors import DataError, shorten
from krypsis.format.claims import read_json
from krypsis.format.files import fingerprint
from krypsis.io.dataset import Dataset
from krypsis.io.yaml_file import comment
from krypsis.kinds.base import Answer, DataEvidence, DataFacts, Finding
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.profile.column import ColumnProfile, profile_column
from krypsis.kinds.table.profile.propose import is_code
from krypsis.kinds.table.profile.roles import guess_role
from krypsis.kinds.table.profile.words import SPECIAL, find_tag, tokens_of
from krypsis.plan import Plan
from krypsis.release.workshop import private_path, release_id_of
from krypsis.specs import list_of_names

MANY_VALUES = 10
LARGEST_SHARE = 0.2
"""Up to this share of the most frequent value, many values protect each other."""
MANY_COLUMNS = 10
MOST_NUMERIC = 0.5
SKEWED_RATIO = 5
SKEWED_EFFECTIVE = 0.5
WORTH_TWO = 2 * 1.05
"""How uncertain the values of a column must be so that entropy 2-diversity leaves room for more than one group."""
SMALL_PRIOR = 0.1
"""A probability of being in the table up to this is small: the default of d."""
FEWEST_COLUMNS = 3
LONGEST_NAME = 40


@dataclass(frozen=True)
class Facts(DataFacts):
    """What the rules look at."""

    dataset: Dataset
    schema: Schema
    profiles: Mapping[str, ColumnProfile]
    spreads: "tuple[Spread, ...]"
    tables: int
    earlier_releases: int

    @classmethod
    def of(cls, dataset: Dataset, schema: Schema | None, tables: int, earlier_releases: int) -> "Facts":
        """Count everything once."""
        if schema is not None:
            schema.check_columns(dataset.columns)
        names = dataset.columns if schema is None else list(schema.roles)
        dataset = dataset.in_memory("looking for what suits the data", names, "answer the questions without data")
        profiles = {name: profile_column(name, dataset.collect_texts(name)) for name in names}
        known = schema or Schema.of({name: guess_role(column).role for name, column in profiles.items()})
        spreads = tuple(Spread.of(name, dataset.collect_texts(name)) for name in known.sensitive)
        return cls(dataset, known, profiles, spreads, tables, earlier_releases)

    @classmethod
    def of_plan(cls, plan: TablePlan) -> "Facts":
        """Count what is in the table of a plan, with its roles."""
        task = plan.bind(plan.read_data())
        return cls.of(task.dataset, task.schema, 1 + len(task.tables), earlier_versions(plan))

    @property
    def evidence(self) -> DataEvidence:
        """What the table says about the questions."""
        return DataEvidence(findings(self), values(self))

    def data_for(self, plan: Plan) -> Dataset | None:
        """Return the table; one with private columns is read anew, for the plan may name others."""
        return None if TablePlan.require(plan).private_columns is not None else self.dataset

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.dataset.rows

    @property
    def subjects(self) -> list[ColumnProfile]:
        """The identifiers that distinguish persons; a name, which two persons may share, only if nothing else does."""
        found = [self.profiles[name] for name in self.schema.identifiers]
        return [column for column in found if column.several_words < 0.5] or found

    @property
    def numbers(self) -> list[str]:
        """The sensitive attributes that hold numbers."""
        return [name for name in self.schema.sensitive if self.is_quantity(name)]

    def is_quantity(self, name: str) -> bool:
        """Whether an attribute holds numbers that can be computed with; zip codes are none, however they look."""
        column = self.profiles[name]
        return column.is_number and not is_code(column)


def evidence_of(
    data: object, schema: Schema | None = None, *, tables: int = 1, earlier_releases: int = 0
) -> DataEvidence:
    """Return what a table says about the questions.

    Parameters
    ----------
    data
        a frame, the path of a file, or a dataset.
    schema
        the roles of the columns; guessed from names and values unless given.
    tables
        how many tables are published together.
    earlier_releases
        how many earlier versions of the table, with other records, have been published.

    Examples
    --------
    >>> import polars as pl
    >>> from krypsis.data.schema import Schema
    >>> table = pl.DataFrame({"id": [1, 2, 3], "age": [30, 40, 50], "disease": ["flu", "flu", "cold"]})
    >>> roles = Schema.of({"id": "identifier", "age": "quasi-identifier", "disease": "sensitive"})
    >>> found = evidence_of(table, roles).findings
    >>> found["page03a"].answer, found["page02b"].answer, found["page02b"].figures["share"]
    ('yes', 'no', 0.6666666666666666)
    """
    return Facts.of(Dataset.of(data), schema, tables, earlier_releases).evidence


def findings(facts: Facts) -> dict[str, Finding]:
    """Return an answer for every question the table can answer."""
    rules: dict[str, Callable[[Facts], Finding | None]] = {
        "graph": _table,
        "set_valued": _table,
        "ontology": _table,
        "page04": _tables,
        "page03a": _one_record_per_person,
        "page05": _earlier_releases,
        "page06": _both_roles,
        "page15": _prior,
        "sensitive": _has_sensitive,
        "page02b": _many_values,
        "page09": _numeric_share,
        "page10": _not_only_numbers,
        "page10a": _only_numbers,
        "page03b": _many_columns,
        "page14": _skew,
    }
    found = {question: rule(facts) for question, rule in rules.items()}
    return {question: finding for question, finding in found.items() if finding is not None}


def values(facts: Facts) -> dict[str, str]:
    """Return what the table says about parameters."""
    found = {"person": facts.subjects[0].name} if facts.subjects else {}
    listed = {"known": facts.schema.quasi_identifiers, "hidden": facts.schema.sensitive}
    found |= {name: list_of_names(columns) for name, columns in listed.items() if columns}
    if len(facts.schema.sensitive) > 1:
        found["guarded"] = facts.schema.sensitive[0]
    if not facts.numbers:
        return found
    only_numbers = len(facts.numbers) == len(facts.schema.sensitive)
    found |= {"distance": "ordered"} if only_numbers else {"number": facts.numbers[0]}
    numbers = facts.dataset.collect_texts(facts.numbers[0])
    sizes = {"spread": middle_range(numbers, 0.98) / 10, "nearness": middle_range(numbers, 0.5) / 20}
    return found | {name: round_number(size) for name, size in sizes.items() if size > 0}


def _table(facts: Facts) -> Finding | None:
    """Say that it is a table, unless it has so few columns that it may list connections or items."""
    if len(facts.schema.roles) < FEWEST_COLUMNS:
        return None
    return Finding("no", "table", {"columns": len(facts.schema.roles), "rows": facts.rows})


def _tables(facts: Facts) -> Finding:
    return Finding("yes" if facts.tables > 1 else "no", "tables", {"tables": facts.tables})


def _one_record_per_person(facts: Facts) -> Finding | None:
    if not facts.subjects:
        return None
    worst = min(facts.subjects, key=lambda column: column.distinct)
    present = worst.rows - worst.missing
    answer = _yes_if(worst.distinct == present)
    return Finding(answer, "persons", {"column": _shown(worst.name), "distinct": worst.distinct, "rows": present})


def _earlier_releases(facts: Facts) -> Finding | None:
    """Say that the table changes if it was published before; that it was not says nothing about the future."""
    return Finding("yes", "earlier", {"releases": facts.earlier_releases}) if facts.earlier_releases else None


def _both_roles(facts: Facts) -> Finding | None:
    if not facts.schema.quasi_identifiers:
        return None
    both = [name for name in facts.schema.quasi_identifiers if find_tag(tokens_of(name), SPECIAL)]
    if both:
        return Finding("yes", "both-roles", {"columns": shorten(map(_shown, both))})
    return Finding("no", "one-role", {"count": len(facts.schema.quasi_identifiers)})


def _prior(facts: Facts) -> Finding | None:
    """Compare the records with all that could be: the chance that a possible record is one of the table."""
    known = (*facts.schema.quasi_identifiers, *facts.schema.sensitive)
    if not known:
        return None
    possible = sum(math.log10(max(facts.profiles[name].distinct, 1)) for name in known)
    prior = min(10 ** (math.log10(facts.rows) - possible), 1.0)
    return Finding(_yes_if(prior <= SMALL_PRIOR), "prior", {"prior": prior, "d": SMALL_PRIOR, "rows": facts.rows})


def _has_sensitive(facts: Facts) -> Finding:
    names = facts.schema.sensitive
    if not names:
        return Finding("no", "no-sensitive")
    return Finding("yes", "has-sensitive", {"columns": shorten(map(_shown, names))})


def _many_values(facts: Facts) -> Finding | None:
    if not facts.spreads:
        return None
    worst = max(facts.spreads, key=lambda spread: (spread.distinct < MANY_VALUES, spread.largest_share))
    answer = _yes_if(worst.distinct >= MANY_VALUES and worst.largest_share <= LARGEST_SHARE)
    return Finding(answer, "values", _figures(worst))


def _numeric_share(facts: Facts) -> Finding | None:
    names = [name for name in facts.schema.roles if name not in facts.schema.identifiers]
    if not names:
        return None
    numeric = sum(map(facts.is_quantity, names))
    return Finding(_yes_if(numeric / len(names) >= MOST_NUMERIC), "numeric", {"numeric": numeric, "all": len(names)})


def _only_numbers(facts: Facts) -> Finding:
    if not facts.schema.sensitive:
        return Finding("no", "no-sensitive")
    figures = {"numeric": len(facts.numbers), "all": len(facts.schema.sensitive)}
    return Finding(_yes_if(len(facts.numbers) == len(facts.schema.sensitive)), "numeric-sensitive", figures)


def _not_only_numbers(facts: Facts) -> Finding | None:
    """Answer the half of the question that is about the data: the other half is a wish."""
    found = _only_numbers(facts)
    return found if found.answer == "no" else None


def _many_columns(facts: Facts) -> Finding | None:
    count, limit = len(facts.schema.quasi_identifiers), math.log2(facts.rows)
    if not count:
        return None
    figures = {"count": count, "rows": facts.rows, "limit": limit}
    return Finding(_yes_if(count >= MANY_COLUMNS or count > limit), "dimensions", figures)


def _skew(facts: Facts) -> Finding | None:
    if not facts.spreads:
        return None
    worst = max(facts.spreads, key=lambda spread: (_is_skewed(spread), spread.ratio))
    return Finding(_yes_if(_is_skewed(worst)), "skew", _figures(worst))


def _is_skewed(spread: "Spread") -> bool:
    """Say whether groups should resemble the table: values less uncertain than two cannot be diverse in any group."""
    is_worth_two = spread.effective >= WORTH_TWO
    return not is_worth_two or spread.ratio >= SKEWED_RATIO or spread.effective < SKEWED_EFFECTIVE * spread.distinct


def _figures(spread: "Spread") -> dict[str, object]:
    return {
        "column": _shown(spread.name),
        "distinct": spread.distinct,
        "share": spread.largest_share,
        "ratio": spread.ratio,
        "effective": spread.effective,
    }


def _yes_if(holds: bool) -> Answer:
    return "yes" if holds else "no"


def _shown(name: str) -> str:
    """Return the name of a column as it may be shown: on one line, printable, not too long."""
    printable = comment(name)
    return printable if len(printable) <= LONGEST_NAME else printable[: LONGEST_NAME - 1] + "…"


@dataclass(frozen=True)
class Spread:
    """The frequencies of the values in four figures; a missing value is a value of its own."""

    name: str
    distinct: int
    largest_share: float
    """The share of the records that have the most frequent value."""
    ratio: float
    """How many times as frequent the most frequent value is as the rarest."""
    effective: float
    """How many equally frequent values would be as uncertain: the exponential of the entropy."""

    @classmethod
    def of(cls, name: str, texts: pl.Series) -> "Spread":
        """Count the values of a column.

        Examples
        --------
        >>> Spread.of("disease", pl.Series(["flu", "flu", "flu", "cold"]))
        Spread(name='disease', distinct=2, largest_share=0.75, ratio=3.0, effective=1.754...)
        """
        counts = texts.rename("text").value_counts(name="count")["count"].cast(pl.Int64)
        largest, smallest = int(counts.max() or 0), int(counts.min() or 0)  # type: ignore[arg-type]
        return cls(
            name=name,
            distinct=len(counts),
            largest_share=largest / len(texts),
            ratio=largest / smallest,
            effective=math.exp(counts.entropy(normalize=True) or 0.0),
        )


def middle_range(texts: pl.Series, share: float) -> float:
    """Return how far a share of the numbers in a column reach, those in the middle.

    Examples
    --------
    >>> middle_range(pl.Series([str(number) for number in range(101)]), 0.5)
    50.0
    """
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False).drop_nulls()
    low, high = (numbers.quantile(part, "nearest") for part in ((1 - share) / 2, (1 + share) / 2))
    reach = (high or 0.0) - (low or 0.0)
    return reach if math.isfinite(reach) else 0.0


def round_number(size: float) -> str:
    """Return a positive number with one digit that counts, as people write it.

    Examples
    --------
    >>> round_number(1234.5), round_number(0.0367)
    ('1000', '0.04')
    """
    rounded = Decimal(f"{size:.0e}")
    return f"{rounded:f}"


def earlier_versions(plan: TablePlan) -> int:
    """Return 1 if the release of a plan was made from a file that has changed since, else 0.

    The same file published twice is not a table that changes; without the private record nothing is known.
    """
    release_id = release_id_of(plan.output_folder)
    data = plan.source
    if release_id is None or isinstance(data, str) or not data.is_file():
        return 0
    try:
        record = read_json(private_path(plan.output_folder, release_id))
    except DataError:
        return 0
    before = record.get("input_sha256")
    return int(before is not None and before != fingerprint(data).sha256)
