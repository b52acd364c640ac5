"""The terms of OWL 2 in RDF."""

VOCABULARIES = {
    "owl:": "http://www.w3.org/2002/07/owl#",
    "rdf:": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs:": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd:": "http://www.w3.org/2001/XMLSchema#",
}
DECLARATIONS = {
    "owl:Class": "Class",
    "rdfs:Class": "Class",
    "owl:DeprecatedClass": "Class",
    "owl:ObjectProperty": "ObjectProperty",
    "owl:NamedIndividual": "NamedIndividual",
}
"""Types of names, and what is declared by them."""
CHARACTERISTICS = {
    "owl:TransitiveProperty": "TransitiveObjectProperty",
    "owl:ReflexiveProperty": "ReflexiveObjectProperty",
    "owl:IrreflexiveProperty": "IrreflexiveObjectProperty",
    "owl:SymmetricProperty": "SymmetricObjectProperty",
    "owl:AsymmetricProperty": "AsymmetricObjectProperty",
    "owl:InverseFunctionalProperty": "InverseFunctionalObjectProperty",
    "owl:FunctionalProperty": "FunctionalObjectProperty",
}
"""Types of properties that are axioms."""
OBJECT_ONLY = ("owl:ObjectProperty", *(term for term in CHARACTERISTICS if term != "owl:FunctionalProperty"))
"""Types that only a property between individuals has."""
COMBINATIONS = {
    "owl:intersectionOf": "ObjectIntersectionOf",
    "owl:unionOf": "ObjectUnionOf",
    "owl:complementOf": "ObjectComplementOf",
    "owl:oneOf": "ObjectOneOf",
}
"""Class expressions made of others."""
RESTRICTIONS = {
    "owl:someValuesFrom": "SomeValuesFrom",
    "owl:hasValue": "HasValue",
    "owl:hasSelf": "HasSelf",
    "owl:allValuesFrom": "AllValuesFrom",
}
NUMBERS = {
    "owl:minCardinality": "MinCardinality",
    "owl:maxCardinality": "MaxCardinality",
    "owl:cardinality": "ExactCardinality",
    "owl:minQualifiedCardinality": "MinCardinality",
    "owl:maxQualifiedCardinality": "MaxCardinality",
    "owl:qualifiedCardinality": "ExactCardinality",
}
"""Class expressions made of a property."""
GROUPS = {
    "owl:AllDisjointClasses": "DisjointClasses",
    "owl:AllDisjointProperties": "DisjointObjectProperties",
    "owl:AllDifferent": "DifferentIndividuals",
    "owl:NegativePropertyAssertion": "NegativeObjectPropertyAssertion",
}
"""Types of nodes that stand for an axiom."""
STRUCTURE = (
    "rdf:first",
    "rdf:rest",
    "owl:onProperty",
    "owl:onProperties",
    "owl:onClass",
    "owl:onDataRange",
    *COMBINATIONS,
    *RESTRICTIONS,
    *NUMBERS,
    "owl:members",
    "owl:distinctMembers",
    "owl:sourceIndividual",
    "owl:assertionProperty",
    "owl:targetIndividual",
    "owl:targetValue",
    "owl:inverseOf",
    "owl:datatypeComplementOf",
    "owl:onDatatype",
    "owl:withRestrictions",
    "owl:annotatedSource",
    "owl:annotatedProperty",
    "owl:annotatedTarget",
)
"""What is said of nodes without a name, which are parts of axioms."""
CLASS_AXIOMS = {
    "rdfs:subClassOf": "SubClassOf",
    "owl:equivalentClass": "EquivalentClasses",
    "owl:disjointWith": "DisjointClasses",
}
PROPERTY_AXIOMS = {
    "rdfs:subPropertyOf": ("SubObjectPropertyOf", "SubDataPropertyOf"),
    "owl:equivalentProperty": ("EquivalentObjectProperties", "EquivalentDataProperties"),
    "owl:propertyDisjointWith": ("DisjointObjectProperties", "DisjointDataProperties"),
    "owl:inverseOf": ("InverseObjectProperties", "InverseObjectProperties"),
}
"""Axioms about two properties: those between individuals, and those with data."""
END_AXIOMS = {
    "rdfs:domain": ("ObjectPropertyDomain", "DataPropertyDomain"),
    "rdfs:range": ("ObjectPropertyRange", "DataPropertyRange"),
}
LIST_AXIOMS = {
    "owl:disjointUnionOf": "DisjointUnion",
    "owl:propertyChainAxiom": "SubObjectPropertyOf",
    "owl:hasKey": "HasKey",
}
INDIVIDUAL_AXIOMS = {"owl:sameAs": "SameIndividual", "owl:differentFrom": "DifferentIndividuals"}
ANNOTATIONS = (
    "rdfs:label",
    "rdfs:comment",
    "rdfs:seeAlso",
    "rdfs:isDefinedBy",
    "rdfs:member",
    "owl:versionInfo",
    "owl:versionIRI",
    "owl:priorVersion",
    "owl:backwardCompatibleWith",
    "owl:incompatibleWith",
    "owl:deprecated",
)
"""Properties that nothing follows from."""
OTHER_TYPES = (
    "owl:Thing",
    "owl:Nothing",
    "owl:Restriction",
    "owl:Ontology",
    "owl:OntologyProperty",
    "owl:AnnotationProperty",
    "owl:DatatypeProperty",
    "owl:DeprecatedProperty",
    "owl:Axiom",
    "owl:Annotation",
    "owl:DataRange",
    "rdfs:Datatype",
    "rdfs:Resource",
    "rdf:Property",
    "rdf:List",
    "rdf:Statement",
)
DATATYPE_NAMES = frozenset(
    {
        VOCABULARIES["rdfs:"] + "Literal",
        VOCABULARIES["owl:"] + "real",
        VOCABULARIES["owl:"] + "rational",
        VOCABULARIES["rdf:"] + "PlainLiteral",
        VOCABULARIES["rdf:"] + "XMLLiteral",
        VOCABULARIES["rdf:"] + "langString",
    }
)
OTHERS = ("rdf:type", "rdf:nil", "owl:imports")
VOCABULARY: dict[str, str] = {
    VOCABULARIES[term.partition(":")[0] + ":"] + term.partition(":")[2]: term
    for term in (
        *DECLARATIONS,
        *CHARACTERISTICS,
        *GROUPS,
        *STRUCTURE,
        *CLASS_AXIOMS,
        *PROPERTY_AXIOMS,
        *END_AXIOMS,
        *LIST_AXIOMS,
        *INDIVIDUAL_AXIOMS,
        *ANNOTATIONS,
        *OTHER_TYPES,
        *OTHERS,
    )
}
"""Every term that is known, with its short name."""
