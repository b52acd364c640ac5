"""Ontologies in OBO format, versions 1.2 and 1.4."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from krypsis.data.ontologies import AxiomType, Ontology, OntologyBuilder
from krypsis.errors import DataError
from krypsis.io.ontologies.notes import warn_of_imports

OBO = "http://purl.obolibrary.org/obo/"
PREFIX = re.compile(r"[A-Za-z][\w-]*")
"""The beginning of ids that names in functional syntax can have, too."""
HEADER, TERM, TYPEDEF, INSTANCE = "header", "Term", "Typedef", "Instance"
OF_CLASSES = frozenset({"is_a", "intersection_of", "union_of", "equivalent_to", "disjoint_from", "relationship"})
TAGS_OF_ROLES = ("xref", "is_transitive", "is_reflexive", "is_metadata_tag", "is_class_level", "domain", "range")
TAGS_OF_CHAINS = ("transitive_over", "holds_over_chain", "equivalent_to_chain")
OTHER_TAGS = ("id", "is_obsolete", "instance_of", "property_value", "ontology", "import", "idspace")
OUTSIDE = {
    "inverse_of": "the inverse of a role",
    "is_symmetric": "a symmetric role",
    "is_asymmetric": "an asymmetric role",
    "is_functional": "a functional role",
    "is_inverse_functional": "an inverse functional role",
    "disjoint_from": "disjoint roles",
    "disjoint_over": "disjoint roles",
    "union_of": "a union of roles",
    "intersection_of": "a conjunction of roles",
}
"""Clauses about a role that have no place in the language."""
TAGS = frozenset({*OF_CLASSES, *TAGS_OF_ROLES, *TAGS_OF_CHAINS, *OTHER_TAGS, *OUTSIDE})
"""Clauses that may say something; all others are for people."""
BEGINNINGS = [int.from_bytes(f"{tag}:"[:3].encode()) for tag in sorted(TAGS)]
"""Their first three letters, as a number: most lines are sorted out by these alone."""
CARDINALITY, ONLY, UNION = "a number of relations", "all relations of a role", "a union on the right of an inclusion"
WORD = re.compile(
    r"""\s+ | (?P<comment>!.*)
    | \{(?P<qualifiers>(?:[^"}\\]|\\.|"(?:[^"\\]|\\.)*")*)\}
    | (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<word>(?:[^\s{}!"\\]|\\.)+)
    | (?P<strange>.)""",
    re.VERBOSE,
)
QUALIFIER = re.compile(r'\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)')

Clause = tuple[str, str, int]
"""Tag, value and line."""


@dataclass(eq=False, slots=True)
class _Frame:
    """What is said of one class, role or individual."""

    kind: str
    line: int
    id: str = ""
    clauses: list[Clause] = field(default_factory=list)
    is_obsolete: bool = False


def read_obo_text(text: str, *, where: str = "", ignore_unsupported: bool = False) -> Ontology:
    r"""Return the ontology that a text in OBO format holds, as the mapping of OBO to OWL defines it.

    Obsolete terms have no axioms. Names are IRIs: ``GO:0000001`` is ``http://purl.obolibrary.org/obo/GO_0000001``, and
    a role without prefix has the name that it refers to by ``xref``.

    Parameters
    ----------
    where
        what to call the text in messages.
    ignore_unsupported
        leave out and count axioms outside of the language, such as inverse roles, instead of refusing them.

    Raises
    ------
    DataError
        if the text is not in OBO format, with the line and what was expected there; or if an axiom lies outside of the
        language.

    References
    ----------
    Mungall, Ruttenberg, Horrocks, Osumi-Sutherland, OBO flat file format 1.4 syntax and semantics, 2012.

    Examples
    --------
    >>> ontology = read_obo_text("[Term]\nid: GO:1\nis_a: GO:2 ! process\nrelationship: part_of GO:3")
    >>> [ontology.readable(axiom) for axiom in range(2)]
    ['GO_1 ⊑ GO_2', 'GO_1 ⊑ ∃part_of.GO_3']
    """
    reading = _Reading(where)
    frames = list(_frames(text, where))
    for kind, read in (
        (HEADER, reading.header),
        (TYPEDEF, reading.declare_role),
        (TYPEDEF, reading.role),
        (TERM, reading.declare_class),
        (TERM, reading.term),
        (INSTANCE, reading.individual),
    ):
        for frame in frames:
            if frame.kind == kind:
                read(frame)
    warn_of_imports(reading.imports, where)
    return reading.builder.build(ignore_unsupported=ignore_unsupported)


def _frames(text: str, where: str) -> Iterator[_Frame]:
    """Return the frames with the clauses that may say something; the header is the first."""
    frame = _Frame(HEADER, 1)
    for number, line in _lines(text):
        tag, colon, value = line.partition(":")
        if tag in TAGS and colon:
            _add_clause(frame, tag, value, number, where)
        elif line.startswith("["):
            yield _finished(frame, where)
            frame = _Frame(TERM if line == "[Term]" else _kind_of(line, number, where), number)
        elif (not colon or " " in tag.strip()) and (bare := line.strip()) and not bare.startswith("!"):
            raise _no_clause(line, number, where)
    yield _finished(frame, where)


def _no_clause(line: str, number: int, where: str) -> DataError:
    shown = line.strip()[:80]
    return DataError(f"{_place(where, number)}expected a clause such as 'is_a: GO:0000001', got {shown!r}")


def _kind_of(line: str, number: int, where: str) -> str:
    found = re.fullmatch(r"\[(\w+)\]\s*(?:!.*)?", line.rstrip())
    if found is None:
        raise DataError(f"{_place(where, number)}expected a frame such as [Term], got {line[:80]!r}")
    return found.group(1)


def _add_clause(frame: _Frame, tag: str, value: str, number: int, where: str) -> None:
    if tag == "id":
        frame.id = _words(value, number, where)[0][0] if "\\" in value or "{" in value else _bare(value)
    elif tag == "is_obsolete":
        frame.is_obsolete = _bare(value).startswith("true")
    elif frame.kind != TERM or tag in OF_CLASSES:
        frame.clauses.append((tag, value, number))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Return lines with their numbers, without most of those that say nothing."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    return _joined_lines(text) if "\\\n" in text else _relevant_lines(text)


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Return all lines; one that ends with a backslash goes on in the next."""
    begun, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        first = first or number
        if line.endswith("\\") and not line.endswith("\\\\"):
            begun += line[:-1]
        else:
            yield first, begun + line
            begun, first = "", 0


def _relevant_lines(text: str) -> Iterator[tuple[int, str]]:
    """Return lines that begin like a clause that is read, or that are none; the others are never looked at alone."""
    raw = text.encode() + b"\n\0\0"
    letters = np.frombuffer(raw, dtype=np.uint8)
    ends = np.flatnonzero(letters[:-2] == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    first, second, third = (letters[starts + place].astype(np.int32) for place in range(3))
    colons = np.append(np.flatnonzero(letters == ord(":")), len(letters))
    is_clause = colons[np.searchsorted(colons, starts)] < ends
    is_relevant = np.isin((first << 16) + (second << 8) + third, BEGINNINGS) | ~is_clause | (first == ord("["))
    chosen = np.flatnonzero(is_relevant & (ends > starts))
    for number, start, end in zip(chosen.tolist(), starts[chosen].tolist(), ends[chosen].tolist(), strict=True):
        yield number + 1, raw[start:end].decode()


def _finished(frame: _Frame, where: str) -> _Frame:
    if not frame.id and frame.kind in {TERM, TYPEDEF, INSTANCE}:
        raise DataError(f"{_place(where, frame.line)}a frame [{frame.kind}] without an id; expected 'id: …' in it")
    return frame


def _place(where: str, line: int) -> str:
    return f"{where}, line {line}: " if where else f"line {line}: "


def _bare(value: str) -> str:
    """Return a value without the comment behind it."""
    return value.partition("!")[0].strip()


def _words(value: str, line: int, where: str) -> tuple[list[str], dict[str, str]]:
    """Return the words of a value, and its qualifiers; a text in quotation marks keeps them."""
    words: list[str] = []
    qualifiers: dict[str, str] = {}
    for found in WORD.finditer(value):
        match found.lastgroup:
            case "word":
                words.append(_unescaped(found.group()))
            case "text":
                words.append(found.group())
            case "qualifiers":
                for name, quoted, plain in QUALIFIER.findall(found.group("qualifiers")):
                    qualifiers[name] = _unescaped(quoted) or plain
            case "strange":
                raise DataError(
                    f"{_place(where, line)}a {found.group()!r} without its partner in {value.strip()[:80]!r}"
                )
    if not words:
        raise DataError(f"{_place(where, line)}a clause without a value; expected a name behind the colon")
    return words, qualifiers


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t", "W": " "}.get(found[1], found[1]), text)


class _Numbers(dict[str, int]):
    """Id → the number of its name, which is asked for once."""

    def __init__(self, number: Callable[[str], int]) -> None:
        super().__init__()
        self._number = number

    def __missing__(self, name: str) -> int:
        self[name] = found = self._number(name)
        return found


class _Reading:
    """Turns frames into axioms."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.builder = OntologyBuilder()
        self.imports: list[str] = []
        self._ontology = "TEMP"
        self._spaces: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        """Role without prefix → what it refers to by xref."""
        self._annotations: set[str] = set()
        """Roles that say something for people only, or about classes as such."""
        self._roles = _Numbers(lambda name: self.builder.role(self._iri(self._aliases.get(name, name))))
        self._classes = _Numbers(lambda name: self.builder.class_named(self._iri(name)))
        self._individuals = _Numbers(lambda name: self.builder.nominal(self._iri(name)))

    def header(self, frame: _Frame) -> None:
        for tag, value, line in frame.clauses:
            words, _ = _words(value, line, self.where)
            match tag:
                case "ontology":
                    self._ontology = words[0]
                case "import":
                    self.imports.append(words[0])
                case "idspace" if len(words) > 1:
                    self._spaces[words[0]] = words[1]

    def _iri(self, name: str) -> str:
        """Return the IRI of an id."""
        prefix, colon, local = name.partition(":")
        if not colon:
            return f"{OBO}{self._ontology}#{name}"
        if local.startswith("//") or prefix in {"http", "https", "urn"}:
            return name
        if prefix not in self._spaces and not local.isdecimal():
            return f"{OBO}{prefix}#_{local}"
        start = self._spaces.get(prefix, f"{OBO}{prefix}_")
        if PREFIX.fullmatch(prefix):
            self.builder.prefixes[f"{prefix}:"] = start
        return start + local

    def declare_role(self, frame: _Frame) -> None:
        shown = [value for tag, value, _ in frame.clauses if tag == "xref"]
        if ":" not in frame.id and shown and (target := shown[0].split()):
            self._aliases[frame.id] = target[0]
        # What is said of classes as such, or for people only, is no relation between individuals.
        if any(
            tag in {"is_metadata_tag", "is_class_level"} and _bare(value).startswith("true")
            for tag, value, _ in frame.clauses
        ):
            self._annotations.add(frame.id)
        elif not frame.is_obsolete:
            self._roles[frame.id]

    def role(self, frame: _Frame) -> None:
        if frame.id in self._annotations or frame.is_obsolete:
            return
        role = self._roles[frame.id]
        for tag, value, line in frame.clauses:
            words, _ = _words(value, line, self.where)
            self._role_axiom(role, frame.id, tag, words, line)

    def _role_axiom(self, role: int, name: str, tag: str, words: list[str], line: int) -> None:
        add = self.builder.axiom
        is_true = words[0] == "true"
        match tag:
            case "is_a" if words[0] not in self._annotations:
                add(AxiomType.SUBROLE, role, self._roles[words[0]], line=line)
            case "equivalent_to" if words[0] not in self._annotations:
                add(AxiomType.EQUIVALENT_ROLES, role, self._roles[words[0]], line=line)
            case "is_transitive" if is_true:
                add(AxiomType.TRANSITIVE, role, line=line)
            case "is_reflexive" if is_true:
                add(AxiomType.REFLEXIVE, role, line=line)
            case "transitive_over":
                add(AxiomType.SUBROLE, role, self._roles[words[0]], role, line=line)
            case "holds_over_chain" | "equivalent_to_chain":
                chain = [self._roles[one] for one in self._at_least(2, words, tag, line)]
                add(AxiomType.SUBROLE, *chain, role, line=line)
            case "domain":
                add(AxiomType.DOMAIN, role, self._classes[words[0]], line=line)
            case "range":
                add(AxiomType.RANGE, role, self._classes[words[0]], line=line)
            case _ if tag in OUTSIDE and (is_true or not tag.startswith("is_")):
                self.builder.leave_out(OUTSIDE[tag], f"{name}: {tag} {' '.join(words)}", line)

    def _at_least(self, count: int, words: list[str], tag: str, line: int) -> list[str]:
        if len(words) < count:
            raise DataError(
                f"{_place(self.where, line)}{tag} needs {count} names, got {len(words)}: {' '.join(words)!r}"
            )
        return words

    def declare_class(self, frame: _Frame) -> None:
        self._classes[frame.id]  # gets its number

    def term(self, frame: _Frame) -> None:
        if frame.is_obsolete:
            return
        itself = self._classes[frame.id]
        parts: dict[str, list[tuple[int, int]]] = {}
        for tag, value, line in frame.clauses:
            if tag == "is_a" and "{" not in value and "\\" not in value and (target := value.partition("!")[0].strip()):
                self.builder.axiom(AxiomType.SUBCLASS, itself, self._classes[target], line=line)
            elif tag in {"intersection_of", "union_of"}:
                parts.setdefault(tag, []).append((self._part(*self._read(value, line), line), line))
            elif tag in {"is_a", "relationship", "equivalent_to", "disjoint_from"}:
                self._term_axiom(frame.id, itself, tag, value, line)
        for tag, found in parts.items():
            self._definition(frame.id, itself, tag, found)

    def _read(self, value: str, line: int) -> tuple[list[str], dict[str, str]]:
        """Return words and qualifiers; most values have neither qualifiers nor escapes."""
        if "{" in value or "\\" in value or '"' in value or not (words := _bare(value).split()):
            return _words(value, line, self.where)
        return words, {}

    def _part(self, words: list[str], qualifiers: dict[str, str], line: int) -> int:
        """Return a class, or those related by a role to some member of one."""
        if len(words) == 1:
            return self._classes[words[0]]
        found = self._related(" ".join(words), words, qualifiers, line)
        return self.builder.conjunction([]) if found is None else found

    def _term_axiom(self, name: str, itself: int, tag: str, value: str, line: int) -> None:
        words, qualifiers = self._read(value, line)
        add = self.builder.axiom
        if "gci_relation" in qualifiers and "gci_filler" in qualifiers:  # what is said of some members only
            some = self.builder.some(self._roles[qualifiers["gci_relation"]], self._classes[qualifiers["gci_filler"]])
            itself = self.builder.conjunction([itself, some])
        match tag:
            case "is_a":
                add(AxiomType.SUBCLASS, itself, self._classes[words[0]], line=line)
            case "equivalent_to":
                add(AxiomType.EQUIVALENT, itself, self._classes[words[0]], line=line)
            case "disjoint_from":
                add(AxiomType.DISJOINT, itself, self._classes[words[0]], line=line)
            case "relationship" if words[0] not in self._annotations:
                self._at_least(2, words, tag, line)
                related = self._related(f"{name}: relationship {' '.join(words)}", words, qualifiers, line)
                if related is not None:
                    add(AxiomType.SUBCLASS, itself, related, line=line)

    def _related(self, shown: str, words: list[str], qualifiers: dict[str, str], line: int) -> int | None:
        """Return those related to a class; nothing where a qualifier says something else, which is noted."""
        least = qualifiers.get("minCardinality", qualifiers.get("cardinality", "1"))
        if qualifiers.get("all_only") == "true":
            self.builder.leave_out(ONLY, shown, line)
        if least not in {"0", "1"} or not qualifiers.keys().isdisjoint({"maxCardinality", "cardinality"}):
            self.builder.leave_out(CARDINALITY, shown, line)
        is_only = qualifiers.get("all_only") == "true" and qualifiers.get("all_some") != "true"
        if least == "0" or is_only:
            return None
        return self.builder.some(self._roles[words[0]], self._classes[words[1]])

    def _definition(self, name: str, itself: int, tag: str, found: list[tuple[int, int]]) -> None:
        """Add that a term is the conjunction, or the union, of others."""
        line = found[0][1]
        if len(found) == 1:
            raise DataError(f"{_place(self.where, line)}{name} has one {tag} clause; expected two or more")
        parts = [part for part, _ in found]
        if tag == "intersection_of":
            self.builder.axiom(AxiomType.EQUIVALENT, itself, self.builder.conjunction(parts), line=line)
            return
        self.builder.axiom(AxiomType.SUBCLASS, self.builder.union(parts), itself, line=line)
        self.builder.leave_out(UNION, f"{name}: union_of", line)

    def individual(self, frame: _Frame) -> None:
        if frame.is_obsolete:
            return
        itself = self._individuals[frame.id]
        for tag, value, line in frame.clauses:
            words, _ = _words(value, line, self.where)
            is_relation = words[0] in self._roles and words[0] not in self._annotations
            if tag == "instance_of":
                self.builder.axiom(AxiomType.MEMBER, self._classes[words[0]], itself, line=line)
            elif tag in {"relationship", "property_value"} and (is_relation or tag == "relationship"):
                self._at_least(2, words, tag, line)
                if not words[1].startswith('"'):
                    other = self._individuals[words[1]]
                    self.builder.axiom(AxiomType.RELATED, self._roles[words[0]], itself, other, line=line)
