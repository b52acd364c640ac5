"""The warning about sensitive columns that no promise protects."""

import warnings
from collections.abc import Sequence

import polars as pl

from krypsis.checker.disclosure import Disclosure
from krypsis.errors import PrivacyWarning
from krypsis.kinds.table.profile.published_risks import MOST_ROWS, said_of_inferences
from krypsis.kinds.table.profile.sensitive_promise import expected_groups, propose_promise
from krypsis.models.coverage import without_promise
from krypsis.models.links import LinkModel
from krypsis.release.release import Release

UNPROTECTED = "Καμία εγγύηση δεν προστατεύει τη στήλη {column}."
TOO_WEAK = "Οι εγγυήσεις για τη στήλη {column} είναι πολύ ασθενείς."


def warn_of_disclosures(release: Release) -> Release:
    """Return the release, after a warning for each sensitive column without a promise that its groups disclose."""
    unprotected = without_promise(release.models, release.publication.sensitive_names)
    for found in release.disclosures:
        if found.column in unprotected:
            warning = f"no promise protects {found.column!r}. {found.sentence} {found.named}"
            said = PrivacyWarning(f"{warning} {_advice(release, found.column)}", _in_greek(found, UNPROTECTED))
            warnings.warn(said, stacklevel=3)
        else:
            warning = f"the promises about {found.column!r} are too weak. {found.sentence} {found.named}"
            warnings.warn(PrivacyWarning(warning, _in_greek(found, TOO_WEAK)), stacklevel=3)
    return release


def warn_of_inferences(release: Release, in_doubt: Sequence[str]) -> Release:
    """Return the release, after one warning of the columns in doubt that the other quasi-identifiers give away."""
    if said := said_of_inferences(release, in_doubt):
        warnings.warn(said, PrivacyWarning, stacklevel=3)
    return release


def _in_greek(found: Disclosure, beginning: str) -> dict[str, str]:
    """Return the same for Greek pages, where records are counted; what to do is on the page of the result, too."""
    if found.unit != "record":
        return {}
    groups = "· ".join(map(str, found.worst))
    text = (
        f"{beginning.format(column=repr(found.column))} {found.exposed:,} από τις {found.records:,} δημοσιευμένες "
        f"εγγραφές ανήκουν σε ομάδες όπου μία τιμή της είναι βέβαιη ({found.certain:,} εγγραφές) ή πιθανή τουλάχιστον "
        f"κατά 90 % ({found.nearly:,} εγγραφές). Χειρότερες ομάδες: {groups}. Προσθέστε μια ισχυρότερη εγγύηση για "
        "αυτήν στο σχέδιο"
    )
    return {"el": text}


def _advice(release: Release, column: str) -> str:
    if release.publication.subject_column is not None:
        return "No promise about several tables protects it: leave it out, or publish its table alone with a promise"
    if any(isinstance(model, LinkModel) for model in release.models):
        return "Choose an algorithm that makes groups, such as 'mondrian', with a promise about it"
    if column not in release.publication.columns:
        return "Add a promise about it, such as frequency-l-diversity:l=2"
    rows = release.publication.rows()
    table = rows if isinstance(rows, pl.DataFrame) else rows.sample(MOST_ROWS)
    values = table.get_column(column).cast(str)
    return f"Add a promise about it, such as {propose_promise(column, values, expected_groups(len(values))).spec}"
