"""Releases of ontologies."""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from krypsis.algorithms.ontologies.inference_safety.base import (
    OntologyMethod,
    OntologyResult,
    OntologyTask,
    SecretReport,
)
from krypsis.algorithms.ontologies.justifications import DerivationStep
from krypsis.arrays import BoolArray
from krypsis.checker.secret_texts import names_nobody
from krypsis.data.ontologies import Ontology
from krypsis.errors import PrivacyWarning, UsageError
from krypsis.format.functional_document import functional_document
from krypsis.format.inference_guarantee import inference_guarantee
from krypsis.kinds.ontology.publication import OntologyPublication
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.order import private_record_of
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.release import Release
from krypsis.release.run import Run

NOT_CONSIDERED = (
    "{count:,} axiom(s) lie outside of the language and were left out: {constructs}. What follows from those of them "
    "that are public is not prevented"
)


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class OntologyReleaseTask(OntologyTask):
    """An ontology and what is wanted of it, with the method that makes the release."""

    method: OntologyMethod

    def __repr__(self) -> str:
        """Name the size: axioms and secrets would end up in notebooks and logs."""
        return f"OntologyReleaseTask({self.ontology!r}; {', '.join(model.spec for model in self.models)})"

    def release(self, progress: Progress = NO_PROGRESS) -> Release:
        """Return the release of the ontology. Its promises have not been checked."""
        return ontology_release(self, Run(progress))

    def improved(self, release: Release) -> Release:
        """Return the release as it is: where the removal is optimal nothing is better, else the gap is stated."""
        return release


def ontology_release(task: OntologyReleaseTask, run: Run) -> Release:
    """Return the release of an ontology. Its promises have not been checked."""
    if task.ontology.left_out:
        constructs = "; ".join(f"{construct} ({count:,})" for construct, count in task.ontology.left_out.items())
        said = NOT_CONSIDERED.format(count=sum(task.ontology.left_out.values()), constructs=constructs)
        warnings.warn(said, PrivacyWarning, stacklevel=2)
    made = task.method.publish(task, run.progress)
    made_by = MadeBy(
        promises=tuple(model.spec for model in task.models),
        algorithm=task.method.spec,
        scheme=task.method.scheme,
        guarantee=inference_guarantee(is_complete=not task.ontology.left_out),
        rows_before=int((~task.public).sum()),
        hides_figures=True,
    )
    published = OntologyPublication(
        _as_published(task.ontology, made.kept),
        _as_published(task.ontology, task.public) if task.public.any() else None,
        tuple(secret for secret in task.secrets if names_nobody(secret, task.ontology.prefixes)),
    )
    return run.release(
        published,
        made_by,
        Before(ontology=_alone(task.ontology, ~task.public), secrets=tuple(task.secrets)),
        **_private(task.ontology, made),
    )


def _as_published(ontology: Ontology, chosen: BoolArray) -> Ontology:
    """Return some axioms as whoever reads the published file has them: the order of the data is gone in memory, too."""
    return Ontology.of_text(functional_document(ontology.select(chosen)))


def _alone(ontology: Ontology, chosen: BoolArray) -> Ontology:
    """Return some axioms with no names but their own."""
    return replace(ontology.select(chosen).without_unused_names(), left_out={})


def _private(ontology: Ontology, made: OntologyResult) -> dict[str, Any]:
    """Return what stays with the publisher: what was removed, and why."""
    return {
        "said": list(made.said),
        "removed": [ontology.functional(int(place)) for place in made.removed],
        "cost": made.cost,
        "lower_bound": made.lower_bound,
        "optimal": made.is_optimal,
        "secrets": [_secret(ontology, one) for one in made.secrets],
        "not_derivable": list(made.not_derivable),
        "figures_of_search": made.private,
    }


def _secret(ontology: Ontology, found: SecretReport) -> dict[str, Any]:
    return {
        "axiom": found.text,
        "readable": found.readable,
        "stated": found.is_stated,
        "derivations": [
            {
                "steps": [_step(step) for step in one.steps],
                "removed": [ontology.readable(place) for place in broken],
                "axioms": list(one.texts),
            }
            for one, broken in zip(found.derivations, found.broken_by[: len(found.derivations)], strict=True)
        ],
    }


def _step(step: DerivationStep) -> dict[str, Any]:
    premises = [one.text for one in (*step.because, *step.by)]
    return {"sentence": step.sentence, "conclusion": step.conclusion, "premises": premises}


def with_ontology_before(release: Release, folder: Path, task: OntologyReleaseTask) -> Release:
    """Return a release that was loaded from a folder, with the axioms before and the secrets.

    Raises
    ------
    UsageError
        if the private record does not lie next to the folder, or the plan is about other data.
    """
    record = private_record_of(folder)
    own = _alone(task.ontology, ~task.public)
    stated = {own.functional(place) for place in range(len(own))}
    if "removed" not in record or not stated.issuperset(record["removed"]):
        raise UsageError(
            f"{folder} was not made of the ontology that the plan names, or its private record does not lie next to "
            "it; give the plan that the release was made by"
        )
    before = Before(ontology=own, secrets=tuple(task.secrets))
    return replace(release, before=before, private={**release.private, **record})
