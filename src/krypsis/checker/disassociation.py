"""Check disassociated sets: whether k records with the same known items can always be put together."""

import numpy as np

from krypsis.checker import chunk_audit
from krypsis.checker.base import judges, refuse_others
from krypsis.checker.transactions import SetsCase
from krypsis.data.transactions import Disassociated
from krypsis.errors import UsageError, shorten
from krypsis.models.base import Verdict
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.set_diversity import SetDiversity


def problems(published: Disassociated) -> list[str]:
    """Return what is wrong with the form of the clusters, in plain words; nothing where all is well.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"], ["flu"]]), Transactions.of_sets([[]])
    >>> problems(Disassociated.of(pieces, [0, 3], [0], sizes=[2], parents=[-1], terms=terms))
    ['a chunk has 3 pieces for 2 records']
    """
    # The published form: disjoint domains, T^s removed from the term chunks below, at most |P| sub-records per chunk.
    found = [_twice(published), _in_term_chunk(published), _childless(published), _too_many_pieces(published)]
    return [problem for problem in (*found, _too_tight(published)) if problem]


def _twice(published: Disassociated) -> str:
    """Find an item in two chunks of a node, or in a record chunk and the term chunk of the same cluster."""
    width = max(len(published.items), 1)
    keys = published.chunk_items
    places = published.chunk_nodes[keys // width] * width + keys % width
    terms = published.terms.records * width + published.terms.codes
    if len(np.unique(places)) < len(places) or np.isin(terms, places).any():
        return "an item stands in two chunks of the same cluster"
    return ""


def _in_term_chunk(published: Disassociated) -> str:
    """Find an item of a shared chunk that has not left the term chunks below it."""
    width = max(len(published.items), 1)
    keys = published.chunk_items
    places = published.chunk_nodes[keys // width] * width + keys % width
    terms = published.terms
    if len(chunk_audit.met_above(published, terms.records, terms.codes.astype(np.int64), places)):
        return "an item of a shared chunk also stands in a term chunk below it"
    return ""


def _childless(published: Disassociated) -> str:
    joint = np.arange(published.clusters, len(published.parents))
    return "" if np.isin(joint, published.parents).all() else "a joint cluster holds no other cluster"


def _too_many_pieces(published: Disassociated) -> str:
    pieces, records = np.diff(published.chunk_starts), published.below(published.sizes)[published.chunk_nodes]
    if not (over := np.flatnonzero(pieces > records)).size:
        return ""
    return f"a chunk has {pieces[over[0]]} pieces for {records[over[0]]} records"


def _too_tight(published: Disassociated) -> str:
    """Find pieces of a single item that cannot all have a record in clusters without the item elsewhere."""
    conflicts = chunk_audit.conflicting(published) & (chunk_audit.items_of_chunks(published) == 1)
    width = max(len(published.items), 1)
    keys = published.chunk_items
    chunk, item = keys // width, keys % width
    keys = keys[np.isin(item, item[conflicts[chunk]])]
    places = list(zip(published.chunk_nodes[keys // width].tolist(), (keys % width).tolist(), strict=True))
    chunk_at = dict(zip(places, (keys // width).tolist(), strict=True))
    records, taken = published.below(published.sizes), np.zeros(len(conflicts), dtype=np.int64)
    for node, one in places:
        # The records below count as taken at the nearest chunk above that holds the same item.
        above = int(published.parents[node])
        while above >= 0 and (above, one) not in chunk_at:
            above = int(published.parents[above])
        if above >= 0:
            taken[chunk_at[above, one]] += records[node]
    left = records[published.chunk_nodes] - taken
    is_tight = conflicts & (np.diff(published.chunk_starts) > left)
    return "a shared chunk has more pieces than there are records that may hold them" if is_tight.any() else ""


MEANING = "among all data that could lie behind these clusters"
TOO_LARGE = "; the clusters are too large for an exact audit, which might show that the promise is kept all the same"
SHOWN = 5
"""How many sets of items a verdict shows."""


refuse_others(Disassociated, "promises about clusters of sets are such as km-anonymity:k=5,m=2; got {model.spec}")


def _malformed(model: KmAnonymity | SetDiversity, published: Disassociated) -> Verdict | None:
    """Return the verdict about clusters behind which no records can lie."""
    if not published.clusters:
        return _verdict(model, 0, "Not kept: there are no records.")
    if wrong := problems(published):
        return _verdict(model, 0, f"Not kept: no data can lie behind these clusters: {'; '.join(wrong)}.")
    return None


@judges(SetDiversity, Disassociated)
def judge_diversity(model: SetDiversity, published: Disassociated, case: SetsCase) -> Verdict:
    """Judge whether sensitive items stand in term chunks only, of clusters that are large enough."""
    if (malformed := _malformed(model, published)) is not None:
        return malformed
    if not case.sensitive:
        raise UsageError(f"{model.spec} is about sensitive items, and none is named")
    hidden = np.array([item in case.sensitive for item in published.items], dtype=np.bool_)
    # l-diversity mode: sensitive terms stand in term chunks only …
    if (open_ones := np.unique(published.pieces.codes[hidden[published.pieces.codes]])).size:
        names = shorten([repr(published.items[code]) for code in open_ones.tolist()], SHOWN)
        return _verdict(model, 0, f"Not kept: sensitive items stand together with others in pieces: {names}.")
    named = np.unique(published.terms.records[hidden[published.terms.codes]])
    # … of clusters with at least l records: each is linked with probability 1/|P|.
    level = int(published.sizes[named].min(initial=len(published)))
    figures = f"required at least {model.l}, achieved {level}"
    if level >= model.l:
        return _verdict(model, level, f"Kept: {model.promise()} ({figures}).")
    return _verdict(model, level, f"Not kept: a sensitive item is listed for {level} record(s) ({figures}).")


@judges(KmAnonymity, Disassociated)
def judge_clusters(model: KmAnonymity, published: Disassociated, case: SetsCase) -> Verdict:  # noqa: ARG001
    """Judge a promise about what an attacker may know over all data that could lie behind the clusters.

    For every set of up to m items, either no record can hold it, or there is such data with at least k records that
    do. That is not about those data sets alone from which the same program would have made these clusters.

    Examples
    --------
    >>> from krypsis.data.transactions import Transactions
    >>> pieces, terms = Transactions.of_sets([["flu"], ["flu"]]), Transactions.of_sets([["ikea"]])
    >>> release = Disassociated.of(pieces, [0, 2], [0], sizes=[2], parents=[-1], terms=terms)
    >>> judge_clusters(KmAnonymity(k=2, m=2), release, SetsCase()).achieved
    2.0
    """
    malformed = _malformed(model, published)
    return _judge_km(published, model) if malformed is None else malformed


def _judge_km(published: Disassociated, model: KmAnonymity) -> Verdict:
    m = min(model.m, max(len(published.items), 1))  # nobody knows more items than there are
    conditions = chunk_audit.examine(published, m)
    # Lemmas 3.2 and 3.3, hardened: sufficient conditions, cheap to check.
    if conditions.level >= model.k:
        figures = f"required at least {model.k}, achieved {conditions.level}"
        return _verdict(model, conditions.level, f"Kept: {model.promise()}, {MEANING} ({figures}).")
    trees = _doubtful(published, conditions, model.k)
    is_large = len(trees) > chunk_audit.MOST_TREES or not all(
        chunk_audit.is_auditable(published, tree, m) for tree in trees
    )
    if conditions.smallest_cluster < model.k or (
        is_large and chunk_audit.rarest_alone(published, m, model.k) < model.k
    ):
        return _verdict(model, conditions.level, f"Not kept: {_reason(conditions, model)}.")
    if is_large:  # the conditions are enough for the promise, and it may be kept without them
        return _verdict(model, conditions.level, f"Undecided: {_reason(conditions, model)}{TOO_LARGE}.")
    if not all(chunk_audit.fits_data(published, tree) for tree in trees):
        return _verdict(model, 0, "Not kept: no data can lie behind these clusters: their pieces do not fit together.")
    # Guarantee 1 in the form of the lemmas: no record with S can be reconstructed, or k of them in some valid D'.
    found = [one for tree in trees for one in chunk_audit.violations(published, tree, model.k, m)]
    if not found:
        return _verdict(model, model.k, f"Kept: {model.promise()}, {MEANING}; every set of items was tried.")
    found.sort(key=lambda one: (one[1], len(one[0]), one[0]))
    sentence = f"Not kept: {len(found)} combination(s) of items can be held by fewer than {model.k} records at most."
    sample = tuple({"values": {"items": ", ".join(items)}, "size": most} for items, most in found[:SHOWN])
    return _verdict(model, found[0][1], sentence).model_copy(update={"offending": sample})


def _doubtful(published: Disassociated, conditions: chunk_audit.Conditions, k: int) -> list[list[int]]:
    """Return the trees in which a condition fails; all of them where that is not known of each tree."""
    if conditions.rarest_in_chunk.pieces < k:
        return list(chunk_audit.roots(published))
    nodes = {*np.flatnonzero(conditions.room < k).tolist(), *published.chunk_nodes[conditions.mixed].tolist()}
    return [tree for tree in chunk_audit.roots(published) if not nodes.isdisjoint(tree)]


def _reason(conditions: chunk_audit.Conditions, model: KmAnonymity) -> str:
    """Say which condition fails."""
    if conditions.smallest_cluster < model.k:
        return f"a cluster has {conditions.smallest_cluster} record(s), fewer than {model.k}"
    if not conditions.rarest_in_chunk.exact:
        return (
            f"it was not shown that items stand together in {model.k} pieces of a chunk: it has too many combinations "
            f"of up to {model.m} items to look at; promise a smaller m, or make chunks of fewer items"
        )
    if conditions.rarest_in_chunk.pieces < model.k:
        return f"items stand together in {conditions.rarest_in_chunk.pieces} piece(s) of a chunk, fewer than {model.k}"
    if len(conditions.mixed):
        return (
            f"{len(conditions.mixed)} shared chunk(s) hold items that also stand in chunks below them together with "
            "other items, so pieces cannot be exchanged freely"
        )
    few = int((conditions.room < model.k).sum())
    return f"{few} cluster(s) have no term chunk and too few pieces for {model.k} records to look alike in all chunks"


def _verdict(model: KmAnonymity | SetDiversity, level: int, sentence: str) -> Verdict:
    return Verdict(
        promise=model.spec,
        holds=None if sentence.startswith("Undecided") else sentence.startswith("Kept"),
        required=model.required,
        achieved=float(level),
        sentence=sentence,
    )
