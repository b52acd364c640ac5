"""Whether a table has been published before with other contents."""

from __future__ import annotations

from krypsis.errors import DataError
from krypsis.format.claims import read_json
from krypsis.format.files import fingerprint
from krypsis.plan import Plan
from krypsis.release.workshop import private_path, release_id_of


def earlier_versions(plan: Plan) -> int:
    """Return 1 if the release of a plan was made from a file that has changed since, else 0.

    The same file published twice is not a table that changes; without the private record nothing is known.
    """
    release_id = release_id_of(plan.output_folder)
    data = plan.data_path
    if release_id is None or not data.is_file():
        return 0
    try:
        record = read_json(private_path(plan.output_folder, release_id))
    except DataError:
        return 0
    before = record.get("input_sha256")
    return int(before is not None and before != fingerprint(data).sha256)
