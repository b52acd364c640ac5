"""A visitor without a browser, for tests of single pages."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from nicegui import Client, core, ui
from nicegui.functions.download import download
from nicegui.functions.navigate import Navigate
from nicegui.functions.notify import notify
from nicegui.storage import Storage
from nicegui.testing import User
from nicegui.testing.general import nicegui_reset_globals, prepare_simulation

from krypsis.projects import Workspace
from krypsis.web.pages import add_pages
from krypsis.web.served import Served, ServerSettings, serve
from krypsis.web.server import STATIC, VISITORS
from patience import PATIENCE

LOOKS = 10 * PATIENCE
"""A visitor looks again after a tenth of a second."""


class Visitor(User):
    """Is patient: the machine may be busy."""

    async def should_see(self, *target, retries=LOOKS, **named):
        await super().should_see(*target, retries=retries, **named)

    async def should_not_see(self, *target, retries=LOOKS, **named):
        await super().should_not_see(*target, retries=retries, **named)


@asynccontextmanager
async def visiting(folder: Path, **settings) -> AsyncIterator[tuple[Visitor, Served]]:
    """Serve the pages of a workspace in this process, and visit them."""
    served = Served(Workspace(folder), ServerSettings(**settings))
    failure: BaseException | None = None
    with nicegui_reset_globals():
        os.environ["NICEGUI_USER_SIMULATION"] = "true"
        try:
            serve(served)
            Storage.path = served.workspace.root / VISITORS
            prepare_simulation()
            core.app.add_static_files("/static", STATIC)
            add_pages()
            ui.run(storage_secret="secret of a test")
            async with core.app.router.lifespan_context(core.app):
                transport = httpx.ASGITransport(core.app)
                async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                    try:
                        yield Visitor(client), served
                    except BaseException as error:  # noqa: BLE001  the pages shut down first, else they never end
                        failure = error
        finally:
            served.close()
            os.environ.pop("NICEGUI_USER_SIMULATION", None)
            ui.navigate, ui.notify, ui.download = Navigate(), notify, download
            Client.page_routes.clear()  # else the modules of the pages would be forgotten, and the package with them
    if failure is not None:
        raise failure


async def until(found):
    """Wait for what a function finds."""
    latest = time.monotonic() + PATIENCE
    while not (there := found()):
        assert time.monotonic() < latest, f"waited in vain for {PATIENCE} s"
        await asyncio.sleep(0.05)
    return there


async def over(served, project):
    """Wait for the last job."""

    def last():
        jobs = served.queue.jobs(project)
        return jobs[0] if jobs and jobs[0].is_over else None

    return await until(last)
