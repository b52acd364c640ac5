"""A real browser and a real server, for the few journeys that need them."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from krypsis.progress import NO_PROGRESS
from krypsis.projects import Workspace
from krypsis.projects.jobs.kinds import explore
from patience import PATIENCE
from web.running import run_default
from web.small import published_people

MILLISECONDS = 1000 * PATIENCE
"""A page may take so long."""


@dataclass(frozen=True)
class Site:
    """The server of all browser tests, in a process of its own."""

    printed: str
    """The address with the token."""
    workspace: Workspace

    @property
    def address(self) -> str:
        return self.printed.partition("/?")[0]

    def page_of(self, project: str, step: str) -> str:
        return f"{self.address}/projects/{project}/{step}"


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with run_default(folder, "--workspace", "mine") as printed:
        yield Site(printed, Workspace(folder / "mine"))


@pytest.fixture(scope="session")
def people(site) -> str:
    """The name of a project that was explored and published."""
    project = published_people(site)
    explore.run(project, NO_PROGRESS)
    return project.name


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; it is closed after each file, for nothing else can use the event loop meanwhile."""
    program = shutil.which("chromium")
    assert program, "these tests need chromium; on Debian and Ubuntu: apt-get install chromium"
    expect.set_options(timeout=MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser, site) -> Iterator[Page]:
    """A page at 1280 × 800; at the end nothing may have gone wrong in it, and nobody else have been asked."""
    complaints, asked = [], set()
    with browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True) as context:
        page = context.new_page()
        page.set_default_timeout(MILLISECONDS)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.add(urlsplit(request.url)))
        page.goto(site.printed)
        expect(page).to_have_url(f"{site.address}/")
        yield page
    assert complaints == []
    assert {url.netloc for url in asked if url.scheme not in {"data", "blob"}} <= {urlsplit(site.address).netloc}


@pytest.fixture
def choose_file(page):
    """Give a file to the first field of the page that takes one."""

    def choose(file: Path) -> None:
        page.locator("input[type=file]").first.set_input_files(file)

    return choose
