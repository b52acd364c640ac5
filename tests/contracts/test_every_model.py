"""What every privacy model in the registry has to keep, so that algorithms and users can rely on it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from krypsis import registry
from krypsis.data.groups import Groups, Histogram
from krypsis.errors import ColumnError, UsageError
from krypsis.models.base import TOLERANCE, SensitiveModel
from models.counterexamples import COUNTEREXAMPLES
from models.references import REFERENCES, naive_accepts
from strategies import group_models, groups, models_of

MODELS = registry.classes("model")
GROUP_MODELS = group_models()
OF_VALUES = [cls for cls in GROUP_MODELS.values() if issubclass(cls, SensitiveModel)]
SENSITIVE_MODELS = {cls.name: cls for cls in OF_VALUES if cls.needs_sensitive}

every_model = pytest.mark.parametrize("cls", MODELS.values(), ids=list(MODELS))
every_group_model = pytest.mark.parametrize("cls", GROUP_MODELS.values(), ids=list(GROUP_MODELS))
every_sensitive_model = pytest.mark.parametrize("cls", SENSITIVE_MODELS.values(), ids=list(SENSITIVE_MODELS))


@every_model
@given(data=st.data())
def test_a_model_cannot_be_changed(cls, data):
    model = data.draw(models_of(cls))
    for field in cls.model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(model, field, getattr(model, field))


@every_model
@given(data=st.data())
def test_a_model_can_be_read_back_from_its_spec(cls, data):
    odd_names = ["pay, yearly", 'the "real" age', " space ", "a=b", "naïve", "1", "None"]
    model = data.draw(models_of(cls, odd_names))
    assert registry.create("model", model.spec) == model


@every_model
def test_the_docstring_has_a_summary_a_reference_and_an_example(cls):
    summary = cls.__doc__.split("\n\n")[0]
    assert summary.endswith(".")
    assert "References\n" in cls.__doc__
    assert ">>>" in cls.__doc__.split("Examples\n")[1]


@every_model
@given(data=st.data())
def test_every_model_explains_itself(cls, data):
    model = data.draw(models_of(cls))
    texts = [model.promise(), cls.protects_from, cls.does_not_protect_from, cls.reference]
    assert [text for text in texts if len(text.split()) <= 5] == []
    assert all(field.description for field in cls.model_fields.values())


@every_model
def test_unknown_parameters_are_refused(cls):
    with pytest.raises(UsageError, match="has no parameter 'nonsense'"):
        registry.create("model", {"name": cls.name, "nonsense": 1})


@every_group_model
@given(data=st.data())
def test_a_model_agrees_with_the_slow_reference(cls, data):
    assert cls.name in REFERENCES, "write a plain reference in tests/models/references.py"
    sample = data.draw(groups())
    model = data.draw(models_of(cls, list(sample.sensitive)))
    assert model.accepts(sample).tolist() == naive_accepts(model, sample)


@every_group_model
@given(data=st.data())
def test_the_level_achieved_says_whether_all_groups_are_accepted(cls, data):
    sample = data.draw(groups())
    model = data.draw(models_of(cls, list(sample.sensitive)))
    achieved, margin = model.measure(sample), TOLERANCE * max(1.0, model.required)
    if abs(achieved - model.required) > margin:
        reached = achieved > model.required if cls.better == "higher" else achieved < model.required
        assert model.accepts(sample).all() == reached
    else:
        assert model.accepts(sample).all() != getattr(model, "strict", False)


@every_group_model
@given(data=st.data())
def test_the_level_achieved_is_that_of_the_worst_group(cls, data):
    sample = data.draw(groups(min_groups=2))
    model = data.draw(models_of(cls, list(sample.sensitive)))
    levels = [model.measure(_chosen(sample, [position])) for position in range(len(sample))]
    worst = min(levels) if cls.better == "higher" else max(levels)
    assert model.measure(sample) == pytest.approx(worst)


@every_group_model
@given(data=st.data())
def test_permuting_groups_permutes_the_answer(cls, data):
    sample = data.draw(groups())
    model = data.draw(models_of(cls, list(sample.sensitive)))
    order = data.draw(st.permutations(range(len(sample))))
    assert model.accepts(_chosen(sample, order)).tolist() == model.accepts(sample)[order].tolist()


@every_group_model
@given(data=st.data())
def test_the_order_of_entries_means_nothing(cls, data):
    sample = data.draw(groups())
    model = data.draw(models_of(cls, list(sample.sensitive)))
    shuffled = {name: _shuffled(histogram, data) for name, histogram in sample.sensitive.items()}
    combined = {names: _shuffled(histogram, data) for names, histogram in sample.combined.items()}
    other = replace(sample, sensitive=shuffled, combined=combined)
    assert model.accepts(other).tolist() == model.accepts(sample).tolist()


@every_group_model
@given(data=st.data())
def test_a_model_leaves_its_input_unchanged(cls, data):
    sample = data.draw(groups())
    model = data.draw(models_of(cls, list(sample.sensitive)))
    arrays = [sample.sizes]
    for histogram in (*sample.sensitive.values(), *sample.combined.values()):
        arrays += [histogram.group, histogram.value, histogram.count, histogram.whole]
    for array in arrays:
        array.flags.writeable = False
    assert model.accepts(sample).dtype == np.bool_
    assert isinstance(model.measure(sample), float)


@every_group_model
@given(data=st.data())
def test_the_union_of_accepted_groups_is_accepted_where_claimed(cls, data):
    sample = data.draw(groups(min_groups=2))
    model = data.draw(models_of(cls, list(sample.sensitive)))
    accepted = model.accepts(sample)
    if cls.monotone and accepted[0] and accepted[1]:
        assert model.accepts(_merged(sample))[0]


@every_group_model
@given(data=st.data())
def test_the_union_of_an_accepted_group_with_anything_is_accepted_where_claimed(cls, data):
    sample = data.draw(groups(min_groups=2))
    model = data.draw(models_of(cls, list(sample.sensitive)))
    if cls.monotone_with_suppression and model.accepts(sample)[0]:
        assert model.accepts(_merged(sample))[0]


@every_group_model
def test_whoever_does_not_claim_monotonicity_with_suppression_shows_why(cls):
    if cls.monotone_with_suppression:
        assert cls.name not in COUNTEREXAMPLES
        return
    spec, *parts = COUNTEREXAMPLES[cls.name]
    sample = parts[0] if len(parts) == 1 else Groups.of_histograms(parts, whole=dict.fromkeys(parts[0], 50))
    model = registry.create("model", spec)
    assert model.name == cls.name
    assert model.accepts(sample)[0]
    assert not model.accepts(_merged(sample))[0]


@every_group_model
@given(data=st.data())
def test_without_groups_nothing_is_refused_and_the_level_is_0(cls, data):
    model = data.draw(models_of(cls, ["disease"]))
    nothing = _chosen(data.draw(groups()), [])
    if getattr(model, "distance", "equal") != "hierarchical":
        assert model.accepts(nothing).tolist() == []
        assert model.measure(nothing) == 0.0


@every_sensitive_model
@given(data=st.data())
def test_several_sensitive_attributes_must_each_be_good_enough(cls, data):
    sample = data.draw(groups(attributes=2))
    model = data.draw(models_of(cls, [])).model_copy(update={"attribute": None})
    one, other = (model.model_copy(update={"attribute": name}) for name in sample.sensitive)
    assert model.accepts(sample).tolist() == (one.accepts(sample) & other.accepts(sample)).tolist()


@every_sensitive_model
@given(data=st.data())
def test_a_model_names_the_sensitive_attributes_when_its_own_is_not_there(cls, data):
    model = data.draw(models_of(cls, [])).model_copy(update={"attribute": "diseas"})
    sample = Groups.of_histograms([{"flu": 1}], "disease")
    with pytest.raises(ColumnError, match="Did you mean 'disease'"):
        model.accepts(sample)


@every_sensitive_model
@given(data=st.data())
def test_a_model_about_sensitive_values_asks_for_a_sensitive_attribute(cls, data):
    model = data.draw(models_of(cls, []))
    with pytest.raises(UsageError, match="give at least one column the role 'sensitive'"):
        model.accepts(Groups.of_sizes([3]))


def _chosen(sample: Groups, order: list[int]) -> Groups:
    """The groups at some positions, in that order."""
    place = {old: new for new, old in enumerate(order)}

    def chosen(histogram: Histogram) -> Histogram:
        kept = np.isin(histogram.group, list(order))
        moved = np.array([place[old] for old in histogram.group[kept]], dtype=np.int64)
        return replace(histogram, group=moved, value=histogram.value[kept], count=histogram.count[kept])

    return _each(sample, sample.sizes[list(order)], chosen)


def _merged(sample: Groups) -> Groups:
    """The union of the first two groups, as one group; the whole table stays what it was."""
    first_two = _chosen(sample, [0, 1])
    return _each(first_two, np.array([first_two.rows]), merged)


def _each(sample: Groups, sizes: np.ndarray, change: Callable[[Histogram], Histogram]) -> Groups:
    """Groups of these sizes with every histogram changed."""
    sensitive = {name: change(histogram) for name, histogram in sample.sensitive.items()}
    return Groups(sizes, sensitive, None, {names: change(histogram) for names, histogram in sample.combined.items()})


def _shuffled(histogram: Histogram, data: st.DataObject) -> Histogram:
    order = data.draw(st.permutations(range(len(histogram.count))))
    return replace(histogram, group=histogram.group[order], value=histogram.value[order], count=histogram.count[order])


@every_group_model
@given(data=st.data())
def test_what_must_be_suppressed_in_a_group_is_suppressed_however_it_is_cut(cls, data):
    """Cut a group into parts and keep those that are accepted: no fewer records are left out than the model says."""
    model = data.draw(models_of(cls))
    parts = data.draw(groups(min_groups=1, max_groups=5, attributes=1))
    together = _each(parts, np.array([parts.rows]), merged)
    lost = int(parts.sizes[~model.accepts(parts)].sum())
    (least,) = model.least_suppressed(together)
    assert 0 <= least <= parts.rows
    assert least <= lost


def merged(histogram: Histogram) -> Histogram:
    """The histogram of all groups as one."""
    values = np.unique(histogram.value)
    counts = np.bincount(histogram.value, histogram.count).astype(np.int64)[values]
    return replace(histogram, group=np.zeros(len(values), dtype=np.int64), value=values, count=counts)
