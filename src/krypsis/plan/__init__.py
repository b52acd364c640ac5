"""A plan declares a run: data, roles, hierarchies, promises, objective, limits, outputs."""

from krypsis.plan.plan import Plan

__all__ = ["Plan"]
