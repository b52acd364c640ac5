"""The folder that hostile files and failing disks are tried on, made once."""

import pytest

from fuzz.disks import disk, the_disk
from fuzz.journeys import build

__all__ = ["disk", "the_disk"]


@pytest.fixture(scope="session")
def pristine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pristine")
    build(folder)
    return folder
