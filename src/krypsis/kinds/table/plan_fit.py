"""Whether a plan fits the data, stated before anything is run."""

import warnings
from dataclasses import dataclass

from krypsis.data.hierarchies.resolve import resolve
from krypsis.errors import KrypsisError, KrypsisWarning
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.plan import TablePlan
from krypsis.kinds.table.task import TableTask, check_task


@dataclass(frozen=True)
class Fit:
    """What speaks against a plan, and what to be warned of."""

    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def fit_of(plan: TablePlan, dataset: Dataset) -> Fit:
    """Return what keeps a plan about one table from being run on it: promises, roles and hierarchies that do not fit.

    That no release keeps the promises is found out by the run alone.

    Examples
    --------
    >>> import polars as pl
    >>> plan = TablePlan.of({"data": "p.csv", "columns": {"age": "QI"}, "promises": ["t-closeness:t=0.2"]})
    >>> fit_of(plan, Dataset.of(pl.DataFrame({"age": [30, 40]}))).problems[0][-37:]
    "least one column the role 'sensitive'"
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KrypsisWarning)
        problems = tuple(_problems(plan, dataset))
    found = [str(one.message) for one in caught if issubclass(one.category, KrypsisWarning)]
    return Fit(problems, tuple(dict.fromkeys(found)))


def _problems(plan: TablePlan, dataset: Dataset) -> list[str]:
    try:
        task = plan.bind(dataset)
        if not task.is_about_several_tables:
            check_task(task)
    except KrypsisError as error:
        return [str(error)]
    return [said for name in task.schema.quasi_identifiers if (said := _hierarchy_problem(task, name, dataset))]


def _hierarchy_problem(task: TableTask, name: str, dataset: Dataset) -> str:
    try:
        values = dataset.collect_texts(name).unique(maintain_order=True).to_list()
        resolve(task.hierarchies.get(name), values, name, task.folder)
    except KrypsisError as error:
        return str(error)
    return ""
