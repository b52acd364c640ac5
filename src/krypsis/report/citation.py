"""How to cite the tool and the methods of a release."""

from __future__ import annotations

from krypsis import registry
from krypsis.release.release import Release
from krypsis.report.parts import Citation
from krypsis.version import __version__


def citation_of(release: Release) -> Citation:
    """Return how to cite the tool, and the sources of the promises, the algorithm and the metric.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> release = krypsis.anonymize(pl.DataFrame({"sex": ["F", "F"]}), {"sex": "QI"}, models="k-anonymity:k=2")
    >>> citation_of(release).methods[0]
    'k-anonymity:k=2: Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002'
    """
    return Citation(
        text=f"Krypsis, version {__version__}: makes personal data safe to publish. Software, Apache-2.0.",
        bibtex=f"@software{{krypsis, title = {{Krypsis: makes personal data safe to publish}}, "
        f"version = {{{__version__}}}, license = {{Apache-2.0}}}}",
        methods=tuple(dict.fromkeys(_methods(release))),
    )


def _methods(release: Release) -> list[str]:
    given = [
        *(("model", spec) for spec in release.promises),
        ("algorithm", release.algorithm),
        ("metric", release.metric),
    ]
    return [f"{spec}: {reference}" for kind, spec in given if (reference := _reference(kind, spec))]


def _reference(kind: str, spec: str) -> str:
    name = spec.partition(":")[0]
    known = registry.classes(kind)
    return str(getattr(known[name], "reference", "")) if name in known else ""
