"""The plan that is proposed for a table, as commented YAML to edit."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.mondrian.mondrian import Mondrian
from krypsis.data.hierarchies import HierarchySpec, resolve
from krypsis.data.hierarchies.base import Label
from krypsis.data.hierarchies.csv import read_csv
from krypsis.data.random_order import random_rows
from krypsis.data.recoding import FrequencySet, outcome_of
from krypsis.data.schema import Role, Schema
from krypsis.errors import HierarchyError, Infeasible, KrypsisError, shorten
from krypsis.io.addresses import is_address
from krypsis.io.csv_file import describe_csv
from krypsis.io.dataset import Dataset
from krypsis.io.read import PARQUET, file_kind
from krypsis.io.yaml_file import comment, entry, flow, item, scalar
from krypsis.kinds.table.profile.propose import propose_hierarchy, wants_file
from krypsis.kinds.table.profile.roles import IN_DOUBT, Guess, guess_roles
from krypsis.kinds.table.profile.sensitive_promise import SensitivePromise, expected_groups, proposals, propose_promise
from krypsis.kinds.table.profile.table import Profile
from krypsis.metrics.loss import Loss
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.promises import read_promise

LARGEST = 20_000_000
"""How many bytes a file may have to be looked into."""


def find_hierarchy_file(data: Path, column: str, values: Sequence[Label]) -> Path | None:
    r"""Return the hierarchy file of a column, as a path from the folder of the data; nothing if none fits.

    Looked for are ``<data>_hierarchy_<column>.csv``, ``hierarchies/<column>.csv`` and ``<column>.csv``. A file fits if
    it is a hierarchy and holds all values.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "people_hierarchy_job.csv").write_text("nurse;care;*\ncarer;care;*\ncook;food;*\n")
    ...     data = Path(folder, "people.csv")
    ...     find_hierarchy_file(data, "job", ["cook", "nurse"]), find_hierarchy_file(data, "job", ["pilot"])
    (PosixPath('people_hierarchy_job.csv'), None)
    """
    return next((path for path in _candidates(data, column) if _fits(data.parent / path, data, column, values)), None)


def _candidates(data: Path, column: str) -> Iterator[Path]:
    if not column or set(column) & set('/\\\0:*?"<>|'):
        return  # no such file can be meant
    stem = data.name.partition(".")[0]
    yield Path(f"{stem}_hierarchy_{column}.csv")
    yield Path("hierarchies", f"{stem}_hierarchy_{column}.csv")
    yield Path("hierarchies", f"{column}.csv")
    yield Path(f"{column}.csv")


def _fits(path: Path, data: Path, column: str, values: Sequence[Label]) -> bool:
    try:
        if not path.is_file() or path.resolve() == data.resolve() or path.stat().st_size > LARGEST:
            return False
        read_csv(path).covering(values, column)
    except (HierarchyError, OSError):
        return False
    return True


MOST_RECORDS = 10_000
"""Promises are tried on so many records at most, drawn from the whole table."""
LOOKED_AT = "records looked at"
"""What the samples of a proposal follow from: who asks twice gets the same proposal."""
FEWEST_RECORDS = 100
"""With fewer records, what a trial finds says little; the values of the columns decide."""
GROWTH, ADDITION = 1.5, 0.05
"""A promise may raise the loss by half, or by this much."""


@dataclass(frozen=True, eq=False)
class _Trial:
    """A part of the table on which promises are tried."""

    frequency: FrequencySet
    models: tuple[GroupModel, ...]

    def loss(self, *more: GroupModel) -> float | None:
        """Return the loss with more promises, or nothing if they cannot be kept."""
        try:
            recoding = Mondrian(threads=1).search(self.frequency, [*self.models, *more], Loss(), Limits())
        except Infeasible:
            return None
        return Loss().compute(outcome_of(recoding, self.frequency))


def fitting_promises(
    dataset: Dataset,
    schema: Schema,
    hierarchies: Mapping[str, HierarchySpec],
    k: int = 5,
) -> tuple[SensitivePromise, ...]:
    """Return a promise for each sensitive column, the strongest that is kept at an acceptable loss.

    Each candidate is tried with local recoding on up to 10,000 records, together with k-anonymity and what was chosen
    for the columns before. Without a quasi-identifier, only the values of the column decide.

    Examples
    --------
    >>> import polars as pl
    >>> ages, diseases = [str(20 + number % 40) for number in range(400)], ["flu", "hiv", "flu", "cold"] * 100
    >>> table = pl.DataFrame({"age": ages, "disease": diseases})
    >>> schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    >>> [one.spec for one in fitting_promises(Dataset.of(table), schema, {"age": {"kind": "intervals", "width": 5}})]
    ['recursive-l-diversity:c=3,l=2,attribute=disease']
    """
    groups = expected_groups(dataset.rows, k)
    trial = _trial(dataset, schema, hierarchies, k)
    before = None if trial is None else trial.loss()
    if trial is None or before is None:
        return tuple(propose_promise(name, dataset.collect_texts(name), groups) for name in schema.sensitive)
    chosen: list[SensitivePromise] = []
    for name in schema.sensitive:
        found = _strongest(trial, before, proposals(name, dataset.collect_texts(name)))
        chosen.append(found)
        trial = _Trial(trial.frequency, (*trial.models, *_models([found])))
        before = trial.loss() or before
    return tuple(chosen)


def _strongest(trial: _Trial, before: float, candidates: Sequence[SensitivePromise]) -> SensitivePromise:
    """Return the first candidate that is kept at an acceptable loss, or the weakest."""
    limit = max(GROWTH * before, before + ADDITION)
    for one in candidates[:-1]:
        loss = trial.loss(*_models([one]))
        if loss is not None and loss <= limit:
            return one
    return candidates[-1]


def _models(promises: Sequence[SensitivePromise]) -> list[GroupModel]:
    return [model for one in promises if isinstance(model := read_promise(one.spec), GroupModel)]


def _trial(dataset: Dataset, schema: Schema, hierarchies: Mapping[str, HierarchySpec], k: int) -> _Trial | None:
    """Return a part of the table to try promises on, or nothing where it cannot be grouped."""
    if not schema.quasi_identifiers or not schema.sensitive or dataset.rows < FEWEST_RECORDS:
        return None
    chosen = random_rows(LOOKED_AT, dataset.rows, MOST_RECORDS)
    engine = dataset.with_rows(dataset.engine.collect_sample(chosen)).engine
    try:
        resolved = {
            name: resolve(hierarchies.get(name), engine.distinct(name), name) for name in schema.quasi_identifiers
        }
        return _Trial(engine.count_tuples(schema, resolved).frequency, (KAnonymity(k=k),))
    except KrypsisError:  # a hierarchy that does not fit, which the run will say
        return None


WIDEST = 24
WIDTH_OF_COMMENTS = 110
NO_QUASI_IDENTIFIER = (
    "No quasi-identifier was found. Give at least one column that others may know the role 'quasi-identifier' "
    "before you run the plan."
)
NO_SENSITIVE = (
    "No column was recognized as sensitive. If one holds what nobody may learn about a person, such as a diagnosis or "
    "an income, give it the role 'sensitive': the promises so far hide whose record it is, and nothing else."
)
NOT_RECOGNIZED = (
    "Not recognized: {}. Make a column sensitive if nobody may learn it about a person: hiding whose record it is does "
    "not stop others from inferring one column from the others. If others know it anyway, remove its 'in_doubt: true', "
    "and no run warns of it."
)
NAME_A_FILE = ". It has {} values, published as they are or not at all: a hierarchy file would keep more"


def plan_text(
    profile: Profile,
    dataset: Dataset,
    data: str,
    read: Mapping[str, str] | None = None,
    engine: str | None = None,
    whole: Dataset | None = None,
) -> str:
    """Return the plan for a table.

    Parameters
    ----------
    profile
        of the table.
    dataset
        the table.
    data
        the path of the file, relative to the folder of the plan.
    read
        how to read the file, where the usual guess must not be relied on.
    engine
        what works on the table, where the plan is to say it.
    whole
        the table, where ``dataset`` is a sample of it.
    """
    guesses = guess_roles(profile)
    schema = Schema.of({name: guess.role.value for name, guess in guesses.items()})
    found = {name: _hierarchy(profile, name, dataset, whole or dataset) for name in schema.quasi_identifiers}
    folder = PurePosixPath() if dataset.path is None else PurePosixPath(data).parent
    hierarchies = {name: _from(folder, one) for name, one in found.items()}
    tried = {name: _from((dataset.path or Path()).parent, one) for name, one in found.items()}
    parts = [
        HEADER,
        opening(profile, data, read, engine, is_file=dataset.path is not None),
        COLUMNS,
        *([f"# {NO_QUASI_IDENTIFIER}"] if not _has(guesses, Role.QUASI_IDENTIFIER) else []),
        *(_comments(NO_SENSITIVE) if not _has(guesses, Role.SENSITIVE) else []),
        *(_comments(doubtful) if (doubtful := said_of_doubt(guesses)) else []),
        "columns:",
        *(column_line(profile, name, guesses, hierarchies.get(name)) for name in guesses),
        _risk(profile),
        PROMISES,
        *map(promise_lines, fitting_promises(dataset, schema, tried)),
        SETTINGS.format("[parquet]" if _has_types(dataset.path, data) else "[csv]    "),
    ]
    return "\n".join(part for part in parts if part)


def _has_types(path: Path | None, data: str) -> bool:
    """Say whether a table comes from where columns have types: Parquet files, or a server."""
    return is_address(data) if path is None else path.suffix.lower() in PARQUET or path.is_dir()


def said_of_doubt(guesses: Mapping[str, Guess]) -> str:
    """Return what to do about columns of which nothing reveals what they are, if there are any."""
    names = [name for name, guess in guesses.items() if guess.key == IN_DOUBT]
    return NOT_RECOGNIZED.format(comment(shorten(names, 3))) if names else ""


def reading_of(file: Path, delimiter: str | None, encoding: str | None, sheet: str | None) -> dict[str, str]:
    """Return what the plan must say so that the file is read the same way again."""
    if file_kind(file) != "csv":
        return {} if sheet is None else {"sheet": sheet}
    found_delimiter, found_encoding = describe_csv(file, delimiter, encoding)
    usual = {"delimiter": ",", "encoding": "utf-8"}
    found = {"delimiter": found_delimiter, "encoding": found_encoding}
    return {name: value for name, value in found.items() if value not in (usual[name], "ascii")}


def opening(
    profile: Profile, data: str, read: Mapping[str, str] | None, engine: str | None = None, *, is_file: bool = True
) -> str:
    """Return the lines that say where the data is, how to read it, and what works on it."""
    known = f"{profile.rows} records" + "; the path is relative to this file" * is_file
    where = entry("data", f"{scalar(data)}   # {known}")
    return "\n".join(
        [where, *([entry("read", flow(read))] if read else []), *([entry("engine", engine)] if engine else [])]
    )


def column_line(
    profile: Profile, name: str, guesses: Mapping[str, Guess], hierarchy: str | Mapping[str, object] | None
) -> str:
    """Return the line about a column: its role, the hierarchy of a quasi-identifier, and why."""
    guess = guesses[name]
    content: dict[str, object] = {"role": guess.role.value}
    if guess.key == IN_DOUBT:
        content["in_doubt"] = True
    more = ""
    if guess.role is Role.QUASI_IDENTIFIER and hierarchy is not None:
        content["hierarchy"] = hierarchy
        more = NAME_A_FILE.format(profile.column(name).distinct) if wants_file(profile.column(name), hierarchy) else ""
    return entry(name, f"{flow(content)}   # why: {comment(guess.reason)}{more}", "  ", _width(guesses))


def _hierarchy(profile: Profile, name: str, dataset: Dataset, whole: Dataset) -> Path | Mapping[str, object]:
    """Return a hierarchy file that lies with the data, as a path from there, or a proposal made from the values."""
    found, path = None, whole.path
    if path is not None and any((path.parent / one).is_file() for one in _candidates(path, name)):
        found = find_hierarchy_file(path, name, whole.engine.distinct(name))  # all values need a place in it
    return found or propose_hierarchy(profile.column(name), dataset)


def _from(folder: PurePath, found: Path | Mapping[str, object]) -> str | Mapping[str, object]:
    """Return a hierarchy as a plan states it; a file is named by its path from another folder."""
    return (folder / found).as_posix() if isinstance(found, Path) else found


def promise_lines(proposed: SensitivePromise) -> str:
    """Return the promise about a sensitive column, with the reason for it in comments above."""
    reason = _comments(comment(proposed.said("en")))
    return "\n".join([*(f"  {line}" for line in reason), f"  - {item(proposed.spec)}"])


def _comments(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, WIDTH_OF_COMMENTS)]


def _width(names: Iterable[str]) -> int:
    return min(max(len(scalar(name)) for name in names) + 1, WIDEST)


def _risk(profile: Profile) -> str:
    if not profile.pairs:
        return ""
    worst = (profile.triples or profile.pairs)[0]
    names = comment(", ".join(worst.columns))
    return (
        f"\n# Risk before: {worst.unique_share:.1%} of the records are alone with their values of {names};\n"
        f"# the smallest group has {worst.smallest_group} record(s)."
    )


def _has(guesses: Mapping[str, Guess], role: Role) -> bool:
    return any(guess.role is role for guess in guesses.values())


HEADER = """\
# A plan for krypsis: check the roles, then run it with 'krypsis run'.
# Lines that begin with # are comments.
"""

COLUMNS = """
# The role of every column; the guesses are made from names and values, the decision is yours.
#   identifier        names a person: removed from the release
#   quasi-identifier  others may know it: generalized along its hierarchy
#   sensitive         nobody should be able to attach it to a person: published as it is
#   insensitive       neither: published as it is
# A hierarchy is a kind with its options, as below, or the name of a CSV file with one line per value:
# the value, then its generalizations."""

PROMISES = """
# What the release must keep; 'krypsis models' lists all promises, 'krypsis explain NAME' explains one.
promises:
  - k-anonymity:k=5   # every record looks like at least 4 others in the quasi-identifiers"""

SETTINGS = """
algorithm: auto     # 'krypsis algorithms' lists all
metric: loss        # what is kept low; 'krypsis metrics' lists all
suppression: 2%     # records that may be left out at most: a share (2% or 0.02) or a count such as 10

output:
  folder: release   # what may be published, relative to this file
  formats: {} # csv, parquet
  report: true      # a page about the release, written next to the folder
"""
