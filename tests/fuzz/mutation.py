"""Damage that files suffer: flipped bytes, lost and doubled pieces, strange numbers, marks and names."""

import random

MARKS = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3\x28",
    b"\r",
    b"\n\n",
    *(bytes([one]) for one in b"\"',;\t{}[]:-*"),
]
NUMBERS = [
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"inf",
    b"99999999999999999999",
    b"0.5%",
    b"101%",
    b"null",
    b"true",
    b"[1, 5)",
]
NAMES = [b"&a", b"*a", b"<<: *a", b"../../etc/passwd", b"/dev/null", b"%s%n", "Ωμέγα".encode(), "\u202e".encode()]
LARGE = [b"k-anonymity:k=" + b"9" * 400, b"[" * 3000, b"{a: " * 500, b"a" * 5000]
STRANGE = MARKS + NUMBERS + NAMES + LARGE


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the content with one to four damages."""
    for _ in range(chance.randint(1, 4)):
        content = chance.choice(DAMAGES)(content, chance)
    return content


def _place(content, chance):
    return chance.randint(0, len(content))


def _flip(content, chance):
    if not content:
        return b"\x00"
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 4, 32])):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(content, chance):
    return content[: _place(content, chance)]


def _remove(content, chance):
    start = _place(content, chance)
    return content[:start] + content[start + chance.randint(1, 40) :]


def _double(content, chance):
    start = _place(content, chance)
    piece = content[start : start + chance.randint(1, 60)]
    return content[:start] + piece * chance.choice([2, 3, 20]) + content[start:]


def _insert(content, chance):
    start = _place(content, chance)
    return content[:start] + chance.choice(STRANGE) + content[start:]


def _replace_word(content, chance):
    words = content.split(b" ")
    words[chance.randrange(len(words))] = chance.choice(STRANGE)
    return b" ".join(words)


def _swap_lines(content, chance):
    lines = content.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def _drop_line(content, chance):
    lines = content.split(b"\n")
    del lines[chance.randrange(len(lines))]
    return b"\n".join(lines)


DAMAGES = [_flip, _flip, _cut, _remove, _double, _insert, _insert, _replace_word, _swap_lines, _drop_line]
