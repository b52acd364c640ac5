"""The plan of an ontology: what is public, what is secret, and what it costs to leave an axiom out."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, InstanceOf, field_validator
from pydantic.json_schema import SkipJsonSchema

from krypsis import registry
from krypsis.algorithms.ontologies.inference_safety.base import OntologyMethod
from krypsis.algorithms.ontologies.secrets import Secrets
from krypsis.arrays import BoolArray, FloatArray
from krypsis.checker.base import Given
from krypsis.checker.secret_texts import with_whole_names
from krypsis.data.ontologies import Ontology
from krypsis.data.ontologies.merging import merged
from krypsis.data.ontologies.wording import FUNCTIONAL_NAMES
from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.io.ontologies import read_ontology
from krypsis.kinds.ontology.make import OntologyReleaseTask
from krypsis.models.base import PrivacyModel
from krypsis.plan.plan import Plan, Read

USUAL_METHOD = "hitting-sets"
AXIOM_TYPES = {name: kind for kind, name in FUNCTIONAL_NAMES.items()}


class OntologyRead(Read):
    """How to read an ontology."""

    format: str | None = Field(default=None, description="the format of the file, if not found by itself")
    ignore_unsupported: bool = Field(
        default=False, description="leave out axioms outside of the language, with a warning, instead of refusing them"
    )


PublicGiven = str | SkipJsonSchema[InstanceOf[Ontology]]
"""A path relative to the plan, or an ontology in memory."""


class OntologyPlan(Plan):
    """What is wanted of an ontology.

    Examples
    --------
    >>> facts = Ontology.of_text("ClassAssertion(:Smoker :ann) SubClassOf(:Smoker :AtRisk)")
    >>> plan = OntologyPlan(secrets=["ClassAssertion(:AtRisk ?)"], public_schema=True)
    >>> plan.bind(facts).release().records
    0
    """

    about: ClassVar[str] = "an ontology"

    kind: Literal["ontology"] = "ontology"
    read: OntologyRead = OntologyRead()
    promises: tuple[Any, ...] = Field(default=("inference-safety",), description="what the release keeps")
    public: PublicGiven | tuple[PublicGiven, ...] = Field(
        default=(), repr=False, description="ontologies that everybody knows, relative to the plan"
    )
    public_schema: bool = Field(
        default=False, description="whether axioms of the data that name no individual are public"
    )
    public_namespaces: tuple[str, ...] = Field(
        default=(), description="beginnings of names: axioms of the data whose names all begin so are public"
    )
    secrets: tuple[str, ...] = Field(
        default=(), description="axioms that nobody should be able to derive; ? stands for any name"
    )
    weights: dict[str, float] = Field(
        default_factory=dict,
        description="type of axiom, or beginning of a name in it → what it costs to leave it out; 1 for others",
    )

    @field_validator("secrets", "public_namespaces", mode="before")
    @classmethod
    def _one_alone(cls, value: object) -> object:
        if value is None or value == "":  # of a list whose entries are all comments
            return ()
        return (value,) if isinstance(value, str) else value

    @field_validator("weights")
    @classmethod
    def _positive(cls, value: dict[str, float]) -> dict[str, float]:
        for name, weight in value.items():
            if not (np.isfinite(weight) and weight > 0):
                raise ValueError(f"the weight of {name!r} must be a number above 0, got {weight!r}")
        return value

    @classmethod
    def of_keywords(
        cls,
        *,
        promises: Sequence[Any] = (),
        secrets: Sequence[str] | str = (),
        public: Any = (),
        public_schema: bool = False,
        weights: Mapping[str, float] | None = None,
        algorithm: Any = "auto",
        **of_others: object,
    ) -> Self:
        """Return the plan that the keywords of :func:`krypsis.anonymize` describe.

        Raises
        ------
        UsageError
            if a keyword is given that has no meaning for ontologies.
        """
        for name, value in of_others.items():
            if value:
                raise UsageError(f"{name} has no meaning for an ontology; leave it out")
        return cls.of_objects(
            promises=tuple(promises) or ("inference-safety",),
            secrets=secrets,
            public=os.fspath(public) if isinstance(public, os.PathLike) else public,
            public_schema=public_schema,
            weights=dict(weights or {}),
            algorithm=algorithm,
        )

    def check(self) -> None:
        """Raise where promises or algorithm are wrong in themselves."""
        self.models()
        self.method()

    def read_data(self) -> Ontology:
        """Read the ontology; what else is public is read when it is needed."""
        return read_ontology(self.data_path, **self._reading())

    def _reading(self) -> dict[str, Any]:
        given = {name: value for name, value in self.read.model_dump().items() if value is not None}
        for name in ("sheet", "delimiter", "encoding"):
            if name in given:
                raise UsageError(f"an ontology has no {name}; leave it out")
        return given

    def models(self) -> list[PrivacyModel]:
        """Return what is promised.

        Raises
        ------
        UsageError
            if a promise is not about ontologies.
        """
        models = super().models()
        for model in models:
            if model.kind != self.kind:
                raise UsageError(f"{model.spec} is not about ontologies; the promise about them is inference-safety")
        return models

    def method(self) -> OntologyMethod:
        """Return the method that was asked for, or the usual one."""
        found = registry.create("algorithm", USUAL_METHOD if self.algorithm == "auto" else self.algorithm)
        if not isinstance(found, OntologyMethod):
            known = [name for name, cls in registry.classes("algorithm").items() if issubclass(cls, OntologyMethod)]
            raise UsageError(f"{found.name} is not for ontologies; methods for them: {', '.join(known)}")
        return found

    def known_roles(self, models: Sequence[PrivacyModel], *, is_release: bool) -> Given:  # noqa: ARG002
        """Return what is secret and what is public; a release brings those axioms of the data that are public."""
        public = self._further_public()
        if not is_release and (self.public_schema or self.public_namespaces):
            own = self.read_data()
            public.append(own.select(self._public_of_own(own)))
        secrets = self.secrets if self.data is None else self._secrets_of(self._prefixes())
        return Given(sensitive=secrets or None, public=public or None)

    def _secrets_of(self, prefixes: Mapping[str, str]) -> tuple[str, ...]:
        """Return the secrets with whole names: what is published need not declare the prefixes of the data."""
        return tuple(with_whole_names(secret, prefixes) for secret in self.secrets)

    def _prefixes(self) -> Mapping[str, str]:
        """Return the prefixes of the data and of what is public, as secrets use them."""
        parts = [self.read_data(), *self._further_public()]
        return {prefix: start for part in reversed(parts) for prefix, start in part.prefixes.items()}

    def bind(self, data: Any) -> OntologyReleaseTask:
        """Return the plan together with an ontology."""
        own = data if isinstance(data, Ontology) else read_ontology(data, **self._reading())
        if not self.secrets:
            raise UsageError(
                "no secret is named, so nothing would be protected; name what nobody should be able to derive, such as "
                "secrets: ['ClassAssertion(:HIV_Patient ?)']"
            )
        if not len(own):
            raise DataError("the ontology holds no axiom in the language of krypsis; there is nothing to publish")
        whole, origin = merged([own, *self._further_public()])
        secrets = self._secrets_of(whole.prefixes)
        Secrets.of(secrets, whole)  # what cannot be understood is reported before anything is searched
        public = (origin > 0) | self._public_of_own(whole)
        return OntologyReleaseTask(
            ontology=whole,
            public=public,
            secrets=secrets,
            weights=self._weights(whole),
            models=self.models(),
            method=self.method(),
        )

    def _further_public(self) -> list[Ontology]:
        return [self._read_public(one) for one in (self.public if isinstance(self.public, tuple) else (self.public,))]

    def _read_public(self, given: str | Ontology) -> Ontology:
        if isinstance(given, Ontology):
            return given
        return read_ontology(self.folder / given, ignore_unsupported=self.read.ignore_unsupported)

    def _public_of_own(self, whole: Ontology) -> BoolArray:
        """Return which axioms are public because of what they are about."""
        found = np.zeros(len(whole), dtype=np.bool_)
        if self.public_schema:
            found |= ~whole.names_individuals
        if self.public_namespaces:
            found |= whole.names_only(self.public_namespaces)
        return found

    def _weights(self, whole: Ontology) -> FloatArray:
        """Return what it costs to leave each axiom out; of several weights for one, the largest counts."""
        found = np.zeros(len(whole))
        for name, weight in self.weights.items():
            chosen = whole.types == AXIOM_TYPES[name] if name in AXIOM_TYPES else whole.mentions(name)
            if not chosen.any():
                raise UsageError(
                    f"weights: no axiom has the type {name!r}, or a name that begins so."
                    f"{did_you_mean(name, AXIOM_TYPES)}"
                )
            found[chosen] = np.maximum(found[chosen], weight)
        return np.where(found == 0, 1.0, found)
