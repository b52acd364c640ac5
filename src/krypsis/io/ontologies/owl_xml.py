"""Ontologies in OWL/XML."""

import re
from urllib.parse import urljoin
from xml.parsers import expat

from krypsis.data.ontologies import Ontology, OntologyBuilder
from krypsis.errors import DataError
from krypsis.io.ontologies.constructs import DEEPEST, OWL, Construct, Literal
from krypsis.io.ontologies.functional import USUAL_PREFIXES
from krypsis.io.ontologies.interpreter import Interpreter
from krypsis.io.ontologies.notes import note_names

ENTITIES = frozenset({"Class", "ObjectProperty", "DataProperty", "AnnotationProperty", "NamedIndividual", "Datatype"})
"""Elements that hold nothing but a name."""
TEXTS = frozenset({"IRI", "AbbreviatedIRI", "Literal", "Import"})
"""Elements that hold text."""
SEPARATOR = " "


def read_owl_xml(text: str, where: str, *, ignore_unsupported: bool = False) -> Ontology:
    """Return the ontology of a text in OWL/XML, in which entities are replaced.

    Raises
    ------
    DataError
        if it is not OWL/XML, with the line; or if an axiom lies outside of the language.

    References
    ----------
    Motik, Parsia, Patel-Schneider, "OWL 2 Web Ontology Language: XML serialization", W3C Recommendation, 2012.
    """
    builder = OntologyBuilder()
    reader = _Reader(Interpreter(builder, where))
    try:
        reader.parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise DataError(f"{where} is not OWL/XML: {error}") from error
    note_names(reader.interpreter)
    return builder.build(ignore_unsupported=ignore_unsupported)


class _Reader:
    """Turns elements into constructs as they end."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter, self.where = interpreter, interpreter.where
        self.prefixes = interpreter.builder.prefixes
        self.parser = expat.ParserCreate("utf-8", SEPARATOR)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self._open: list[Construct] = []
        self._text: list[str] = []
        self._base = ""

    def _wrong(self, message: str) -> DataError:
        return DataError(f"{self.where}, line {self.parser.CurrentLineNumber}: {message}")

    def _start(self, element: str, given: dict[str, str]) -> None:
        space, _, name = element.rpartition(SEPARATOR)
        if not self._open and (name != "Ontology" or space != OWL):
            raise self._wrong(f"expected <Ontology xmlns={OWL!r}>, got <{name}>")
        if not self._open:
            base = given.get(f"http://www.w3.org/XML/1998/namespace{SEPARATOR}base")
            self._base = base or given.get("ontologyIRI", "")
        if len(self._open) > DEEPEST:
            raise self._wrong(f"more than {DEEPEST} elements stand in each other; expected fewer")
        self._text = []
        construct = Construct(name, [], self.parser.CurrentLineNumber)
        if name == "Prefix":
            self.prefixes[f"{self._needed(given, 'name', name)}:"] = self._needed(given, "IRI", name)
        elif name in ENTITIES or name == "AnonymousIndividual":
            construct.arguments.append(self._name(name, given))
        elif "cardinality" in given:
            construct.arguments.append(Literal(given["cardinality"]))
        self._open.append(construct)

    def _end(self, _: str) -> None:
        construct = self._open.pop()
        if not self._open or construct.name == "Prefix":
            return
        if len(self._open) == 1:
            if construct.name == "Import":
                construct.arguments.append("".join(self._text).strip())
            self.interpreter.add(construct)
            return
        parent = self._open[-1]
        if construct.name in TEXTS:
            parent.arguments.append(Literal(f'"{"".join(self._text)}"'))
        elif construct.name == "AnonymousIndividual" or (construct.name in ENTITIES and parent.name != "Declaration"):
            parent.arguments.append(construct.arguments[0])
        else:
            parent.arguments.append(construct)

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _needed(self, given: dict[str, str], attribute: str, element: str) -> str:
        if attribute not in given:
            raise self._wrong(f"<{element}> has no {attribute!r}")
        return given[attribute]

    def _name(self, element: str, given: dict[str, str]) -> str:
        """Return the whole name that an element stands for."""
        if element == "AnonymousIndividual":
            return "_:" + self._needed(given, "nodeID", element).removeprefix("_:")
        if "abbreviatedIRI" in given:
            prefix, colon, local = given["abbreviatedIRI"].partition(":")
            start = self.prefixes.get(prefix + colon, USUAL_PREFIXES.get(prefix + colon))
            if start is None:
                raise self._wrong(f"the prefix of {given['abbreviatedIRI']!r} is not declared; expected <Prefix …>")
            return start + local
        name = self._needed(given, "IRI", element)
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name) or not self._base:
            return name
        return self._base.partition("#")[0] + name if name.startswith("#") else urljoin(self._base, name)
