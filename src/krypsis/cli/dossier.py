"""``krypsis dossier``: write a dossier to fill in, and check one against its legal profile."""

from pathlib import Path
from typing import Annotated

import typer

from krypsis.cli.streams import print_text

USUAL = "dossier.yaml"

app = typer.Typer(name="dossier", no_args_is_help=True, help="What is documented about a release. No legal advice.")


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="Where to write the dossier.")] = Path(USUAL),
    profile: Annotated[
        str, typer.Option(help="The legal profile: eu-gdpr, gr-2472-1997, or a file of your own such as rules.yaml.")
    ] = "eu-gdpr",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a dossier to fill in, with what the profile asks for in its comments."""
    from krypsis.cli.plan_file import check_free, write_plan  # noqa: PLC0415
    from krypsis.release.dossier import NO_LEGAL_ADVICE, load_profile, template  # noqa: PLC0415
    from krypsis.release.dossier.profile import full_name  # noqa: PLC0415

    check_free(file, force=force, usual=USUAL)
    text = template(load_profile(profile), full_name(profile, Path()))
    write_plan(text, file, force=force)
    print_text(f"{file} written; fill it in, then: krypsis dossier check {file}\n{NO_LEGAL_ADVICE}")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The dossier: a YAML file, or the JSON file that a run wrote.")] = Path(
        USUAL
    ),
    before_run: Annotated[
        bool, typer.Option("--before-run", help="Do not ask for what 'krypsis run' fills in.")
    ] = False,
) -> None:
    """Check a dossier against its legal profile; exit code 1 if a rule is broken."""
    from krypsis.release.dossier import find_hints, load_profile, read_dossier, refuse_broken_rules  # noqa: PLC0415
    from krypsis.release.dossier.profile import NO_LEGAL_ADVICE  # noqa: PLC0415

    dossier = read_dossier(file)
    refuse_broken_rules(dossier, name=str(file), before_run=before_run)
    profile = load_profile(dossier.profile)
    print_text(f"{file} keeps every rule of the profile {profile.name} (as of {profile.as_of}).")
    for hint in find_hints(dossier, profile):
        print_text(f"  to think of: {hint}")
    print_text(NO_LEGAL_ADVICE)
