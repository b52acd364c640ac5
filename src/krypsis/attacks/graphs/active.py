"""The active attack: accounts that the attacker creates before the release are found again in it."""

from dataclasses import dataclass
from math import ceil, log2
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.attacks.graphs.laying import continues
from krypsis.data.graphs import Graph
from krypsis.data.graphs.refinement import refine
from krypsis.errors import UsageError
from krypsis.kernels._jit import compiled

LIMITS = (
    "It works for online networks only, before the release, and with many accounts, which providers may notice.",
    "Accounts of the attacker can link to people, and these rarely link back.",
    "Many networks want both sides to agree to a link.",
)
"""What stands in the way of the attack, after Narayanan and Shmatikov 2009."""
MOST_TRIES = 100


@dataclass(frozen=True, eq=False)
class Planted:
    """A graph with the accounts of an attacker, the last vertices of it, and the people they are joined to."""

    graph: Graph
    accounts: int
    targets: IntArray
    signatures: BoolArray
    """For each target the accounts that are joined to it."""

    @property
    def pattern(self) -> BoolArray:
        """Which accounts are joined to each other."""
        first = self.graph.vertices - self.accounts
        inner = self.graph.edges[(self.graph.edges >= first).all(axis=1)] - first
        found = np.zeros((self.accounts, self.accounts), dtype=np.bool_)
        found[inner[:, 0], inner[:, 1]] = found[inner[:, 1], inner[:, 0]] = True
        return found

    @property
    def degrees(self) -> IntArray:
        """The number of edges of each account."""
        return self.graph.degrees[-self.accounts :]


@dataclass(frozen=True, eq=False)
class Recovered:
    """What was found again in the published graph."""

    targets: IntArray
    claimed: IntArray
    """The published vertex each target is taken for, -1 where it was not found."""
    right: int
    found_pattern: bool


class ActiveAttack(GraphAttack):
    """Creates accounts with random links among them, links them to victims, and finds all of it in the release.

    The release that is attacked is made anew from the graph with the accounts, by the method of the release; a graph
    that nothing protects is published under random numbers.

    References
    ----------
    Backstrom, Dwork, Kleinberg, "Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and structural
    steganography", WWW 2007. Its limits: Narayanan, Shmatikov, "De-anonymizing social networks", 2009.

    Examples
    --------
    >>> rng = np.random.default_rng(7)
    >>> target = GraphTarget.unprotected(Graph.of_codes(rng.integers(0, 300, (900, 2)), 300), rng)
    >>> ActiveAttack().run(target).rate
    1.0
    """

    name: ClassVar[str] = "active"
    title: ClassVar[str] = "active attack"
    knowledge: ClassVar[str] = "accounts that the attacker created before the release, and their links"
    success: ClassVar[str] = "the accounts are found, and with them the right vertex of a victim"
    baseline: ClassVar[str] = "a vertex that is chosen at random among all is the one of the victim"
    reference: ClassVar[str] = (
        "Backstrom, Dwork, Kleinberg, Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and "
        "structural steganography, WWW 2007"
    )
    reported: ClassVar[bool] = False

    victims: int = Field(default=20, ge=1, description="how many people the attacker wants to find")
    delta: float = Field(default=0.1, gt=0, description="accounts are (2 + delta) times the logarithm of the vertices")
    links: int = Field(default=3, ge=2, description="how many accounts are joined to a victim at most")
    least_outside: int = Field(default=2, ge=0, description="links of an account to people, at least")
    most_outside: int = Field(default=6, ge=0, description="links of an account to people, at most")
    budget: int = Field(default=5_000_000, ge=1, description="how many steps the search may take")

    def fits(self, target: GraphTarget) -> bool:
        return isinstance(target.published, Graph) and target.original.vertices >= 2

    def find_in(self, target: GraphTarget) -> Recovered:
        rng = np.random.default_rng(self.seed)
        planted = plant(target.original, rng, self)
        published, places = self._published(target, planted.graph, rng)
        return recover(published, places, planted, self.budget)

    def _published(self, target: GraphTarget, graph: Graph, rng: np.random.Generator) -> tuple[Graph, IntArray]:
        publish = target.republish
        again = GraphTarget.unprotected(graph, rng) if publish is None else publish(graph)
        if not isinstance(again.published, Graph):
            raise UsageError("super-vertices have no vertices among which accounts could be found")
        return again.published, again.places

    def evaluate_in(self, found: Recovered, target: GraphTarget) -> AttackSuccess:
        lost = "" if found.found_pattern else "The accounts of the attacker were not found, or not for certain."
        return AttackSuccess.of(
            self.name,
            targets=len(found.targets),
            rate=found.right / len(found.targets) if len(found.targets) else 0.0,
            baseline=1 / max(target.published.vertices, 1),
            certain=float(found.right),
            cannot_say=[lost, *LIMITS],
        )


def plant(graph: Graph, rng: np.random.Generator, attack: ActiveAttack) -> Planted:
    """Return a graph with the accounts of an attacker, who are joined so that nobody else looks like them."""
    vertices = graph.vertices
    accounts = max(ceil((2 + attack.delta) * log2(max(vertices, 2))), 3)
    targets = np.sort(rng.choice(vertices, min(attack.victims, vertices), replace=False))
    for _ in range(MOST_TRIES):
        # Step 1: a path through all accounts, and every other pair with probability 1/2.
        joined = np.triu(rng.random((accounts, accounts)) < 0.5, 1)
        joined[np.arange(accounts - 1), np.arange(1, accounts)] = True
        # Step 2: every victim is joined to a set of accounts of its own.
        signatures = np.zeros((len(targets), accounts), dtype=np.bool_)
        taken: set[frozenset[int]] = set()
        for place in range(len(targets)):
            for _ in range(MOST_TRIES):
                size = int(rng.integers(2, attack.links + 1))  # people are joined to one account by chance
                chosen = frozenset(rng.choice(accounts, size, replace=False).tolist())
                if chosen not in taken:
                    break
            taken.add(chosen)
            signatures[place, list(chosen)] = True
        if len(taken) < len(targets):
            raise UsageError(
                f"{accounts} accounts with up to {attack.links} links to a victim cannot mark {len(targets)} victims; "
                "choose fewer victims, or more links"
            )
        # Step 3: links to others until the account has as many as it should look like having.
        wanted = rng.integers(attack.least_outside, attack.most_outside + 1, accounts)
        pairs = [vertices + np.argwhere(joined), _pairs(targets, signatures, vertices)]
        others = rng.permutation(np.setdiff1d(np.arange(vertices), targets))  # each is joined to one account at most
        lacking = np.maximum(wanted - signatures.sum(axis=0), 0)
        padded = np.repeat(np.arange(accounts), lacking)[: len(others)]
        pairs.append(np.stack([vertices + padded, others[: len(padded)]], axis=1))
        whole = Graph.of_codes(np.concatenate([graph.edges.astype(np.int64), *pairs]), vertices + accounts)
        planted = Planted(whole, accounts, targets, signatures)
        # Step 4: no account may look like another, or nobody could tell which is which.
        inner = Graph.of_codes(np.argwhere(joined), accounts)
        if len(np.unique(refine(inner, None, planted.degrees))) == accounts:
            return planted
    raise UsageError("no pattern of accounts without symmetry was found; choose a larger delta")


def _pairs(targets: IntArray, signatures: BoolArray, vertices: int) -> IntArray:
    rows, accounts = np.nonzero(signatures)
    return np.stack([targets[rows], vertices + accounts], axis=1)


def recover(published: Graph, places: IntArray, planted: Planted, budget: int) -> Recovered:
    """Look for the accounts in a published graph, and for the victims by them."""
    pattern, degrees = planted.pattern, planted.degrees
    count, accounts = find_paths(published.starts, published.neighbors, pattern, degrees, budget)
    claimed = np.full(len(planted.targets), -1, dtype=np.int64)
    if count == 1:
        # A victim is the vertex that is joined to exactly its set of accounts.
        joined = np.zeros((published.vertices, len(accounts)), dtype=np.bool_)
        for column, account in enumerate(accounts.tolist()):
            joined[published.neighbors_of(account), column] = True
        joined[accounts] = False
        for place, signature in enumerate(planted.signatures):
            fitting = np.flatnonzero((joined == signature).all(axis=1))
            claimed[place] = fitting[0] if len(fitting) == 1 else -1
    right = int(((claimed >= 0) & (claimed == places[planted.targets])).sum())
    return Recovered(planted.targets, claimed, right, count == 1)


@compiled
def find_paths(
    starts: IntArray, neighbors: CodeArray, pattern: BoolArray, degrees: IntArray, budget: int
) -> tuple[int, CodeArray]:
    """Find paths whose vertices have given degrees and are joined as in a pattern; count up to two, return one."""
    vertices, size = len(starts) - 1, len(degrees)
    laid, turn = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    first = np.zeros(size, dtype=np.int32)
    count, tried = 0, 0
    for root in range(vertices):
        if starts[root + 1] - starts[root] != degrees[0]:
            continue
        laid[0], place = root, 1
        turn[1] = starts[root]
        while place > 0:
            # The next account is joined to the one before: the accounts lie on a path.
            if turn[place] == starts[laid[place - 1] + 1]:
                place -= 1
                continue
            vertex = neighbors[turn[place]]
            turn[place] += 1
            tried += 1
            if tried > budget:
                return 2, first
            differs = starts[vertex + 1] - starts[vertex] != degrees[place]
            if differs or not continues(starts, neighbors, pattern, laid, place, vertex, True):
                continue
            laid[place] = vertex
            place += 1
            if place == size:
                count += 1
                if count > 1:
                    return count, first
                for one in range(size):
                    first[one] = laid[one]
                place -= 1
                continue
            turn[place] = starts[vertex]
    return count, first
