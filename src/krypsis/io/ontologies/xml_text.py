"""XML that strangers send: decoded as it says, with its own short entities replaced, and nothing fetched."""

import re

from krypsis.errors import DataError
from krypsis.io.source import TextSource, undecodable

DECLARATION = re.compile(rb"\s*<\?xml\b[^>]*?\sencoding\s*=\s*[\"']([A-Za-z][\w.-]*)[\"']")
PROLOG = re.compile(r"(?>\s|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
DOCTYPE = re.compile(r"<!DOCTYPE\s+[^\s\[>]+\s*(?P<outside>[^\[>]*)(?P<inside>\[)?")
PART = re.compile(
    r"""
    \s+ | <!--.*?--> | <\?.*?\?>
    | <!ENTITY\s+(?P<name>[\w:.-]+)\s+(?:"(?P<value>[^"]*)"|'(?P<other>[^']*)')\s*>
    | (?P<end>\]\s*>)
    """,
    re.VERBOSE | re.DOTALL,
)
REFERENCE = re.compile(r"&([A-Za-z_:][\w:.-]*);")
CONTENT = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|&([A-Za-z_:][\w:.-]*);", re.DOTALL)
USUAL = frozenset({"amp", "lt", "gt", "quot", "apos"})
LONGEST = 10_000
"""Characters that an entity may stand for: they are meant for the beginning of names."""
MOST_ENTITIES = 1_000
LARGEST = 100
"""How many times as large as the file the text may become."""


def xml_text(source: TextSource) -> str:
    """Return the text of an XML file without its document type, and with the entities replaced that stand there.

    Raises
    ------
    DataError
        if it is not text in its encoding, or has entities that lie outside, that are long, or that make the text
        much longer.
    """
    head = source.head()
    if source.data is None or source.encoding == "utf-8":
        found = DECLARATION.match(head.removeprefix(b"\xef\xbb\xbf"))
        declared = found[1].decode().lower() if found else "utf-8"
        if declared not in {"utf-8", "utf8", "us-ascii", "ascii"}:
            source = TextSource.open(source.path, declared)
    try:
        text = source.text()
    except UnicodeDecodeError as error:
        raise undecodable(source.path, source.encoding, source.array().tobytes(), error) from None
    return without_entities(text, source.path.name)


def without_entities(text: str, where: str) -> str:
    """Return an XML text without its document type, of which only short entities are understood.

    Examples
    --------
    >>> without_entities('<!DOCTYPE a [<!ENTITY e "http://e.org/">]><a b="&e;c"/>', "example")
    '<a b="http://e.org/c"/>'
    """
    start = PROLOG.match(text)
    begin = start.end() if start else 0
    found = DOCTYPE.match(text, begin)
    if found is None:
        if text.startswith("<!DOCTYPE", begin):
            raise DataError(f"{where}: the document type cannot be understood; expected <!DOCTYPE name [ … ]>")
        return _without_declaration(text)
    if re.match(r"SYSTEM\b|PUBLIC\b", found["outside"]):
        raise DataError(
            f"{where}: the document type lies in another file, which nothing fetches; expected entities in the file "
            "itself, or none"
        )
    entities: dict[str, str] = {}
    end = found.end()
    if found["inside"]:
        entities, end = _declared(text, end, where)
    elif text[end : end + 1] == ">":
        end += 1
    blank = "\n" * text.count("\n", begin, end)  # so that lines keep their numbers
    return _without_declaration(text[:begin]) + blank + _replaced(text[end:], entities, where)


def _without_declaration(text: str) -> str:
    """Return the text without its XML declaration: it is decoded already."""
    return re.sub(r"\A\s*<\?xml\b.*?\?>", "", text, count=1, flags=re.DOTALL)


def _declared(text: str, place: int, where: str) -> tuple[dict[str, str], int]:
    """Return the entities of a document type, and where it ends."""
    entities: dict[str, str] = {}
    while found := PART.match(text, place):
        place = found.end()
        if found["end"]:
            return entities, place
        if found["name"]:
            value = found["value"] if found["value"] is not None else found["other"]
            entities.setdefault(found["name"], _value(value, entities, where))
            if len(entities) > MOST_ENTITIES:
                raise DataError(f"{where} declares more than {MOST_ENTITIES:,} entities; expected a few")
    line = text.count("\n", 0, place) + 1
    raise DataError(
        f'{where}, line {line}: the document type may hold entities such as <!ENTITY name "text"> and nothing else, '
        f"neither from other files nor with %; got {text[place : place + 40]!r}"
    )


def _value(value: str, entities: dict[str, str], where: str) -> str:
    """Return what an entity stands for; those in it are declared before it."""
    if "<" in value or "%" in re.sub(r"%[0-9A-Fa-f]{2}", "", value):
        raise DataError(f"{where}: an entity may stand for text alone, got {value[:60]!r}")
    size = len(value) + sum(len(entities.get(name, "")) for name in REFERENCE.findall(value))
    if size > LONGEST:
        raise DataError(f"{where}: an entity stands for more than {LONGEST:,} characters; expected a short text")
    return REFERENCE.sub(lambda found: entities.get(found[1], found[0]), value)


def _replaced(text: str, entities: dict[str, str], where: str) -> str:
    values = {name: value.replace('"', "&quot;").replace("'", "&apos;") for name, value in entities.items()}
    size, limit = 0, LARGEST * (len(text) + LONGEST)

    def replacing(found: re.Match[str]) -> str:
        nonlocal size
        name = found[1]
        if name is None or name in USUAL:
            return found[0]
        if name not in values:
            line = text.count("\n", 0, found.start()) + 1
            raise DataError(f"{where}, line {line} after the document type: the entity {found[0]!r} is not declared")
        size += len(values[name])
        if size > limit:
            raise DataError(f"{where}: entities make the text more than {LARGEST} times as long; expected short ones")
        return values[name]

    return CONTENT.sub(replacing, text) if values else text
