"""Which format a file of an ontology has, and whether a file clearly holds an ontology."""

import re
from pathlib import Path

from krypsis.errors import DataError, UsageError, check_choice
from krypsis.io.ontologies.triples import BLANK, STATEMENT
from krypsis.io.paths import usable_path
from krypsis.io.source import TextSource

FUNCTIONAL, N_TRIPLES, TURTLE, RDF_XML, OWL_XML, OBO, CSV = (
    "functional",
    "n-triples",
    "turtle",
    "rdf-xml",
    "owl-xml",
    "obo",
    "csv",
)
FORMATS = (FUNCTIONAL, N_TRIPLES, TURTLE, RDF_XML, OWL_XML, OBO, CSV)
ENDINGS = {
    ".ofn": FUNCTIONAL,
    ".nt": N_TRIPLES,
    ".ttl": TURTLE,
    ".rdf": RDF_XML,
    ".owx": OWL_XML,
    ".obo": OBO,
    ".csv": CSV,
    ".tsv": CSV,
}
"""The formats that endings promise; ``.owl`` may be any."""
PACKED = (".gz", ".xz", ".bz2")
HEAD = 64 * 1024
COMMENTS = r"\A(?>\s|#[^\n]*(?:\n|\Z))*+"
FUNCTIONAL_START = re.compile(COMMENTS + r"(?:Prefix\s*\(\s*[\w.-]*:\s*=|Ontology\s*\()")
AXIOM_START = re.compile(COMMENTS + r"(?:Declaration|SubClassOf|Equivalent\w+|Class\w*|Object\w+|Disjoint\w+)\s*\(")
TURTLE_START = re.compile(COMMENTS + r"(?:@prefix|@base|PREFIX|BASE)\s", re.IGNORECASE)
OBO_START = re.compile(r"\A(?>\s|![^\n]*(?:\n|\Z))*+(?:format-version|data-version|ontology)\s*:")
ROOT = re.compile(
    r"\A(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*+<(?P<name>[\w.:-]++)[^>]*+", re.DOTALL
)
"""The first element of XML, and what comes before it; nothing is tried twice, so that no text takes long."""


def format_of(source: TextSource, format: str | None = None) -> str:  # noqa: A002  what users write
    """Return the format of a file: the one named, that of how it begins, or that of its ending."""
    if format is not None:
        return check_choice(format, "format", FORMATS)
    promised = ENDINGS.get(ending_of(source.path))
    if promised == CSV:
        return CSV
    head = _head(source)
    found = _format_of_text(head)
    if found is not None:
        return TURTLE if (found, promised) == (N_TRIPLES, TURTLE) else found
    if promised is not None:
        return promised
    if AXIOM_START.match(head):
        return FUNCTIONAL
    raise DataError(
        f"{source.path.name} does not begin as an ontology does; expected functional syntax, RDF/XML, OWL/XML, Turtle, "
        f"N-Triples, OBO, or a CSV file of assertions. If it is one of them, name the format: {', '.join(FORMATS)}"
    )


def ending_of(path: Path) -> str:
    """Return the ending of a name, in lower case and without that of a packed file.

    Examples
    --------
    >>> ending_of(Path("hospital.OFN.gz"))
    '.ofn'
    """
    name = Path(path.stem) if path.suffix.lower() in PACKED else path
    return name.suffix.lower()


def _head(source: TextSource) -> str:
    return source.head(HEAD).decode("utf-8-sig", "replace")


def _format_of_text(head: str) -> str | None:
    """Return the format that a text clearly begins in."""
    if head.lstrip().startswith("<") and (root := ROOT.match(head)):
        name = root["name"].rpartition(":")[2]
        if name == "RDF":
            return RDF_XML
        if name == "Ontology" and "http://www.w3.org/2002/07/owl#" in root[0]:
            return OWL_XML
    patterns = {FUNCTIONAL: FUNCTIONAL_START, TURTLE: TURTLE_START, OBO: OBO_START}
    found = next((one for one, beginning in patterns.items() if beginning.match(head)), None)
    return N_TRIPLES if found is None and _is_n_triples(head) else found


def _is_n_triples(head: str) -> bool:
    lines = head.split("\n")
    complete = lines[:-1] if len(head) >= HEAD else lines
    statements = [line for line in complete if not BLANK.fullmatch(line)]
    return bool(statements) and all(STATEMENT.fullmatch(line) for line in statements[:100])


def looks_like_ontology(file: str | Path) -> bool:
    r"""Say whether a file clearly holds an ontology, and neither a table, nor a graph, nor sets of items.

    What counts is how the text begins, whatever the file is called. A CSV file of assertions may be any table.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     drugs, table = Path(folder, "drugs.owl"), Path(folder, "table.csv")
    ...     _ = drugs.write_text("Ontology(SubClassOf(:A :B))"), table.write_text("age,sex\n40,f\n")
    ...     looks_like_ontology(drugs), looks_like_ontology(table)
    (True, False)
    """
    path = usable_path(file)
    if not path.is_file():
        return False
    try:
        return _format_of_text(_head(TextSource.open(path))) is not None
    except UsageError:  # whoever reads the file hears of it
        return False
