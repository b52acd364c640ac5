"""The schema gives each attribute a role."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from numbers import Real

from pydantic import BaseModel, ConfigDict, Field

from krypsis.errors import UsageError, check_mapping, column_not_found, did_you_mean, shorten, wrong_role

LARGEST_WEIGHT = 1e9
"""Far beyond what anybody means, and small enough to add up without loss."""


class Role(StrEnum):
    """What an attribute is to an attacker."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"

    @classmethod
    def of(cls, text: str) -> "Role":
        """Return the role with that name; ``quasi_identifier`` and ``QI`` are understood too.

        Examples
        --------
        >>> Role.of("QI")
        <Role.QUASI_IDENTIFIER: 'quasi-identifier'>
        """
        if not isinstance(text, str):
            raise UsageError(f"a role is one of {', '.join(role.value for role in cls)}; got {text!r}")
        name = text.strip().lower().replace("_", "-").replace(" ", "-")
        name = {"qi": "quasi-identifier", "id": "identifier"}.get(name, name)
        if name in (known := [role.value for role in cls]):
            return cls(name)
        raise UsageError(f"role {text!r} is not known; roles: {', '.join(known)}.{did_you_mean(name, known)}")


class Schema(BaseModel):
    """The role of every attribute, with the weights and sets of the quasi-identifiers.

    Examples
    --------
    >>> schema = Schema.of({"name": "identifier", "age": "QI", "disease": "sensitive"})
    >>> schema.quasi_identifiers, schema.sensitive
    (('age',), ('disease',))
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    roles: dict[str, Role]
    weights: dict[str, float] = Field(default_factory=dict)
    quasi_identifier_sets: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(
        cls,
        roles: Mapping[str, str],
        weights: Mapping[str, float] | None = None,
        quasi_identifier_sets: Iterable[Iterable[str]] = (),
    ) -> "Schema":
        """Build a schema from role names and check that its parts fit together."""
        check_mapping(roles, "roles", "{'age': 'quasi-identifier', 'disease': 'sensitive'}")
        check_mapping(weights or {}, "weights", "{'age': 2}")
        typed = {name: Role.of(role) for name, role in roles.items()}
        _check_weights(weights or {}, typed)
        schema = cls(roles=typed, weights=dict(weights or {}), quasi_identifier_sets=_sets(quasi_identifier_sets))
        schema._check_sets()
        return schema

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Return the attributes of that role in the order they were given."""
        return tuple(name for name, given in self.roles.items() if given is role)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Attributes that name a person and are always removed."""
        return self.with_role(Role.IDENTIFIER)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Attributes an attacker may know from elsewhere."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Attributes nobody should be able to attach to a person."""
        return self.with_role(Role.SENSITIVE)

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The quasi-identifier sets that need checking: those not contained in another.

        A table that is k-anonymous on a set is k-anonymous on each of its subsets.
        """
        given = self.quasi_identifier_sets or (self.quasi_identifiers,)
        return tuple(
            names
            for position, names in enumerate(given)
            if not any(
                set(names) < set(other) or (set(names) == set(other) and earlier < position)
                for earlier, other in enumerate(given)
            )
        )

    def weight(self, name: str) -> float:
        """Return the weight of a quasi-identifier in the metrics, 1 unless given."""
        return self.weights.get(name, 1.0)

    def check_columns(self, columns: Iterable[str]) -> None:
        """Raise unless every attribute of the schema is a column of the table."""
        columns = list(columns)
        for name in self.roles:
            if name not in columns:
                raise column_not_found(name, columns)

    def require(self, name: str, role: Role) -> None:
        """Raise unless the attribute has that role."""
        if name not in self.roles:
            raise column_not_found(name, self.with_role(role))
        if self.roles[name] is not role:
            raise wrong_role(name, self.roles[name].value, role.value, self.with_role(role))

    def _check_sets(self) -> None:
        known = set(self.quasi_identifiers)
        for names in self.quasi_identifier_sets:
            if strangers := [name for name in names if name not in known]:
                raise UsageError(
                    f"a quasi-identifier set names {shorten(strangers)}, "
                    f"not among the quasi-identifiers: {shorten(sorted(known))}"
                )
            if not names:
                raise UsageError("a quasi-identifier set is empty; name at least one attribute")
        if self.quasi_identifier_sets:
            covered = {name for names in self.quasi_identifier_sets for name in names}
            if left_out := [name for name in self.quasi_identifiers if name not in covered]:
                raise UsageError(f"no quasi-identifier set contains {shorten(left_out)}; add it to a set")


def _check_weights(weights: Mapping[str, float], roles: Mapping[str, Role]) -> None:
    for name, weight in weights.items():
        if roles.get(name) is not Role.QUASI_IDENTIFIER:
            raise UsageError(f"weight given for {name!r}, which is not a quasi-identifier")
        if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= weight <= LARGEST_WEIGHT:
            raise UsageError(f"weight of {name!r} must be a number from 0 to {LARGEST_WEIGHT:g}, got {weight!r}")
    known = [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    if known and not any(weights.get(name, 1) for name in known):
        raise UsageError("the weights of the quasi-identifiers are all 0; give at least one a positive weight")


def _sets(given: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    expected = f"quasi_identifier_sets must be lists of names such as [['age', 'sex'], ['zip']], got {given!r}"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UsageError(expected)
    sets = [tuple(names) if isinstance(names, Iterable) and not isinstance(names, str) else None for names in given]
    checked = tuple(names for names in sets if names is not None and all(isinstance(name, str) for name in names))
    if len(checked) < len(sets):
        raise UsageError(expected)
    return checked
