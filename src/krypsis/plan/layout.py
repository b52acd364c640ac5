"""The layout of a YAML text, kept while one entry of it changes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import yaml

MAPPINGS = (yaml.BlockMappingStartToken, yaml.FlowMappingStartToken)
LISTS = (yaml.BlockSequenceStartToken, yaml.FlowSequenceStartToken)
ENDS = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
VALUE = "A_NEW_VALUE"
"""Stands for a new value, so that no word of it is taken for one of those that are there."""
COMMENT = re.compile(r"#[^\r\n]*")
COMMENT_LINE = re.compile(r"(?<=\n)[ \t]*#[^\r\n]*")


def merged(
    old: str, new: str, value: str, *, column: int | None = None, note: str = "", as_comment: bool = False
) -> str:
    r"""Return a text with those words of another that differ from its own, and all else as it is.

    Words are scalars and signs such as colons; blanks and comments are the gaps between them. The new text may be laid
    out in any way, and has ``VALUE`` for a new ``value``; a line that is new begins in the ``column``, if one is given.
    A ``note`` stands behind the new value instead of the comment there. Lines that go may stay ``as_comment``.

    Examples
    --------
    >>> merged("a:   1   # one\nb:   2\n", f"a: {VALUE}\nb: 2\n", "5")
    'a:   5   # one\nb:   2\n'
    """
    newline = "\r\n" if "\r\n" in old else "\n"
    note = f"   # {note}" if note else ""
    change = _Change.between(old, new.replace("\n", newline), value, newline)
    if not change.come:
        return change.commented_out() if as_comment else change.removed()
    if as_comment:
        return change.replaced_above_comments(note)
    return change.replaced(note) if change.gone else change.added(column, note)


def without_comments(text: str) -> str:
    r"""Return a YAML text with nothing but its content: no comments, no blank lines.

    Examples
    --------
    >>> without_comments("# two entries\na: '# 1'   # one\n\nb: 2")
    "\na: '# 1'\nb: 2\n"
    """
    bare, end = "", 0
    for word in _words(text):
        gap = text[end : word.start]
        bare += ("\n" + gap.rpartition("\n")[2] if "\n" in gap else gap) + text[word.start : word.end]
        end = word.end
    return bare + "\n"


@dataclass(frozen=True)
class _Word:
    identity: tuple[type, str | None, int]
    """Its kind, what it says, and in how many mappings it stands."""
    start: int
    end: int


@dataclass(frozen=True)
class _Change:
    """The words that go from a text, those that come, and what stands around them."""

    old: str
    newline: str
    gone: Sequence[_Word]
    come: str
    """The new words, with the gaps between them."""
    lead: str
    """The gap before them in the new text."""
    begin: int
    """Where the last word before the change ends in the old text."""
    end: int
    """Where the first word behind the change begins there."""

    @classmethod
    def between(cls, old: str, new: str, value: str, newline: str) -> "_Change":
        olds, news = _words(old), _words(new)
        first = _common(olds, news)
        last = min(_common(olds[::-1], news[::-1]), len(olds) - first, len(news) - first)
        if first + last == len(olds):
            first, last = _from_line_start(new, news, first, last)
        elif first + last == len(news):
            first, last = _from_line_start(old, olds, first, last)
        gone, come = olds[first : len(olds) - last], news[first : len(news) - last]
        if any(issubclass(word.identity[0], yaml.AnchorToken | yaml.AliasToken) for word in (*gone, *come)):
            raise ValueError("other entries refer to this one")
        return cls(
            old,
            newline,
            gone,
            new[come[0].start : come[-1].end].replace(VALUE, value) if come else "",
            new[news[first - 1].end if first else 0 : come[0].start] if come else "",
            olds[first - 1].end if first else 0,
            olds[len(olds) - last].start if last else len(old),
        )

    @property
    def start(self) -> int:
        return self.gone[0].start if self.gone else self.begin

    @property
    def stop(self) -> int:
        return self.gone[-1].end if self.gone else self.begin

    @property
    def behind(self) -> tuple[str, str, str]:
        """The rest of the line behind the change, its end, and what follows until the next word."""
        return self.old[self.stop : self.end].partition(self.newline)

    @property
    def inner_comments(self) -> list[str]:
        """The lines between the words that go which are comments."""
        gaps = (self.old[one.end : two.start] for one, two in zip(self.gone, self.gone[1:], strict=False))
        return [line for gap in gaps for line in COMMENT_LINE.findall(gap)]

    def added(self, column: int | None, note: str) -> str:
        if "\n" not in self.lead:
            return self.old[: self.begin] + self.lead + self.come + note + self.old[self.begin :]
        indent = self.lead.rpartition("\n")[2] if column is None else " " * column
        rest, _, below = self.behind
        # Comments that are indented more belong to what stands above.
        above = re.match(rf"(?:{indent} +#[^\n]*\n)*", below).group()  # type: ignore[union-attr]
        line = indent + self.come + note + self.newline
        return self.old[: self.begin] + rest + self.newline + above + line + below[len(above) :] + self.old[self.end :]

    def replaced(self, note: str) -> str:
        lead, comments = self.old[self.begin : self.start], self.inner_comments
        if ("\n" in lead) != ("\n" in self.lead):  # lines become one, or one becomes lines
            lead, comments = self.lead, COMMENT.findall(lead) + comments
        rest, line_end, below = self.behind
        lines = "".join(f"{self.newline}  {text.strip()}" for text in comments)
        line_end = line_end or self.newline * bool(lines)
        return (
            self.old[: self.begin] + lead + self.come + (note or rest) + lines + line_end + below + self.old[self.end :]
        )

    def removed(self) -> str:
        if self._is_whole_lines:
            kept = "".join(line + self.newline for line in self.inner_comments)
            return self.old[: self._line_start] + kept + self.behind[2] + self.old[self.end :]
        gap = self.old[self.stop : self.end]
        return self.old[: self.start] + (gap if "#" in gap else "") + self.old[self.end :]

    def commented_out(self) -> str:
        if not self._is_whole_lines:
            raise ValueError("its lines hold something else, too")
        return self.old[: self._line_start] + _commented(self.old[self._line_start : self.stop]) + self.old[self.stop :]

    def replaced_above_comments(self, note: str) -> str:
        line_start = self.old.rfind("\n", 0, self.begin) + 1
        was = _commented(self.old[line_start : self.stop]) if self.gone else ""
        new = self.old[: self.begin] + self.lead + self.come + note
        return new + (self.newline + was) * bool(was) + self.old[self.stop :]

    @property
    def _line_start(self) -> int:
        return self.old.rfind("\n", 0, self.start) + 1

    @property
    def _is_whole_lines(self) -> bool:
        is_last = self.end == len(self.old)
        return not self.old[self._line_start : self.start].strip() and bool(self.behind[1] or is_last)


@lru_cache(maxsize=2)
def _words(text: str) -> list[_Word]:
    words, open_mappings = [], [False]
    for token in yaml.scan(text, Loader=yaml.BaseLoader):
        begin, end = token.start_mark.index, token.end_mark.index
        end = begin + len(text[begin:end].rstrip())  # a text in lines takes the blank ones behind it along
        if begin < end:
            words.append(_Word((type(token), getattr(token, "value", None), sum(open_mappings)), begin, end))
        if isinstance(token, MAPPINGS + LISTS):
            open_mappings.append(isinstance(token, MAPPINGS))
        elif isinstance(token, ENDS):
            open_mappings.pop()
    return words


def _common(some: Sequence[_Word], others: Sequence[_Word]) -> int:
    """Return how many words two texts have in common at their beginning."""
    pairs = enumerate(zip(some, others, strict=False))
    return next((place for place, (one, two) in pairs if one.identity != two.identity), min(len(some), len(others)))


def _from_line_start(text: str, words: Sequence[_Word], first: int, last: int) -> tuple[int, int]:
    """Return the same difference from the beginning of a line: of ``- a - b`` it may be ``- b`` as well as ``a -``."""
    for back in range(first + 1):
        start = words[first - back].start
        if not text[text.rfind("\n", 0, start) + 1 : start].strip():
            return first - back, last + back
        if back == first or words[first - back - 1].identity != words[len(words) - last - back - 1].identity:
            break
    return first, last


def _commented(text: str) -> str:
    """Return lines as comments at the same place; comments and empty lines stay."""
    return re.sub(r"(?m)^( *)(?=[^\s#])", r"\1# ", text)
