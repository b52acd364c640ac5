"""Make the pictures of the web app: serve the demo, visit its pages in chromium, and write docs/pictures/*.png.

Run it after the pages have changed: python docs/make_pictures.py
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).with_name("pictures")
SIZE = {"width": 1280, "height": 800}
SCALE = 0.75
LARGEST = 150_000
"""Bytes of a picture; the documentation should stay small."""

DEMO = "demo-hospital"
SHOWN = {  # page: what must be there, what to scroll to, whether it is dark
    "data": ("What is in the columns", None, False),
    "explore": ("The best trade-offs", "Risk and loss", False),
    "result": ("Before and after", "Before and after", True),
    "attack": ("Linkage", "Finding the record", False),
}


def main() -> None:
    """Make all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, _serving(Path(folder)) as address, _chromium() as browser:
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        page.get_by_role("button", name="Start with the demo data").click()
        page.get_by_text("What is in the columns").wait_for()
        for kind in ("run", "explore"):
            _work(address, kind)
        for name, (text, place, is_dark) in SHOWN.items():
            _take(browser, f"{address}/projects/{DEMO}/{name}", name, text, place, is_dark=is_dark)


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "krypsis.cli.main",
        "serve",
        "--port",
        "0",
        "--no-token",
        "--allow-paths",
        "--workspace",
        str(folder / "projects"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  our own program
        try:
            first = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://\S+?(?=/ )", first)
            if found is None:
                sys.exit(f"krypsis serve did not say where it is: {first}")
            yield found[0]
        finally:
            process.terminate()


@contextmanager
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


def _work(address: str, kind: str) -> None:
    """Start a job and wait for its end."""
    with httpx.Client(base_url=f"{address}/api/projects/{DEMO}", timeout=60) as api:
        job = api.post("/jobs", json={"kind": kind}).raise_for_status().json()
        while job["state"] in ("waiting", "running"):
            time.sleep(0.3)
            job = api.get(f"/jobs/{job['id']}").raise_for_status().json()
    if job["state"] != "done":
        sys.exit(f"{kind} ended with {job['state']}: {job['error']}")


def _take(browser: Browser, address: str, name: str, text: str, place: str | None, *, is_dark: bool) -> None:
    scheme: Literal["dark", "light"] = "dark" if is_dark else "light"
    page: Page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=SCALE)
    page.goto(address)
    page.get_by_text(text).first.wait_for()
    if place is not None:
        page.get_by_role("heading", name=place).evaluate("part => part.scrollIntoView({block: 'center'})")
        page.mouse.wheel(0, 120)
    page.wait_for_timeout(1500)  # charts are drawn after the page is there
    file = PICTURES / f"{name}.png"
    page.screenshot(path=file)
    print(f"{file.name}: {file.stat().st_size:,} bytes")
    if file.stat().st_size > LARGEST:
        sys.exit(f"{file.name} is larger than {LARGEST:,} bytes; show less of the page")


if __name__ == "__main__":
    main()
