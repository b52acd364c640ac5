"""``krypsis init``: profile a file, guess roles and hierarchies, write a plan to edit."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from krypsis.cli.plan_file import check_free, relative, write_plan
from krypsis.cli.streams import tell
from krypsis.errors import UsageError

if TYPE_CHECKING:
    from krypsis.datasets.dataset import Dataset
    from krypsis.profile.table import Profile


def init(
    file: Annotated[
        Path,
        typer.Argument(help="The data: a CSV (also packed), Parquet or Excel file; a text file with one set per line."),
    ],
    *,
    kind: Annotated[
        Literal["table", "transactions", "history"],
        typer.Option(
            help="'transactions' where every record is a set of items, such as a basket; 'history' for a table that "
            "changes and is published again and again."
        ),
    ] = "table",
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the plan.")] = Path("plan.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing plan.")] = False,
    delimiter: Annotated[
        str | None, typer.Option(help="What stands between the fields of a CSV file, if not found by itself.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of a CSV file, if not found by itself, such as iso-8859-7.")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="The sheet of an Excel file, by name or number from 1.")] = None,
    key: Annotated[
        str | None, typer.Option(help="For sets in a table: the column that says which record an item belongs to.")
    ] = None,
    item: Annotated[str | None, typer.Option(help="For sets in a table: the column of items, or of lists.")] = None,
) -> None:
    """Profile the data, guess the role of each column and write a plan to edit."""
    if kind == "transactions":
        from krypsis.cli.init_sets import init_sets  # noqa: PLC0415

        layout = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet, "key": key, "item": item}
        init_sets(file, output, force=force, **layout)
        return
    if key is not None or item is not None:
        raise UsageError("--key and --item are for sets of items; add --kind transactions, or leave them out")
    from krypsis.cli.profile_view import show_profile  # noqa: PLC0415
    from krypsis.datasets.dataset import Dataset  # noqa: PLC0415
    from krypsis.io.read import read_table  # noqa: PLC0415
    from krypsis.io.set_lines import looks_like_sets  # noqa: PLC0415
    from krypsis.profile.history_plan_file import history_plan  # noqa: PLC0415
    from krypsis.profile.plan_file import plan_text, reading_of  # noqa: PLC0415
    from krypsis.profile.table import profile_table  # noqa: PLC0415

    check_free(output, force=force)  # better now than after reading a large file
    if delimiter is None and looks_like_sets(file):
        raise UsageError(
            f"{file.name} holds a set of items in every line, and no table; add --kind transactions. If it is a table "
            "all the same, name what stands between its fields, such as --delimiter comma"
        )
    dataset = Dataset(read_table(file, delimiter=delimiter, encoding=encoding, sheet=sheet), file.name, file)
    profile = profile_table(dataset)
    reading = reading_of(file, delimiter, encoding, sheet)
    if kind == "history":
        proposed = history_plan(profile, dataset, relative(file, output), reading)
        text, missing = proposed.text, proposed.missing
        following = ["history", "init", str(file), "--id", proposed.id or "", "--plan", str(output)]
    else:
        text, missing = plan_text(profile, dataset, relative(file, output), reading), ()
        following = ["run", str(output)]
    write_plan(text, output, force=force)
    if kind == "table":
        _warn_of_suspects(profile, dataset)
        _warn_without_sensitive(profile)
        _warn_of_doubt(profile)
    show_profile(profile)  # after the plan is safe: whoever reads along may stop reading
    if missing:
        tell(f"{output} written, and a history cannot begin with it yet. {' '.join(missing)}")
        return
    tell(f"{output} written; check the roles in it, then: {shlex.join(['krypsis', *following])}")


def _warn_of_suspects(profile: Profile, dataset: Dataset) -> None:
    """Warn of columns that the plan publishes as they are and that single people out."""
    from krypsis.profile.published_columns import suspects  # noqa: PLC0415
    from krypsis.profile.roles import guess_roles  # noqa: PLC0415
    from krypsis.schema import Schema  # noqa: PLC0415

    proposed = Schema.of({name: guess.role.value for name, guess in guess_roles(profile).items()})
    for one in suspects(dataset, proposed):
        tell(f"krypsis: warning: {one.said()}", err=True)


def _warn_without_sensitive(profile: Profile) -> None:
    """Warn where nothing in the plan protects what a record says, because no column seems sensitive."""
    from krypsis.profile.plan_file import NO_SENSITIVE  # noqa: PLC0415
    from krypsis.profile.roles import guess_roles  # noqa: PLC0415
    from krypsis.schema import Role  # noqa: PLC0415

    if all(guess.role is not Role.SENSITIVE for guess in guess_roles(profile).values()):
        tell(f"krypsis: warning: {NO_SENSITIVE}", err=True)


def _warn_of_doubt(profile: Profile) -> None:
    """Warn of columns that nobody recognizes: they are generalized, and may follow from the others all the same."""
    from krypsis.profile.plan_file import said_of_doubt  # noqa: PLC0415
    from krypsis.profile.roles import guess_roles  # noqa: PLC0415

    if said := said_of_doubt(guess_roles(profile)):
        tell(f"krypsis: warning: {said}", err=True)
