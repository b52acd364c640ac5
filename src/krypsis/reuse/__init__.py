"""New rows, recoded as a release was: by themselves, or together with it."""

from krypsis.reuse.apply import apply_recipe

__all__ = ["apply_recipe"]
