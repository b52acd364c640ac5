"""Which format a file of a graph has, and whether a file clearly holds a graph."""

import mmap
import re
from pathlib import Path

from krypsis.errors import UsageError, check_choice
from krypsis.io.graphs.node_link import LINKS
from krypsis.io.paths import usable_path
from krypsis.io.read import EXCEL, PARQUET
from krypsis.io.source import TextSource, read_bytes

EDGES, TABLE, GRAPHML, GML, METIS, JSON, NAUTY = "edges", "table", "graphml", "gml", "metis", "json", "nauty"
FORMATS = (EDGES, TABLE, GRAPHML, GML, METIS, JSON, NAUTY)
"""Edge lists and CSV files; Parquet and Excel files; and the formats by their names."""
ENDINGS = {
    **dict.fromkeys((*PARQUET, *EXCEL), TABLE),
    ".graphml": GRAPHML,
    ".gml": GML,
    ".metis": METIS,
    ".graph": METIS,
    ".json": JSON,
    ".nauty": NAUTY,
    ".csv": EDGES,
    ".tsv": EDGES,
}
PACKED = (".gz", ".xz", ".bz2")
HEAD = 64 * 1024
CONTENT = {
    GRAPHML: re.compile(r"\s*<(?:\?xml|graphml|!--)"),
    JSON: re.compile(r"\s*\{\s*\""),
    GML: re.compile(r"(?:\s|#[^\n]*\n|[A-Za-z]+\s+(?:\"[^\"]*\"|[\w.+-]+)(?=\s))*graph\s*\["),
    NAUTY: re.compile(r"(?:\s|![^\n]*\n)*(?:!n=\d+|\d+\s*:[\d\s]*;)"),
}
"""How text begins that has one of the formats."""
SNAP = re.compile(r"^#.*(?:Nodes:\s*[\d,]+\s+Edges:|FromNodeId)|^%\s*(?:sym|asym)\b", re.MULTILINE | re.IGNORECASE)


def format_of(path: Path, format: str | None = None) -> str:  # noqa: A002  what users write
    """Return the format of a file: the one named, that of its ending, or that of how it begins."""
    if format is not None:
        return check_choice(format, "format", FORMATS)
    if known := ENDINGS.get(ending_of(path)):
        return known
    head = TextSource.open(path).head(HEAD).decode("utf-8-sig", "replace")
    return next((name for name, beginning in CONTENT.items() if beginning.match(head)), EDGES)


def ending_of(path: Path) -> str:
    """Return the ending of a name, in lower case and without that of a packed file.

    Examples
    --------
    >>> ending_of(Path("friends.GML.xz"))
    '.gml'
    """
    name = Path(path.stem) if path.suffix.lower() in PACKED else path
    return name.suffix.lower()


def looks_like_graph(file: str | Path) -> bool:
    r"""Say whether a file clearly holds a graph, and neither a table nor sets of items.

    GML, GraphML, METIS and nauty files do if they have the ending and begin so, JSON with nodes and links, and edge
    lists of which comments speak of nodes and edges, as in the files of SNAP. Two columns of numbers alone may be
    anything.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     friends, table = Path(folder, "friends.txt"), Path(folder, "table.csv")
    ...     _ = friends.write_text("# Nodes: 2 Edges: 1\n1 2\n"), table.write_text("age,sex\n40,f\n")
    ...     looks_like_graph(friends), looks_like_graph(table)
    (True, False)
    """
    path = usable_path(file)
    ending = ending_of(path)
    found = ENDINGS.get(ending)
    if not path.is_file() or found == TABLE or (head := _head(path)) is None:
        return False
    if found == METIS:
        return _has_metis_header(path)
    if found in CONTENT:
        return bool(CONTENT[str(found)].match(head)) and (found != JSON or _has_nodes_and_links(path))
    data = re.search(r"^(?![#%]|\s*$)", head, re.MULTILINE)
    comments = head if data is None else head[: data.start()]
    return bool(SNAP.search(comments)) or (ending == ".xml" and "<graphml" in head)


def _head(path: Path) -> str | None:
    """Return how the text of a file begins; nothing if it is no text or cannot be read."""
    try:
        return TextSource.open(path).head(HEAD).decode("utf-8-sig", "replace")
    except UsageError:  # whoever reads the file hears of it
        return None


def _has_metis_header(path: Path) -> bool:
    text = TextSource.open(path).array().tobytes()
    lines = [line for line in text.split(b"\n") if not line.startswith(b"%")]
    while lines and not lines[0].strip():
        lines.pop(0)
    words = lines[0].split() if lines else []
    if not 2 <= len(words) <= 4 or not all(word.isdigit() for word in words):
        return False
    rest = lines[1:]
    return int(words[0]) in {len(rest), len(rest) - 1}


def _has_nodes_and_links(path: Path) -> bool:
    if read_bytes(path, 2) in {b"\x1f\x8b", b"\xfd7", b"BZ"}:
        content: bytes | mmap.mmap = TextSource.open(path).array().tobytes()
        return _names_both(content)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return _names_both(mapped)


def _names_both(content: bytes | mmap.mmap) -> bool:
    links = "|".join(LINKS).encode()
    return all(re.search(rb'"(?:%s)"\s*:\s*\[' % names, content) for names in (b"nodes", links))
