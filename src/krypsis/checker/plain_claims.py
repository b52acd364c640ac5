"""What a manifest may say where nothing but its files is published: the words of whoever wrote it, and no others.

Anything else that fits into a field could say what was removed, and about whom.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from krypsis import registry
from krypsis.format.claims import Claims, PromiseClaim, Suppression
from krypsis.models.base import PrivacyModel
from krypsis.models.promises import has_unknown_model

WORD, NUMBER = r"[A-Za-z][a-z-]{0,30}", r"[0-9]{1,9}(?:\.[0-9]{1,9})?(?:e[+-][0-9]{2,3})?"
PARAMETER = rf"[a-z][a-z_]{{0,30}}=(?:{WORD}|{NUMBER})"
METHOD = re.compile(rf"[a-z0-9-]+(?::{PARAMETER}(?:,{PARAMETER})*)?")
"""A method with parameters that are words or numbers."""
TOOL = re.compile(r"krypsis [0-9]{1,4}(\.[0-9]{1,4}){1,3}([a-z0-9.+-]{1,20})?")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
RELEASE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PLAIN = {
    "suppressed": Suppression(records=0, mode="remove"),
    "metric": "",
    "score": None,
    "metrics": {},
    "weights": {},
    "hierarchies": {},
    "levels": {},
    "heights": {},
    "quasi_identifier_sets": (),
}
"""Fields that only other kinds of data fill."""


def other_words(
    claims: Claims, promises: Sequence[PrivacyModel], scheme: str, sentence: Callable[[PrivacyModel], str]
) -> Iterator[str]:
    """Yield what a manifest says that nobody writes about a release of one method, with promises of one sentence.

    A method of the publisher's own has to be registered where its release is checked, as its promises have.

    Parameters
    ----------
    claims
        of the release.
    promises
        those of its promises that are known here.
    scheme
        what methods of this kind of data change.
    sentence
        what the checker says of a promise that is kept.
    """
    yield from (f"the field {name}" for name, usual in PLAIN.items() if getattr(claims, name) != usual)
    for field, form in (("tool", TOOL), ("created", DAY), ("release_id", RELEASE_ID)):
        if not form.fullmatch(getattr(claims, field)):
            yield f"{getattr(claims, field)!r} in the field {field}"
    if claims.scheme != scheme:
        yield f"the scheme {claims.scheme!r}"
    if not _is_method(claims.algorithm):
        yield f"the algorithm {claims.algorithm!r}"
    known = [claim for claim in claims.promises if not has_unknown_model(claim.promise)]
    for claim, model in zip(known, promises, strict=True):
        if registry.is_built_in(type(model)) and claim != _kept(model, sentence(model)):
            yield f"another figure or sentence about {model.spec} than the one of a promise that is kept"


def _is_method(spec: str) -> bool:
    name = spec.partition(":")[0]
    if name in registry.names_in_sources("algorithm"):
        return METHOD.fullmatch(spec) is not None
    return registry.is_from_outside("algorithm", name) and registry.create("algorithm", spec).spec == spec


def _kept(model: PrivacyModel, sentence: str) -> PromiseClaim:
    return PromiseClaim(
        promise=model.spec, required=model.required, achieved=model.required, sentence=sentence, proven=True
    )
