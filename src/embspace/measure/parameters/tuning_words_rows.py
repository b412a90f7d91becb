"""Rows of the tables of the words that tuning has written, beside their nulls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.errors import InputError
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of, upper_p_value
from embspace.geometry.parameters.listed_words import (
    count_bound,
    listed_counts,
    matched_lists,
    share_above,
)
from embspace.geometry.parameters.planted_copies import random_turn
from embspace.geometry.parameters.projection import top_tokens
from embspace.measure.parameters.tuning_words_runs import POLARITIES, TunedSeed, Vocabulary
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.even_places import evenly
from embspace.measure.tables.nulls import mean_and_range
from embspace.models.parameters.class_head import ClassHead

Changes = Float[np.ndarray, "vector dim"]
READS, WRITES = "words of sentiment are present", "words of sentiment are absent"
PRESENT, ABSENT, OPEN = "present", "absent", "open"
COUNTED = {
    "share": "trained_statistic",
    **with_bounds("null_lists", "trained_statistic"),
    "p_value_lists": "trained_statistic",
    "mean_listed": "trained_verdict",
    **with_bounds("null_turned", "trained_geometry"),
    "p_value_turned": "trained_statistic",
}
"""The columns of counts beside both nulls."""
CLAIMED = {
    "attention_query": READS,
    "attention_key": READS,
    "attention_value": READS,
    "feed_forward_key": READS,
    "feed_forward_value": WRITES,
    "attention_output": WRITES,
}
"""The claim of Dar et al. (2023, section 3) on the changes of every group."""
HOLDS_IF = {
    READS: "share > null_lists_high and mean_listed > null_turned_high",
    WRITES: "share <= null_lists_high and mean_listed <= null_turned_high",
}


@dataclass(frozen=True)
class Protocol:
    """Holds the settings of counts and nulls."""

    n_tokens: int
    n_turned: int
    n_random_vectors: int
    level: float
    n_turns: int
    n_lists: int
    n_nearest: int
    n_shown: int
    seed: int


@dataclass(frozen=True, eq=False)
class Lists:
    """The list and random lists, over the tokens that are read, and counts of random vectors."""

    embedding: Float[np.ndarray, "token dim"]
    members: Bool[np.ndarray, "list token"]
    """The first row is the list itself."""
    bound: Int[np.ndarray, " list"]
    null_vectors: float
    """The share of the random vectors that lie above the list's bound."""
    random: Float[np.ndarray, "draw dim"]
    turns: list[Float[np.ndarray, "dim dim"]]


@dataclass(frozen=True, eq=False)
class Counted:
    """The listed words of the changes of a layer and group."""

    group: str
    layer: int
    vectors: Changes
    """All rows that have changed."""
    changed: Int[np.ndarray, " vector"]
    """The numbers of these rows among the `n_rows` of the weight."""
    n_rows: int
    relative_change: float
    list_counts: Int[np.ndarray, "list vector sign"]
    turn_counts: Int[np.ndarray, "turn turned sign"]
    """The counts of the turned changes, which lie at equal distances among all."""


def lists_of(
    embedding: Float[np.ndarray, "token dim"],
    vocabulary: Vocabulary,
    is_read: Bool[np.ndarray, " token"],
    protocol: Protocol,
) -> Lists:
    """Return the list beside random lists of words of similar norm and place in the vocabulary.

    Where a vocabulary is sorted by frequency, as those of WordPiece and BPE are by and large, the
    place stands for the frequency.
    """
    draws = np.random.default_rng(protocol.seed)
    own = np.ascontiguousarray(embedding[is_read], dtype=np.float32)
    norms = np.linalg.norm(own, axis=1)
    is_word = np.array([kind == "word" for kind in vocabulary.kinds], dtype=bool)[is_read]
    listed = vocabulary.is_listed[is_read]
    others = matched_lists(
        np.stack([norms, np.arange(len(norms))], axis=1),
        listed,
        is_word,
        n_lists=protocol.n_lists,
        n_nearest=protocol.n_nearest,
        generator=stream_of(draws, "lists"),
    )
    members = np.concatenate([listed[np.newaxis], others])
    dim = own.shape[1]
    random = stream_of(draws, "vectors").normal(size=(protocol.n_random_vectors, dim))
    random = random.astype(np.float32)
    counts = listed_counts(random, own, members, n_tokens=protocol.n_tokens)
    bound = count_bound(counts, level=protocol.level)
    stream = stream_of(draws, "turns")
    turns = [random_turn(dim, stream).astype(np.float32) for _ in range(protocol.n_turns)]
    return Lists(own, members, bound, float(share_above(counts, bound)[0]), random, turns)


def counted_changes(tuned: TunedSeed, lists: Lists, protocol: Protocol) -> Iterator[Counted]:
    """Yield the counts of every group and layer that has changed; frozen layers are left out."""
    for group, layers in tuned.before.items():
        for number, (before, after) in enumerate(
            zip(layers, tuned.after[group], strict=True), start=1
        ):
            counted = counted_change(group, number, before, after, lists, protocol)
            if counted is not None:
                yield counted


def counted_change(
    group: str,
    layer: int,
    before: Changes,
    after: Changes,
    lists: Lists,
    protocol: Protocol,
    *,
    most: int | None = None,
) -> Counted | None:
    """Return the counts of a layer and group, of `most` rows at equal distances; None if unchanged.

    `n_turned` of the rows that are read are turned.
    """
    change = after.astype(np.float32) - before
    changed = np.flatnonzero(change.any(axis=1))
    if not len(changed):
        return None
    if most is not None:
        changed = changed[evenly(len(changed), most)]
    vectors, n = change[changed], protocol.n_tokens
    turned, listed = vectors[evenly(len(changed), protocol.n_turned)], lists.members[0]
    return Counted(
        group=group,
        layer=layer,
        vectors=vectors,
        changed=changed,
        n_rows=len(change),
        relative_change=float(np.linalg.norm(change) / np.linalg.norm(before)),
        list_counts=listed_counts(vectors, lists.embedding, lists.members, n_tokens=n),
        turn_counts=np.stack(
            [
                listed_counts(turned @ turn, lists.embedding, listed, n_tokens=n)
                for turn in lists.turns
            ]
        ),
    )


def share_row(counted: Counted, lists: Lists, protocol: Protocol) -> Row:
    """Return how many listed words the changes of a layer and group hold, with both nulls."""
    return {
        "group": counted.group,
        "layer": counted.layer,
        "n_vectors": len(counted.vectors),
        "n_rows": counted.n_rows,
        "relative_change": counted.relative_change,
        "least_listed": int(lists.bound[0]) + 1,
        "null_vectors": lists.null_vectors,
        **_against_nulls(counted.list_counts, counted.turn_counts, lists, protocol.level),
    }


def claim_rows(counted: Sequence[Counted], lists: Lists, protocol: Protocol) -> Iterator[Row]:
    """Yield a row per group of the paper, over all changed layers.

    The claim is undecided where words are neither present nor absent. `matches` means agreement
    with the paper.
    """
    for group, claim in CLAIMED.items():
        own = [changes for changes in counted if changes.group == group]
        if not own:
            continue
        row = pooled_row(own, lists, protocol.level)
        present = presence(row)
        agrees = (present == PRESENT) == (claim == READS)
        verdict = "undecided" if present == OPEN else "matches" if agrees else "differs"
        yield {
            "group": group,
            "claim": claim,
            **row,
            "holds_if": HOLDS_IF[claim],
            "verdict": verdict,
        }


def pooled_row(counted: Sequence[Counted], lists: Lists, level: float) -> Row:
    """Return the counts of the changes of several layers of a group together, with both nulls."""
    list_counts = np.concatenate([changes.list_counts for changes in counted], axis=1)
    turn_counts = np.concatenate([changes.turn_counts for changes in counted], axis=1)
    sizes = {"n_layers": len(counted), "n_vectors": list_counts.shape[1]}
    return sizes | _against_nulls(list_counts, turn_counts, lists, level)


def presence(row: Row) -> str:
    """Return whether words are present, above the ranges of both nulls, absent, or neither."""
    above = (
        row["share"] > row["null_lists_high"],
        row["mean_listed"] > row["null_turned_high"],
    )
    return PRESENT if all(above) else OPEN if any(above) else ABSENT


def word_null(
    counted: Sequence[Counted], lists: Lists, protocol: Protocol, *, n_words: int, n_draws: int
) -> Float[np.ndarray, " draw"]:
    """Return the mean number of listed words for changes that write unlisted words.

    A change that points at any word also names its neighbors, which a random vector does not. In a
    draw, every change is exchanged for the embedding of an unlisted word, the same word for changes
    with the same first word: many changes in one direction stay a single chance. The words are up
    to `n_words` of the random lists.
    """
    generator = stream_of(np.random.default_rng(protocol.seed), "words")
    pool = np.flatnonzero(lists.members[1:].any(axis=0))
    pool = generator.permutation(pool)[:n_words]
    directions = lists.embedding[pool] - lists.embedding.mean(axis=0)
    counts = listed_counts(
        directions, lists.embedding, lists.members[0], n_tokens=protocol.n_tokens
    ).max(axis=-1)
    vectors = np.concatenate([change.vectors for change in counted])
    top = top_tokens(vectors, lists.embedding, 1)
    is_turned = -top.opposite_score[:, 0] > top.score[:, 0]
    first = np.where(is_turned, top.opposite_token[:, 0], top.token[:, 0])
    names, word_numbers = np.unique(first, return_inverse=True)
    draws = generator.integers(len(pool), size=(n_draws, len(names)))
    return np.asarray(counts[draws][:, word_numbers].mean(axis=1))


def card_row(counted: Counted, lists: Lists, named: Sequence[str], n_shown: int) -> Row:
    """Return the change with most listed words, the first at equal counts, and its top tokens."""
    counts = counted.list_counts[0]
    at, sign = np.unravel_index(int(counts.argmax()), counts.shape)
    vector = counted.vectors[[at]] if sign == 0 else -counted.vectors[[at]]
    return {
        "group": counted.group,
        "layer": counted.layer,
        "vector": int(counted.changed[at]),
        "n_listed": int(counts[at, sign]),
        "sign": "negation" if sign else "change",
        "tokens": _named(vector, lists, named, n_shown),
    }


def class_rows(
    tuned: TunedSeed,
    lists: Lists,
    polarities: dict[str, Bool[np.ndarray, " token"]],
    named: Sequence[str],
    protocol: Protocol,
) -> Iterator[Row]:
    """Yield how many words of every polarity are read from the change of a class's vector.

    The null is the same count for random vectors; their negations count as more random vectors.
    """
    n = protocol.n_tokens
    lists_of_words = np.stack([polarities[polarity] for polarity in POLARITIES])
    null = listed_counts(lists.random, lists.embedding, lists_of_words, n_tokens=n)
    for reading, vectors in _class_changes(tuned.head_before, tuned.head_after).items():
        counts = listed_counts(vectors, lists.embedding, lists_of_words, n_tokens=n)
        for at, label in enumerate(tuned.head_after.labels):
            for polarity, n_listed, drawn in zip(POLARITIES, counts[:, at, 0], null, strict=True):
                flat = drawn.ravel().astype(np.float64)
                yield {
                    "label": label,
                    "reading": reading,
                    "polarity": polarity,
                    "n_listed": int(n_listed),
                    "null_listed": float(flat.mean()),
                    "p_value": upper_p_value(float(n_listed), flat),
                    "tokens": _named(vectors[[at]], lists, named, protocol.n_shown),
                }


def require_enough(
    vocabulary: Vocabulary,
    is_read: Bool[np.ndarray, " token"],
    n_listed: int,
    n_tokens: int,
    settings: str,
) -> None:
    """Stop unless a vocabulary has tokens for both ends of a vector, and words for random lists.

    Raises:
        InputError: naming the key of the file `settings`.
    """
    n_read = int(is_read.sum())
    if 2 * n_tokens > n_read:
        raise InputError(
            f"{settings}: key 'n_tokens': found {n_tokens}, allowed: up to {n_read // 2}, half of "
            f"the {n_read} tokens that are read"
        )
    is_word = np.array([kind == "word" for kind in vocabulary.kinds])
    n_others = int((is_word & is_read & ~vocabulary.is_listed).sum())
    if n_others < n_listed:
        raise InputError(
            f"{settings}: key 'left_out': found {n_others} words that are read and not listed, "
            f"expected {n_listed} or more, as many as are listed, for the random lists"
        )


def reduced(vocabulary: Vocabulary, is_read: Bool[np.ndarray, " token"]) -> Vocabulary:
    """Return the vocabulary with only the tokens that are read."""
    kept = np.flatnonzero(is_read)
    return replace(
        vocabulary,
        tokens=[vocabulary.tokens[token] for token in kept],
        kinds=[vocabulary.kinds[token] for token in kept],
        polarity=[vocabulary.polarity[token] for token in kept],
    )


def _class_changes(before: ClassHead, after: ClassHead) -> dict[str, Changes]:
    changes = {"own": after.rows - before.rows}
    if before.through is not None and after.through is not None:
        changes["through_inner_map"] = after.through - before.through
    return changes


def _against_nulls(
    list_counts: Int[np.ndarray, "list vector sign"],
    turn_counts: Int[np.ndarray, "turn turned sign"],
    lists: Lists,
    level: float,
) -> Row:
    """Return the share beside random lists, and the mean count beside turned changes.

    Random lists differ in how clustered their words are. Every list has a separate bound, hence the
    null compares shares. Turned changes are compared with the list itself, by counts: for changes
    all in one direction, the share of turned changes would be 0 or 1.
    """
    share, *others = share_above(list_counts, lists.bound)
    row: Row = {}
    for quantity, value, name, null in (
        ("share", float(share), "lists", np.array(others)),
        ("mean_listed", _mean(list_counts[0]), "turned", _mean(turn_counts)),
    ):
        mean, low, high = mean_and_range(null, level)
        row |= {
            quantity: float(value),
            f"null_{name}": float(mean),
            f"null_{name}_low": float(low),
            f"null_{name}_high": float(high),
            f"p_value_{name}": upper_p_value(float(value), null),
        }
    return row


def _mean(counts: Int[np.ndarray, "*turn vector sign"]) -> Float[np.ndarray, "*turn"]:
    """Return the mean of the larger count of a vector and its negation."""
    return np.asarray(counts.max(axis=-1).mean(axis=-1))


def _named(vector: Changes, lists: Lists, named: Sequence[str], n_shown: int) -> str:
    top = top_tokens(vector, lists.embedding, min(n_shown, len(named)))
    return " ".join(named[token] for token in top.token[0])
