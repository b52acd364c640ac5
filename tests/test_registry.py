"""How what a user writes becomes a model, an algorithm or a metric."""

import re
import subprocess
import sys

import pytest

from krypsis import registry
from krypsis.errors import UsageError


@pytest.mark.parametrize("spec", ["k-anonymity:k=5,k=2", "k-anonymity:k=5, k=5", "recursive-l-diversity:c=4,l=3,c=1"])
def test_a_parameter_that_stands_twice_is_refused(spec):
    with pytest.raises(UsageError, match="twice"):
        registry.create("model", spec)


@pytest.mark.parametrize("spec", [{"k-anonymity": "k=5"}, {"k-anonymity": {"k": 5}}])
def test_a_space_after_the_colon_is_explained(spec):
    with pytest.raises(UsageError, match="Write 'k-anonymity:k=5', without a space"):
        registry.create("model", spec)


@pytest.mark.parametrize("given", ["nan", float("nan"), " NaN"])
def test_not_a_number_is_called_so(given):
    with pytest.raises(UsageError, match=r"t of t-closeness must be a number .*got 'nan'"):
        registry.create("model", {"name": "t-closeness", "t": given})


@pytest.mark.parametrize(("kind", "words"), [("algorithm", "an algorithm is"), ("metric", "a metric is")])
def test_something_that_is_no_spec_is_refused(kind, words):
    with pytest.raises(UsageError, match=words):
        registry.create(kind, None)


def test_a_value_with_commas_is_told_to_stand_in_quotes():
    with pytest.raises(UsageError, match=re.escape("""stands in double quotes: 'fixed:levels="0,3,1"'""")):
        registry.create("algorithm", "fixed:levels=0,3,1")
    assert registry.create("algorithm", 'fixed:levels="0,3,1"').levels == (0, 3, 1)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("entropy-l-diversity:l=u", "l of entropy-l-diversity must be a number, got 'u'"),
        ("k-anonymity:k=many", "k of k-anonymity must be a whole number, got 'many'"),
        ("k-anonymity:k=2.5", "k of k-anonymity must be a whole number, got '2.5'"),
    ],
)
def test_a_value_that_is_no_number_is_refused_in_plain_words(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert str(caught.value) == message


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_name_and_alias_means_the_class_that_walking_the_package_finds(kind):
    for name, cls in registry.built_in(kind).items():
        assert {registry.find(kind, one) for one in (name, *cls.aliases)} == {cls}
        assert registry.find_named(kind, name) is cls


def test_asking_for_a_name_imports_the_module_of_that_name_only():
    program = (
        "import sys; from krypsis import registry; registry.create('model', 'k-anonymity:k=5'); "
        "print([name for name in sys.modules if name.startswith('krypsis.models.')])"
    )
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "krypsis.models.k_anonymity" in loaded
    assert "krypsis.models.t_closeness" not in loaded


@pytest.mark.parametrize("kind", ["model", "algorithm", "metric", "attack"])
def test_names_are_found_in_sources_as_by_importing(kind):
    assert registry.names_in_sources(kind) == set(registry.built_in(kind))
