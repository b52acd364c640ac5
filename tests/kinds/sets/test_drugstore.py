"""The built-in baskets, and the demo that publishes them."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from krypsis.checker import check_transactions
from krypsis.cli.main import app
from krypsis.data.hierarchies.csv import parse_csv
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from krypsis.io.item_sets import transactions_of
from krypsis.io.write import set_lines
from krypsis.kinds.sets.demo import drugstore, drugstore_hierarchy, drugstore_plan
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.plan import Plan


@pytest.fixture(scope="module")
def baskets() -> Transactions:
    return drugstore()


def test_the_same_seed_gives_the_same_baskets_and_another_seed_others():
    assert drugstore(200, seed=1).sets() == drugstore(200, seed=1).sets()
    assert drugstore(200, seed=1).sets() != drugstore(200, seed=2).sets()


@pytest.mark.parametrize("rows", [0, -3])
def test_a_drugstore_without_customers_is_refused(rows):
    with pytest.raises(UsageError, match=rf"at least 1, got {rows}"):
        drugstore(rows)


def test_every_basket_holds_something_and_every_good_is_bought(baskets):
    assert len(baskets) == 3000
    assert baskets.sizes.min() >= 1
    assert baskets.supports.min() >= 1


def test_the_hierarchy_knows_every_good_and_no_other(baskets):
    assert set(parse_csv(drugstore_hierarchy()).values) == set(baskets.items)


def test_the_baskets_need_protection(baskets):
    (verdict,) = check_transactions(baskets, [KmAnonymity(k=5, m=2)])
    assert not verdict.holds


def test_no_sensitive_good_is_too_frequent_for_groups_of_four(baskets, tmp_path):
    (tmp_path / "plan.yaml").write_text(drugstore_plan(), "utf-8")
    sensitive = Plan.load(tmp_path / "plan.yaml").items.sensitive
    support = dict(zip(baskets.items, baskets.supports, strict=True))
    assert len(sensitive) == 5
    assert all(4 * support[item] <= len(baskets) for item in sensitive)


def test_baskets_written_as_lines_are_read_back(tmp_path):
    odd = Transactions.of_sets([["milk", "salt, coarse"], ['5" pan'], ["bread", "milk"], [" tea"], ["*", "1"]])
    (tmp_path / "odd.csv").write_text(set_lines(odd), "utf-8")
    found = transactions_of(tmp_path / "odd.csv", delimiter=",").sets()
    assert [sorted(one) for one in found] == [sorted(one) for one in odd.sets()]


def demo(*arguments):
    return CliRunner().invoke(app, ["demo", "--kind", "transactions", *arguments])


def test_the_demo_publishes_baskets_that_anybody_can_check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = demo()
    assert result.exit_code == 0, result.stderr
    assert "Kept: every combination of up to 2 items" in result.stdout
    check = CliRunner().invoke(app, ["check", "demo-sets/release"])
    assert (check.exit_code, check.stdout.count("Kept: ")) == (0, 1)
    assert demo().exit_code == 2
    assert demo("--force").exit_code == 0
