"""A tree of questions drawn as text."""

from collections.abc import Iterator

from krypsis.advisor.texts import Texts
from krypsis.advisor.tree import Edge, Tree


def drawn(tree: Tree, texts: Texts) -> str:
    """Return a tree as lines of text; a page that several answers lead to is drawn where it is met first.

    An arrow down goes on to the next question whatever the answer is. An answer that takes a model along names it
    after a plus sign; a model that completes the one at the end, after "with"; one that may take the place of all
    others, after "or".

    Examples
    --------
    >>> from krypsis.advisor import load_tree
    >>> from krypsis.advisor.texts import load_texts
    >>> print(drawn(load_tree("seed"), load_texts("en")).splitlines()[2])
    │  ├─ yes: page03a Does each person in the database correspond to exactly one record?
    """
    return "\n".join([_title(tree, texts, tree.start), *_below(tree, texts, tree.start, "", {tree.start})])


def _below(tree: Tree, texts: Texts, page: str, margin: str, seen: set[str]) -> Iterator[str]:
    question = tree.questions[page]
    if question.yes.to == question.no.to and question.yes.to not in {*seen, *tree.results}:
        seen.add(question.yes.to)
        yield f"{margin}↓  yes{_remarks(question.yes, texts)}, no{_remarks(question.no, texts)}"
        yield margin + _title(tree, texts, question.yes.to)
        yield from _below(tree, texts, question.yes.to, margin, seen)
        return
    for label, edge, corner, more in (("yes", question.yes, "├─", "│  "), ("no", question.no, "└─", "   ")):
        is_new = edge.to in tree.questions and edge.to not in seen
        shown = _title(tree, texts, edge.to) if is_new or edge.to in tree.results else f"→ {edge.to}"
        yield f"{margin}{corner} {label}: {shown}{_remarks(edge, texts)}"
        if is_new:
            seen.add(edge.to)
            yield from _below(tree, texts, edge.to, margin + more, seen)


def _title(tree: Tree, texts: Texts, page: str) -> str:
    if page in tree.results:
        return f"▸ {texts.results[tree.results[page]].title}"
    return f"{page} {texts.questions[tree.questions[page].text].question}"


def _remarks(edge: Edge, texts: Texts) -> str:
    signs = (("+", edge.collects), ("with", edge.adds), ("or", edge.offers))
    return "".join(f" ({sign} {texts.results[name].title})" for sign, names in signs for name in names)
