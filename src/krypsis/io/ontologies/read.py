"""Reading an ontology from a file."""

import gc
import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from krypsis.data.ontologies import Ontology
from krypsis.errors import DataError
from krypsis.io.ontologies.assertions import read_assertions
from krypsis.io.ontologies.functional import read_functional_text
from krypsis.io.ontologies.obo import read_obo_text
from krypsis.io.ontologies.owl_xml import read_owl_xml
from krypsis.io.ontologies.rdf import ontology_of_triples
from krypsis.io.ontologies.rdf_syntaxes import n_triples_of
from krypsis.io.ontologies.recognition import CSV, N_TRIPLES, OBO, OWL_XML, RDF_XML, TURTLE, format_of
from krypsis.io.ontologies.triples import read_triples
from krypsis.io.ontologies.xml_text import xml_text
from krypsis.io.paths import usable_path
from krypsis.io.source import TextSource, read_bytes, undecodable

Result = TypeVar("Result")


def read_ontology(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  what users write
    ignore_unsupported: bool = False,
    prefixes: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Ontology:
    """Return the ontology in a file.

    The file may be in functional syntax, RDF/XML, OWL/XML, Turtle, N-Triples or OBO, or a CSV file of assertions with
    the columns individual and class, or individual, role and individual. It may be packed with gzip, xz or bzip2. Other
    ontologies that it imports are not fetched; a warning names them.

    Parameters
    ----------
    path
        the file.
    format
        functional, rdf-xml, owl-xml, turtle, n-triples, obo or csv; found from the content or the ending unless given.
    ignore_unsupported
        leave out and count axioms outside of the language, instead of refusing them. What follows from them is then
        not known here, and may be known to others.
    prefixes
        prefix with its colon → what it stands for, in addition to those that the file declares; for CSV files, too.
    delimiter, encoding
        of a text file, if they are not recognized; the delimiter is for CSV files only.

    Raises
    ------
    DataError
        if the file does not hold an ontology, with the line where that shows; or if an axiom lies outside of the
        language.
    UsageError
        if reading Turtle or RDF/XML needs pyoxigraph, which is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "drugs.ofn")
    ...     _ = file.write_text("Prefix(:=<http://example.org/>) Ontology(SubClassOf(:Insulin :Drug))")
    ...     read_ontology(file)
    Ontology(1 axiom; 2 classes, 0 individuals, 0 roles)
    """
    file = usable_path(path)
    if file.is_dir():
        raise DataError(f"{file} is a folder; expected the file of an ontology")
    if not file.exists():
        raise DataError(f"{file} does not exist; expected the file of an ontology")
    source = TextSource.open(file, encoding)
    if not source.head().strip():
        raise DataError(f"{file.name} is empty; expected an ontology")
    found = format_of(source, format)
    with _without_garbage_collection():
        if found == CSV:
            return read_assertions(source, delimiter=delimiter, prefixes=prefixes or {})
        read = _read(source, found, prefixes or {}, ignore=ignore_unsupported)
    return replace(read, prefixes={**(prefixes or {}), **read.prefixes})


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Keep Python from searching, again and again, a growing number of objects for garbage while nothing is dropped."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(source: TextSource, found: str, prefixes: Mapping[str, str], *, ignore: bool) -> Ontology:
    where = source.path.name
    if found == N_TRIPLES:
        triples = _decoded(source, lambda data: read_triples(data, where))
        return ontology_of_triples(triples, where, ignore_unsupported=ignore)
    if found in {TURTLE, RDF_XML}:
        text = xml_text(source) if found == RDF_XML else _text(source)
        data, declared = n_triples_of(text, is_xml=found == RDF_XML, where=where)
        triples = read_triples(data, where, with_lines=False)
        return ontology_of_triples(triples, where, ignore_unsupported=ignore, prefixes=declared)
    if found == OBO:
        return read_obo_text(_text(source), where=where, ignore_unsupported=ignore)
    if found == OWL_XML:
        return read_owl_xml(xml_text(source), where, ignore_unsupported=ignore)
    return read_functional_text(_text(source), prefixes=prefixes, ignore_unsupported=ignore, where=where)


def _text(source: TextSource) -> str:
    return _decoded(source, lambda data: data.decode("utf-8"))


def _decoded(source: TextSource, reading: Callable[[bytes], Result]) -> Result:
    """Return what is made of the whole text; raise if it is not UTF-8."""
    data = (read_bytes(source.path) if source.data is None else source.data).removeprefix(BOM_UTF8)
    try:
        return reading(data)
    except UnicodeDecodeError as error:
        raise undecodable(source.path, source.encoding, data, error) from None
