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
from krypsis.cli.streams import Reporter
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


@compiled
def checked(number: int) -> int:
    if number < 0:
        raise ValueError("a number below zero")
    return number


@compiled
def sum_of_checked(numbers: np.ndarray) -> int:
    total = 0
    for number in numbers:
        total += checked(number)
    return total


def test_an_error_in_a_function_that_was_copied_into_a_kernel_is_raised_by_the_kernel():
    assert sum_of_checked(np.array([1, 2])) == 3
    with pytest.raises(ValueError, match="a number below zero"):
        sum_of_checked(np.array([1, -2]))


COPIED = """
import numpy as np
from numba.core import codegen
from krypsis.kernels._jit import compiled

emitted, emit = [], codegen.JITCodeLibrary._finalize_specific
codegen.JITCodeLibrary._finalize_specific = lambda library: (emitted.append(library.name), emit(library))

@compiled
def halved(number):
    return number / 2

@compiled
def sum_of_halved(numbers):
    total = 0.0
    for number in np.sort(numbers):
        total += halved(number)
    return total

print(sum_of_halved(np.arange(4.0)))
print([name for name in emitted if "sort" in name or "halved" in name])
print(halved(3))
"""


@needs_compiler
def test_no_machine_code_is_made_for_what_only_kernels_call(tmp_path: Path):
    (tmp_path / "copied.py").write_text(COPIED)
    for _ in range(2):  # the second process finds what the first one has kept
        command = [sys.executable, "-c", "import copied"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert result.stdout == "3.0\n['sum_of_halved']\n1.5\n", result.stderr


@needs_compiler
def test_machine_code_that_is_kept_is_loaded_without_the_compiler(tmp_path: Path):
    code = (
        "import sys, numpy as np; from krypsis.kernels.rows import sum_of_chosen;"
        "print(sum_of_chosen(np.array([4, 5, 6]), np.array([True, False, True])), 'numba.np.npyimpl' in sys.modules)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    found = [subprocess.run(command, capture_output=True, text=True, env=environment, check=True) for _ in range(2)]
    assert [one.stdout for one in found] == ["10 True\n", "10 False\n"]


NEEDING = """
import ctypes, logging
logging.basicConfig(level=logging.INFO)
from llvmlite import binding
from numba.core import cpu, types
from krypsis.kernels._jit import compiled

doubling = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda number: 2 * number)
refresh = cpu.CPUContext.refresh

def refresh_and_add(context):
    binding.add_symbol("double_in_c", ctypes.cast(doubling, ctypes.c_void_p).value)
    refresh(context)

cpu.CPUContext.refresh = refresh_and_add
double_in_c = types.ExternalFunction("double_in_c", types.int64(types.int64))

@compiled
def fourfold(number):
    return 2 * double_in_c(number)

print(fourfold(10))
"""


@needs_compiler
def test_machine_code_that_needs_more_than_is_loaded_is_loaded_with_the_compiler(tmp_path: Path):
    """LLVM ends a process that lacks a symbol; here, one that comes with all that the compiler needs."""
    (tmp_path / "needing.py").write_text(NEEDING)
    for is_kept in (False, True):
        command = [sys.executable, "-c", "import needing"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert result.stdout == "40\n", result.stderr
        assert ("for it needs double_in_c" in result.stderr) == is_kept


@needs_compiler
def test_machine_code_is_loaded_by_a_numba_with_other_insides(tmp_path: Path):
    code = (
        "import logging, numpy as np; logging.basicConfig(level=logging.INFO);"
        "import numba, numba.core.registry; from numba.core.runtime import nrt;"
        "del nrt.rtsys; from krypsis.kernels.rows import sum_of_chosen;"
        "print(sum_of_chosen(np.array([4, 5, 6]), np.array([True, False, True])), sum_of_chosen.machine_code().stats)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for hits in (0, 1):
        command = [sys.executable, "-c", code]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert result.stdout.startswith("10 "), result.stderr
        assert result.stdout.count("cache_hits=Counter()") == 1 - hits
        assert "is loaded with the compiler: ImportError" in result.stderr
