"""``krypsis attack``: how often attacks on a release succeed."""

from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from krypsis.cli.streams import print_text

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
    plan: Annotated[
        Path | None,
        typer.Option(
            help="The plan that the release was made by, for attacks that compare with the data before, as those on "
            "graphs do. The private record must lie next to the release.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Try attacks on a release, as somebody would who has only what is published; all that fit unless some are named.

    For the releases of a history there is 'krypsis history attack'.
    """
    from krypsis.release.release import Release  # noqa: PLC0415

    target, before = Release.load(release), None
    if plan is not None:
        from krypsis.kinds.base import kind_named  # noqa: PLC0415
        from krypsis.plan import Plan  # noqa: PLC0415

        kind = kind_named(target.kind)
        target = kind.with_before(target, release, Plan.load(plan))
        before = kind.unprotected(target) if kind.compares_attacks else None
    print_successes(target, attacks, json, before)


def print_successes(target: Any, specs: Sequence[str] | None, json: bool, before: Any = None) -> None:
    """Try attacks on a target and print how often they succeed; with the data before, also on that.

    Raises
    ------
    UsageError
        if none of them can be tried on it.
    """
    results = [(attack, attack.run(target), _success_before(attack, before)) for attack in _fitting(target, specs)]
    if json:
        document = [
            {"spec": attack.spec, **found.as_dict(), **({} if earlier is None else {"before": earlier.as_dict()})}
            for attack, found, earlier in results
        ]
        print_text(dumps(document, indent=2, ensure_ascii=False))
        return
    for attack, found, earlier in results:
        print_text("\n".join(_lines(attack, found, earlier)))


def _success_before(attack: "Attack", before: Any) -> "AttackSuccess | None":
    """Return how often an attack succeeds on the data as it was, where that can be tried."""
    return attack.run(before) if before is not None and attack.aimed_at(before) else None


def _fitting(target: Any, specs: Sequence[str] | None) -> "list[Attack]":
    """Return the attacks as they are tried on the target: the named ones, or all that need nothing more."""
    from krypsis import registry  # noqa: PLC0415 - the registry loads the heavy libraries
    from krypsis.errors import UsageError  # noqa: PLC0415

    known = registry.classes("attack").values()
    ready = [cls() for cls in known if not any(field.is_required() for field in cls.model_fields.values())]
    possible = [aimed for attack in ready for aimed in attack.aimed_at(target)]
    if not specs:
        if not possible:
            raise UsageError(
                "no attack fits this release; 'krypsis attacks' lists all, and what data they are for. Those on graphs "
                "compare with the graph before: add --plan"
            )
        return possible
    found: list[Attack] = []
    for attack in (registry.create("attack", spec) for spec in specs):
        aimed = attack.aimed_at(target)
        if not aimed:
            names = ", ".join(dict.fromkeys(attack.name for attack in possible))
            raise UsageError(f"{attack.name} cannot be tried on this release; these can: {names or 'none'}")
        found += aimed
    return found


def _lines(attack: "Attack", found: "AttackSuccess", before: "AttackSuccess | None") -> list[str]:
    known, sensitive = getattr(attack, "known", None), getattr(attack, "sensitive", None)
    about = [f"known: {', '.join(known)}"] if known else []
    about += [f"wanted: {sensitive}"] if sensitive else []
    earlier = [] if before is None else [f"on the data as it was: {before.sentence().partition(': ')[2]}"]
    return [found.sentence(), *(f"  {line}" for line in (*earlier, *about, *found.cannot_say))]
