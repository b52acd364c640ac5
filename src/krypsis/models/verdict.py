"""A verdict says whether a promise holds."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from krypsis.texts.cards import Card


class Basis(BaseModel):
    """What a verdict was judged on, and which of it is only the publisher's word.

    Examples
    --------
    >>> Basis(quasi_identifiers=(("age", "zip"),), not_judged=("visits",)).sentences()
    ('Judged on: an attacker knows age, zip; sensitive: none.', 'Not judged: visits.')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    quasi_identifiers: tuple[tuple[str, ...], ...] = ()
    """The attributes that an attacker was assumed to know, or several such sets."""
    sensitive: tuple[str, ...] = ()
    not_judged: tuple[str, ...] = ()
    """Columns that are published and that no promise is about."""
    publishers_word: tuple[str, ...] = ()
    """What the files of a release state and cannot show."""

    def sentences(self) -> tuple[str, ...]:
        """Return it in plain words."""
        known = "; or ".join(", ".join(names) for names in self.quasi_identifiers) or "nothing"
        found = [f"Judged on: an attacker knows {known}; sensitive: {', '.join(self.sensitive) or 'none'}."]
        if self.not_judged:
            found.append(f"Not judged: {', '.join(self.not_judged)}.")
        if self.publishers_word:
            found.append(f"The publisher's word, which the files cannot show: {'; '.join(self.publishers_word)}.")
        return tuple(found)


class Verdict(BaseModel):
    """What the checker found about one promise.

    A verdict is true only if the promise was shown to hold: an undecided one is as false as a broken one.

    Examples
    --------
    >>> undecided = Verdict(promise="differential-privacy:epsilon=1", holds=None, required=1, sentence="Undecided.")
    >>> undecided.decided, bool(undecided)
    (False, False)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    promise: str
    """The promise as a spec, such as ``k-anonymity:k=5``."""
    holds: bool | None
    """``None`` if what was examined does not decide it: no published file shows how noise was drawn."""
    required: float
    achieved: float | None = None
    """The level that was found; ``None`` if it cannot be measured on what was given."""
    sentence: str
    offending: tuple[dict[str, object], ...] = ()
    """A sample of groups that break the promise, each as published values with its size."""
    basis: Basis | None = None
    """What it was judged on, where published files were checked."""

    def __bool__(self) -> bool:
        return self.holds is True

    def _repr_html_(self) -> str:
        """Show in a notebook what was found; values of groups stay out, for what was checked may not be published."""
        achieved = "" if self.achieved is None else f"{self.achieved:.6g}"
        facts = {"required": f"{self.required:.6g}", "achieved": achieved}
        groups = f"{len(self.offending)} of the groups that break it: verdict.offending" if self.offending else ""
        return Card(f"Verdict on {self.promise}", facts, [(self.holds, self.sentence)], note=groups).html()

    @property
    def decided(self) -> bool:
        """Whether what was examined shows that the promise holds, or that it does not."""
        return self.holds is not None


def all_hold(verdicts: Iterable[Verdict]) -> bool | None:
    """Say whether all promises hold: false if one is broken, ``None`` if one is undecided or there is none.

    Examples
    --------
    >>> kept = Verdict(promise="k-anonymity:k=2", holds=True, required=2, achieved=2, sentence="Kept.")
    >>> open_ = kept.model_copy(update={"holds": None})
    >>> all_hold([kept]), all_hold([kept, open_]), all_hold([open_, kept.model_copy(update={"holds": False})])
    (True, None, False)
    >>> all_hold([]) is None
    True
    """
    found = [verdict.holds for verdict in verdicts]
    if False in found:
        return False
    return None if None in found or not found else True
