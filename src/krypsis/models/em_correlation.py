"""(e,m)-correlation-based anonymity."""

from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from krypsis.models.base import PrivacyModel
from krypsis.specs import as_written


class EMCorrelation(PrivacyModel):
    """In every release everybody is among the same ``m`` or more sensitive values, none of them too closely related.

    Notes
    -----
    Three conditions over all releases. In every group all sensitive values are equally frequent and at least ``m``. Two
    different values of a group have a correlation of at most ``e``: the number of all values divided by the number of
    values below their lowest common ancestor, so 1 for values that meet only at the top. And what somebody is among,
    and everybody who ever shared a group with that person, differs between releases at most in how general a value is.

    ``e`` is exact, a fraction such as ``8/5``. With ``e = 1`` two values of a group meet only at the top of the
    hierarchy; from half of the number of values on it asks for nothing more than m-invariance does. Without a
    hierarchy all values are related equally little.

    Of numbers, the correlation is the distance of the lowest and the highest that there can be, ``low`` and ``high``,
    divided by the distance of the two: ``e=20,low=0,high=100000`` keeps the salaries of a group 5000 apart.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, for the
    groups; Xu et al., "Utility-based anonymization using local recoding", KDD 2006, for the measure.

    Examples
    --------
    >>> EMCorrelation(e="8/5", m=2).spec, EMCorrelation(e=1.6, m=2).e
    ('em-correlation:e=8/5,m=2', Fraction(8, 5))
    >>> EMCorrelation(e=20, m=3, low=0, high=100_000).spec
    'em-correlation:e=20,m=3,low=0,high=100000'
    """

    name: ClassVar[str] = "em-correlation"
    kind: ClassVar[str] = "history"
    covers_all_sensitive: ClassVar[bool] = True
    protects_from: ClassVar[str] = (
        "learning the sensitive value of a person by comparing releases of the same table over time, and learning what "
        "kind of value it is from a group whose values are all related"
    )
    does_not_protect_from: ClassVar[str] = (
        "relations between values that the hierarchy does not show, a sensitive value that changes, background "
        "knowledge that excludes values of a group, and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    )
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    e: Annotated[Fraction, BeforeValidator(as_written)] = Field(
        ge=1, description="highest correlation of two sensitive values in a group, an exact fraction such as 8/5"
    )
    m: int = Field(ge=2, description="smallest number of different sensitive values that a record is among")
    low: Annotated[Fraction | None, BeforeValidator(as_written)] = Field(
        default=None, description="lowest number that the sensitive attribute can have, if it is one; with 'high'"
    )
    high: Annotated[Fraction | None, BeforeValidator(as_written)] = Field(
        default=None, description="highest number that the sensitive attribute can have, if it is one; with 'low'"
    )

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high belong together: give both where the sensitive attribute is a number")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"low must be less than high, got {self.low} and {self.high}")
        return self

    @property
    def limits(self) -> tuple[Fraction, Fraction] | None:
        """The lowest and the highest number that there can be; ``None`` for values in a hierarchy."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def required(self) -> float:
        return float(self.m)

    def promise(self) -> str:
        return (
            f"every group has at least {self.m} different sensitive values, equally often and with a correlation of at "
            f"most {self.e}, and everybody is among the same values in all releases, or more general ones"
        )

    def allows(self, values: int, common: int) -> bool:
        """Say whether two values may meet, given how many there are in all and below their lowest common ancestor.

        Of numbers, given how far the limits lie apart, and the two.

        Examples
        --------
        >>> EMCorrelation(e="8/5", m=2).allows(8, 5), EMCorrelation(e="8/5", m=2).allows(8, 4)
        (True, False)
        """
        return values <= self.e * common
