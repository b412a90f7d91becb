"""Attention and states of a classifier over sequences, summed up for each document and layer."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from embspace.errors import InputError
from embspace.geometry.attention.head_features import row_entropy, value_entropy
from embspace.geometry.measures.mean_direction import cone_index, mean_cosine
from embspace.measure.sequences.sequence_classifiers import (
    RANDOM,
    TRAINED,
    Encoded,
    batches,
    encode_sequences,
    last_checkpoints,
    load_classifier,
)
from embspace.measure.sequences.sequence_gene import Gene
from embspace.measure.sequences.sequence_texts import PlacedSequences, classification_of
from embspace.models.final_norm import layer_states
from embspace.models.stream.attention_maps import attention_maps
from embspace.models.weights import with_random_weights
from embspace.settings.run import Run

OWN, ANY = "defining sites of its class", "defining sites of any class"
READERS = ("first token", "k-mers")
OF_STATES = ("cone_index", "mean_cosine")
OF_ATTENTION = ("row_entropy", "value_entropy", "to_first_token", "to_separator")


@dataclass(frozen=True, eq=False)
class SequenceAttention:
    """The attention of one model, by document; layers of attention are 1..L."""

    weights: str
    model_seed: int
    inside: dict[str, Float[np.ndarray, "reader layer head document"]]
    """By region, the mean attention to a place in it; NaN for a document without the region."""
    outside: dict[str, Float[np.ndarray, "reader layer head document"]]
    states: Float[np.ndarray, "measure state document"]
    """`OF_STATES`, layers 0..L."""
    attention: Float[np.ndarray, "quantity layer document"]
    """`OF_ATTENTION`, mean over heads and, but for the histogram, over all tokens that look."""
    places: Float[np.ndarray, "reader layer place"]
    """Mean over heads and documents."""


def attention_of_seed(
    run: Run,
    root: str,
    number: int,
    placed: PlacedSequences,
    regions: dict[str, list[int]],
    final_norm: str | None,
    random_seed: int | None,
) -> SequenceAttention:
    """Sum up the attention of one of a run's seeds, or of random weights of its architecture."""
    checkpoint = last_checkpoints(root, run, str(classification_of(run)))[number]
    module = load_classifier(run, checkpoint).base_model
    encoded = encode_sequences(run, checkpoint, placed.sequences.texts)
    inside = region_places(placed, regions)
    if random_seed is None:
        return summed_up(module, encoded, inside, final_norm, TRAINED, run.seeds[number])
    module = with_random_weights(module, random_seed)
    return summed_up(module, encoded, inside, final_norm, RANDOM, random_seed)


def region_places(
    placed: PlacedSequences, regions: dict[str, list[int]]
) -> dict[str, Bool[np.ndarray, "text place"]]:
    """Return by region which places of each text lie in it.

    Raises:
        InputError: if a region is not two codons of the gene's region in order.
    """
    shape = placed.true_places.shape
    places_by_region = {OWN: placed.true_places, ANY: np.broadcast_to(placed.places_of_any, shape)}
    for name, codons in regions.items():
        within = placed.gene.places_within(*_checked(name, codons, placed.gene))
        places_by_region[name] = np.broadcast_to(within, shape)
    return places_by_region


def summed_up(
    module: Any,
    encoded: Encoded,
    regions: dict[str, Bool[np.ndarray, "text place"]],
    final_norm: str | None,
    weights: str,
    model_seed: int,
) -> SequenceAttention:
    """Read the sequences, some at a time, and keep means alone.

    `final_norm` is the module after the last block, if any: the module's output is no state of a
    layer.
    """
    parts, done = [], 0
    for ids, mask in batches(encoded.ids):
        maps = np.stack([layer.numpy() for layer in attention_maps(module, ids, mask)])
        states = layer_states(module, ids, mask, final_norm).layers.numpy()
        chosen = {name: is_inside[done : done + len(ids)] for name, is_inside in regions.items()}
        parts.append(_batch_parts(maps.astype(np.float64), states, encoded.places, chosen))
        done += len(ids)
    inside, outside = (
        {name: np.concatenate([part[side][name] for part in parts], axis=-1) for name in regions}
        for side in (0, 1)
    )
    return SequenceAttention(
        weights,
        model_seed,
        inside,
        outside,
        states=np.concatenate([part[2] for part in parts], axis=-1),
        attention=np.concatenate([part[3] for part in parts], axis=-1),
        places=np.concatenate([part[4] for part in parts], axis=-2).mean(axis=-2),
    )


def _batch_parts(
    maps: Float[np.ndarray, "layer text head token token"],
    states: Float[np.ndarray, "state text token dim"],
    places: np.ndarray,
    regions: dict[str, Bool[np.ndarray, "text place"]],
) -> tuple[Any, Any, np.ndarray, np.ndarray, np.ndarray]:
    to_places = maps[..., places]
    readers = np.stack([to_places[..., 0, :], to_places[..., places, :].mean(axis=-2)])
    readers = np.moveaxis(readers, 2, 3)  # reader layer head text place
    inside, outside = {}, {}
    for name, chosen in regions.items():
        inside[name] = _mean_over(readers, chosen)
        outside[name] = _mean_over(readers, ~chosen)
    cosines = [
        [[measure(text) for text in layer] for layer in states]
        for measure in (cone_index, mean_cosine)
    ]
    every = np.ones(maps.shape[-2:], dtype=bool)
    summaries = [
        row_entropy(maps, every).mean(axis=2),
        value_entropy(maps, every).mean(axis=2),
        maps[..., 0].mean(axis=(2, 3)),
        maps[..., -1].mean(axis=(2, 3)),
    ]
    place_means = np.moveaxis(readers, 3, 2).mean(axis=3)  # reader layer text place
    return inside, outside, np.array(cosines), np.stack(summaries), place_means


def _mean_over(
    readers: Float[np.ndarray, "reader layer head text place"],
    chosen: Bool[np.ndarray, "text place"],
) -> Float[np.ndarray, "reader layer head text"]:
    """Return the mean over the chosen places of each text; NaN for a text without any."""
    n_chosen = chosen.sum(axis=1)
    sums = (readers * chosen).sum(axis=-1)
    return np.asarray(np.where(n_chosen, sums / np.maximum(n_chosen, 1), np.nan))


def _checked(name: str, codons: list[int], gene: Gene) -> tuple[int, int]:
    first, last = int(gene.codons[0, 0]), int(gene.codons[-1, 1])
    if len(codons) != 2 or not codons[0] <= codons[1] or codons[0] > last or codons[1] < first:
        raise InputError(
            f"conf/measure/sequences/sequence_attention.yaml: key 'regions.{name}': found "
            f"{codons}, expected a first and a last codon between {first} and {last}"
        )
    return codons[0], codons[1]
