"""The registry finds every model, algorithm, metric and attack: those of this package, of others, and of a notebook.

Those of this package are found by walking its folders. Another package names its classes as entry points, in a group
that is called as the folder is: ``krypsis.models``, ``krypsis.algorithms``, ``krypsis.metrics``, ``krypsis.attacks``.
A notebook calls :func:`register`.
"""

import importlib
import importlib.util
import pkgutil
import re
import warnings
from collections import defaultdict
from functools import cache
from importlib.abc import InspectLoader
from inspect import isabstract
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from krypsis.errors import ExtensionWarning, UnknownNameError, UsageError, did_you_mean, explain_parameters
from krypsis.specs import split_list, unquoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

KINDS = {
    "model": "krypsis.models",
    "algorithm": "krypsis.algorithms",
    "metric": "krypsis.metrics",
    "attack": "krypsis.attacks",
}

KINDS_OF_DATA = "krypsis.kinds"
"""The package with a folder for every kind of data."""

USUAL_KIND = "table"
"""The kind of data where none is named."""

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""What a name may look like: a spec, a plan and a manifest hold it."""

STATED_NAME = re.compile(r'^    name: ClassVar\[str\] = "([^"]+)"', re.MULTILINE)
"""How a class states its name."""

Registered = TypeVar("Registered", bound=type[Any])

_added: defaultdict[str, dict[str, type[Any]]] = defaultdict(dict)
"""Kind → the classes from outside this package, by name."""
_loaded: set[str] = set()
"""The kinds whose entry points were loaded."""
_failed: defaultdict[str, list[str]] = defaultdict(list)
"""Kind → what is wrong with packages that offer classes of it."""
_lock = RLock()


def classes(kind: str) -> dict[str, type[Any]]:
    """Return the registered classes of a kind by name, in alphabetical order.

    Examples
    --------
    >>> "k-anonymity" in classes("model")
    True
    """
    return dict(sorted({**built_in(kind), **_from_outside(kind)}.items()))


@cache
def built_in(kind: str) -> dict[str, type[Any]]:
    """Return the classes of a kind that are part of this package, by name, in alphabetical order."""
    from pydantic import BaseModel  # noqa: PLC0415  names alone do not need it

    package = importlib.import_module(KINDS[kind])
    found = {cls.name: cls for cls in concrete_classes(package, BaseModel) if _is_found(kind, cls)}
    return dict(sorted(found.items()))


@cache
def in_own_module(kind: str, name: str) -> type[Any] | None:
    """Return the class of this package that stands in a module called like it, or that says its name; else nothing.

    Importing all modules of a kind takes long, and who asks for one name needs one of them.

    Examples
    --------
    >>> in_own_module("model", "k-anonymity"), in_own_module("model", "unheard-of")
    (<class 'krypsis.models.k_anonymity.KAnonymity'>, None)
    >>> in_own_module("model", "entropy-l-diversity")
    <class 'krypsis.models.l_diversity.EntropyLDiversity'>
    """
    package = importlib.import_module(KINDS[kind])
    known = [module.name for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
    called_so = [module for module in known if module.rpartition(".")[2] == name.replace("-", "_")]
    for home in called_so or [module for module in known if f'name: ClassVar[str] = "{name}"' in _source_of(module)]:
        there: list[type[Any]] = [one for one in vars(importlib.import_module(home)).values() if isinstance(one, type)]
        for cls in there:
            if cls.__module__ == home and _is_found(kind, cls) and cls.name == name:
                return cls
    return None


@cache
def names_in_sources(kind: str) -> frozenset[str]:
    """Return the names of the classes of this package, read in their sources: a checker must not import what it checks.

    Examples
    --------
    >>> "loss" in names_in_sources("metric"), "unheard-of" in names_in_sources("metric")
    (True, False)
    """
    package = importlib.util.find_spec(KINDS[kind])
    places = [list(package.submodule_search_locations or ())] if package else []
    found: set[str] = set()
    for place in places:  # grows while folders are found
        for info in pkgutil.iter_modules(place):
            spec = info.module_finder.find_spec(info.name, None)
            if spec and isinstance(spec.loader, InspectLoader):
                found.update(STATED_NAME.findall(spec.loader.get_source(spec.name) or ""))
                places.append(list(spec.submodule_search_locations or ()))
    return frozenset(found)


def _source_of(module: str) -> str:
    """Return the text of a module, also from an archive, without running it; nothing where it has none."""
    spec = importlib.util.find_spec(module)
    source = spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None
    return source or ""


def _is_found(kind: str, cls: type[Any]) -> bool:
    """Say whether walking the package of a kind finds a class."""
    from pydantic import BaseModel  # noqa: PLC0415  names alone do not need it

    is_complete = issubclass(cls, BaseModel) and not isabstract(cls) and hasattr(cls, "name")
    return is_complete and cls.__module__.startswith(KINDS[kind] + ".")


def concrete_classes(package: ModuleType, base: type[Any]) -> list[type[Any]]:
    """Return every subclass of ``base`` that is not abstract, after importing all modules of a package.

    Classes of other packages are among them once their module was imported.

    Examples
    --------
    >>> import krypsis.models
    >>> from krypsis.models.base import GroupModel
    >>> "KAnonymity" in {cls.__name__ for cls in concrete_classes(krypsis.models, GroupModel)}
    True
    """
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    return [cls for cls in _subclasses(base) if not isabstract(cls)]


def _subclasses(cls: type[Any]) -> list[type[Any]]:
    return [found for child in cls.__subclasses__() for found in (child, *_subclasses(child))]


def register(cls: Registered) -> Registered:
    """Make a model, an algorithm, a metric or an attack of your own findable by its name; it also works as a decorator.

    From then on its specs are understood wherever this program reads one: by :func:`krypsis.anonymize`, in plans, and
    when a release that promises it is checked. Registering it again, as a notebook does when a cell runs twice,
    replaces the earlier definition. A class that is only passed as an object is registered by that.

    Raises
    ------
    UsageError
        if it is none of these, is not complete, or its name belongs to another.

    Examples
    --------
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> @register
    ... class EvenGroups(KAnonymity):
    ...     name = "even-groups"
    ...
    ...     def accepts(self, groups):
    ...         return super().accepts(groups) & (groups.sizes % 2 == 0)
    >>> create("model", "even-groups:k=4")
    EvenGroups(k=4)
    >>> forget(EvenGroups)
    """
    kind = kind_of(cls)
    if kind is None:
        raise UsageError(
            f"only a class of models, algorithms, metrics or attacks can be registered, got {cls!r}; derive it, for "
            "example, from krypsis.GroupModel or krypsis.Metric"
        )
    if not _is_found(kind, cls):
        with _lock:
            _check_complete(kind, cls)
            _check_name(kind, cls)
            _added[kind][cls.name] = cls
    return cls


def forget(cls: type[Any]) -> None:
    """Undo :func:`register`."""
    for known in _added.values():
        if known.get(getattr(cls, "name", "")) is cls:
            del known[cls.name]


def is_built_in(cls: type[Any]) -> bool:
    """Say whether a class is part of this package, so that its contracts are tested."""
    return cls.__module__.startswith("krypsis.")


def kind_of(cls: object) -> str | None:
    """Return what a class is by the package that its first ancestor stands in; nothing if it is none of these.

    Examples
    --------
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> kind_of(KAnonymity), kind_of(int)
    ('model', None)
    """
    ancestors = reversed(cls.__mro__) if isinstance(cls, type) else ()
    found = (kind for one in ancestors for kind, package in KINDS.items() if one.__module__.startswith(package + "."))
    return next(found, None)


def _check_complete(kind: str, cls: type[Any]) -> None:
    if lacking := sorted(getattr(cls, "__abstractmethods__", ())):
        raise UsageError(f"{cls.__name__} is not complete: define {', '.join(lacking)}")
    if lacking := sorted(one for one in getattr(cls, "__class_vars__", ()) if not hasattr(cls, one)):
        raise UsageError(f"{cls.__name__} is not complete: {_article(kind)} needs a value for {', '.join(lacking)}")
    if not hasattr(cls, "name"):
        raise UsageError(f"{cls.__name__} cannot be registered: it is no {kind} with a name")
    if wrong := [one for one in (cls.name, *cls.aliases) if not NAME.fullmatch(str(one))]:
        raise UsageError(
            f"{cls.__name__} is called {wrong[0]!r}; a name has small letters, digits and hyphens, such as 'my-model'"
        )


def _check_name(kind: str, cls: type[Any]) -> None:
    """Raise if a name means another class: a promise must mean the same to everybody who reads it."""
    names = {cls.name, *cls.aliases}
    for other in built_in(kind).values():
        if taken := names & {other.name, *other.aliases}:
            raise UsageError(
                f"the name {taken.pop()!r} belongs to {other.__name__}, {_article(kind)} of krypsis; give "
                f"{cls.__name__} a name of its own"
            )
    for other in _added[kind].values():
        if _origin(other) != _origin(cls) and (taken := names & {other.name, *other.aliases}):
            raise UsageError(
                f"the name {taken.pop()!r} belongs to {'.'.join(_origin(other))}, which was registered before; give "
                f"{cls.__name__} a name of its own"
            )


def _origin(cls: type[Any]) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def _from_outside(kind: str) -> dict[str, type[Any]]:
    """Return the classes of other packages and of this program, after loading those of installed packages."""
    with _lock:
        if kind not in _loaded:
            _loaded.add(kind)  # first, for a package may ask for the registry while it is loaded
            _load_packages(kind)
    return _added[kind]


def is_from_outside(kind: str, name: str) -> bool:
    """Say whether a class of that name was registered by another package or by a program.

    Examples
    --------
    >>> is_from_outside("model", "k-anonymity")
    False
    """
    return name in _from_outside(kind)


def _load_packages(kind: str) -> None:
    """Register what installed packages offer; one that cannot be used is named and left out."""
    for entry in _entry_points().select(group=KINDS[kind]):
        package = entry.dist.name if entry.dist else entry.module
        try:
            register(_loaded_class(kind, entry))
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a package does, the rest must work
            problem = f"the package {package!r} offers {_article(kind)} that cannot be used, {entry.value!r}: "
            problem += f"{type(error).__name__}: {error}"
            _failed[kind].append(problem)
            warnings.warn(f"{problem}. Update or remove the package", ExtensionWarning, stacklevel=4)


@cache
def _entry_points() -> Any:  # of a type that differs between versions of Python
    """Return what installed packages offer, read once: it takes as long as there are packages."""
    from importlib.metadata import entry_points  # noqa: PLC0415  slow to import

    return entry_points()


def _loaded_class(kind: str, entry: "EntryPoint") -> type[Any]:
    cls: type[Any] = entry.load()
    if kind_of(cls) != kind:
        raise UsageError(f"it is not {_article(kind)}")
    return cls


def find(kind: str, name: str) -> type[Any]:
    """Return the class registered under a name or alias."""
    if (own := in_own_module(kind, name)) is not None:
        return own
    for known in (built_in, _from_outside):  # other packages are only loaded for what this one does not have
        for cls in known(kind).values():
            if name == cls.name or name in cls.aliases:
                return cls
    names = classes(kind)
    problems = "".join(f" Note that {problem}." for problem in _failed[kind])
    raise UnknownNameError(
        f"{kind} {name!r} is not known; {kind}s: {', '.join(names)}.{did_you_mean(name, names)}{problems}"
    )


def find_named(kind: str, name: str) -> type[Any] | None:
    """Return the class registered under a name, which is no alias; nothing if there is none.

    Examples
    --------
    >>> find_named("model", "k-anonymity").__name__, find_named("model", "unheard-of")
    ('KAnonymity', None)
    """
    return in_own_module(kind, name) or classes(kind).get(name)


def create(kind: str, spec: object) -> Any:
    """Return the object a spec stands for: ``"k-anonymity:k=5"``, ``{"name": "k-anonymity", "k": 5}`` or the object.

    An object of a class of your own registers its class.

    Examples
    --------
    >>> create("model", "k-anonymity:k=5")
    KAnonymity(k=5)
    """
    if isinstance(spec, str):
        name, parameters = parse(spec)
    elif isinstance(spec, dict) and "name" in spec:
        parameters = {str(key): value for key, value in spec.items() if key != "name"}
        name = str(spec["name"])
    elif kind_of(type(spec)) == kind:
        register(type(spec))
        return spec
    else:
        raise UsageError(
            f"{_article(kind)} is a name such as {example(kind)!r} or an object of it, got {spec!r}.{_colon_hint(spec)}"
        )
    return build(find(kind, name), parameters)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _colon_hint(spec: object) -> str:
    """Explain what YAML makes of a space after the colon."""
    if not isinstance(spec, dict) or len(spec) != 1:
        return ""
    ((name, value),) = spec.items()
    written = ",".join(f"{key}={part}" for key, part in value.items()) if isinstance(value, dict) else value
    return f" Write '{name}:{written}', without a space after the colon"


def parse(spec: str) -> tuple[str, dict[str, object]]:
    """Split ``name:key=value,key=value``; a value with a comma in it stands in double quotes.

    Examples
    --------
    >>> parse("recursive-l-diversity:c=4,l=3")
    ('recursive-l-diversity', {'c': '4', 'l': '3'})
    >>> parse('t-closeness:t=0.2,attribute="pay, yearly"')
    ('t-closeness', {'t': '0.2', 'attribute': 'pay, yearly'})
    """
    name, _, rest = spec.partition(":")
    parameters: dict[str, object] = {}
    for part in filter(None, split_list(rest)):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(
                f"{spec!r}: expected 'name:parameter=value', got {part!r}; for example 'k-anonymity:k=5'."
                f"{_comma_hint(name, list(parameters), rest)}"
            )
        if key.strip() in parameters:
            raise UsageError(f"{spec!r} gives {key.strip()!r} twice; keep the one you mean")
        parameters[key.strip()] = unquoted(value.strip())
    return name.strip(), parameters


def _comma_hint(name: str, before: list[str], rest: str) -> str:
    """Explain that a value with commas needs quotes, if one parameter with such a value could be meant."""
    if len(before) != 1:
        return ""
    key, _, value = rest.partition("=")
    return f" A value with commas stands in double quotes: '{name.strip()}:{key.strip()}=\"{value.strip()}\"'"


def build(cls: type[Any], parameters: dict[str, object]) -> Any:
    """Create an object of a registered class, with messages in the words of its parameters."""
    for key in parameters:
        if key not in cls.model_fields:
            known = list(cls.model_fields)
            raise UsageError(
                f"{cls.name} has no parameter {key!r}; parameters: {', '.join(known) or 'none'}."
                f"{did_you_mean(key, known)}"
            )
    from pydantic import ValidationError  # noqa: PLC0415  names alone do not need it

    try:
        return cls(**parameters)
    except ValidationError as error:
        raise UsageError(explain_parameters(error, cls.name, cls)) from None


def example(kind: str) -> str:
    """Return a spec to show in messages."""
    return {"model": "k-anonymity:k=5", "algorithm": "optimal", "metric": "loss", "attack": "linkage"}[kind]


def parts_of_kinds(part: str) -> list[ModuleType]:
    """Return the modules of one name from the folders of all kinds of data, where they have it.

    Whoever lies below the kinds finds by it what they add: their plans, the forms of their releases, their checks.

    Examples
    --------
    >>> [module.__name__ for module in parts_of_kinds("kind")][-1]
    'krypsis.kinds.table.kind'
    """
    package = importlib.import_module(KINDS_OF_DATA)
    folders = [found.name for found in pkgutil.iter_modules(package.__path__) if found.ispkg]
    names = [f"{KINDS_OF_DATA}.{folder}.{part}" for folder in folders]
    return [importlib.import_module(name) for name in names if importlib.util.find_spec(name) is not None]
