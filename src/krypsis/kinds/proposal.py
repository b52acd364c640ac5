"""The plan that a kind of data proposes for a file, with what is in the file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProfileTable:
    """A table of what was found in the data, for a screen."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[str, ...] = ()
    """Headings of numbers."""
    details: tuple[str, ...] = ()
    """Headings that narrow screens leave out."""


@dataclass(frozen=True)
class ProfileView:
    """What was found in the data, for a screen."""

    summary: str
    """What the data is, in one line."""
    tables: tuple[ProfileTable, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProposedPlan:
    """A plan to edit, what was found in the data, and what to do next."""

    text: str
    """The plan, as commented YAML."""
    profile: ProfileView
    warnings: tuple[str, ...] = ()
    """What the publisher should know before the plan is run."""
    missing: tuple[str, ...] = ()
    """What has to be done before the plan can be run, in sentences."""
    look_at: str = "the roles in it"
    """What to check in the plan."""
    following: tuple[str, ...] = ()
    """The command that follows, without ``krypsis``; the plan stands where :data:`PLAN_PLACE` stands."""


PLAN_PLACE = "{plan}"
"""Where the path of the plan goes in a command."""
