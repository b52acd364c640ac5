"""The constructs of OWL 2: how they are represented, and which have no expression in the language."""

from dataclasses import dataclass

OWL = "http://www.w3.org/2002/07/owl#"
THING, NOTHING = OWL + "Thing", OWL + "Nothing"
TOP_ROLE, BOTTOM_ROLE = OWL + "topObjectProperty", OWL + "bottomObjectProperty"
DEEPEST = 200
"""How many constructs may stand in each other."""
SHOWN = 200

DATA = "a data property"
UNIVERSAL_ROLE = "the role that relates everything (owl:topObjectProperty)"
ANONYMOUS = "an individual without a name"
UNSUPPORTED = {
    "ObjectAllValuesFrom": "a universal restriction",
    "ObjectMinCardinality": "a number of at least two related individuals",
    "ObjectMaxCardinality": "a highest number of related individuals",
    "ObjectExactCardinality": "an exact number of related individuals",
    "ObjectInverseOf": "an inverse role",
    "InverseObjectProperties": "an inverse role",
    "FunctionalObjectProperty": "a functional role",
    "InverseFunctionalObjectProperty": "an inverse functional role",
    "SymmetricObjectProperty": "a symmetric role",
    "AsymmetricObjectProperty": "an asymmetric role",
    "DisjointObjectProperties": "disjoint roles",
    "HasKey": "a key",
    "DLSafeRule": "a rule",
    "DGRule": "a rule",
    "DescriptionGraph": "a rule",
    **dict.fromkeys(
        (
            "DataSomeValuesFrom",
            "DataAllValuesFrom",
            "DataHasValue",
            "DataMinCardinality",
            "DataMaxCardinality",
            "DataExactCardinality",
            "SubDataPropertyOf",
            "EquivalentDataProperties",
            "DisjointDataProperties",
            "DataPropertyDomain",
            "DataPropertyRange",
            "FunctionalDataProperty",
            "DataPropertyAssertion",
            "NegativeDataPropertyAssertion",
        ),
        DATA,
    ),
    "DatatypeDefinition": "a data type",
}
"""Constructs that no expression of the language stands for, in words."""
UNORDERED = frozenset(
    {
        "InverseObjectProperties",
        "DisjointObjectProperties",
        "EquivalentDataProperties",
        "DisjointDataProperties",
    }
)
"""Those that say the same in any order of their arguments."""
NOT_LOGICAL = frozenset(
    {"AnnotationAssertion", "SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange"}
)
"""Statements that nothing follows from."""


class Literal(str):
    """A number, or a text in quotes; all other texts are names."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct as it was written: its name, its arguments, and where it begins."""

    name: str
    arguments: list["Construct | str"]
    """Constructs, or texts: whole names, numbers, and literals in quotes."""
    line: int = 0

    def text(self, left: int = SHOWN) -> str:
        """Return it in functional syntax, cut where it is long."""
        words: list[str] = []
        for one in self.arguments:
            if left <= 0:
                words.append("…")
                break
            shown = one if isinstance(one, str) else one.text(left)
            words.append(f"<{one}>" if isinstance(one, str) and "://" in one and not one.startswith('"') else shown)
            left -= len(shown) + 1
        return f"{self.name}({' '.join(words)})"


class OutsideLanguageError(Exception):
    """A construct has no expression in the language."""
