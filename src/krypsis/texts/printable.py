"""Text from data and files, so that it can be printed and does nothing to a terminal."""

import re

HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, among them the escape that terminals obey
    "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"  # change the direction of the text that follows
    "\u2028\u2029"  # separate lines and paragraphs
    "\ud800-\udfff\ufffe\uffff]"  # are no characters
)
"""Characters that do something instead of being shown. Line feeds and tabs are left: they lay out our own text."""


def harmless(text: str) -> str:
    r"""Return a text in which harmful characters are written as in JSON, so that JSON stays what it is.

    Examples
    --------
    >>> harmless("\x1b[2Jflu"), harmless("one\ntwo")
    ('\\u001b[2Jflu', 'one\ntwo')
    """
    return HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    r"""Return a harmless text that cannot pretend to be several lines.

    Examples
    --------
    >>> one_line("age\nKept: everything")
    'age\\nKept: everything'
    """
    return harmless(text).replace("\n", "\\n").replace("\t", "\\t")
