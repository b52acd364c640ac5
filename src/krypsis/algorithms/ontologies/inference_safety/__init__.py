"""Publishing as many axioms as possible so that no secret follows."""

from krypsis.algorithms.ontologies.inference_safety.base import (
    OntologyMethod,
    OntologyResult,
    OntologyTask,
    SecretReport,
)

__all__ = ["OntologyMethod", "OntologyResult", "OntologyTask", "SecretReport"]
