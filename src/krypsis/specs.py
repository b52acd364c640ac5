"""Specs: an object of the registry as one word, such as ``k-anonymity:k=5``, and lists with commas between."""

import re
from collections.abc import Iterable, Mapping

_PART = re.compile(r'((?:[^,"]|"(?:[^"]|"")*"|")*),')


def write_spec(name: str, parameters: Mapping[str, object]) -> str:
    """Return a name with its parameters; the registry reads it back.

    Examples
    --------
    >>> write_spec("loss", {}), write_spec("t-closeness", {"t": 0.2, "attribute": "pay, yearly"})
    ('loss', 't-closeness:t=0.2,attribute="pay, yearly"')
    >>> write_spec("bottom-up", {"block": None}), write_spec("noise", {"columns": ("age", "pay")})
    ('bottom-up:block=none', 'noise:columns="age,pay"')
    >>> write_spec("fixed", {"levels": {"age": 2, "zip": 0}})
    'fixed:levels="age=2,zip=0"'
    """
    given = [f"{key}={_quoted(value)}" for key, value in parameters.items()]
    return name + ":" * bool(given) + ",".join(given)


def _quoted(value: object) -> str:
    if isinstance(value, Mapping):
        value = tuple(f"{key}={part}" for key, part in value.items())
        text = ",".join(part if not set(part) & set(',"') else _quoted(part) for part in value)
    else:
        text = ",".join(map(_quoted, value)) if isinstance(value, tuple) else "none" if value is None else str(value)
    plain = text == text.strip() and not set(text) & set(',="')
    return text if plain else '"' + text.replace('"', '""') + '"'


def list_of_names(names: Iterable[str]) -> str:
    """Return names as a list that :func:`names_of` reads back.

    Examples
    --------
    >>> list_of_names(["age", "pay, yearly"])
    'age,"pay, yearly"'
    """
    return ",".join(map(_quoted, names))


def as_written(given: object) -> object:
    """Return a floating-point number as it is written: 1.6 means 8/5, which no such number is.

    Examples
    --------
    >>> as_written(1.6), as_written("8/5")
    ('1.6', '8/5')
    """
    return repr(given) if isinstance(given, float) else given


def names_of(given: object) -> object:
    """Return the names in a list such as ``age,sex``, each once; what is no text is left to its own checks.

    Examples
    --------
    >>> names_of('age, "pay, yearly",age')
    ('age', 'pay, yearly')
    """
    names = [unquoted(part) for part in split_list(given)] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return names
    return tuple(dict.fromkeys(name for name in names if name))


def sets_of(given: object) -> object:
    """Return the sets of names in a text such as ``"a,b",c``; what is no text is left to its own checks.

    Examples
    --------
    >>> sets_of('"a,b",c')
    (('a', 'b'), ('c',))
    """
    if not isinstance(given, str):
        return given
    return tuple(tuple(map(unquoted, split_list(unquoted(one)))) for one in split_list(given) if one)


def split_list(text: str) -> list[str]:
    """Split at the commas that do not stand in double quotes; spaces around a part mean nothing.

    Examples
    --------
    >>> split_list('age, sex ,"pay, yearly"')
    ['age', 'sex', '"pay, yearly"']
    """
    return [part.strip() for part in _PART.findall(text + ",")]


def unquoted(text: str) -> str:
    """Return what stands in double quotes, as it is; anything else stays.

    Examples
    --------
    >>> unquoted('" my ""age"" "'), unquoted("age")
    (' my "age" ', 'age')
    """
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1].replace('""', '"') if quoted else text
