"""Say in plain words what became of the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from krypsis.kinds.table.statistics import in_words
from krypsis.models.coverage import without_promise
from krypsis.models.links import LinkModel
from krypsis.release.provenance import HISTORY, MADE_BY_CHANCE, MECHANISM, PERTURBATION

if TYPE_CHECKING:
    from krypsis.release.release import Release

GLOBAL_SCHEMES = ("AG_TS", "AG_")
"""What generalizes whole attributes and suppresses no single cells."""

NOT_EXAMINED = (
    "whether the records that could be somebody's all have one value cannot be seen without the original table"
)

MODES = {
    "remove": "removed from the table",
    "keep": "kept with every attribute an attacker may know at its most general value",
}


def sections(release: Release) -> dict[str, Iterable[str]]:
    """Return the summary: promised and achieved, lost, suppressed."""
    by_chance = release.scheme == MECHANISM
    return {
        **({"WARNING: sensitive values are disclosed": _disclosed(release)} if release.disclosures else {}),
        _published(release): (),
        "Promised and achieved": (*promise_lines(release), *_unpromised(release)),
        **({"What the method guarantees": (release.guarantee,)} if release.guarantee else {}),
        **({"Made by chance": _mechanism(release)} if by_chance and release.mechanism_record is not None else {}),
        **({"Changed": _changes(release)} if release.scheme == PERTURBATION else {}),
        **({"Lost": _losses(release)} if release.scheme not in MADE_BY_CHANCE else {}),
        **({"What would help": helping} if (helping := release.private.get("improvements", ())) else {}),
        **({} if by_chance else {"Suppressed": (_suppressed(release),)}),
    }


def changes(release: Release) -> Iterator[str]:
    """Say what was changed, or how a table was made by chance; nothing of a release that generalizes."""
    if release.scheme == PERTURBATION:
        yield from _changes(release)
    elif release.scheme == MECHANISM:
        yield from _mechanism(release)


def _published(release: Release) -> str:
    if release.scheme == MECHANISM:
        return f"{release.records} rows are published, made by chance: {', '.join(release.publication.columns)}"
    further = [
        f"{name}.{one}" for name, table in release.publication.further.items() for one in table.schema.quasi_identifiers
    ]
    known = ", ".join([*release.schema.quasi_identifiers, *further]) or "nothing"
    records = f"{release.records} records" + "".join(
        f", {one.table.height} of {name}" for name, one in release.publication.further.items()
    )
    return f"{records} are published; an attacker is assumed to know: {known}"


def _mechanism(release: Release) -> Iterator[str]:
    """Say with which chances a table was made; all of it is public."""
    if release.mechanism_record is None:
        return
    yield f"protected is {release.mechanism_record.unit}"
    for part in release.mechanism_record.spent:
        size = "scale" if part.noise == "discrete Laplace" else "variance"
        delta = f", delta={part.delta:g}" if part.delta else ""
        yield f"{part.what}: {part.noise} noise of {size} {part.scale:g} (epsilon={part.epsilon:g}{delta})"
    for name, chance in release.mechanism_record.chances.items():
        yield f"{name}: {chance:.6f}"
    if release.mechanism_record.smallest_group > 1:
        fewest = release.mechanism_record.smallest_group
        yield f"combinations of values that fewer than {fewest} records share were left out"
    for name, domain in release.mechanism_record.domains.items():
        yield f"{name}: {len(domain)} declared values{_at_level(release, name)}"


def _at_level(release: Release, name: str) -> str:
    return f", level {release.levels[name]}{_hierarchy(release, name)}" if name in release.levels else ""


def promise_lines(release: Release) -> Iterator[str]:
    """Yield each promise with what the checker says about it."""
    if not release.promises and not release.verdicts:
        yield "nothing about groups of records"
    sentences = {verdict.promise: verdict.sentence for verdict in release.verdicts}
    for promise in {**dict.fromkeys(release.promises), **sentences}:
        yield f"{promise}: {sentences.get(promise, 'not checked yet; saving the release checks it.')}"


def _disclosed(release: Release) -> Iterator[str]:
    """Say how many records lie in groups that disclose a sensitive value, and name the worst groups."""
    for found in release.disclosures:
        yield found.sentence
        yield from (f"  {group}" for group in found.worst)


def _unpromised(release: Release) -> Iterator[str]:
    """Name the sensitive columns that no promise is about."""
    if release.scheme in MADE_BY_CHANCE:
        return
    disclosed = {found.column for found in release.disclosures}
    not_examined = release.evidence is None and any(isinstance(model, LinkModel) for model in release.models)
    unseen = NOT_EXAMINED if not_examined else "no group of this release discloses it, by chance"
    for name in without_promise(release.models, release.publication.sensitive_names):
        so_far = "see the warning above" if name in disclosed else unseen
        yield f"{name}: sensitive, and no promise is about it; {so_far}"


def _changes(release: Release) -> Iterator[str]:
    if not release.statistics:
        yield "not published: how the values were before stays with the publisher"
        return
    yield from in_words(release.statistics)
    if same := [name for name in release.publication.columns if name not in release.statistics["columns"]]:
        yield f"as they were: {', '.join(same)}"


def _losses(release: Release) -> Iterator[str]:
    if release.group_column is not None:
        yield from _links(release, release.group_column)
        return
    for name, level in release.levels.items():
        yield f"{name}: {_level(level, release.heights.get(name))}{_hierarchy(release, name)}"
    for name in release.schema.quasi_identifiers:
        if (release.levels or release.heights) and name not in release.levels:
            yield f"{name}: {_without_level(release)}"
    if reason := release.private.get("choice"):
        yield str(reason)
    if release.score is not None:
        minimized = f"lower is better{_proof(release)}"
        yield f"{release.metric or 'score'}: {release.score:.4g} ({minimized})"
    if others := [name for name in release.metrics if name != release.metric]:
        yield f"other figures, in the report and in the manifest: {', '.join(others)}"
    if not release.levels and release.score is None and not release.metrics:
        yield "not measured"


def _links(release: Release, group_column: str) -> Iterator[str]:
    """Say what is lost where records are in groups: who in a group has which value."""
    hidden = release.schema.sensitive
    sizes: list[int] = release.table.get_column(group_column).value_counts().get_column("count").to_list()
    smallest, largest = min(sizes, default=0), max(sizes, default=0)
    size = f"{smallest}" if smallest == largest else f"{smallest} to {largest}"
    yield f"{', '.join(hidden)}: who has which value, in {len(sizes)} groups of {size} records"
    same = [name for name in release.publication.columns if name not in (*hidden, group_column)]
    is_general = release.scheme == HISTORY and release.sensitive_table is None
    yield f"{', '.join(same)}: {'generalized, so that records look alike' if is_general else 'as they were'}"


def _proof(release: Release) -> str:
    if release.lower_bound is None or release.score is None:
        return ""
    if release.score <= release.lower_bound * (1 + 1e-9):
        return "; proven to be the lowest possible"
    return f"; proven that nothing below {release.lower_bound:.4g} is possible"


def _level(level: int, height: int | None) -> str:
    if level == 0:
        return "unchanged"
    if height is None:
        return f"level {level}"
    return f"level {level} of {height}" + (", nothing left of it" if level == height else "")


def _without_level(release: Release) -> str:
    """Say how an attribute was recoded that is at no level of its hierarchy."""
    if release.scheme in GLOBAL_SCHEMES:
        return "recoded to labels of its own, the same value to the same label in every record"
    return "recoded differently from record to record"


def _hierarchy(release: Release, name: str) -> str:
    return f" ({release.hierarchies[name]})" if name in release.hierarchies else ""


def _suppressed(release: Release) -> str:
    before = release.rows_before or release.records + (release.suppressed if release.suppression == "remove" else 0)
    share = release.suppressed / before if before else 0.0
    how = MODES.get(release.suppression, release.suppression)
    return f"{release.suppressed} of {before} records ({share:.1%})" + (f", {how}" if release.suppressed else "")
