"""Ontologies in functional syntax."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from krypsis.data.ontologies import Ontology, OntologyBuilder
from krypsis.errors import DataError, did_you_mean
from krypsis.io.ontologies.constructs import DEEPEST, OWL, Construct, Literal
from krypsis.io.ontologies.interpreter import Interpreter
from krypsis.io.ontologies.notes import note_names

USUAL_PREFIXES = {
    "owl:": OWL,
    "rdf:": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs:": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd:": "http://www.w3.org/2001/XMLSchema#",
    "xml:": "http://www.w3.org/XML/1998/namespace",
}
"""Known without a declaration."""
WORD = re.compile(
    r"""
    \s+ | \#[^\n]*                                        # blanks and comments
    | (?P<open>(?:[A-Za-z]\w*\s*)?\()                      # a construct begins; lists in keys have no name
    | (?P<close>\))
    | (?P<name>
        <[^<>"{}|^`\\\s]*>                                # a whole name
      | [^\s()<>"=@^,\#:]*:(?:[^\s()<>"=,\#\\]|\\.)*      # a prefixed name
      )
    | (?P<literal>
        "(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\s*\^\^\s*(?:<[^<>\s]*>|[^\s()<>"]+))?   # a text, its language or type
      | \d+                                               # a number
      | =                                                 # between a prefix and what it stands for
      )
    | (?P<strange>\w+|.)
    """,
    re.VERBOSE | re.DOTALL,
)


def read_functional_text(
    text: str,
    *,
    prefixes: Mapping[str, str] | None = None,
    ignore_unsupported: bool = False,
    where: str = "",
    repeated: bool = False,
) -> Ontology:
    """Return the ontology that a text in functional syntax holds: a whole document, or axioms alone.

    Names with a colon in front and no prefix declared for it stay as they are in axioms alone; in a document they are
    an error, as is any other prefix that is not declared.

    Parameters
    ----------
    text
        such as ``SubClassOf(:Insulin :Drug)``.
    prefixes
        prefix with its colon → what it stands for, in addition to those that the text declares.
    ignore_unsupported
        leave out and count axioms outside of the language, instead of refusing them.
    where
        what to call the text in messages.
    repeated
        keep axioms that stand there more than once.

    Raises
    ------
    DataError
        if the text is not in functional syntax, with the line and what was expected there; or if an axiom lies outside
        of the language.

    References
    ----------
    Motik, Patel-Schneider, Parsia, "OWL 2 Web Ontology Language: structural specification and functional-style
    syntax", W3C Recommendation, 2012.

    Examples
    --------
    >>> ontology = read_functional_text("Prefix(:=<http://example.org/>) Ontology(SubClassOf(:Insulin :Drug))")
    >>> ontology.classes.to_list()
    ['http://example.org/Insulin', 'http://example.org/Drug']
    """
    builder = OntologyBuilder(prefixes=dict(prefixes or {}))
    interpreter = Interpreter(builder, where)
    for construct in _Document(text, builder.prefixes, where).statements():
        interpreter.add(construct)
    note_names(interpreter)
    return builder.build(ignore_unsupported=ignore_unsupported, repeated=repeated)


class _Document:
    """A text, cut into statements; prefixes are replaced by what they stand for."""

    def __init__(self, text: str, prefixes: dict[str, str], where: str) -> None:
        self.text, self.prefixes, self.where = text, prefixes, where
        self._names: dict[str, str] = {}
        self._ends_of_lines = [found.start() for found in re.finditer("\n", text)]
        self._is_document = False

    def line(self, offset: int) -> int:
        return bisect_right(self._ends_of_lines, offset - 1) + 1

    def wrong(self, offset: int, message: str) -> DataError:
        place = f"{self.where}, line {self.line(offset)}" if self.where else f"line {self.line(offset)}"
        return DataError(f"{place}: {message}")

    def statements(self) -> Iterator[Construct]:
        """Return what stands in the ontology, or in the text itself where there is no frame around it."""
        for construct, offset, is_inside in self._closed():
            if construct.name == "Prefix" and not is_inside:
                self._declare_prefix(construct, offset)
            elif construct.name != "Ontology":
                yield construct

    def _closed(self) -> Iterator[tuple[Construct, int, bool]]:
        """Return statements as they end, where they begin, and whether they stand in the frame of an ontology."""
        open_ones: list[tuple[Construct, int]] = []
        for found in WORD.finditer(self.text):
            kind, offset = found.lastgroup, found.start()
            if kind is None:
                continue
            if kind == "open":
                open_ones.append((self._opened(found.group()[:-1].rstrip(), offset, open_ones), offset))
            elif kind == "strange":
                raise self._strange(found.group(), offset)
            elif not open_ones:
                raise self.wrong(offset, f"expected an axiom such as SubClassOf(:A :B), got {found.group()[:40]!r}")
            elif kind != "close":
                self._append(open_ones[-1][0], found.group(), offset)
            else:
                construct, began = open_ones.pop()
                is_inside = len(open_ones) == 1 and open_ones[0][0].name == "Ontology"
                if not open_ones or is_inside:
                    yield construct, began, is_inside
                else:
                    open_ones[-1][0].arguments.append(construct)
        if open_ones:
            raise self.wrong(open_ones[-1][1], f"{open_ones[-1][0].name}( is not closed; expected ')' before the end")

    def _opened(self, name: str, offset: int, open_ones: list[tuple[Construct, int]]) -> Construct:
        if len(open_ones) >= DEEPEST:
            raise self.wrong(offset, f"more than {DEEPEST} constructs stand in each other; expected fewer")
        if name == "Ontology":
            if open_ones or self._is_document:
                raise self.wrong(offset, "a file holds one ontology; expected an axiom, got Ontology(")
            self._is_document = True
        elif not name and not (open_ones and open_ones[-1][0].name == "HasKey"):
            raise self.wrong(offset, "expected the name of a construct before '('")
        return Construct(name, [], self.line(offset))

    def _append(self, construct: Construct, word: str, offset: int) -> None:
        """Add a name, a number or a literal to the arguments of a construct."""
        if construct.name == "Prefix" or word[0] == '"' or word.isdecimal():
            construct.arguments.append(Literal(word))
        elif word == "=":
            raise self.wrong(offset, "'=' stands only in Prefix(name:=<IRI>)")
        else:
            construct.arguments.append(self._name(word, offset))

    def _name(self, word: str, offset: int) -> str:
        found = self._names.get(word)
        if found is None:
            found = self._names[word] = self._whole_name(word, offset)
        return found

    def _whole_name(self, word: str, offset: int) -> str:
        if word[0] == "<":
            return word[1:-1]
        prefix, _, local = word.partition(":")
        local = re.sub(r"\\(.)", r"\1", local)
        if prefix == "_":
            return word
        start = self.prefixes.get(prefix + ":", USUAL_PREFIXES.get(prefix + ":"))
        if start is None:
            if not prefix and not self._is_document:
                return ":" + local
            known = sorted({*self.prefixes, *USUAL_PREFIXES})
            raise self.wrong(
                offset,
                f"the prefix of {word[:60]!r} is not declared; expected a line such as Prefix({prefix}:=<http://…>). "
                f"Declared: {', '.join(known)}.{did_you_mean(prefix + ':', known)}",
            )
        return start + local

    def _declare_prefix(self, construct: Construct, offset: int) -> None:
        match construct.arguments:
            case [str(prefix), "=", str(name)] if prefix.endswith(":") and name.startswith("<"):
                self.prefixes[prefix] = name[1:-1]
                self._names.clear()
            case _:
                raise self.wrong(offset, f"expected Prefix(name:=<IRI>), got {construct.text()}")

    def _strange(self, word: str, offset: int) -> DataError:
        if word == '"':
            return self.wrong(offset, "a text in quotes is not closed")
        if word == "<":
            return self.wrong(offset, "a name in angle brackets is not closed, or holds a blank; expected <IRI>")
        if word[0].isalpha():
            return self.wrong(offset, f"expected '(' after {word[:40]!r}, or a name with a prefix such as :{word[:40]}")
        return self.wrong(offset, f"unexpected {word[:40]!r}; expected an axiom such as SubClassOf(:A :B)")
