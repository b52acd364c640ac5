"""Oracle: whether an axiom follows, by stating names for both of its sides as axioms and applying the rules naively."""

from krypsis.data.ontologies import Ontology, normalize
from krypsis.data.ontologies.normal_forms import BOTTOM, TOP
from ontologies.naive_closure import naive_closure

LEFT, RIGHT = ":testedLeft", ":testedRight"


def follows(axioms: list[str], left: str, right: str) -> bool:
    """Say whether axioms in functional syntax imply an inclusion between class expressions.

    ``left`` may be an individual, written as ``ObjectOneOf(:a)``.
    """
    texts = [*axioms, f"SubClassOf({right} {RIGHT})", f"SubClassOf({LEFT} {RIGHT}Other)"]
    is_individual = left.startswith("ObjectOneOf")
    if not is_individual:
        texts.append(f"SubClassOf({LEFT} {left})")
    ontology = Ontology.of_text("\n".join(texts), repeated=True)
    forms = normalize(ontology)
    known = naive_closure(forms).sub
    individuals = range(forms.first_individual, forms.first_fresh)
    if any((atom, BOTTOM) in known for atom in (TOP, *individuals)):
        return True
    classes = ontology.classes.to_list()
    if is_individual:
        name = left.removeprefix("ObjectOneOf(").removesuffix(")").strip("<>")
        tested = forms.first_individual + ontology.individuals.to_list().index(name)
    else:
        tested = 2 + classes.index(LEFT)
    return (tested, 2 + classes.index(RIGHT)) in known or (tested, BOTTOM) in known


def same(axioms: list[str], one: str, other: str) -> bool:
    """Say whether axioms imply that two individuals are the same."""
    ontology = Ontology.of_text("\n".join(axioms), repeated=True)
    forms = normalize(ontology)
    known = naive_closure(forms).sub
    names = ontology.individuals.to_list()
    pair = tuple(forms.first_individual + names.index(name) for name in (one, other))
    individuals = range(forms.first_individual, forms.first_fresh)
    return pair in known or any((atom, BOTTOM) in known for atom in (TOP, *individuals))
