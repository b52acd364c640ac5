"""``krypsis check``: verify what was published, from its files alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from krypsis.cli.failures import EXIT_PROMISE, exit_code_of
from krypsis.cli.remote import Address, Token
from krypsis.cli.streams import print_text
from krypsis.texts.printable import one_line

if TYPE_CHECKING:
    from krypsis.checker import Given
    from krypsis.data.hierarchies.base import Hierarchy
    from krypsis.models.base import Verdict
    from krypsis.plan import Plan


def check(
    path: Annotated[
        Path,
        typer.Argument(
            help="The folder of a release, a file made by any tool, or several Parquet files: their folder or a "
            "pattern in quotes, 'parts/*.parquet'."
        ),
    ],
    *,
    promise: Annotated[
        list[str] | None,
        typer.Option(help="A promise such as k-anonymity:k=5; repeat for several. A release brings its own."),
    ] = None,
    qi: Annotated[
        list[str] | None,
        typer.Option(help="The attributes an attacker may know: age,sex,zip. Repeat for several sets."),
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(
            help="The attributes nobody should be able to attach to a person: disease,income. Of axioms, the secrets: "
            "'ClassAssertion(:HivPatient ?)'."
        ),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            help="The hierarchy of a sensitive attribute, for distances in it, or of one whose labels are compared "
            "with the original: disease=disease.csv."
        ),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(help="The private table behind the published one, for promises such as kk-anonymity:k=5."),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(help="The table of all people whom the records may be about, for promises that compare with it."),
    ] = None,
    public: Annotated[
        list[Path] | None,
        typer.Option(help="For axioms: an ontology that everybody knows. Repeat for several."),
    ] = None,
    private_columns: Annotated[
        Path | None,
        typer.Option(
            help="Columns that promises count and nobody publishes, such as the number of a person: the private record "
            "of the release, or a table in the order of the published records."
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="A plan: its promises, roles and hierarchies count unless named, and its data as the original and the "
            "population."
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(help="The column that says which records form a group, where the attributes do not."),
    ] = None,
    sensitive_table: Annotated[
        Path | None,
        typer.Option(help="The sensitive values of such groups, published separately: group, value and count."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(help="The column that says whose row it is, or which record an item belongs to."),
    ] = None,
    table: Annotated[
        list[Path] | None,
        typer.Option(help="A further table with the same key; name its attributes as in --qi age,visits.year."),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(help="The column of items, for promises such as km-anonymity; else one set of items per line."),
    ] = None,
    missing: Annotated[
        Literal["value", "wildcard"],
        typer.Option(
            help="'value': a missing cell matches only a missing cell. 'wildcard': it may stand for any value."
        ),
    ] = "value",
    literal: Annotated[
        bool,
        typer.Option(
            "--literal",
            help="Count every spelling of a sensitive value as a value of its own; otherwise Flu and 'flu ' are one.",
        ),
    ] = False,
    delimiter: Annotated[
        str | None, typer.Option(help="Between the fields of a CSV file; found out otherwise.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a CSV file; found out otherwise.")] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit code 1 also where sensitive values are disclosed or a published column singles people out.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    server: Address = None,
    token: Token = None,
) -> None:
    """Verify that published data keeps its promises.

    The exit code is 0 if it does, 1 if it breaks one, 3 if the files do not decide all of them.
    """
    if server is not None:
        from krypsis.cli.remote.runs import check_there, refuse_unknown  # noqa: PLC0415
        from krypsis.cli.remote.server import connected  # noqa: PLC0415

        named: dict[str, object] = {"hierarchy": hierarchy, "original": original, "population": population}
        named |= {"plan": plan, "group": group, "sensitive_table": sensitive_table, "key": key, "table": table}
        named |= {"private_columns": private_columns, "item": item, "delimiter": delimiter, "encoding": encoding}
        named |= {"literal": literal or None}
        refuse_unknown(named | {"missing": None if missing == "value" else missing})
        with connected(server, token) as there:
            verdicts, guarantee = check_there(there, path, promise or [], qi or [], sensitive, public or [])
        _print_verdicts(path, verdicts, guarantee, json=json)
        return
    # Loaded here, so that `krypsis --help` does not wait for them.
    from krypsis import checker, registry  # noqa: PLC0415
    from krypsis.format.files import read_once  # noqa: PLC0415

    with read_once():  # the warnings are about the table that the checker has read
        models = [registry.create("model", spec) for spec in promise or []] or None
        given = checker.Given(
            [_names(names) for names in qi or []] or None,
            None if sensitive is None else _names(sensitive),
            hierarchies=_hierarchies(hierarchy or []) or None,  # a release brings its own
            missing=missing,
            original=original,
            population=population,
            public=public,
            private_columns=private_columns,
            literal=literal,
            group=group,
            sensitive_table=sensitive_table,
            key=key,
            tables=_tables_of_files(table) if table else None,
            item=item,
            delimiter=delimiter,
            encoding=encoding,
        )
        if plan is not None:
            from krypsis.plan import Plan  # noqa: PLC0415

            planned = Plan.load(plan)
            models, given = planned.to_check(path, models, given)
        verdicts = checker.check(path, models, given)
        risks: tuple[str, ...] = ()
        if group is None and item is None and key is None and checker.shows_records(path, models or []):
            from krypsis.kinds.table.profile.published_risks import risks_of_path  # noqa: PLC0415

            known, hidden = [_names(names) for names in qi or []], None if sensitive is None else _names(sensitive)
            risks = risks_of_path(path, known, hidden, delimiter=delimiter, encoding=encoding)
            risks = (*risks, *(() if plan is None else _inferred(path, planned, given)))
    _print_verdicts(path, verdicts, _guarantee(path), risks, json=json, strict=strict)


def _print_verdicts(
    path: Path,
    verdicts: "tuple[Verdict, ...]",
    guarantee: str,
    risks: Sequence[str] = (),
    *,
    json: bool,
    strict: bool = False,
) -> None:
    """Print the risks, then the verdicts; the exit code says the same."""
    for risk in risks:
        print_text(f"krypsis: warning: {risk}", err=True)
    if json:
        print_text(_as_json(path, verdicts, guarantee, risks))
    elif verdicts:
        print_text("\n".join([*map(_as_text, verdicts), *_basis(verdicts)]))
    else:
        print_text(f"{path}: undecided. The files are those that were published; no promise was made. {guarantee}")
    raise typer.Exit(EXIT_PROMISE if strict and risks else exit_code_of(verdicts))


def _basis(verdicts: "tuple[Verdict, ...]") -> list[str]:
    """Return what the verdicts were judged on, which is the same for all of one check."""
    found = {line: None for verdict in verdicts if verdict.basis is not None for line in verdict.basis.sentences()}
    return [one_line(line) for line in found]


def _inferred(path: Path, plan: "Plan", given: "Given") -> tuple[str, ...]:
    """Return what a release gives away about the columns that its plan calls in doubt."""
    if not plan.in_doubt or not (path / "manifest.json").is_file():
        return ()
    from krypsis.checker.evidence import Original  # noqa: PLC0415
    from krypsis.kinds.table.profile.published_risks import said_of_inferences  # noqa: PLC0415
    from krypsis.release.release import Release  # noqa: PLC0415

    said = said_of_inferences(Release.load(path), plan.in_doubt, Original.of(given.original, given.hierarchies or {}))
    return (said,) if said else ()


def _guarantee(path: Path) -> str:
    """Return what the manifest of a release says of its method; a table of another tool says nothing."""
    from krypsis.format.claims import Claims  # noqa: PLC0415
    from krypsis.io.parquet_parts import is_parts  # noqa: PLC0415

    return Claims.read(path).guarantee if path.is_dir() and not is_parts(path) else ""


def _tables_of_files(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files as tables, each by its name without folder and ending."""
    from krypsis.errors import UsageError  # noqa: PLC0415

    found = {path.name.split(".")[0]: path for path in paths}
    if len(found) < len(paths):
        raise UsageError("two further tables have the same name; rename one of the files")
    return found


def _hierarchies(given: list[str]) -> "dict[str, Hierarchy]":
    from krypsis.data.hierarchies import read_csv  # noqa: PLC0415
    from krypsis.errors import UsageError  # noqa: PLC0415

    found = {}
    for one in given:
        name, equals, file = one.partition("=")
        if not equals or not name or not file:
            raise UsageError(f"--hierarchy is an attribute and its file, such as disease=disease.csv; got {one!r}")
        found[name] = read_csv(Path(file))
    return found


def _names(text: str) -> list[str]:
    """Split ``a,b,c``; a name with a comma, or with spaces at its ends, stands in double quotes."""
    from krypsis.specs import split_list, unquoted  # noqa: PLC0415

    return [unquoted(name) for name in split_list(text) if name]


def _as_text(verdict: "Verdict") -> str:
    lines = [one_line(f"{verdict.promise}: {verdict.sentence}")]
    for group in verdict.offending:
        values: Any = group["values"]
        shown = ", ".join(f"{name}={_cell(value)}" for name, value in values.items())
        lines.append(one_line(f"  {_figure(group)}: {shown}"))
    return "\n".join(lines)


def _figure(offending: dict[str, object]) -> str:
    """Return the size of a group; of a record that could be too few others, how many."""
    if "record" not in offending:
        return f"{offending['size']} {offending.get('unit', 'record')}(s)"
    return f"{offending['record']} record, could be {offending['size']} {offending['counts']} record(s)"


def _cell(value: object) -> str:
    return "(missing)" if value is None else str(value)


def _as_json(path: Path, verdicts: "tuple[Verdict, ...]", guarantee: str, risks: Sequence[str]) -> str:
    from json import dumps, loads  # noqa: PLC0415

    from krypsis.models.base import all_hold  # noqa: PLC0415

    document = {
        "path": str(path),
        "holds": all_hold(verdicts),
        "guarantee": guarantee,
        "warnings": list(risks),
        # pydantic writes an infinite level as null, which JSON has no number for
        "verdicts": [loads(verdict.model_dump_json()) for verdict in verdicts],
    }
    return dumps(document, indent=2, ensure_ascii=False)
