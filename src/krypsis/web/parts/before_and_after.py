"""The table before and after, a page at a time, record by record."""

from __future__ import annotations

import polars as pl
from nicegui import run, ui

from krypsis.projects.published_release import PublishedRelease
from krypsis.web.parts.frame import heading
from krypsis.web.parts.rows import Pager, fill, rows_table
from krypsis.web.texts import say

SIZE = 10
"""Rows of a page: both tables should fit on a screen."""


class BeforeAndAfter:
    """A release next to the table that it was made of: record by record, or page by page where the order is unknown."""

    def __init__(self, release: PublishedRelease) -> None:
        self._release = release
        self._note = ui.label().classes("kr-quiet")
        with ui.element("div").classes("kr-two"):
            self._before, self._after = _side("before"), _side("after")
        self._pager = Pager(release.manifest.rows, self._turn, SIZE)

    async def show(self) -> None:
        """Show the first page."""
        await self._pager.turn_to(0)

    async def _turn(self, start: int, count: int) -> None:
        pages = await run.io_bound(self._pages, start, count)
        if pages is None:  # the server is about to stop
            return
        before, after, are_paired = pages
        self._note.set_text(say("result.paired" if are_paired else "result.not-paired"))
        fill(self._before, before)
        fill(self._after, after, before if are_paired else None)

    def _pages(self, start: int, count: int) -> tuple[pl.DataFrame, pl.DataFrame, bool]:
        release = self._release
        after, paired = release.after(start, count), release.before(start, count)
        if paired is None:
            return release.project.rows(start, count), after, False
        return paired, after, paired.columns == after.columns


def _side(name: str) -> ui.html:
    with ui.element("div").classes("kr-stack"):
        heading(say(f"result.{name}"), 3)
        return rows_table(say(f"result.{name}"))
