"""A recipe: how a table was recoded, in a form that new rows can be recoded by."""

from krypsis.recipe.recipe import Recipe
from krypsis.recipe.stored import StoredHierarchy

__all__ = ["Recipe", "StoredHierarchy"]
