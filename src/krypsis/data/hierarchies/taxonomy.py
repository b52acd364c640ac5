"""A taxonomy: a tree of concepts whose leaves are the values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from krypsis.data.hierarchies.base import TOP, Hierarchy, Label, RuleBuilder

DEEPEST = 64

Path = tuple[str, ...]
"""A node with its ancestors, from the root down."""


class Taxonomy(RuleBuilder):
    """A tree: every node names its children, and the leaves are the values.

    The children are a mapping, a list, or both mixed. Several roots are joined under ``*``. A leaf that lies less deep
    than others is repeated until it meets its parent, so that a level is the same distance from the root everywhere.

    Examples
    --------
    >>> job = Taxonomy(tree={"Any": {"Student": ["Undergraduate", "Postgraduate"], "Retired": []}})
    >>> job.build(["Retired", "Undergraduate"], "job").rows()
    [['Undergraduate', 'Student', 'Any'], ['Postgraduate', 'Student', 'Any'], ['Retired', 'Retired', 'Any']]
    """

    kind: ClassVar[str] = "taxonomy"

    tree: dict[str, Any] = Field(min_length=1, description="the root with its children, down to the values")

    @model_validator(mode="after")
    def _check_tree(self) -> Self:
        _check_names(self._paths())
        return self

    def build(self, values: Sequence[Label], name: str) -> Hierarchy:
        """Return the hierarchy of the whole tree, which names its values itself."""
        return super().build(values or [path[-1] for path in self._paths()], name)

    def columns(self, values: Sequence[str], name: str) -> Iterator[list[str]]:  # noqa: ARG002
        paths = self._paths()
        depth = max(map(len, paths))
        rows = [(path[-1],) * (depth - len(path)) + path[::-1] for path in paths]
        return map(list, zip(*rows, strict=True))

    def _paths(self) -> list[Path]:
        tree = self.tree if len(self.tree) == 1 else {TOP: self.tree}
        return [path for path in _leaves(tree, ()) if path]


def _leaves(node: object, above: Path) -> Iterator[Path]:
    if len(above) > DEEPEST:
        raise ValueError(f"the tree is deeper than {DEEPEST} levels, below {above[1]!r}")
    if isinstance(node, Mapping):
        children = [(_name(child, above), below) for child, below in node.items()]
    elif isinstance(node, list | tuple):
        yield from _leaves_of_list(node, above)
        return
    else:
        children = [] if node is None or node == "" else [(_name(node, above), None)]
    if not children:
        yield above
    for child, below in children:
        yield from _leaves(below, (*above, child))


def _leaves_of_list(nodes: Sequence[object], above: Path) -> Iterator[Path]:
    if not nodes:
        yield above
    for node in nodes:
        if isinstance(node, list | tuple) or node is None or node == {}:
            raise ValueError(f"below {above[-1]!r} stands {node!r}; expected names and mappings of names")
        yield from _leaves(node, above)


def _name(given: object, above: Path) -> str:
    if isinstance(given, str | int | float) and not isinstance(given, bool) and given != "":
        return str(given)
    place = f"below {above[-1]!r}" if above else "at the root"
    raise ValueError(f"{place} stands {given!r} ({type(given).__name__}); a node is named by a text")


def _check_names(paths: Sequence[Path]) -> None:
    """Raise if a name stands twice, except a leaf called like its own ancestor: its row would mean something else."""
    inner: dict[str, Path] = {path[:end][-1]: path[:end] for path in paths for end in range(1, len(path))}
    leaves: set[str] = set()
    for path in paths:
        if path[-1] in leaves:
            raise ValueError(f"{path[-1]!r} stands twice in the tree; give each value one place")
        leaves.add(path[-1])
        if path[-1] in inner and path[-1] not in path[:-1]:
            raise ValueError(f"{path[-1]!r} is a value and also has values below it elsewhere; rename one of them")
        for end in range(1, len(path)):
            if inner[path[end - 1]] != path[:end]:
                raise ValueError(f"{path[end - 1]!r} has values below it in two places; rename one of them")
