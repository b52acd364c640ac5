"""Trying attacks on a release of a project, and on the data as it was where that can be."""

from collections.abc import Sequence
from typing import Any

from krypsis import registry
from krypsis.attacks.base import Attack
from krypsis.errors import UsageError
from krypsis.kinds.base import kind_named
from krypsis.progress import Interrupted, Progress
from krypsis.projects import Project
from krypsis.projects.attack_trials import attacks_on
from krypsis.projects.published_release import PublishedRelease
from krypsis.release.release import Release


def run(project: Project, progress: Progress, *, release: int, attacks: Sequence[str] = ()) -> dict[str, Any]:
    """Return how often attacks succeed, with the words of the registry.

    Parameters
    ----------
    project, progress
        whose release is attacked, and who follows it.
    release
        the number of a release of the project.
    attacks
        with their parameters, such as ``vertex-refinement:depth=2``; without any, all that every report shows.
    """
    progress.phase("read")
    published = PublishedRelease.of(project, release)
    target, before = _targets(published)
    progress.phase("attack")
    found = []
    for attack in _wanted(published.manifest.kind, attacks):
        for aimed in attack.aimed_at(target):
            if progress.wants_stop():
                raise Interrupted("the attacks were stopped")
            unprotected = aimed.run(before).as_dict() if before is not None and aimed.aimed_at(before) else None
            found.append({**_words(aimed), "before": unprotected, "after": aimed.run(target).as_dict()})
    if not found:
        raise UsageError("none of these attacks can be tried on this release")
    return {"release": release, "attacks": found}


def _targets(published: PublishedRelease) -> tuple[Release, object]:
    """Return the release, and the data as it was; nothing for kinds whose attacks need the release alone."""
    kind, release = kind_named(published.manifest.kind), Release.load(published.folder)
    if not kind.compares_attacks:
        return release, None
    if not published.is_of_this_data:
        raise UsageError("the data of this project was replaced after this release was made; publish it anew first")
    release = kind.with_before(release, published.folder, published.project.plan())
    return release, kind.unprotected(release)


def _wanted(kind: str, specs: Sequence[str]) -> list[Attack]:
    if specs:
        return [registry.create("attack", spec) for spec in specs]
    return [cls() for cls in attacks_on(kind).values() if getattr(cls, "reported", True)]


def _words(attack: Attack) -> dict[str, str]:
    return {
        "spec": attack.spec,
        "title": attack.title,
        "knowledge": attack.knowledge,
        "success": attack.success,
        "baseline": attack.baseline,
    }
