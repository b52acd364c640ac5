"""``krypsis attack``: how often attacks on a release succeed."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from krypsis.cli.streams import tell

if TYPE_CHECKING:
    from krypsis.attacks.base import Attack, AttackSuccess

Chosen = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        help="An attack with its parameters, such as background:ruled_out=2; 'krypsis attacks' lists them. Repeat for "
        "several.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def attack(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    attacks: Chosen = None,
    json: AsJson = False,
) -> None:
    """Try attacks on a release, as somebody would who has only what is published; all that fit unless some are named.

    For the releases of a history there is 'krypsis history attack'.
    """
    from krypsis.release.release import Release  # noqa: PLC0415

    print_successes(Release.load(release), attacks, json)


def print_successes(target: Any, specs: Sequence[str] | None, json: bool) -> None:
    """Try attacks on a target and print how often they succeed.

    Raises
    ------
    UsageError
        if none of them can be tried on it.
    """
    results = [(attack, attack.run(target)) for attack in _fitting(target, specs)]
    if json:
        document = [{"spec": attack.spec, **found.as_dict()} for attack, found in results]
        tell(dumps(document, indent=2, ensure_ascii=False))
        return
    for attack, found in results:
        tell("\n".join(_lines(attack, found)))


def _fitting(target: Any, specs: Sequence[str] | None) -> list[Attack]:
    """Return the attacks as they are tried on the target: the named ones, or all that need nothing more."""
    from krypsis import registry  # noqa: PLC0415 - the registry loads the heavy libraries
    from krypsis.errors import UsageError  # noqa: PLC0415

    known = registry.classes("attack").values()
    ready = [cls() for cls in known if not any(field.is_required() for field in cls.model_fields.values())]
    possible = [aimed for attack in ready for aimed in attack.aimed_at(target)]
    if not specs:
        if not possible:
            raise UsageError("no attack fits this release; 'krypsis attacks' lists all, and what data they are for")
        return possible
    found: list[Attack] = []
    for attack in (registry.create("attack", spec) for spec in specs):
        aimed = attack.aimed_at(target)
        if not aimed:
            names = ", ".join(dict.fromkeys(attack.name for attack in possible))
            raise UsageError(f"{attack.name} cannot be tried on this release; these can: {names or 'none'}")
        found += aimed
    return found


def _lines(attack: Attack, found: AttackSuccess) -> list[str]:
    known, sensitive = getattr(attack, "known", None), getattr(attack, "sensitive", None)
    about = [f"known: {', '.join(known)}"] if known else []
    about += [f"wanted: {sensitive}"] if sensitive else []
    return [found.sentence(), *(f"  {line}" for line in (*about, *found.cannot_say))]
