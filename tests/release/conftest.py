import pytest

from krypsis.release.release import Release
from release.sample import make_release


@pytest.fixture
def release() -> Release:
    return make_release()
