"""``krypsis classify`` and ``explain-axiom``: what follows from an ontology, and why."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from krypsis.cli.streams import print_text

if TYPE_CHECKING:
    from krypsis.data.ontologies import Ontology

Ignoring = Annotated[
    bool,
    typer.Option(
        "--ignore-unsupported", help="Leave out axioms outside of the language, and count them, instead of refusing."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Public = Annotated[
    list[Path] | None,
    typer.Option("--public", help="A further ontology that belongs to it. Repeat for several.", show_default=False),
]


def classify(
    file: Annotated[Path, typer.Argument(help="An ontology: functional syntax, RDF/XML, OWL/XML, Turtle, OBO.")],
    *,
    public: Public = None,
    ignore_unsupported: Ignoring = False,
    json: AsJson = False,
) -> None:
    """Find all inclusions between classes that follow, and print the direct ones."""
    from krypsis.data.ontologies.wording import quoted_name  # noqa: PLC0415  the help needs no arrays

    taxonomy = _read(file, public, ignore_unsupported).classify()
    pairs = taxonomy.frame.rows()
    if json:
        document = {
            "inclusions": taxonomy.inclusions,
            "direct": pairs,
            "unsatisfiable": taxonomy.unsatisfiable,
            "consistent": taxonomy.is_consistent,
        }
        print_text(dumps(document, indent=2, ensure_ascii=False))
        return
    print_text("\n".join(f"SubClassOf({quoted_name(one)} {quoted_name(above)})" for one, above in pairs))
    for name in taxonomy.unsatisfiable:
        print_text(f"SubClassOf({quoted_name(name)} owl:Nothing)")
    print_text(repr(taxonomy), err=True)


def explain_axiom(
    file: Annotated[Path, typer.Argument(help="An ontology.")],
    axiom: Annotated[str, typer.Argument(help="In functional syntax, such as 'SubClassOf(:Insulin :Drug)'.")],
    *,
    public: Public = None,
    most: Annotated[int, typer.Option(min=1, help="How many explanations to print at most.")] = 3,
    ignore_unsupported: Ignoring = False,
    json: AsJson = False,
) -> None:
    """Say why an axiom follows from an ontology: the fewest axioms that it follows from, and the steps."""
    found = _read(file, public, ignore_unsupported).justifications(axiom, most)
    if json:
        document = [{"axioms": list(one.texts), "steps": list(one.sentences)} for one in found]
        print_text(dumps(document, indent=2, ensure_ascii=False))
        return
    print_text("\n\n".join(map(str, found)) if found else f"{axiom} does not follow.")


def _read(file: Path, public: list[Path] | None, ignore_unsupported: bool) -> "Ontology":
    from krypsis.data.ontologies import Ontology  # noqa: PLC0415  the help needs no arrays
    from krypsis.data.ontologies.language import refuse_ranges_outside  # noqa: PLC0415
    from krypsis.data.ontologies.merging import merged  # noqa: PLC0415

    parts = [Ontology.read(one, ignore_unsupported=ignore_unsupported) for one in (file, *(public or ()))]
    found = merged(parts)[0] if len(parts) > 1 else parts[0]
    refuse_ranges_outside(found)
    return found
