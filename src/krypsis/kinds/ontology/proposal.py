"""The plan that is proposed for an ontology, with what is in it."""

from collections.abc import Mapping
from pathlib import Path

from krypsis.data.ontologies.merging import merged
from krypsis.errors import DataError
from krypsis.io.ontologies import read_ontology
from krypsis.io.yaml_file import entry, flow, scalar
from krypsis.kinds.base import PLAN_PLACE, ProposedPlan
from krypsis.kinds.ontology.profile import OntologyProfile, profile_ontology

MOST_PROPOSED = 5
NOTHING_NAMED = (
    "Name what nobody should be able to derive under 'secrets': an axiom, or a pattern such as "
    "ClassAssertion(:HivPatient ?)."
)
IGNORED = "axioms outside of the language were left out (see the plan); what follows from them is not protected"


def propose_ontology(file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
    """Return the plan that is proposed for the ontology in a file; ``data`` is its path as seen from the plan."""
    ontology = read_ontology(file, ignore_unsupported=True)
    if not len(ontology):
        raise DataError(f"{file} holds no axiom in the language of krypsis; there is nothing to publish")
    public = reading.get("public")
    known = [ontology] if public is None else [ontology, read_ontology(Path(public), ignore_unsupported=True)]
    profile = profile_ontology(merged(known)[0], file.name)
    read = {"ignore_unsupported": True} if any(one.left_out for one in known) else {}
    return ProposedPlan(
        text=ontology_plan_text(profile, entry("data", f"{scalar(data)}   # {len(ontology)} axioms"), read, public),
        profile=profile.view(),
        warnings=((IGNORED,) if read else ()),
        missing=(NOTHING_NAMED,),
        look_at="what is public and what is secret",
        following=("run", PLAN_PLACE),
    )


def ontology_plan_text(profile: OntologyProfile, data: str, read: Mapping[str, bool], public: str | None) -> str:
    """Return the plan for an ontology; ``data`` is the line about the data.

    What names no individual is public, unless nothing else is there or the public part is a file of its own.
    """
    has_public_schema = public is None and profile.individuals > 0
    parts = [
        HEADER,
        "kind: ontology",
        f"{data}; relative to this file",
        *([entry("read", flow(read))] if read else []),
        PUBLIC.format(schema=flow(has_public_schema), files=scalar(public) if public else "[]"),
        _secrets(profile),
        "\n# What follows: " + "\n# ".join(profile.sentences()),
        OUTPUT,
    ]
    return "\n".join(parts)


def _secrets(profile: OntologyProfile) -> str:
    """Return the place for secrets, with memberships as comments: those that follow, else those that are stated."""
    found = profile.implied_members or profile.members
    word = "follow without being stated" if profile.implied_members else "are stated"
    lines = [f"  # - ClassAssertion({name} ?)   # {count:,} {word}" for name, count in found.items()]
    return "\n".join([SECRETS, *(lines[:MOST_PROPOSED] or [WITHOUT_INDIVIDUALS])])


HEADER = """\
# A plan for krypsis: facts and rules from which more follows. Run it with 'krypsis run'.
# Lines that begin with # are comments.
"""

PUBLIC = """
# What everybody knows anyway: leaving it out would protect nothing, and it is not removed.
public: {files}   # further ontologies, relative to this file
public_schema: {schema}   # axioms of the data that name no individual
public_namespaces: []   # axioms whose names all begin so, such as http://purl.obolibrary.org/obo/"""

SECRETS = """
# What nobody should be able to derive: axioms in functional syntax, ? stands for anybody. Name at least one.
secrets:"""

WITHOUT_INDIVIDUALS = "  # - SubClassOf(:ProjectX :Acquisition)   # both are names of the data"

OUTPUT = """
# What it costs to leave out an axiom, by type or by the beginning of a name in it; 1 unless given.
# weights: {ClassAssertion: 2}

promises:
  - inference-safety
algorithm: auto     # the fewest axioms are left out; greedy-removal is faster, and says how far it may be off

output:
  folder: release   # what may be published, relative to this file
  report: true      # a page about the release, written next to the folder
"""
