"""``krypsis reconstruct``: data that could lie behind disassociated sets, for tools that need whole records."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from krypsis.cli.streams import print_text

if TYPE_CHECKING:
    from krypsis.data.transactions import Disassociated
    from krypsis.release.release import Release

MADE_UP = (
    "These records are MADE UP. They are one of very many ways to put the published pieces together; no record is that "
    "of a person. Draw several and compare what they give before you rely on it."
)


def reconstruct(
    release: Annotated[Path, typer.Argument(help="The folder of a release of disassociated sets.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file: one set per line, with commas; JSON lines for .jsonl.")
    ],
    *,
    number: Annotated[
        int, typer.Option(min=1, help="How many data sets to draw; several are written to out-1.dat, out-2.dat …")
    ] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="For the same data sets again; random unless given.")] = None,
    copies: Annotated[
        Literal["one", "uniform"],
        typer.Option(help="How many records get an item of a term chunk: one, or uniformly 1 to k - 1."),
    ] = "one",
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Draw data that could lie behind disassociated sets. It is made up, and fits all that is published."""
    # Loaded here, so that `krypsis --help` does not wait for them.
    import numpy as np  # noqa: PLC0415

    from krypsis.data.transactions import reconstruct as draw  # noqa: PLC0415
    from krypsis.io.write import write_set_lines  # noqa: PLC0415
    from krypsis.release.release import Release  # noqa: PLC0415

    paths = _paths(output, number, force=force)
    found = Release.load(release)
    chunks, k = _chunks(found, release), _k(found)
    rng = np.random.default_rng(seed)
    for path in paths:
        write_set_lines(draw(chunks, rng, copies=copies, k=k), path)
        print_text(path)
    print_text(MADE_UP, err=True)


def _paths(output: Path, number: int, *, force: bool) -> list[Path]:
    from krypsis.errors import OutputError  # noqa: PLC0415

    several = [output.with_stem(f"{output.stem}-{place}") for place in range(1, number + 1)]
    paths = [output] if number == 1 else several
    if there := [path for path in paths if path.exists() and not force]:
        raise OutputError(f"{there[0]} exists already; choose another name, or replace it with --force")
    return paths


def _chunks(release: "Release", path: Path) -> "Disassociated":
    from krypsis.errors import UsageError  # noqa: PLC0415
    from krypsis.kinds.sets.publication import SetsPublication  # noqa: PLC0415

    published = release.publication
    if not isinstance(published, SetsPublication) or published.chunks is None:
        raise UsageError(
            f"{path} publishes no clusters of pieces, so there is nothing to put together; "
            "reconstruct is for releases of the method disassociation"
        )
    return published.chunks


def _k(release: "Release") -> int | None:
    """Return the largest k that was promised."""
    from krypsis import registry  # noqa: PLC0415
    from krypsis.models.km_anonymity import KmAnonymity  # noqa: PLC0415

    models = [registry.create("model", promise) for promise in release.promises]
    return max((model.k for model in models if isinstance(model, KmAnonymity)), default=None)
