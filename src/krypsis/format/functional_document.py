"""Ontologies as documents in functional syntax, in which the order of what is written says nothing."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

from krypsis.data.ontologies import Ontology
from krypsis.data.ontologies.wording import Wording, in_brackets

USUAL_PREFIXES = {
    "owl:": "http://www.w3.org/2002/07/owl#",
    "rdf:": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs:": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd:": "http://www.w3.org/2001/XMLSchema#",
}
AXIOM = "axiom"
"""The column of axioms, where published ones are shown as a table."""
AXIOMS_FILE, PUBLIC_FILE = "data.ofn", "public.ofn"
"""The files of a release: what is published, and what is public anyway."""
WITHOUT_NAMESPACE = ":"
"""What the empty prefix stands for where names have no namespace: they stay as they are."""
LOCAL = re.compile(r"\w(?:[\w.-]*[\w-])?")


NAMESPACE = re.compile(r".*[^/][/#:]")
"""The beginning of a name that others share: all up to the last of some signs."""
PART = re.compile(r"(?:www\.)?([A-Za-z][\w-]*)[^/#:]*[/#:]*$")
"""The last part of a namespace, without an ending such as ``.owl``."""
FEWEST_NAMES = 2
"""A namespace gets a prefix where so many names begin with it."""


def functional_document(ontology: Ontology) -> str:
    """Return a document in functional syntax with the axioms of an ontology.

    It is a function of the axioms and of nothing else. It declares the names that occur in the axioms, and no others;
    prefixes are named after what they stand for, whatever they were called in the data: what was removed leaves no
    trace. Declarations and axioms are sorted, as are arguments whose order says nothing; axioms that occur repeatedly
    stand there once.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(:Insulin :Drug) ClassAssertion(:Insulin :a)")
    >>> print(functional_document(ontology.select([1])))
    Prefix(:=<:>)
    Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
    Prefix(rdf:=<http://www.w3.org/1999/02/22-rdf-syntax-ns#>)
    Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
    Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
    <BLANKLINE>
    Ontology(
    <BLANKLINE>
    Declaration(Class(:Insulin))
    Declaration(NamedIndividual(:a))
    <BLANKLINE>
    ClassAssertion(:Insulin :a)
    <BLANKLINE>
    )
    <BLANKLINE>
    """
    used = ontology.without_unused_names()
    named = {"Class": used.classes, "NamedIndividual": used.individuals, "ObjectProperty": used.roles}
    prefixes = prefixes_of(name for each in named.values() for name in each.to_list())
    quoted = _with_prefixes(prefixes)
    wording = Wording(used, quoted)
    declarations = sorted(f"Declaration({kind}({quoted(name)}))" for kind, each in named.items() for name in each)
    axioms = sorted({wording.functional(place) for place in range(len(ontology))})
    lines = [f"Prefix({prefix}=<{start}>)" for prefix, start in sorted(prefixes.items())]
    return "\n".join([*lines, "", "Ontology(", "", *declarations, "", *axioms, "", ")", ""])


def prefixes_of(names: Iterable[str]) -> dict[str, str]:
    """Return the usual prefixes, and one for each namespace of several names, called by the last part of it.

    Examples
    --------
    >>> found = prefixes_of(["http://example.org/drugs.owl#Insulin", "http://example.org/drugs.owl#Statin", "urn:x"])
    >>> {prefix: start for prefix, start in found.items() if prefix not in USUAL_PREFIXES}
    {'drugs:': 'http://example.org/drugs.owl#'}
    """
    counts: Counter[str] = Counter()
    found = dict(USUAL_PREFIXES)
    for name in set(names):
        start = _namespace(in_brackets(name)[1:-1])
        if name.startswith(":"):
            found[":"] = WITHOUT_NAMESPACE
        elif start:
            counts[start] += 1
    usual = {*USUAL_PREFIXES.values()}
    for start in sorted(start for start, count in counts.items() if count >= FEWEST_NAMES and start not in usual):
        part = PART.search(start)
        word = "ns" if part is None else part.group(1)
        choices = (f"{word}{number}:" for number in ("", *range(2, len(counts) + len(found) + 2)))
        found[next(choice for choice in choices if choice not in found)] = start
    return found


def _namespace(name: str) -> str:
    """Return the beginning of a name that a prefix can stand for; nothing, if what follows must stand in brackets."""
    if name.startswith(":"):
        return WITHOUT_NAMESPACE if LOCAL.fullmatch(name, 1) else ""
    found = NAMESPACE.match(name)
    return found.group() if found and LOCAL.fullmatch(name, found.end()) else ""


def _with_prefixes(prefixes: dict[str, str]) -> Callable[[str], str]:
    """Return what writes a name with the prefix of its namespace, or as a whole."""
    known = {start: prefix for prefix, start in prefixes.items()}

    @cache
    def quoted(name: str) -> str:
        whole = in_brackets(name)
        start = _namespace(whole[1:-1])
        return known[start] + whole[1 + len(start) : -1] if start in known else whole

    return quoted


def abbreviation(prefixes: dict[str, str]) -> Callable[[str], str]:
    """Return what writes a name with the longest prefix that fits, or as a whole."""
    ordered = sorted(prefixes.items(), key=lambda one: (-len(one[1]), one[0]))

    @cache
    def quoted(name: str) -> str:
        for prefix, start in ordered:
            if name.startswith(start) and LOCAL.fullmatch(name, len(start)):
                return prefix + name[len(start) :]
        return in_brackets(name)

    return quoted
