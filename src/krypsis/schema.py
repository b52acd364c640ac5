"""The schema gives each attribute a role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from krypsis.errors import UsageError, column_not_found, did_you_mean, shorten


class Role(StrEnum):
    """What an attribute is to an attacker."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"

    @classmethod
    def of(cls, text: str) -> Role:
        """Return the role with that name; ``quasi_identifier`` and ``QI`` are understood too.

        Examples
        --------
        >>> Role.of("QI")
        <Role.QUASI_IDENTIFIER: 'quasi-identifier'>
        """
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
    ) -> Schema:
        """Build a schema from role names and check that its parts fit together."""
        typed = {name: Role.of(role) for name, role in roles.items()}
        sets = tuple(tuple(names) for names in quasi_identifier_sets)
        schema = cls(roles=typed, weights=dict(weights or {}), quasi_identifier_sets=sets)
        schema._check_weights()
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

    def _check_weights(self) -> None:
        for name, weight in self.weights.items():
            if self.roles.get(name) is not Role.QUASI_IDENTIFIER:
                raise UsageError(f"weight given for {name!r}, which is not a quasi-identifier")
            if not 0 <= weight < float("inf"):
                raise UsageError(f"weight of {name!r} must be a number of at least 0, got {weight}")
        if self.quasi_identifiers and not any(self.weight(name) for name in self.quasi_identifiers):
            raise UsageError("the weights of the quasi-identifiers are all 0; give at least one a positive weight")

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
