"""Parameters of promises about other sets of attributes or values, drawn so that they fit the tables of strategies."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

OF_QUASI_IDENTIFIERS = st.sampled_from([None, ("q0",)])
"""Every table of ``strategies.tables`` has this quasi-identifier."""


def whole_models(cls: type[Any]) -> st.SearchStrategy[Any] | None:
    """The objects of a class whose parameters depend on each other; ``None`` for others."""
    if cls.name == "multi-attribute-l-diversity":
        whole = st.builds(cls, l=st.integers(1, 4), variant=st.sampled_from(["distinct", "frequency"]))
        entropy = st.builds(
            cls, l=st.integers(1000, 4000).map(lambda number: number / 1000), variant=st.just("entropy")
        )
        ratios = st.integers(1, 4000).map(lambda number: number / 1000)
        return whole | entropy | st.builds(cls, l=st.integers(1, 4), c=ratios, variant=st.just("recursive"))
    if cls.name == "em-correlation":
        e, m, limit = st.fractions(min_value=1, max_value=20, max_denominator=9), st.integers(2, 6), st.integers(0, 9)
        numbers = st.builds(cls, e=e, m=m, low=limit.map(lambda low: -low), high=limit.map(lambda high: high + 1))
        return st.builds(cls, e=e, m=m) | numbers
    return None


def set_parameters(name: str, attributes: Sequence[str], values: Sequence[str]) -> dict[str, st.SearchStrategy[Any]]:
    """The parameters of the model ``name`` whose type does not say what they may be; none for other models.

    ``attributes`` are the sensitive attributes, ``values`` what these may hold.
    """
    if name == "lkc-privacy" and not attributes:
        return {"c": st.just(1.0)}  # without a sensitive attribute there are no shares to limit
    if name == "confidence-bounding":
        return {"value": st.sampled_from(values), "attributes": OF_QUASI_IDENTIFIERS}
    if name == "personalized-privacy":
        return {"attribute": st.sampled_from(attributes or ["disease"]), "guarding": st.just("guard")}
    if name == "ff-anonymity":
        return {"observable": st.just(("q0", "q1@1")), "sensitive": st.just(tuple(attributes) or ("disease=flu",))}
    if name.startswith("xy-"):
        names = st.sampled_from(attributes or ["disease"]).map(lambda one: (one,))
        return {"y": names | st.just(tuple(attributes)) if attributes else names, "x": OF_QUASI_IDENTIFIERS}
    if name == "ct-isolation":  # c must be more than 1
        return {"c": st.integers(1001, 5000).map(_thousandths)}
    if name == "d-gamma-privacy":  # d must be less than gamma
        return {"d": st.integers(1, 400).map(_thousandths), "gamma": st.integers(401, 999).map(_thousandths)}
    return {}


def _thousandths(number: int) -> float:
    return number / 1000
