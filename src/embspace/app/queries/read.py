"""Commands `embspace read` and `embspace lookup`: the words of a parameter, and the reverse.

After Dar, Geva, Gupta and Berant 2023, Analyzing Transformers in Embedding Space.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from embspace.app.queries.loading import without_report_of_weights
from embspace.app.queries.shown import ShownAsText
from embspace.errors import InputError
from embspace.geometry.parameters.projection import Inverse, token_readers, top_tokens
from embspace.settings.own import called

if TYPE_CHECKING:
    from embspace.models.parameters.layers import LayerParameters
    from embspace.models.parameters.read import ModelParameters
    from embspace.settings.model import Network

# Options of the command -> the group of vectors.
GROUPS = {
    "key": "feed_forward_key",
    "value": "feed_forward_value",
    "gate": "feed_forward_gate",
    "up": "feed_forward_up",
    "query": "attention_query",
    "attention-key": "attention_key",
    "attention-value": "attention_value",
    "attention-output": "attention_output",
}
LISTED = 8  # words beside a vector that was looked up
FOUND_HEADER = f"{'dot':>8}  {'vector':24}  nearest words"  # of lines of `Found`


@dataclass(frozen=True)
class Reading(ShownAsText):
    """The words of a vector, with scores."""

    title: str
    words: list[tuple[str, float]]
    opposite: list[tuple[str, float]]
    """The words of lowest score, lowest first: the words of the vector times -1."""

    def __str__(self) -> str:
        """Return the words side by side with the words of the negation."""
        width = max(len(word) for word, _ in self.words)
        lines = [self.title, f"{'':9}{'it':{width}}  its negation"]
        for (word, score), (other, minus) in zip(self.words, self.opposite, strict=True):
            lines.append(f"{score:8.3f} {word:{width}}  {other}  {minus:.3f}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Found:
    """A vector near to words, and the words nearest to the vector."""

    layer: int
    group: str
    number: int
    score: float
    words: list[str]

    def __str__(self) -> str:
        """Return a line."""
        place = f"layer {self.layer}  {self.group.removeprefix('feed_forward_')} {self.number}"
        return f"{self.score:8.3f}  {place:24}  {' '.join(self.words)}"


@dataclass(frozen=True)
class ReadOptions:
    """The settings for reading a vector."""

    inverse: Inverse = "transpose"
    norm_scale: bool = False
    masked_head: bool = False
    n_words: int = 10


def read_vector(
    model: str, layer: int, option: str, number: int, head: int | None, options: ReadOptions
) -> Reading:
    """Return the words of highest score for a vector of a layer, and for the negated vector.

    `model` is a model for `embspace.spaces`, the tree is the current folder. `option` is a key of
    `GROUPS`; `number` counts from 0, in a `head`, from 1, or over all heads.

    Raises:
        InputError: naming an unknown model, layer, number or head, a group missing in the
            architecture, a masked head missing in the checkpoint, or a missing norm.
    """
    model_name, described = _network(model)
    parameters = _parameters(model_name, described)
    layers = {block.layer: block for block in parameters.layers}
    if layer not in layers:
        raise InputError(f"--layer: found {layer}, allowed: 1 to {len(layers)}")
    chosen = layers[layer]
    group = GROUPS[option]
    if group not in chosen.groups():
        has = [f"--{name}" for name, key in GROUPS.items() if key in chosen.groups()]
        raise InputError(f"--{option}: {model_name} has none; it has {', '.join(has)}")
    row = _row(chosen, option, number, head)
    vector = chosen.groups()[group][row : row + 1]
    how, readers, prepared = _prepared(parameters, chosen, group, vector, model_name, options)
    allowed = _nameable(model_name, described, parameters)
    words = top_tokens(prepared, readers, min(options.n_words, int(allowed.sum())), allowed)
    place = f"head {row // chosen.head_dim + 1}, " if group.startswith("attention") else ""
    start = f"{called(model_name, described.model_dump())}, layer {layer} of {len(layers)}"
    title = f"{start}, {place}{option} {number}, {how}"
    return Reading(
        title,
        _with_scores(parameters.tokens, words.token[0], words.score[0]),
        _with_scores(parameters.tokens, words.opposite_token[0], words.opposite_score[0]),
    )


def look_up(words: Sequence[str], model: str, n_found: int) -> dict[str, list[Found]]:
    """Return the vectors of the MLPs nearest to words, by kind: values, then keys.

    The query is the mean of the words' output embeddings, less the mean of all embeddings; vectors
    of all layers are ranked by the dot product with the query (Dar et al. 2023, section 5).

    Raises:
        InputError: if a word is not in the vocabulary, or consists of several tokens.
    """
    if not words:
        raise InputError("no word was given")
    name, described = _network(model)
    parameters = _parameters(name, described)
    ids = _one_token_each(words, name, described)
    embedding = parameters.output_embedding
    query = embedding[ids].mean(axis=0) - embedding.mean(axis=0)
    groups = [group for group in parameters.layers[0].groups() if group.startswith("feed_forward")]
    allowed = _nameable(name, described, parameters)
    return {
        group: _nearest(parameters, group, query, n_found, allowed)
        for group in sorted(groups, key=lambda group: group != "feed_forward_value")
    }


def _nearest(
    parameters: "ModelParameters",
    name: str,
    query: Float[np.ndarray, " dim"],
    n_found: int,
    allowed: np.ndarray,
) -> list[Found]:
    scores = [layer.groups()[name] @ query for layer in parameters.layers]
    starts = np.cumsum([0, *(len(layer_scores) for layer_scores in scores)])
    together = np.concatenate(scores)
    best = np.argsort(-together, kind="stable")[:n_found]
    at_layer = np.searchsorted(starts, best, side="right") - 1
    numbers = best - starts[at_layer]
    vectors = np.stack(
        [
            parameters.layers[at].groups()[name][number]
            for at, number in zip(at_layer, numbers, strict=True)
        ]
    )
    k = min(LISTED, int(allowed.sum()))
    named = top_tokens(vectors, parameters.output_embedding, k, allowed).token
    return [
        Found(
            layer=parameters.layers[at].layer,
            group=name,
            number=int(number),
            score=float(together[place]),
            words=[parameters.tokens[token_id] for token_id in tokens],
        )
        for at, number, place, tokens in zip(at_layer, numbers, best, named, strict=True)
    ]


def _row(layer: "LayerParameters", option: str, number: int, head: int | None) -> int:
    """Return the row of a vector in the group."""
    group = GROUPS[option]
    n_rows = len(layer.groups()[group])
    if head is None:
        if not 0 <= number < n_rows:
            raise InputError(f"--{option}: found {number}, allowed: 0 to {n_rows - 1}")
        return number
    if not group.startswith("attention"):
        raise InputError(f"--head: found {head}, but --{option} belongs to no head")
    if not 1 <= head <= layer.n_heads:
        raise InputError(f"--head: found {head}, allowed: 1 to {layer.n_heads}")
    if not 0 <= number < layer.head_dim:
        raise InputError(
            f"--{option}: found {number}, allowed: 0 to {layer.head_dim - 1} with --head"
        )
    return (head - 1) * layer.head_dim + number


def _prepared(
    parameters: "ModelParameters",
    layer: "LayerParameters",
    group: str,
    vector: Float[np.ndarray, "1 dim"],
    model_name: str,
    options: ReadOptions,
) -> tuple[str, np.ndarray, np.ndarray]:
    """Return how a vector is read, the readers, and the vector in the form for the readers."""
    if options.masked_head:
        head = parameters.head_transform
        if head is None:
            raise InputError(
                f"--masked-head: {model_name} has none, or conf/model/{model_name}.yaml does not "
                "say where, under 'masked_head'"
            )
        nothing = np.zeros_like(vector)
        return "through the masked head", head.output, head(vector) - head(nothing)
    how = "by the token embeddings" if parameters.is_tied else "by the output embeddings"
    if options.inverse == "pseudo_inverse":
        how += ", pseudo-inverse"
    readers = token_readers(parameters.output_embedding, options.inverse)
    if not options.norm_scale:
        return how, readers, vector
    scale = layer.scale(group)
    if scale is None:
        raise InputError(
            f"--norm-scale: no norm is between these vectors of {model_name} and words"
        )
    return f"{how}, with the gain of the norm", readers, vector * scale


def _parameters(name: str, model: "Network") -> "ModelParameters":
    from embspace.models.checks.model_heads import check_head
    from embspace.models.locate import locate_files
    from embspace.models.parameters.read import read_parameters
    from embspace.settings.model import RandomModel

    if not isinstance(model, RandomModel):
        check_head(name, model, locate_files(name, model))
    with without_report_of_weights():
        return read_parameters(name, model)


def _network(model: str) -> "tuple[str, Network]":
    """Return the name and the description of a model with weights."""
    from embspace.loaded.model import description_of
    from embspace.settings.model import VectorsModel

    name, described = description_of(model, Path.cwd())
    if isinstance(described, VectorsModel):
        raise InputError(f"{name}: vectors without a model have no parameters")
    return name, described


def _nameable(name: str, model: "Network", parameters: "ModelParameters") -> np.ndarray:
    """Return the tokens that a reading may name: no special and no reserved tokens."""
    from embspace.models.parameters.token_kinds import nameable, token_kinds

    kinds = token_kinds(name, model, len(parameters.tokens))
    return nameable(kinds, ("special", "unused"))


def _one_token_each(words: Sequence[str], name: str, model: "Network") -> list[int]:
    from embspace.models.tokenizer import load_tokenizer

    tokenizer = load_tokenizer(name, model)
    return [_one_token(word, name, tokenizer) for word in words]


def _one_token(word: str, model_name: str, tokenizer: Any) -> int:
    """Return the token of a word, alone or after a space.

    Raises:
        InputError: if the word has no token, or consists of several.
    """
    pieces = []
    for text in (f" {word}", word):
        pieces = tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(pieces) == 1 and pieces[0] != tokenizer.unk_token_id:
            return int(pieces[0])
    if not pieces or tokenizer.unk_token_id in pieces:
        raise InputError(f"the word '{word}' is not known to {model_name}")
    parts = " ".join(tokenizer.convert_ids_to_tokens(pieces))
    raise InputError(f"the word '{word}' is of several tokens of {model_name}: {parts}")


def _with_scores(tokens: list[str], ids: np.ndarray, scores: np.ndarray) -> list[tuple[str, float]]:
    return [(tokens[token_id], float(score)) for token_id, score in zip(ids, scores, strict=True)]
