"""No function has more parameters than a reader can keep in mind: what belongs together is one object."""

import ast
import inspect
from pathlib import Path

import krypsis
from krypsis import checker
from krypsis.plan.plan import plans

MOST = 8
SUGAR = "sugar for the plan"
ALLOWED = {"krypsis.anonymize": SUGAR}
"""Functions with more parameters → why: each of them is a field of the plan, which can be given instead."""

READERS = {"io/graphs/read.py:read_graph"}
"""Functions whose parameters are those of the key ``read`` of a plan."""
JOBS = {"projects/jobs/kinds/read.py:run", "projects/jobs/kinds/check.py:run"}
"""Work of jobs, whose parameters are those of a request, which names them."""
SOURCE = Path(krypsis.__file__).parent
COMMANDS = ("cli",)
"""Where parameters are the options of a command, which users give by name."""


def public_functions():
    """Yield every public function and every public method of a public class, by its name."""
    for package in (krypsis, checker):
        for name in getattr(package, "__all__", dir(package)):
            found = getattr(package, name)
            if inspect.isclass(found):
                methods = inspect.getmembers(found, inspect.isroutine)
                yield from ((f"krypsis.{name}.{own}", method) for own, method in methods if is_ours(own, method))
            elif callable(found):
                yield f"krypsis.{name}", found


def is_ours(name, method):
    return not name.startswith("_") and str(getattr(method, "__module__", "")).startswith("krypsis")


def parameters_of(function):
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def test_no_public_function_has_many_parameters_that_are_not_sugar_for_the_plan():
    found = dict(public_functions())
    assert {"krypsis.check", "krypsis.check_table", "krypsis.Release.save", "krypsis.Plan.of"} <= set(found)
    assert {name for name, function in found.items() if len(parameters_of(function)) > MOST} == set(ALLOWED)


def test_sugar_is_for_a_plan_that_can_be_given_instead():
    assert "plan" in parameters_of(krypsis.anonymize)
    fields = {field for plan in plans().values() for field in plan.model_fields}
    of_columns = {"roles", "hierarchies", "weights", "min_levels", "max_levels"}
    of_kinds, others = {"sensitive_items", "sensitive_edges"}, {"data", "plan", "progress"}
    assert set(parameters_of(krypsis.anonymize)) - {"models"} <= fields | of_columns | of_kinds | others


def functions_of(tree):
    """Return the functions of a module that nobody compiles; loops that are compiled take arrays one by one."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node for node in functions if not any("compiled" in ast.unparse(one) for one in node.decorator_list)]


def number_of_parameters(node):
    given = node.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if one]
    return len([name for name in names if name not in ("self", "cls")])


def test_no_other_function_has_many_parameters():
    many = set()
    for file in SOURCE.rglob("*.py"):
        place = file.relative_to(SOURCE)
        if place.parts[0] not in COMMANDS:
            functions = functions_of(ast.parse(file.read_bytes()))
            many |= {f"{place}:{node.name}" for node in functions if number_of_parameters(node) > MOST}
    assert many == {"api.py:anonymize", *READERS, *JOBS}
