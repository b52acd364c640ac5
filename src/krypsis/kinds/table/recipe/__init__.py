"""A recipe: how a table was recoded, in a form that new rows can be recoded by."""

from krypsis.kinds.table.recipe.recipe import Recipe
from krypsis.kinds.table.recipe.stored_hierarchy import StoredHierarchy

__all__ = ["Recipe", "StoredHierarchy"]
