"""Fail if a page of the built site fetches anything from elsewhere: it must work without a network."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SITE = Path(__file__).parent.parent / "site"
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?P<src>(?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|preconnect|icon|modulepreload|dns-prefetch))"""
    r"""[^>]*\bhref=["']?(?P<href>(?:https?:)?//[^"'\s>]+)"""
)
IN_STYLE = re.compile(r"""(?:@import\s+|url\()["']?(?P<url>(?:https?:)?//[^"')\s]+)""")


def main() -> None:
    """Print every address that would be fetched, and fail if there is one."""
    pages = sorted(SITE.rglob("*.html"))
    if not pages:
        sys.exit(f"no page found in {SITE}; run ./dev docs")
    found = [f"{page.relative_to(SITE)}: {url}" for page in pages for url in fetched(page.read_text("utf-8"), LOADED)]
    styles = sorted(SITE.rglob("*.css"))
    found += [
        f"{page.relative_to(SITE)}: {url}" for page in styles for url in fetched(page.read_text("utf-8"), IN_STYLE)
    ]
    if found:
        sys.exit("the site fetches from elsewhere:\n" + "\n".join(found))
    print(f"{len(pages)} pages, none fetches anything from elsewhere")


def fetched(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Return the addresses a text makes a browser fetch."""
    return [next(filter(None, match.groups())) for match in pattern.finditer(text)]


if __name__ == "__main__":
    main()
