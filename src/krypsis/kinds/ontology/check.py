"""How the checker reads published axioms back: those of a release, and those of any tool."""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from krypsis.checker.base import Given, KindCheck, QuasiIdentifiers, based_on, names_of
from krypsis.checker.ontologies import check_ontology, kept_sentence
from krypsis.checker.plain_claims import other_words
from krypsis.checker.secret_texts import is_plain, strange_names
from krypsis.data.ontologies import Ontology
from krypsis.data.ontologies.merging import merged
from krypsis.errors import DataError, DataWarning, PromiseBroken, UsageError, shorten
from krypsis.format.claims import Claims
from krypsis.format.files import opened
from krypsis.format.functional_document import AXIOM, AXIOMS_FILE, PUBLIC_FILE, functional_document
from krypsis.format.inference_guarantee import inference_guarantee, is_inference_guarantee
from krypsis.models.base import Basis, PrivacyModel, Verdict

KNOWN = (
    "the published axioms, those that are public, and everything that follows from both by the rules of the language"
)
KNOWN_ALONE = (
    "the published axioms alone, for none were given as public, and everything that follows from them by the rules of "
    "the language"
)
NO_TABLE = "tables and sets; leave it out. What is public about an ontology is given as public"
OF_TABLES = ("quasi_identifiers", "hierarchies", "original", "population", "private_columns", "group")
OF_SEVERAL = ("sensitive_table", "key", "tables", "item", "delimiter", "encoding")


class OntologyCheck(KindCheck):
    """Reads axioms in functional syntax."""

    name = "ontology"
    promise_kinds = ("ontology",)
    judged_fields = frozenset({"sensitive_items"})
    knows_public = True

    def check_files(
        self, folder: Path, claims: Claims, models: Sequence[PrivacyModel], given: Given
    ) -> tuple[Verdict, ...]:
        given.refuse((*OF_TABLES, *OF_SEVERAL), NO_TABLE)
        published, public = load_axioms(folder, claims)
        secrets = claims.sensitive_items if given.sensitive is None else names_of(given.sensitive)
        known = all_public(public, given)
        try:
            return check_ontology(published, models, public=known, secrets=secrets)
        except (DataError, UsageError) as error:
            if given.sensitive is not None or given.public is not None:
                raise
            raise PromiseBroken(f"the manifest of {folder} names what cannot be a secret: {error}") from None

    def unjudged(self, claims: Claims, promises: Sequence[PrivacyModel]) -> Iterator[str]:
        return other_words(claims, promises, "axioms", kept_sentence)

    def files(self, claims: Claims) -> frozenset[str]:  # noqa: ARG002  they are always called so
        return frozenset({AXIOMS_FILE, PUBLIC_FILE})

    def basis(
        self, claims: Claims, quasi_identifiers: QuasiIdentifiers | None, sensitive: Sequence[str] | None
    ) -> Basis:
        found = super().basis(claims, quasi_identifiers, sensitive)
        word = ("which axioms are secret", "which axioms are public")[sensitive is not None :]
        if claims.guarantee == inference_guarantee(is_complete=False):
            word = (*word, "that no secret follows with axioms outside of the language, which were left out")
        return found.model_copy(update={"further_knowledge": KNOWN, "not_judged": (), "publishers_word": word})

    def check_data(self, published: Any, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        secrets = names_of(given.sensitive)
        if not secrets:
            raise UsageError(
                f"{models[0].spec} is about secrets, and none is named; name at least one as sensitive, such as "
                "'ClassAssertion(:HIV_Patient ?)'"
            )
        given.refuse((*OF_TABLES, *OF_SEVERAL), NO_TABLE)
        public = all_public(None, given)
        axioms = _read(published)
        if strange := strange_names(secrets, [axioms] if public is None else [axioms, public]):
            warnings.warn(
                f"{shorten(strange, 3)}: named by a secret, and neither published nor public; a misspelled name "
                "never follows, so make sure that it is right",
                DataWarning,
                stacklevel=2,
            )
        found = check_ontology(axioms, models, public=public, secrets=secrets)
        known = KNOWN if public is not None else KNOWN_ALONE
        return based_on(Basis(further_knowledge=known, sensitive=tuple(secrets)), found)


def all_public(known: Ontology | None, given: Given) -> Ontology | None:
    """Return what a release brings as public together with what is given as such."""
    further = given.public if isinstance(given.public, list | tuple) else (given.public,)
    parts = [known, *(None if one is None else _read(one) for one in further)]
    there = [part for part in parts if part is not None]
    return merged(there)[0] if there else None


def _read(given: Any) -> Ontology:
    # With axioms outside of the language left out, a secret may still be found to follow; else it stays undecided.
    return given if isinstance(given, Ontology) else Ontology.read(given, ignore_unsupported=True)


def load_axioms(folder: Path, claims: Claims) -> tuple[Ontology, Ontology | None]:
    """Read published axioms from a folder, and those that are public anyway.

    Raises
    ------
    PromiseBroken
        if the files hold something else than the manifest says, or nothing that can be read.
    """
    files = {file.name: file for file in claims.files}
    if AXIOMS_FILE not in files:
        raise PromiseBroken(f"{folder} publishes no file {AXIOMS_FILE}, which axioms are in: do not trust this release")
    _refuse_other_claims(folder, claims)
    found: dict[str, Ontology] = {}
    for name in (AXIOMS_FILE, PUBLIC_FILE):
        if name not in files:
            continue
        with opened(folder / name, files[name]) as stream:
            content = stream.read()
        try:
            found[name] = Ontology.of_text(content.decode("utf-8"))
        except (DataError, UnicodeDecodeError) as error:
            raise PromiseBroken(f"{folder / name} holds no axioms that can be read: {error}") from None
        if functional_document(found[name]).encode() != content:
            raise PromiseBroken(
                f"{folder / name} holds something besides its axioms, such as comments, annotations or an order of its "
                "own, and nothing is known about that: do not trust this release"
            )
    if len(found[AXIOMS_FILE]) != claims.rows:
        raise PromiseBroken(
            f"the manifest of {folder} says that {claims.rows:,} axioms are published, and there are "
            f"{len(found[AXIOMS_FILE]):,}; do not trust this release"
        )
    return found[AXIOMS_FILE], found.get(PUBLIC_FILE)


def _refuse_other_claims(folder: Path, claims: Claims) -> None:
    """Raise where the manifest names something else than axioms, or has notes among the secrets."""
    named = [(column.name, column.role.value, column.type) for column in claims.columns]
    if named != [(AXIOM, "insensitive", "String")]:
        raise PromiseBroken(f"the manifest of {folder} names columns, and axioms have none: do not trust this release")
    if not is_inference_guarantee(claims.guarantee):
        raise PromiseBroken(
            f"the manifest of {folder} guarantees something else than that no secret follows, and nothing confirms "
            "that: do not trust this release"
        )
    for secret in claims.sensitive_items:
        if not _is_axiom(secret):
            raise PromiseBroken(
                f"the manifest of {folder} holds something besides an axiom among the secrets, such as a comment or a "
                "prefix: do not trust this release"
            )


def _is_axiom(secret: str) -> bool:
    try:
        return is_plain(secret)
    except DataError:
        return False
