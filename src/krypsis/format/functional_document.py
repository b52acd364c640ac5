"""Ontologies as documents in functional syntax, in which the order of what is written says nothing."""

import re
from collections.abc import Callable
from functools import cache

import polars as pl

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


def functional_document(ontology: Ontology) -> str:
    """Return a document in functional syntax with the axioms of an ontology.

    It declares the names that occur in the axioms, and no others: what was removed leaves no trace. Declarations and
    axioms are sorted, as are arguments whose order says nothing; axioms that occur repeatedly stand there once.

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
    names = [name for each in named.values() for name in each.to_list()]
    prefixes = used_prefixes(used)
    if ":" not in prefixes and any(name.startswith(":") for name in names):
        prefixes[":"] = WITHOUT_NAMESPACE
    prefixes |= USUAL_PREFIXES
    quoted = abbreviation(prefixes)
    wording = Wording(used, quoted)
    declarations = sorted(f"Declaration({kind}({quoted(name)}))" for kind, each in named.items() for name in each)
    axioms = sorted({wording.functional(place) for place in range(len(ontology))})
    lines = [f"Prefix({prefix}=<{start}>)" for prefix, start in sorted(prefixes.items())]
    return "\n".join([*lines, "", "Ontology(", "", *declarations, "", *axioms, "", ")", ""])


def used_prefixes(ontology: Ontology) -> dict[str, str]:
    """Return the prefixes of an ontology that one of its names begins with, without the usual ones."""
    given = {prefix: start for prefix, start in ontology.prefixes.items() if start and prefix not in USUAL_PREFIXES}
    names = pl.concat([ontology.classes, ontology.individuals, ontology.roles])
    return {prefix: start for prefix, start in given.items() if names.str.starts_with(start).any()}


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
