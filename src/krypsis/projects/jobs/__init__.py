"""Jobs: long work in processes of its own, with progress in files."""

from krypsis.projects.jobs.job import Job, State
from krypsis.projects.jobs.queue import Queue

__all__ = ["Job", "Queue", "State"]
