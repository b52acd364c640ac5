"""FF-anonymity."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from krypsis.data.columns import CategoryColumn
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from krypsis.models.base import Names
from krypsis.models.free_form import Facet, facets_of
from krypsis.models.mechanisms import MethodModel


class FFAnonymity(MethodModel):
    """No ``lmax`` values or fewer that can be seen give away a sensitive value with more certainty than ``theta``.

    Notes
    -----
    Free-form: the same column may hold values that anybody can see and values that nobody should learn. A flu is seen,
    AIDS is not; that somebody earns much is seen, how much is not. So both lists name values and not only columns:
    ``sex`` is every value of a column, ``disease=Flu`` one value, ``income@1`` the labels at level 1 of the hierarchy
    of income.

    For every set ``X`` of such values, of different columns or levels, that a record shows, and every sensitive value
    ``s``: of the records that show all of ``X`` at most the share ``theta`` have ``s``. The empty set counts: what
    anybody knows without looking. Testing the largest sets is not enough, since records that show nothing in a column
    fall out of every set with it. A missing value is neither seen nor sensitive. That somebody is *not* seen to have
    the flu is not used.

    Cost: one grouping for each set of up to ``lmax`` columns.

    References
    ----------
    Wang, Xu, Fu, Wong, "FF-anonymity: when quasi-identifiers are missing", ICDE 2009.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"sex": ["m", "m", "f", "f"], "disease": ["AIDS", "Flu", "AIDS", "AIDS"]})
    >>> promise = FFAnonymity(theta=0.8, lmax=2, observable=("sex", "disease=Flu"), sensitive=("disease=AIDS",))
    >>> krypsis.check(table, promise, quasi_identifiers=["sex"])[0].offending
    ({'values': {'sex': 'f'}, 'size': 2, 'reveals': {'disease': 'AIDS'}, 'share': 1.0},)
    """

    name: ClassVar[str] = "ff-anonymity"
    protects_from: ClassVar[str] = (
        "learning a sensitive value of a person from any few values that can be seen, also where the same column holds "
        "both: at most the share theta of such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "attackers who see more than lmax values, or use that a value is not seen, linking a record to a person, "
        "sensitive values that are alike in meaning (similarity), and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Wang, Xu, Fu, Wong, FF-anonymity: when quasi-identifiers are missing, ICDE 2009"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    covers_all_sensitive: ClassVar[bool] = True
    ties_values_to_records: ClassVar[bool] = True
    kept_by: ClassVar[str] = "ff-suppression"

    theta: float = Field(gt=0, le=1, description="largest share of records with a sensitive value among those alike")
    lmax: int = Field(ge=1, description="largest number of values that an attacker sees of a person")
    observable: Names = Field(min_length=1, description="what can be seen: sex, disease=Flu, income@1")
    sensitive: Names = Field(min_length=1, description="what nobody should learn: disease=AIDS, income")

    @property
    def required(self) -> float:
        return self.theta

    def promise(self) -> str:
        return (
            f"of the records that show the same values, up to {self.lmax} of {', '.join(self.observable)}, at most "
            f"{self.theta:.6g} have the same of {', '.join(self.sensitive)}"
        )

    def facets(
        self, columns: Mapping[str, CategoryColumn], hierarchies: Mapping[str, Hierarchy]
    ) -> tuple[tuple[Facet, ...], tuple[Facet, ...]]:
        """Return what can be seen and what is sensitive in some columns.

        Raises
        ------
        UsageError
            if the same value is both.
        """
        seen, hidden = (facets_of(entries, columns, hierarchies) for entries in (self.observable, self.sensitive))
        for one in seen:
            for other in hidden:
                same = (
                    set(one.labels) & set(other.labels)
                    if (one.column, one.level) == (other.column, other.level)
                    else ()
                )
                if same:
                    raise UsageError(
                        f"{min(map(str, same))!r} of {one.name} can be seen and is sensitive, too; whoever sees it "
                        "knows it: name the values that can be seen, such as disease=Flu"
                    )
        return seen, hidden
