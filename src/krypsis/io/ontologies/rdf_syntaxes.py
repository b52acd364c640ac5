"""Turtle and RDF/XML as N-Triples, by pyoxigraph."""

import re
from itertools import chain, islice
from types import ModuleType
from urllib.parse import quote
from xml.parsers import expat

from krypsis.errors import DataError, UsageError

ODD_ID = re.compile(r"""(\s(?:\w+:)?)ID\s*=\s*(?:"|')([^\w"'][^"']*|\d[^"']*)(?:"|')""")
"""The identifier of a node, such as 1.0, that begins as none should; some tools write them."""


def n_triples_of(text: str, where: str, *, is_xml: bool) -> tuple[bytes, dict[str, str]]:
    """Return a text in Turtle or RDF/XML as N-Triples, in the order of the text, and the prefixes that it declares.

    Raises
    ------
    DataError
        if it is not in that syntax, with the line where that is known.
    UsageError
        if pyoxigraph is not installed.
    """
    pyoxigraph = _pyoxigraph(where)
    if is_xml:
        text = ODD_ID.sub(r'\1about="#\2"', text)
    data = text.encode("utf-8")
    if is_xml:
        _check_xml(data, where)
    formats = pyoxigraph.RdfFormat
    syntax = formats.RDF_XML if is_xml else formats.TURTLE
    try:
        # Relative names are taken to be of a file without a folder: where it lies is nobody's business.
        read = pyoxigraph.parse(data, format=syntax, base_iri=f"file:///{quote(where)}")
        first = list(islice(read, 1))
        declared = dict(read.prefixes)  # those of an element of XML are forgotten at its end
        found: bytes = pyoxigraph.serialize(chain(first, read), format=formats.N_TRIPLES)
        prefixes = {f"{prefix}:": start for prefix, start in {**read.prefixes, **declared}.items()}
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise DataError(f"{where}{line} is not {syntax.name}: {error}") from error
    return found, prefixes


def _pyoxigraph(where: str) -> ModuleType:
    try:
        import pyoxigraph  # noqa: PLC0415  an extra
    except ImportError as error:
        raise UsageError(
            f"reading {where} needs the ontologies extra; install it: pip install 'krypsis[ontologies]', "
            "or pip install -e '.[ontologies]' in a clone"
        ) from error
    return pyoxigraph


def _check_xml(data: bytes, where: str) -> None:
    """Raise if a text is not XML to its end, which pyoxigraph does not find out."""
    try:
        expat.ParserCreate("utf-8").Parse(data, True)
    except expat.ExpatError as error:
        raise DataError(f"{where} is not XML to its end: {error}; the file may be cut off") from error
