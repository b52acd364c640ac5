"""What follows from axioms, found by rules on the class expressions themselves.

The engines that publish an ontology work on normal forms; nothing of them is used here. A context is a conjunction of
expressions; for each one that matters, all expressions that include it are collected, one by one.

References
----------
Kazakov, Krötzsch, Simančík, The incredible ELK, Journal of Automated Reasoning 53, 2014.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import pairwise

from krypsis.data.ontologies import AxiomType, Ontology, Operator
from krypsis.errors import InternalError

TOP, BOTTOM = 0, 1
Context = tuple[int, ...]
"""The expressions whose conjunction it stands for, in ascending order."""


class Subsumption:
    """Finds what includes the contexts that are asked for, and those that they are related to.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(:A :B) SubClassOf(:B ObjectSomeValuesFrom(:r :C))")
    >>> found = Subsumption(ontology)
    >>> found.include((2,)), sorted(found.including((2,)))
    (None, [0, 2, 3, 5])
    """

    def __init__(self, ontology: Ontology) -> None:
        table = ontology.expressions
        self._operators: list[int] = table.operators.tolist()
        self._arguments = [table.arguments[place].tolist() for place in range(len(table))]
        pairs = zip(self._operators, self._arguments, strict=True)
        self._numbers = {(operator, *given): place for place, (operator, given) in enumerate(pairs)}
        self._above: dict[int, list[int]] = defaultdict(list)
        """Expression → those that an axiom says include it."""
        self._disjoint: dict[int, list[int]] = defaultdict(list)
        """Expression → those with which it has no common member."""
        self._exclusive: dict[int, list[frozenset[int]]] = defaultdict(list)
        """Expression → sets that it is in, no two of which have a common member."""
        self._role_above: dict[int, list[int]] = defaultdict(list)
        self._after: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """Role r → pairs of s and t such that r ∘ s is included in t."""
        self._before: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._domains: dict[int, list[int]] = defaultdict(list)
        self._ranges: dict[int, list[int]] = defaultdict(list)
        self._reflexive: list[int] = []
        self._unrelated: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """Individual → roles and individuals that it is not related to."""
        self._chain_roles = len(ontology.roles)
        for place, kind in enumerate(ontology.types.tolist()):
            self._state(AxiomType(kind), ontology.arguments[place].tolist())
        for place, operator in enumerate(self._operators):
            if operator == Operator.NOT:
                part = self._arguments[place][0]
                self._disjoint[part].append(place)
                self._disjoint[place].append(part)
        roles = range(self._chain_roles)
        self._super_roles = {role: self._roles_above([role], self._role_above) for role in roles}
        handing_up = {
            role: [*self._role_above[role], *(whole for _, whole in self._before.get(role, ()))] for role in roles
        }
        self._targets_in = {
            role: {one for above in self._roles_above([role], handing_up) for one in self._ranges.get(above, ())}
            for role in roles
        }
        """Role → the ranges that its targets are in. For r ∘ s ⊑ t, this counts all targets of s as targets of t,
        which is more than follows: the language has no other ranges of t than s has."""
        self._chained: dict[tuple[int, int], list[int]] = {}
        """Roles r and s → those that include r ∘ s, as far as it was asked for."""
        self._composed: set[int] = set()
        """Expressions that are derived from their parts, because they may stand on the left of an inclusion."""
        self._conjunctions: dict[int, dict[int, list[int]]] = defaultdict(dict)
        """One part → the other part → conjunctions of both. One of many parts is one of two, again and again."""
        self._unions: dict[int, list[int]] = defaultdict(list)
        self._restrictions: dict[int, dict[int, list[int]]] = defaultdict(dict)
        """Filler → role → restrictions of the role to the filler."""
        self._selves: dict[int, list[int]] = defaultdict(list)
        for expression in [*self._above, *self._disjoint, *self._exclusive]:
            self._compose(expression)
        self._included: dict[Context, set[int]] = {}
        self._links: dict[Context, dict[int, set[Context]]] = {}
        """Context → role → the contexts that its members are related to."""
        self._back_links: dict[Context, dict[int, set[Context]]] = {}
        self._own: dict[Context, set[int]] = {}
        """Context → the roles by which its members are related to themselves."""
        self._work: list[tuple[Context, int]] = []
        self._new_links: list[tuple[Context, int, Context]] = []

    # What axioms say.

    def _state(self, kind: AxiomType, given: list[int]) -> None:
        match kind:
            case AxiomType.SUBCLASS:
                self._above[given[0]].append(given[1])
            case AxiomType.MEMBER:
                self._above[given[1]].append(given[0])
            case AxiomType.EQUIVALENT | AxiomType.SAME:
                for one, other in pairwise([*given, given[0]]):
                    self._above[one].append(other)
            case AxiomType.DISJOINT | AxiomType.DIFFERENT:
                self._exclude_each_other(given)
            case AxiomType.RELATED:
                self._above[given[1]].append(self.expression(Operator.SOME, given[0], given[2]))
            case AxiomType.UNRELATED:
                self._unrelated[given[1]].append((given[0], given[2]))
            case AxiomType.DOMAIN:
                self._domains[given[0]].append(given[1])
            case AxiomType.RANGE:
                self._ranges[given[0]].append(given[1])
            case _:
                self._state_of_roles(kind, given)

    def _exclude_each_other(self, given: list[int]) -> None:
        members = frozenset(given)
        for one in members:
            self._exclusive[one].append(members)
        for one, following in pairwise(sorted(given)):
            if one == following:  # who is disjoint from itself has no members
                self._disjoint[one].append(one)

    def expression(self, operator: Operator, *arguments: int) -> int:
        """Return the number of an expression, which need not occur in an axiom."""
        key = (int(operator), *arguments)
        if key not in self._numbers:
            self._numbers[key] = len(self._operators)
            self._operators.append(int(operator))
            self._arguments.append(list(arguments))
        return self._numbers[key]

    def ask(self, expression: int) -> None:
        """Say that an expression is asked for, before anything is included: others need not be derived."""
        self._compose(expression)

    def _state_of_roles(self, kind: AxiomType, given: list[int]) -> None:
        match kind:
            case AxiomType.EQUIVALENT_ROLES:
                for one, other in pairwise([*given, given[0]]):
                    self._role_above[one].append(other)
            case AxiomType.TRANSITIVE:
                self._chain(given[0], given[0], given[0])
            case AxiomType.REFLEXIVE:
                self._reflexive.append(given[0])
            case AxiomType.SUBROLE if len(given) == 2:
                self._role_above[given[0]].append(given[1])
            case AxiomType.SUBROLE:
                *chain, last, role = given
                found = chain[0]
                for one in chain[1:]:  # a chain of many is one of two, of which the first stands for a chain
                    found, first = self._chain_roles, found
                    self._chain_roles += 1
                    self._chain(first, one, found)
                self._chain(found, last, role)
            case _:
                raise InternalError(f"nothing is known about axioms of the type {kind.name}; please report this")

    def _chain(self, first: int, second: int, whole: int) -> None:
        self._after[first].append((second, whole))
        self._before[second].append((first, whole))

    @staticmethod
    def _roles_above(pending: list[int], above: Mapping[int, list[int]]) -> tuple[int, ...]:
        found = set(pending)
        while pending:
            for one in above[pending.pop()]:
                if one not in found:
                    found.add(one)
                    pending.append(one)
        return tuple(sorted(found))

    def _compose(self, expression: int) -> None:
        """Note that an expression, and its parts, are to be derived from what they are built of."""
        pending = [expression]
        while pending:
            one = pending.pop()
            if one in self._composed:
                continue
            self._composed.add(one)
            given = self._arguments[one]
            match self._operators[one]:
                case Operator.AND:
                    pending += given
                    self._compose_conjunction(one)
                case Operator.OR:
                    pending += given
                    for part in given:
                        self._unions[part].append(one)
                case Operator.SOME:
                    pending.append(given[1])
                    self._restrictions[given[1]].setdefault(given[0], []).append(one)
                case Operator.SELF:
                    self._selves[given[0]].append(one)

    def _compose_conjunction(self, whole: int) -> None:
        """Note a conjunction with both of its parts, of which the first may stand for all but the last."""
        first, *others = self._arguments[whole]
        if not others:
            self._unions[first].append(whole)
        for place, part in enumerate(others, 1):
            both = whole if place == len(others) else self.expression(Operator.AND, first, part)
            if both == whole or both not in self._composed:
                self._composed.add(both)
                for one, other in {(first, part), (part, first)}:
                    self._conjunctions[one].setdefault(other, []).append(both)
            first = both

    # What follows.

    def include(self, context: Context) -> None:
        """Find everything that includes a context."""
        self._begin(context)
        while self._work or self._new_links:
            if self._work:
                self._draw(*self._work.pop())
            else:
                self._draw_from_links(*self._new_links.pop())

    def including(self, context: Context) -> set[int]:
        """Return the expressions that include a context which was asked for."""
        return self._included[context]

    def _begin(self, context: Context) -> None:
        if context in self._included:
            return
        self._included[context] = set()
        self._links[context], self._back_links[context], self._own[context] = {}, {}, set()
        for one in (TOP, *context):
            self._add(context, one)
        for role in self._reflexive:
            self._relate_to_self(context, role)

    def _add(self, context: Context, expression: int) -> None:
        if expression not in self._included[context]:
            self._included[context].add(expression)
            self._work.append((context, expression))

    def _draw(self, context: Context, expression: int) -> None:
        """Draw all conclusions from one inclusion."""
        included = self._included[context]
        for one in self._above.get(expression, ()):
            self._add(context, one)
        if self._is_excluded(expression, included):
            self._add(context, BOTTOM)
        if (conjunctions := self._conjunctions.get(expression)) is not None:
            # Thousands of conjunctions may have a part in common: only those are looked at whose other part is there.
            for part in conjunctions.keys() & included:
                for whole in conjunctions[part]:
                    self._add(context, whole)
        for whole in self._unions.get(expression, ()):
            self._add(context, whole)
        if self._consequential({expression}):
            # Whoever is related to this context is related to a member of the expression.
            for role, sources in self._back_links[context].items():
                self._draw_from_link(sources, role, expression)
        self._decompose(context, expression)

    def _is_excluded(self, expression: int, included: set[int]) -> bool:
        """Say whether an expression has no common member with another one of those that include a context."""
        return any(one in included for one in self._disjoint.get(expression, ())) or any(
            len(included & members) > 1 for members in self._exclusive.get(expression, ())
        )

    def _decompose(self, context: Context, expression: int) -> None:
        """Draw what an expression says by itself of all that it includes."""
        given = self._arguments[expression]
        match self._operators[expression]:
            case Operator.AND:
                for part in given:
                    self._add(context, part)
            case Operator.SOME:
                self._link(context, given[0], self._target(context, given[0], given[1]))
            case Operator.SELF:
                self._relate_to_self(context, given[0])
            case Operator.NOMINAL:
                self._identify(context, expression)

    def _identify(self, context: Context, expression: int) -> None:
        """Of individuals that are the same, each is the other; who is related to itself by any name is so."""
        if len(context) != 1 or self._operators[context[0]] != Operator.NOMINAL:
            return
        self._begin((expression,))
        self._add((expression,), context[0])
        for role, targets in self._links[context].items():  # those that the individual must not have, and to itself
            self._new_links += [(context, role, target) for target in targets]

    def _target(self, context: Context, role: int, filler: int) -> Context:
        """Return the context of those whom members are related to: of the filler, and of the range of the role."""
        ranges = self._targets_in[role]
        if self._operators[filler] != Operator.NOMINAL:
            found = tuple(sorted({filler, *ranges}))
            self._begin(found)
            return found
        self._begin((filler,))
        if len(context) == 1 and self._operators[context[0]] == Operator.NOMINAL:
            for one in ranges:
                self._add((filler,), one)
        return (filler,)

    def _link(self, context: Context, role: int, target: Context) -> None:
        """Note that members of a context are related to members of another."""
        targets = self._links[context].setdefault(role, set())
        if target not in targets:
            self._begin(target)
            targets.add(target)
            self._back_links[target].setdefault(role, set()).add(context)
            self._new_links.append((context, role, target))

    def _draw_from_links(self, context: Context, role: int, target: Context) -> None:
        """Draw all conclusions from one relation between contexts."""
        for expression in self._consequential(self._included[target]):
            self._draw_from_link((context,), role, expression)
        for above in self._roles_of(role):
            for one in self._domains.get(above, ()):
                self._add(context, one)
        self._chain_links(context, role, target)
        is_individual = len(target) == 1 and self._operators[target[0]] == Operator.NOMINAL
        if is_individual and target[0] in self._included[context]:
            self._relate_to_self(context, role)

    def _chain_links(self, context: Context, role: int, target: Context) -> None:
        """Draw what chains of two roles say, of which a relation is the first or the second."""
        for other, further in tuple(self._links[target].items()):
            for whole in self._chains_of(role, other):
                for one in further - self._links[context].get(whole, set()):
                    self._link(context, whole, one)
        for other, sources in tuple(self._back_links[context].items()):
            for whole in self._chains_of(other, role):
                for one in sources - self._back_links[target].get(whole, set()):
                    self._link(one, whole, target)

    def _chains_of(self, first: int, second: int) -> list[int]:
        """Return the roles that include one role followed by another."""
        if (first, second) not in self._chained:
            above = self._roles_of(second)
            pairs = [pair for one in self._roles_of(first) for pair in self._after.get(one, ())]
            self._chained[first, second] = sorted({whole for last, whole in pairs if last in above})
        return self._chained[first, second]

    def _roles_of(self, role: int) -> tuple[int, ...]:
        """Return a role and all that include it."""
        return self._super_roles.get(role, (role,))

    def _consequential(self, included: set[int]) -> set[int]:
        """Return the expressions from which something may follow for those who are related to their members."""
        found = self._restrictions.keys() & included
        if BOTTOM in included:
            found.add(BOTTOM)
        if self._unrelated:
            found.update(one for one in included if self._operators[one] == Operator.NOMINAL)
        return found

    def _draw_from_link(self, contexts: Collection[Context], role: int, expression: int) -> None:
        """Draw what follows for contexts that are related to members of an expression."""
        above = self._roles_of(role)
        found = [BOTTOM] if expression == BOTTOM else []
        if (restrictions := self._restrictions.get(expression)) is not None:
            found += [whole for one in above for whole in restrictions.get(one, ())]
        for whole in found:
            for context in contexts:
                self._add(context, whole)
        if self._unrelated and self._operators[expression] == Operator.NOMINAL:
            for context in contexts:
                self._refuse_relation(context, above, expression)

    def _refuse_relation(self, context: Context, roles: Collection[int], individual: int) -> None:
        """Note that a context is empty where one of its members must not be related to an individual."""
        for one in self._unrelated.keys() & self._included[context]:
            if any(other == individual and role in roles for role, other in self._unrelated[one]):
                self._add(context, BOTTOM)

    def _relate_to_self(self, context: Context, role: int) -> None:
        """Note that all members of a context are related to themselves, which is a link to the context, too."""
        for above in self._roles_of(role):
            if above in self._own[context]:
                continue
            self._own[context].add(above)
            for one in self._selves.get(above, ()):
                self._add(context, one)
            for one in self._targets_in[above]:
                self._add(context, one)
            self._link(context, above, context)
            for whole in [
                *(whole for second, whole in self._after.get(above, ()) if second in self._own[context]),
                *(whole for first, whole in self._before.get(above, ()) if first in self._own[context]),
            ]:
                self._relate_to_self(context, whole)

    # Answers.

    def is_empty(self, context: Context) -> bool:
        """Say whether a context that was asked for can have no members."""
        return BOTTOM in self._included[context]
