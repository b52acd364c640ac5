"""Small tables: a few rows that are there as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nicegui import ui

Cell = str | Callable[[], object]
"""A text, or what shows something in the cell."""


def plain_table(
    head: Sequence[str], rows: Iterable[Sequence[Cell]], label: str, numbers: Sequence[int] = ()
) -> ui.element:
    """Show a table whose first column says what a row is about.

    Parameters
    ----------
    head
        the names of the columns; an empty one has none.
    rows
        the cells.
    label
        what the table is, for those who do not see it.
    numbers
        the places of columns that hold numbers.
    """
    props = f'tabindex="0" role="region" aria-label="{quoted(label)}"'
    with ui.element("div").classes("kr-scroll").props(props) as box, ui.element("table").classes("kr-table"):
        with ui.element("thead"), ui.element("tr"):
            for place, name in enumerate(head):
                _cell("th", name, place in numbers, 'scope="col"' if name else "")
        with ui.element("tbody"):
            for row in rows:
                with ui.element("tr"):
                    _cell("th", row[0], 0 in numbers, 'scope="row"')
                    for place, cell in enumerate(row[1:], 1):
                        _cell("td", cell, place in numbers)
    return box


def _cell(tag: str, content: Cell, is_number: bool, props: str = "") -> None:
    # a heading of a column without a name would be an empty heading to those who listen
    tag = "td" if tag == "th" and not content else tag
    with ui.element(tag).props(props).classes("kr-number" if is_number else ""):
        ui.label(content) if isinstance(content, str) else content()


def quoted(text: str) -> str:
    """Return a text that may stand in a property between quotation marks."""
    return text.replace("\\", "\\\\").replace('"', "”")
