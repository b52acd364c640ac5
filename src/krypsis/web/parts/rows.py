"""Rows of a table, a page at a time: the browser never holds more."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from nicegui import run, ui

from krypsis.web.parts.tables import quoted
from krypsis.web.texts import say

PAGE = 20
LONGEST = 80
"""Longer texts are cut."""


class Rows:
    """A table of which one page is shown; ``take`` returns the rows from a place on."""

    def __init__(self, total: int, take: Callable[[int, int], pl.DataFrame], label: str, size: int = PAGE) -> None:
        self._total, self._take, self._size, self._start = total, take, size, 0
        with ui.element("div").classes("kr-scroll").props(f'tabindex="0" role="region" aria-label="{quoted(label)}"'):
            self._body = ui.element("table").classes("kr-table kr-rows")
        with ui.row().classes("kr-actions"):
            self._button("first_page", "first", lambda: 0)
            self._button("chevron_left", "previous", lambda: self._start - self._size)
            self._place = ui.label().classes("kr-quiet")
            self._button("chevron_right", "following", lambda: self._start + self._size)
            self._button("last_page", "last", lambda: (self._total - 1) // self._size * self._size)

    def _button(self, icon: str, name: str, place: Callable[[], int]) -> None:
        button = ui.button(icon=icon, on_click=lambda: self.turn_to(place()))
        button.props(f'flat dense round aria-label="{say(f"frame.{name}")}"')

    async def turn_to(self, start: int) -> None:
        """Show the page that begins at a row."""
        self._start = max(0, min(start, (self._total - 1) // self._size * self._size))
        page = await run.io_bound(self._take, self._start, self._size)
        if page is None:  # the server is about to stop
            return
        last = min(self._start + self._size, self._total)
        self._place.set_text(
            say("frame.rows", first=f"{self._start + 1:,}", last=f"{last:,}", total=f"{self._total:,}")
        )
        self._body.clear()
        with self._body:
            self._fill(page)

    def _fill(self, page: pl.DataFrame) -> None:
        with ui.element("thead"), ui.element("tr"):
            for name in page.columns:
                with ui.element("th").props('scope="col"'):
                    ui.label(_shown(name))
        with ui.element("tbody"):
            for row in page.iter_rows():
                with ui.element("tr"):
                    for value in row:
                        with ui.element("td").classes("" if value is not None else "kr-quiet"):
                            ui.label(_shown(value))


def _shown(value: object) -> str:
    text = say("frame.no-value") if value is None else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
