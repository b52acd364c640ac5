"""How much memory there is, as far as the machine says it."""

import pytest

from krypsis.errors import UsageError
from krypsis.io import memory


@pytest.mark.parametrize("amount", ["", "much", "-2GB", "0", "2 PB", "1e9"])
def test_what_is_no_amount_is_refused(amount):
    with pytest.raises(UsageError, match="2GB"):
        memory.bytes_of(amount)


def test_the_least_of_machine_container_and_process_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "GROUPS", tmp_path)
    assert memory.available_memory() > 0
    (tmp_path / "memory.max").write_text("5000\n", encoding="ascii")
    (tmp_path / "memory.current").write_text("2000\n", encoding="ascii")
    assert memory.available_memory() == 3000
    (tmp_path / "memory.max").write_text("max\n", encoding="ascii")
    assert memory.available_memory() > 3000
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2 kB\n", encoding="ascii")
    monkeypatch.setattr(memory, "MEASURES", tmp_path / "meminfo")
    assert memory.available_memory() == 2048
