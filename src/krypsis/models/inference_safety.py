"""Inference safety of an ontology."""

from typing import ClassVar, Literal

from krypsis.models.base import PrivacyModel


class InferenceSafety(PrivacyModel):
    """No secret follows from what is published together with what is public.

    What is secret, and what is public, is part of the plan. The level is the number of secrets that follow.

    References
    ----------
    Baader, Borchmann, Nuradiansyah, "The identity problem in description logic ontologies and its applications to
    view-based information hiding", JIST 2017; Cuenca Grau, Kostylev, "Logical foundations of linked data
    anonymisation", Journal of Artificial Intelligence Research 64, 2019.

    Examples
    --------
    >>> InferenceSafety().promise()
    'no secret follows from what is published together with what is public'
    """

    name: ClassVar[str] = "inference-safety"
    kind: ClassVar[str] = "ontology"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    protects_from: ClassVar[str] = (
        "deriving a secret by logic from the published axioms and from what is public, also where no axiom states it"
    )
    does_not_protect_from: ClassVar[str] = (
        "conclusions that are likely and not certain, noticing that something was removed and guessing what, and "
        "knowledge that was not given as public or that the language cannot express"
    )
    reference: ClassVar[str] = (
        "Cuenca Grau, Kostylev, Logical foundations of linked data anonymisation, Journal of Artificial Intelligence "
        "Research 64, 2019"
    )

    @property
    def required(self) -> float:
        return 0.0

    def promise(self) -> str:
        return "no secret follows from what is published together with what is public"
