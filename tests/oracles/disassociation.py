"""Disassociation in plain Python: sets, counters and loops, written from the pseudocode."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise


def is_km(rows, k, m):
    """Every combination of 1 to m items that occurs in a row occurs in k rows."""
    counts = Counter(part for row in rows for size in range(1, m + 1) for part in combinations(sorted(row), size))
    return all(count >= k for count in counts.values())


def is_k(rows, k):
    """Every row that is not empty occurs k times."""
    return all(count >= k for count in Counter(frozenset(row) for row in rows if row).values())


def home_of(sets, constraints):
    """Item → the constraint it belongs to: of several the one that most records hold, of those the first.

    Items that occur nowhere do not count.
    """
    occurring = set().union(*sets)
    held = [sum(set(one) & occurring <= record for record in sets) for one in constraints]
    items = {item for one in constraints for item in one}
    return {
        item: max((n for n, one in enumerate(constraints) if item in one), key=lambda n: (held[n], -n))
        for item in items
    }


def horpart(sets, limit, least, hidden=frozenset(), constraints=()):
    """Clusters as lists of numbers of records."""
    home = home_of(sets, constraints)

    def split(records, ignore, wanted):
        if len(records) < limit:
            return [records] if records else []
        counts = Counter(item for r in records for item in sets[r] if item not in hidden | ignore)
        choices = [
            {item for item in counts if wanted is not None and item in constraints[wanted]},
            {item for item in counts if item in home},
            set(counts),
        ]
        place, choice = next(((n, one) for n, one in enumerate(choices) if one), (None, None))
        if choice is None:
            return slices(records, limit, least)
        item = min(choice, key=lambda one: (-counts[one], one))
        now = wanted if place == 0 else home.get(item)
        having = [r for r in records if item in sets[r]]
        rest = [r for r in records if item not in sets[r]]
        return split(having, ignore | {item}, now) + split(rest, ignore, None)

    return split(list(range(len(sets))), frozenset(), None)


def slices(records, limit, least):
    parts = max(1, min(-(-len(records) // (limit - 1)), len(records) // least))
    edges = [len(records) * n // parts for n in range(parts + 1)]
    return [records[a:b] for a, b in pairwise(edges)]


def unite(sets, clusters, least, hidden=frozenset()):
    """Unite clusters of fewer records than the least with the most similar one."""
    clusters = dict(enumerate(map(list, clusters)))

    def items(number):
        return {item for r in clusters[number] for item in sets[r]} - hidden

    def jaccard(one, other):
        return Fraction(len(items(one) & items(other)), max(1, len(items(one) | items(other))))

    while len(clusters) > 1:
        small = min(clusters, key=lambda n: (len(clusters[n]), n))
        if len(clusters[small]) >= least:
            break
        others = [n for n in clusters if n != small]
        partner = max(others, key=lambda n: (jaccard(small, n), -len(clusters[n]), -n))
        clusters[partner] += clusters.pop(small)
    return [sorted(clusters[n]) for n in sorted(clusters)]


def at_most(limit, clusters):
    """Cut clusters that have become too large into equal parts."""
    for records in clusters:
        parts = -(-len(records) // limit)
        edges = [len(records) * part // parts for part in range(parts + 1)]
        yield from (records[begin:end] for begin, end in pairwise(edges))


def in_order(candidates, counts, home):
    """Candidates by support; those of one constraint together, where the first of them stands."""
    order = sorted(candidates, key=lambda item: (-counts[item], item))
    first = {}
    for place, item in enumerate(order):
        first.setdefault(home.get(item, item), place)
    return sorted(order, key=lambda item: first[home.get(item, item)])


def chunks_of(order, fits, home, constraints):
    """Greedy: every item left is tried for the chunk, and items of broken constraints leave it again."""
    left, found = list(order), []
    while left:
        chunk = []
        for item in left:
            if not chunk or fits(chunk, item):
                chunk.append(item)
        own = home.get(chunk[0])
        whole = {n: (set(one) & set(order)) <= set(chunk) for n, one in enumerate(constraints)}
        chunk = [item for item in chunk if item not in home or home[item] == own or whole[home[item]]]
        found.append(chunk)
        left = [item for item in left if item not in chunk]
    return found


def pieces(rows, chunk):
    return [row & set(chunk) for row in rows if row & set(chunk)]


def verpart(rows, k, m, hidden=frozenset(), constraints=(), home=None, repair=True):
    """Record chunks as lists of items, and the term chunk."""
    home = home or {}
    counts = Counter(item for row in rows for item in row)
    frequent = [item for item in counts if counts[item] >= k and item not in hidden]

    def fits(chunk, item):
        return is_km(pieces(rows, [*chunk, item]), k, m)

    chunks = chunks_of(in_order(frequent, counts, home), fits, home, constraints)
    terms = set(counts) - set(frequent)
    if repair and not terms and needs_terms(rows, chunks, k, m):
        rarest = min(frequent, key=lambda item: (counts[item], [-ord(letter) for letter in item]))
        chunks = [[item for item in chunk if item != rarest] for chunk in chunks]
        chunks, terms = [chunk for chunk in chunks if chunk], {rarest}
    return chunks, terms


def needs_terms(rows, chunks, k, m):
    """Lemma 3.2: whether pieces alone do not fill all records; without any chunk they never do."""
    filled = sum(len(pieces(rows, chunk)) for chunk in chunks)
    return filled < len(rows) + k * (max(1, min(m, len(chunks))) - 1)


class Node:
    """A simple cluster, or a joint one with children."""

    def __init__(self, number, leaves, children=(), shared=()):
        self.number, self.leaves, self.children, self.shared = number, leaves, children, shared

    @property
    def size(self):
        return sum(len(leaf.rows) for leaf in self.leaves)

    @property
    def terms(self):
        return set().union(*(leaf.open_terms for leaf in self.leaves))

    @property
    def fixed(self):
        chunks = [chunk for leaf in self.leaves for chunk in leaf.chunks]
        below = [child.fixed for child in self.children]
        return set().union(*chunks, *below, *[set().union(*bag) for bag in self.shared])


class Leaf:
    def __init__(self, rows, chunks, terms, hidden, k, m):
        self.rows, self.chunks, self.terms, self.hidden = rows, chunks, set(terms), hidden
        self.needy = needs_terms(rows, chunks, k, m)

    @property
    def open_terms(self):
        return self.terms - self.hidden


def refine(leaves, k, m, hardened=True, constraints=(), home=None):
    """Join neighbors until nothing changes; return the roots."""
    roots = [Node(number, [leaf]) for number, leaf in enumerate(leaves)]
    number = len(roots)
    while True:
        spread = Counter(item for node in roots for item in node.terms)
        rank = {item: place for place, item in enumerate(sorted(spread, key=lambda item: (-spread[item], item)))}
        roots = sorted(roots, key=lambda node: (sorted(rank[item] for item in node.terms), node.number))
        joined, place = [], 0
        while place < len(roots):
            new = None
            if place + 1 < len(roots):
                new = try_join(roots[place], roots[place + 1], number, k, m, hardened, constraints, home or {})
            joined.append(new or roots[place])
            number += bool(new)
            place += 2 if new else 1
        if len(joined) == len(roots):
            return joined
        roots = joined


def try_join(x, y, number, k, m, hardened, constraints, home):
    common = x.terms & y.terms
    leaves = [*x.leaves, *y.leaves]
    counts = Counter(item for leaf in leaves for row in leaf.rows for item in row & leaf.terms & common)
    chosen = {item for item in counts if counts[item] >= k}
    told = [(len(leaf.terms & chosen), len(leaf.rows)) for leaf in leaves if leaf.terms & chosen]
    if not chosen:
        return None
    left = Fraction(sum(counts[item] for item in chosen), x.size + y.size)
    if left < Fraction(sum(u for u, _ in told), sum(size for _, size in told)):
        return None
    for leaf in leaves if hardened else ():
        if leaf.needy and leaf.terms and leaf.terms <= chosen:
            chosen.discard(min(leaf.terms, key=lambda item: (counts[item], [-ord(letter) for letter in item])))
    if not chosen:
        return None
    rows = [row & leaf.terms & chosen for leaf in leaves for row in leaf.rows]
    conflict = chosen & (x.fixed | y.fixed)

    def fits(chunk, item):
        clash = conflict & {*chunk, item}
        if hardened:
            return not clash and is_km(pieces(rows, [*chunk, item]), k, m)
        bag = pieces(rows, [*chunk, item])
        return is_k(bag, k) if clash else is_km(bag, k, m)

    chunks = chunks_of(in_order(chosen, counts, home), fits, home, constraints)
    for leaf in leaves:
        leaf.terms -= chosen
    return Node(number, leaves, (x, y), [pieces(rows, chunk) for chunk in chunks])


def disassociate(sets, k, m, limit, least=None, hardened=True, hidden=frozenset(), constraints=(), refined=True):
    """The whole pipeline in a form that can be compared."""
    sets, least, home = list(map(frozenset, sets)), least or k, home_of(list(map(frozenset, sets)), constraints)
    clusters = horpart(sets, limit, least, hidden, constraints)
    if hardened:
        clusters = at_most(limit, unite(sets, clusters, least, hidden))
    leaves = []
    for records in clusters:
        rows = [sets[r] for r in records]
        leaves.append(Leaf(rows, *verpart(rows, k, m, hidden, constraints, home), hidden, k, m))
    roots = (
        refine(leaves, k, m, hardened, constraints, home) if refined else [Node(n, [x]) for n, x in enumerate(leaves)]
    )
    return sorted(map(canonical, roots))


def bag(rows):
    return tuple(sorted(tuple(sorted(row)) for row in rows))


def canonical(node):
    """A node as tuples, in which the order of children, chunks, pieces and items means nothing."""
    if not node.children:
        (leaf,) = node.leaves
        chunks = sorted(bag(pieces(leaf.rows, chunk)) for chunk in leaf.chunks)
        return ("simple", str(len(leaf.rows)), tuple(chunks), tuple(sorted(leaf.terms)))
    return ("joint", "", tuple(sorted(map(bag, node.shared))), tuple(sorted(map(canonical, node.children))))


def canonical_release(published):
    """The same form of what the library publishes."""
    sets = published.pieces.sets()
    chunks = {node: [] for node in range(len(published.parents))}
    for number, node in enumerate(published.chunk_nodes.tolist()):
        begin, end = published.chunk_starts[number : number + 2].tolist()
        chunks[node].append(bag(sets[begin:end]))
    parents = published.parents.tolist()
    terms = published.terms.sets()

    def form(node):
        if node < published.clusters:
            size = str(published.sizes[node])
            return ("simple", size, tuple(sorted(chunks[node])), tuple(sorted(terms[node])))
        children = [child for child, parent in enumerate(parents) if parent == node]
        return ("joint", "", tuple(sorted(chunks[node])), tuple(sorted(map(form, children))))

    return sorted(form(node) for node, parent in enumerate(parents) if parent < 0)
