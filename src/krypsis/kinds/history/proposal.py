"""The plan that is proposed for a table that changes, with the profile of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from krypsis.io.dataset import Dataset
from krypsis.io.read import read_table
from krypsis.kinds.proposal import PLAN_PLACE, ProposedPlan
from krypsis.kinds.table.proposal import profile_view
from krypsis.profile.history_plan_file import history_plan
from krypsis.profile.plan_file import reading_of
from krypsis.profile.roles import guess_roles
from krypsis.profile.table import profile_table


def propose_history(file: Path, data: str, reading: Mapping[str, str | None]) -> ProposedPlan:
    """Return the plan that is proposed for the first version of a table; ``data`` is its path as seen from the plan."""
    dataset = Dataset(read_table(file, **reading), file.name, file)
    profile = profile_table(dataset)
    proposed = history_plan(profile, dataset, data, reading_of(file, **reading))
    return ProposedPlan(
        text=proposed.text,
        profile=profile_view(profile, guess_roles(profile)),
        missing=proposed.missing,
        following=("history", "init", str(file), "--id", proposed.id or "", "--plan", PLAN_PLACE),
    )
