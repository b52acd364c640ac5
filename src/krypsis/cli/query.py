"""``krypsis query``: how many there are, as a release says it."""

from collections.abc import Callable, Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from krypsis.cli.streams import print_text
from krypsis.errors import UsageError
from krypsis.texts.printable import one_line

if TYPE_CHECKING:
    from krypsis.kinds.counting import AnsweredQuery, Workload


def query(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    *,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="A condition: age=30..40, disease=flu, 'city=Athens|Volos'; of sets 'items=bread|milk'; of vertices "
            "department=sales, of edges source.department=sales. Repeat it: all must be met."
        ),
    ] = None,
    queries: Annotated[
        Path | None, typer.Option(help="Many questions: a YAML file with the keys queries and domains.")
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(help="The possible values of an attribute with labels: age=0..99, 'sex=F|M'."),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(help="The plan of the release: what labels stand for, and the data, for the true counts."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Count in a release: the estimate, its bounds, and with the plan the true count and the error."""
    from krypsis.kinds.counting import answer_queries  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415
    from krypsis.release.release import Release  # noqa: PLC0415

    asked = _asked(where or [], queries, domain or [])
    known = None if plan is None else Plan.load(plan)
    found = answer_queries(Release.load(release), asked.queries, asked.domains, known)
    print_text(dumps([one.as_dict() for one in found], indent=2, ensure_ascii=False) if json else _in_words(found))


def _asked(where: Sequence[str], file: Path | None, domains: Sequence[str]) -> "Workload":
    from krypsis.kinds.counting import Workload, condition_of, domain_of  # noqa: PLC0415

    if bool(where) == (file is not None):
        raise UsageError("ask one question by --where age=30..40, or many by --queries FILE")
    read = Workload((_conditions(where, condition_of),), {}) if file is None else Workload.load(file)
    return Workload(read.queries, {**read.domains, **_conditions(domains, domain_of)})


def _conditions(given: Sequence[str], read: Callable[[str, object], object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not name or not equals:
            raise UsageError(f"expected a name and a condition, such as age=30..40; got {one!r}")
        if name in found:
            raise UsageError(f"{name} is named twice; write one condition, such as '{name}=a|b' or {name}=30..40")
        found[name] = read(name, value)
    return found


def _in_words(found: "Sequence[AnsweredQuery]") -> str:
    lines = [line for one in found for line in _lines(one)]
    errors = [one.error for one in found if one.error is not None]
    if len(found) > 1 and any(one.true is not None for one in found):
        mean = f"{sum(errors) / len(errors):.1%}" if errors else "none"
        lines.append(f"Mean relative error: {mean}, over {len(errors)} of {len(found)} questions, which meet somebody.")
    return "\n".join(lines)


def _lines(one: "AnsweredQuery") -> list[str]:
    answer = one.answer
    low, high = ("?" if end is None else f"{end:g}" for end in (answer.low, answer.high))
    lines = [one_line(one.text), f"  about {answer.estimate:g}, from {low} to {high}: {answer.basis}"]
    if one.true is not None:
        off = "" if one.error is None else f", {one.error:.1%} off"
        lines.append(f"  truly {one.true}{off} (private)")
    return lines
