"""Small tables: a few rows that are there as a whole.

Rows of a table, a page at a time: the browser never holds more.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from html import escape

import polars as pl
from nicegui import run, ui

from krypsis.web.texts import say

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


PAGE = 20
LONGEST = 80
"""Longer texts are cut."""


class Pager:
    """Buttons that turn the pages of a table; ``show`` puts the rows from a place on into view."""

    def __init__(self, total: int, show: Callable[[int, int], Awaitable[None]], size: int = PAGE) -> None:
        self._total, self._show, self._size, self._start = total, show, size, 0
        with ui.row().classes("kr-actions"):
            self._button("first_page", "first", lambda: 0)
            self._button("chevron_left", "previous", lambda: self._start - self._size)
            self._place = ui.label().classes("kr-quiet")
            self._button("chevron_right", "following", lambda: self._start + self._size)
            self._button("last_page", "last", lambda: self._total)

    def _button(self, icon: str, name: str, place: Callable[[], int]) -> None:
        button = ui.button(icon=icon, on_click=lambda: self.turn_to(place()))
        button.mark(name).props(f'flat dense round aria-label="{say(f"frame.{name}")}"')

    async def turn_to(self, start: int) -> None:
        """Show the page that begins at a row."""
        self._start = max(0, min(start, (self._total - 1) // self._size * self._size))
        await self._show(self._start, self._size)
        last = min(self._start + self._size, self._total)
        self._place.set_text(
            say("frame.rows", first=f"{self._start + 1:,}", last=f"{last:,}", total=f"{self._total:,}")
        )


class PagedRows:
    """A table of which one page is shown; ``take`` returns the rows from a place on."""

    def __init__(self, total: int, take: Callable[[int, int], pl.DataFrame], label: str, size: int = PAGE) -> None:
        self._take, self._body = take, rows_table(label)
        self.turn_to = Pager(total, self._show, size).turn_to

    async def _show(self, start: int, count: int) -> None:
        page = await run.io_bound(self._take, start, count)
        if page is not None:  # else the server is about to stop
            fill(self._body, page)


def rows_table(label: str) -> ui.html:
    """Show an empty table that can be scrolled sideways."""
    with ui.element("div").classes("kr-scroll").props(f'tabindex="0" role="region" aria-label="{quoted(label)}"'):
        return ui.html("", tag="table", sanitize=False).classes("kr-table kr-rows")


def fill(body: ui.html, page: pl.DataFrame, other: pl.DataFrame | None = None) -> None:
    """Put rows into a table; cells that differ from those of another page of the same shape are marked.

    They are written as one piece: as many elements as there are cells would take half of the time of a page.
    """
    head = "".join(f'<th scope="col">{escape(_shown(name))}</th>' for name in page.columns)
    pairs = zip(page.iter_rows(), (page if other is None else other).iter_rows(), strict=True)
    rows = "".join(f"<tr>{''.join(map(_shown_cell, row, before))}</tr>" for row, before in pairs)
    body.set_content(f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>")


def _shown_cell(value: object, before: object) -> str:
    kinds = ("kr-quiet" if value is None else "", "" if _is_same(value, before) else "kr-changed")
    return f'<td class="{" ".join(filter(None, kinds))}">{escape(_shown(value))}</td>'


def _is_same(one: object, other: object) -> bool:
    return one == other or (one is not None and other is not None and str(one) == str(other))


def _shown(value: object) -> str:
    text = say("frame.no-value") if value is None else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
