"""What whoever reads an ontology should hear of: imports that are not there, and names that nobody declared."""

import logging
import warnings
from collections.abc import Collection

from krypsis.errors import DataWarning, shorten
from krypsis.io.ontologies.interpreter import Interpreter

KINDS = {"Class": "class(es)", "ObjectProperty": "role(s)"}
SHOWN = 5

log = logging.getLogger(__name__)


def note_names(interpreter: Interpreter) -> None:
    """Warn of imports, which are never fetched, and note names that are not declared where others are."""
    where = interpreter.where or "the ontology"
    warn_of_imports(interpreter.imports, where)
    for kind, words in KINDS.items():
        declared = interpreter.declared[kind]
        unknown = [name for name in interpreter.builder.names[kind] if name not in declared] if declared else []
        if unknown:
            log.warning(
                "%s: %s %s without a declaration, while others have one: %s; if one is misspelled, correct it",
                where,
                f"{len(unknown):,}",
                words,
                shorten(unknown, SHOWN),
            )


def warn_of_imports(imports: Collection[str], where: str) -> None:
    """Warn that other ontologies are needed."""
    if imports:
        warnings.warn(
            f"{where or 'the ontology'} imports {shorten(imports, SHOWN)}, which nothing fetches; what is in there is "
            "not known here: give these ontologies, too, such as files of what the public knows",
            DataWarning,
            stacklevel=5,
        )
