"""Command `embspace track`: how far a text's tokens are from their embeddings, by layer.

After Avery's token tracker (github.com/danavery/attention-encodings); ranks count from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embspace.app.queries.corpus_space import check_query, only_window
from embspace.app.queries.shown import ShownAsText
from embspace.errors import InputError, counted, not_among
from embspace.models.stream.tracked_states import Point, TrackedStates, tracked_states
from embspace.models.stream.tracked_vocabulary import (
    Positions,
    TrackedVocabulary,
    VocabularyNearness,
    tracked_vocabulary,
)
from embspace.settings.own import called

if TYPE_CHECKING:
    from embspace.models.windows import Window

# Columns of the nearness to a token's own row; the head compares no such vectors.
VALUES: dict[VocabularyNearness, str] = {
    "cosine": "cosine",
    "euclidean_distance": "distance",
    "head": "",
}
ADDED: dict[Positions, str] = {
    "none": "",
    "own": ", each vocabulary vector with the token's own position added",
    "first": ", each vocabulary vector with the first position added",
}
WIDTH = 100  # of a line, which a table of ranks by layer may fill


@dataclass(frozen=True)
class TrackOptions:
    """The settings for tracking tokens."""

    point: Point = "output"
    positions: Positions = "none"
    nearness: VocabularyNearness = "cosine"
    n_nearest: int = 5
    is_causal: bool = True


@dataclass(frozen=True)
class TokenAtLayer:
    """A token at a layer."""

    layer: int
    position: int
    """From 0, special tokens included."""
    token: str
    """The spelling in the vocabulary, marks of the tokenizer included."""
    rank: float
    """Number of vocabulary tokens nearer than the token's own; 0 = none. A tie counts half."""
    value: float
    """Cosine with the token's own embedding, or distance from it; NaN through the head."""
    nearest: list[str]
    nearest_value: list[float]


@dataclass(frozen=True)
class Track(ShownAsText):
    """The tokens of a text at the requested layers."""

    title: str
    options: TrackOptions
    rows: list[TokenAtLayer]

    def __str__(self) -> str:
        """Return a line a layer for a single token, a line a token for a layer, else all ranks."""
        positions = {row.position for row in self.rows}
        layers = list(dict.fromkeys(row.layer for row in self.rows))
        if len(positions) > 1 and len(layers) > 1:
            return "\n".join([self.title, *self._ranks(layers)])
        first = "layer" if len(layers) > 1 or len(positions) == 1 else "token"
        heads = [self._line(row, first) for row in self.rows]
        width = max(len(name) for name in [first, *(head[0] for head in heads)])
        value = VALUES[self.options.nearness]
        lines = [f"{first:>{width}}  {'rank':>8}  {value:>8}  nearest tokens"]
        lines += [f"{name:>{width}}  {rank:>8}  {of:>8}  {near}" for name, rank, of, near in heads]
        return "\n".join([self.title, *(line.rstrip() for line in lines)])

    def _line(self, row: TokenAtLayer, first: str) -> tuple[str, str, str, str]:
        name = str(row.layer) if first == "layer" else row.token
        value = "" if np.isnan(row.value) else f"{row.value:.3f}"
        pairs = zip(row.nearest, row.nearest_value, strict=True)
        return name, _shown(row.rank), value, "  ".join(f"{word} {of:.3f}" for word, of in pairs)

    def _ranks(self, layers: list[int]) -> list[str]:
        """The own rank of every token in every layer, in blocks of columns as wide as a line."""
        by_token: dict[int, list[TokenAtLayer]] = {}
        for row in self.rows:
            by_token.setdefault(row.position, []).append(row)
        names = {at: rows[0].token for at, rows in by_token.items()}
        width = max(len(name) for name in names.values())
        at_once = max((WIDTH - 6 - width) // 8, 1)
        lines = []
        for start in range(0, len(layers), at_once):
            some = slice(start, start + at_once)
            lines.append(f"{'':4}{'layer':{width}}" + "".join(f"{n:8}" for n in layers[some]))
            for at, rows in by_token.items():
                ranks = "".join(f"{_shown(row.rank):>8}" for row in rows[some])
                lines.append(f"{at:3} {names[at]:{width}}{ranks}")
        return lines


def track_tokens(
    text: str,
    model: str,
    *,
    layer: int | None,
    token: str | None,
    occurrence: int | None,
    options: TrackOptions,
) -> Track:
    """Return the tokens of a text beside their own embeddings, at every layer or at a single layer.

    `model` is a model for `embspace.spaces`, the tree is the current folder. `token` is a word of
    the text or a token in the tokenizer's spelling, `occurrence` the number of the occurrence, from
    1; without a token, all tokens are tracked.

    Raises:
        InputError: naming anything unknown, not in the text, out of range, ambiguous or too long.
    """
    from embspace.loaded.model import load

    check_query(text)
    loaded = load(model, Path.cwd())
    name, described, module = loaded.name, loaded.description, loaded.module
    tokenizer = loaded.tokenizer
    window = only_window(name, described, module, tokenizer, text)
    tokens = tokenizer.convert_ids_to_tokens(window.ids.tolist())
    rows = _chosen(token, occurrence, text, window, tokens)
    head = _head(name, described, module) if options.nearness == "head" else None
    vocabulary = tracked_vocabulary(name, described, module, head)
    as_coded = options.point == "as_coded"
    tracked = tracked_states(module, window.ids, is_causal=options.is_causal, as_coded=as_coded)
    states = [state for state in tracked if state.point in ("embedding", options.point)]
    last = states[-1].layer
    if options.point == "embedding":
        states = states[:1]
    elif layer is not None:
        if not -last - 1 <= layer <= last:
            raise InputError(f"--layer: found {layer}, allowed: 0 to {last}, or -1 for the last")
        states = [state for state in states if state.layer == layer % (last + 1)]
    title = called(name, described.model_dump())
    return Track(
        f"{title}, {options.point.replace('_', ' ')}{ADDED[options.positions]}: "
        f"own rank among {counted(len(vocabulary.rows), 'token')}, 0 = none is nearer",
        options,
        [
            row
            for state in states
            for row in _at_layer(state, rows, window, tokenizer, vocabulary, options)
        ],
    )


def _at_layer(
    states: TrackedStates,
    rows: Sequence[int],
    window: "Window",
    tokenizer: Any,
    vocabulary: TrackedVocabulary,
    options: TrackOptions,
) -> list[TokenAtLayer]:
    """Return the chosen tokens at a layer."""
    at = np.array(rows, dtype=np.int64)
    k = min(options.n_nearest, len(vocabulary.rows))
    ranks = vocabulary.ranks(
        states.x[at],
        window.ids[at],
        at,
        positions=options.positions,
        nearness=options.nearness,
        k=k,
    )
    value = ranks.euclidean_distance if options.nearness == "euclidean_distance" else ranks.cosine
    shown = np.full(len(at), np.nan) if options.nearness == "head" else value
    return [
        TokenAtLayer(
            layer=states.layer,
            position=int(position),
            token=tokenizer.convert_ids_to_tokens(int(window.ids[position])),
            rank=float(ranks.rank[number]),
            value=float(shown[number]),
            nearest=[
                tokenizer.convert_ids_to_tokens(int(token_id)) or f"<{token_id}>"
                for token_id in ranks.nearest[number]
                if token_id >= 0
            ],
            nearest_value=ranks.nearest_value[number][ranks.nearest[number] >= 0].tolist(),
        )
        for number, position in enumerate(at)
    ]


def _chosen(
    token: str | None, occurrence: int | None, text: str, window: "Window", tokens: list[str]
) -> list[int]:
    """Return the positions of the chosen tokens.

    Raises:
        InputError: if the token is missing from the text, ambiguous without an `occurrence`, or has
            fewer occurrences.
    """
    if token is None:
        if occurrence is not None:
            raise InputError("--occurrence: found without --token, allowed: beside it")
        return list(range(len(tokens)))
    spelled = [text[a:b].strip() for a, b in zip(window.start, window.end, strict=True)]
    positions = [at for at, candidate in enumerate(tokens) if candidate == token]
    positions = positions or [
        at for at, word in enumerate(spelled) if word.lower() == token.lower()
    ]
    if not positions or not token:
        if pieces := _pieces(token, text, window, tokens):
            raise InputError(f"--token: '{token}' is of several tokens, or part of one: {pieces}")
        raise InputError(f"--token: {not_among(token, list(dict.fromkeys(tokens)))}")
    if occurrence is None and len(positions) > 1:
        places = ", ".join(str(position) for position in positions)
        raise InputError(
            f"--token: '{token}' stands {len(positions)} times in the text, at positions {places}; "
            f"--occurrence 1 to {len(positions)} says which"
        )
    if occurrence is not None and not 1 <= occurrence <= len(positions):
        raise InputError(f"--occurrence: found {occurrence}, allowed: 1 to {len(positions)}")
    return [positions[(occurrence or 1) - 1]]


def _pieces(token: str, text: str, window: "Window", tokens: list[str]) -> str:
    """Return the tokens of the first occurrence of a word in the text; none without any."""
    start = text.lower().find(token.lower()) if token.strip() else -1
    end = start + len(token)
    places = zip(window.start, window.end, window.special, strict=True)
    pieces = [
        tokens[at]
        for at, (first, last, special) in enumerate(places)
        if not special and first < end and last > start
    ]
    return " ".join(pieces) if start >= 0 else ""


def _head(name: str, model: Any, module: Any) -> Any:
    from embspace.models.parameters.read import read_parameters

    head = read_parameters(name, model, module).head_transform
    if head is None:
        raise InputError(
            f"--nearness head: {name} has no head that predicts masked tokens, or "
            f"conf/model/{name}.yaml does not say where, under 'masked_head'"
        )
    return head


def _shown(rank: float) -> str:
    return f"{rank:,.0f}" if rank == int(rank) else f"{rank:,.1f}"
