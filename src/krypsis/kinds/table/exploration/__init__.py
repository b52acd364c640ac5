"""The solution space: every node of a lattice with its risk and its loss, and the best trade-offs among them."""

from krypsis.kinds.table.exploration.exploration import RISKS, Exploration, Risk, load_exploration
from krypsis.kinds.table.exploration.explore import MOST_NODES, Recorder, explore_task

__all__ = ["MOST_NODES", "RISKS", "Exploration", "Recorder", "Risk", "explore_task", "load_exploration"]
