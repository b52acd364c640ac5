"""Kernels work where numba can keep nothing on disk."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from krypsis.kernels import _jit
from krypsis.kernels._jit import compiled, for_work

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the compiler is switched off")

PROGRAM = """
import logging, sys
logging.basicConfig(level=logging.INFO)
import numba.core.caching as caching
caching.CacheImpl._locator_classes = []          # as if no folder could be written
import numpy as np
from krypsis.kernels.rows import number_keys
numbers, first = np.empty(3, np.int32), np.empty(3, np.int64)
print(number_keys(np.array([7, 7, 9]), numbers, first), numbers.tolist())
"""


@needs_compiler
def test_a_kernel_is_compiled_without_a_cache_folder_and_says_so(tmp_path: Path):
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.stdout == "2 [0, 0, 1]\n", result.stderr
    assert "compiled without a cache" in result.stderr


def test_importing_the_kernels_does_not_import_numba():
    code = "import sys, krypsis.kernels.rows; print('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


@compiled
def doubled(number: float) -> float:
    return 2 * number


@compiled
def sum_of_doubled(numbers: np.ndarray) -> float:
    total = 0.0
    for number in numbers:
        total += doubled(number)
    return total


def test_a_kernel_may_call_another_of_its_module():
    numbers = np.arange(5.0)
    assert sum_of_doubled(numbers) == sum_of_doubled.reference(numbers) == 20


@needs_compiler
def test_what_only_kernels_call_is_compiled_without_what_python_and_c_need():
    options = doubled.called_code().targetoptions
    assert options["no_cpython_wrapper"]
    assert options["no_cfunc_wrapper"]


@compiled
def sum_of_two(so_far: int, number: int) -> int:
    return so_far + number


def test_a_kernel_that_others_call_may_be_called_from_python_too():
    assert sum_of_doubled(np.arange(3.0)) == 6
    assert doubled(4.0) == 8


@needs_compiler
def test_a_kernel_that_another_one_calls_with_any_whole_number_is_compiled_once():
    kernel = sum_of_two.called_code()
    for begin in (numba.types.literal(0), numba.types.int64, numba.types.int32):
        kernel.get_call_template((begin, numba.types.int64), {})
    assert kernel.signatures == [(numba.types.int64, numba.types.int64)]


def test_little_work_is_done_plainly_until_it_adds_up(monkeypatch):
    @compiled
    def twice_the_sum(numbers):
        return sum_of_doubled(numbers)

    monkeypatch.setattr(_jit, "MOST_PLAIN_WORK", 10)
    monkeypatch.setattr(_jit, "MOST_AT_ONCE", 6)
    monkeypatch.setattr(twice_the_sum, "is_kept", lambda: False)
    forms = [for_work(twice_the_sum, amount) for amount in (7, 5, 5, 1)]
    assert [form is twice_the_sum for form in forms] == [True, False, False, True]
    numbers = np.arange(5.0)
    assert [form(numbers) for form in forms] == [20.0] * 4


KEPT = """
import numpy as np
from krypsis.kernels._jit import for_work
from krypsis.kernels.rows import sum_of_chosen
print(for_work(sum_of_chosen, 3) is sum_of_chosen)
sum_of_chosen(np.array([4, 5, 6]), np.array([True, False, True]))
"""


@needs_compiler
def test_machine_code_that_is_kept_does_little_work_too(tmp_path: Path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for is_compiled in (False, True):
        command = [sys.executable, "-c", KEPT]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert result.stdout == f"{is_compiled}\n", result.stderr


CALLED = "from krypsis.kernels._jit import compiled\n\n@compiled\ndef price(amount):\n    return amount * {price}\n"
CALLER = """
from called import price
from krypsis.kernels._jit import compiled

@compiled
def bill(amount):
    return price(amount) + 1

print(bill(10))
"""


def test_a_kernel_that_calls_one_of_another_file_is_made_anew_when_that_file_changes(tmp_path: Path):
    (tmp_path / "caller.py").write_text(CALLER)
    for price in (2, 2, 30):
        (tmp_path / "called.py").write_text(CALLED.format(price=price))
        command = [sys.executable, "-c", "import caller"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert result.stdout == f"{10 * price + 1}\n", result.stderr


HEARING = """
import numpy as np
from krypsis.cli.progress import Reporter
from krypsis.kernels.rows import sum_by_number
with Reporter().listening() as reporter:
    reporter.phase("search")
    sum_by_number(np.zeros(3, np.int32), np.ones(3, np.int64), np.zeros(3, np.int64))
    sum_by_number(np.zeros(3, np.int64), np.ones(3, np.int64), np.zeros(3, np.int64))
"""


@needs_compiler
def test_a_run_says_once_that_it_compiles_and_the_next_one_has_nothing_to_compile(tmp_path: Path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for told in ("… searching\n… searching: compiling, once\n", "… searching\n"):
        command = [sys.executable, "-c", HEARING]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert result.stderr == told


NAMED = """
from typing import NamedTuple
from krypsis.kernels._jit import compiled

class {name}(NamedTuple):
    amount: int

@compiled
def bill(order):
    return order.amount + 1

print(bill({name}(10)))
"""


def test_machine_code_of_an_older_version_whose_types_have_other_names_is_made_anew(tmp_path: Path):
    for name in ("Order", "Request", "Request"):
        (tmp_path / "caller.py").write_text(NAMED.format(name=name))
        command = [sys.executable, "-c", "import caller"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert result.stdout == "11\n", result.stderr


@needs_compiler
def test_machine_code_in_a_broken_file_is_made_anew(tmp_path: Path):
    for _ in range(2):
        (tmp_path / "caller.py").write_text(NAMED.format(name="Order"))
        command = [sys.executable, "-c", "import caller"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert result.stdout == "11\n", result.stderr
        (kept,) = tmp_path.rglob("*.nbi")
        kept.write_bytes(kept.read_bytes()[:20])


def test_kernels_run_as_plain_python_where_numba_is_switched_off():
    code = (
        "import krypsis, polars as pl; table = pl.DataFrame({'age': [20, 22, 40, 44], 'job': ['a', 'b', 'c', 'd']}); "
        "roles = {'age': 'quasi-identifier', 'job': 'sensitive'}; "
        "release = krypsis.anonymize(table, roles, models='k-anonymity:k=2', algorithm='mondrian'); "
        "print(sorted(release.table['age']))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "['[20-22]', '[20-22]', '[40-44]', '[40-44]']\n"
