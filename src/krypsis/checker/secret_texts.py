"""Secrets as texts: whom they name, and how they are written so that they mean the same everywhere."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count

from krypsis.checker.ontologies import WILDCARD
from krypsis.data.ontologies import Ontology
from krypsis.data.ontologies.wording import Wording, in_brackets, quoted_name

ANYTHING = "urn:krypsis:anything:"


def names_nobody(secret: str, prefixes: Mapping[str, str]) -> bool:
    """Say whether a secret is a pattern about anybody: one that names somebody says that it may be true of them.

    Examples
    --------
    >>> names_nobody("ClassAssertion(:Smoker ?)", {}), names_nobody("ClassAssertion(:Smoker :ann)", {})
    (True, False)
    """
    if not WILDCARD.search(secret):
        return False
    return all(name.startswith(ANYTHING) for name in _read(secret, prefixes).individuals)


def strange_names(secrets: Iterable[str], known: Sequence[Ontology]) -> list[str]:
    """Return the names in secrets that occur nowhere: one that is misspelled would never follow.

    Examples
    --------
    >>> strange_names(["ClassAssertion(:Smokr ?)"], [Ontology.of_text("ClassAssertion(:Smoker :ann)")])
    [':Smokr']
    """
    prefixes = {prefix: name for part in reversed(known) for prefix, name in part.prefixes.items()}
    there = {name for part in known for names in (part.classes, part.individuals, part.roles) for name in names}
    read = [_read(secret, prefixes) for secret in secrets]
    named = [name for part in read for names in (part.classes, part.individuals, part.roles) for name in names]
    return list(dict.fromkeys(name for name in named if name not in there and not name.startswith(ANYTHING)))


def with_whole_names(secret: str, prefixes: Mapping[str, str]) -> str:
    """Return a secret in which no prefix is used: what is published may declare others, or none.

    A text that is not one axiom is returned as it is, to be refused where secrets are read.

    Examples
    --------
    >>> with_whole_names("ClassAssertion(x:Smoker ?)", {"x:": "http://example.org/"})
    'ClassAssertion(<http://example.org/Smoker> ?)'
    """
    read = _read(secret, prefixes)
    # Names without a namespace stay as they are, where no prefix could give them one.
    return _written(read, in_brackets if ":" in prefixes else quoted_name) if len(read) == 1 else secret


def is_plain(secret: str) -> bool:
    """Say whether a secret is written with whole names, as one is that is published, and holds nothing but an axiom.

    Examples
    --------
    >>> is_plain("ClassAssertion(:Smoker ?)"), is_plain("ClassAssertion(:Smoker ?) # Ann smokes")
    (True, False)
    """
    read = _read(secret, {})
    return len(read) == 1 and secret in (_written(read, in_brackets), _written(read, quoted_name))


def _written(read: Ontology, quoted: Callable[[str], str]) -> str:
    return re.sub(rf"<{ANYTHING}\d+>", "?", Wording(read, quoted).functional(0))


def _read(secret: str, prefixes: Mapping[str, str]) -> Ontology:
    places = count()
    text = WILDCARD.sub(lambda _: f"<{ANYTHING}{next(places)}>", secret)
    return Ontology.of_text(text, prefixes=dict(prefixes), where=f"secret {secret}", repeated=True)
