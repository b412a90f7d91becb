"""Rows of the tables of two models with matched layers, and of disguised copies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of, upper_p_value
from embspace.geometry.parameters.alignment import (
    Rows,
    Similarity,
    best_assignment,
    best_order,
    layer_numbers,
    layer_similarity,
    projected_row_means,
    raw_row_means,
    vocabulary_covariances,
)
from embspace.geometry.parameters.planted_copies import found_layers
from embspace.measure.tables.nulls import mean_and_range
from embspace.models.parameters.groups import parameter_groups
from embspace.models.parameters.read import ModelParameters

VOCABULARY, RAW = "vocabulary", "raw"


@dataclass(frozen=True, eq=False)
class LayerMap:
    """The similarity of every two layers of two models, for one group and space."""

    group: str
    space: str
    similarity: Similarity
    dealt: list[Similarity]
    """The same similarity when rows of the other model are assigned to its layers at random."""


@dataclass(frozen=True)
class Protocol:
    """Holds the settings of the null."""

    n_shuffles: int
    level: float
    seed: int


def aligned_rows(
    one: ModelParameters, other: ModelParameters, protocol: Protocol, place: Row
) -> Iterator[tuple[list[Row], Row]]:
    """Yield the cells of a matrix of layers, and the assignment, by group and space.

    `place` names the draws of the null, independent of draws for other models. Layers are numbered
    from 1. Draws with constant rows only for a layer are left out of the null.

    Raises:
        InputError: if a layer has only constant rows.
    """
    names = [str(part) for part in place.values()]
    models = ", ".join(f"{key} {value}" for key, value in place.items())
    for layer_map in layer_maps(
        one, other, n_shuffles=protocol.n_shuffles, seed=protocol.seed, names=names, models=models
    ):
        head: Row = {"group": layer_map.group, "space": layer_map.space}
        null = np.array([_on_diagonal(similarity) for similarity in layer_map.dealt])
        whole = {**head, **_assignment_row(layer_map.similarity, null, protocol.level)}
        yield (
            [{**head, **cell} for cell in cell_rows(layer_map.similarity)],
            {**whole, "n_tokens": len(one.tokens)},
        )


def layer_maps(
    one: ModelParameters,
    other: ModelParameters,
    *,
    n_shuffles: int,
    seed: int,
    names: Sequence[str],
    models: str,
) -> Iterator[LayerMap]:
    """Yield how alike the layers of two models are, by group and space.

    Groups that one of the models lacks are left out, as is the raw space of models of different
    widths. `names` are the names of the null's draws; `models` is what an error calls the two
    models.

    Raises:
        InputError: if a layer has constant rows alone.
    """
    covariances = vocabulary_covariances(one.output_embedding, other.output_embedding)
    groups, others = parameter_groups(one), parameter_groups(other)
    for group, rows in groups.items():
        if group not in others:
            continue
        for space in (VOCABULARY, RAW):
            if space == VOCABULARY:
                means = projected_row_means(rows, others[group], covariances)
            elif rows[0].shape[1] == others[group][0].shape[1]:
                means = raw_row_means(rows, others[group])
            else:
                continue
            numbers = layer_numbers(others[group])
            similarity = layer_similarity(means, numbers)
            _require_defined(similarity, f"{group}, {space}", models)
            stream = stream_of(np.random.default_rng(seed), *names, group, space)
            dealt = [
                layer_similarity(means, stream.permutation(numbers)) for _ in range(n_shuffles)
            ]
            yield LayerMap(group, space, similarity, dealt)


def planted_rows(
    parameters: ModelParameters,
    protocol: Protocol,
    *,
    noise: Sequence[float],
    n_copies: int,
    n_rows: int,
) -> Iterator[Row]:
    """Yield how many layers of disguised copies are found, by group, noise and space.

    Raises:
        InputError: if a layer has constant rows alone.
    """
    embedding = parameters.output_embedding
    covariance = vocabulary_covariances(embedding, embedding).first
    for group, rows in parameter_groups(parameters).items():
        _require_varied(rows, group)
        n_kept = min(n_rows, *(len(layer_rows) for layer_rows in rows))
        for level in noise:
            stream = stream_of(np.random.default_rng(protocol.seed), group, str(level))
            copies = [
                found_layers(_some(rows, n_kept, stream), covariance, noise=level, generator=stream)
                for _ in range(n_copies)
            ]
            for space, shares, margins in (
                (VOCABULARY, [c.vocabulary for c in copies], [c.vocabulary_margin for c in copies]),
                (RAW, [c.raw for c in copies], [c.raw_margin for c in copies]),
            ):
                mean, low, high = mean_and_range(np.array(shares), protocol.level)
                yield {
                    "group": group,
                    "space": space,
                    "noise": level,
                    "n_layers": len(rows),
                    "n_rows": n_kept,
                    "n_copies": n_copies,
                    "found": float(mean),
                    "found_low": float(low),
                    "found_high": float(high),
                    "chance": 1 / len(rows),
                    "smallest_margin": min(margins),
                }


def _some(rows: Sequence[Rows], n: int, generator: np.random.Generator) -> list[Rows]:
    """Return `n` rows of every layer."""
    chosen = [generator.choice(len(layer), n, replace=False) for layer in rows]
    return [layer[np.sort(numbers)] for layer, numbers in zip(rows, chosen, strict=True)]


def _require_varied(rows: Sequence[Rows], group: str) -> None:
    for layer, layer_rows in enumerate(rows, start=1):
        if not np.ptp(layer_rows, axis=1).any():
            raise InputError(
                f"{group}: layer {layer} has constant rows alone, which have no correlation; "
                "expected some that vary"
            )


def _require_defined(similarity: Similarity, what: str, models: str) -> None:
    """Stop unless the parameters of every layer can be correlated.

    Raises:
        InputError: naming parameters, space, models and the first layer with constant rows alone.
    """
    undefined = np.isnan(similarity)
    if not undefined.any():
        return
    is_first = bool(undefined.all(axis=1).any())
    layer = int(np.argmax(undefined.all(axis=1 if is_first else 0))) + 1
    raise InputError(
        f"{what}: layer {layer} of the {'first' if is_first else 'second'} of two models "
        f"({models}) has constant rows alone, which have no correlation; expected some that vary"
    )


def _on_diagonal(similarity: Similarity) -> float:
    """Return the share of layers matched with themselves; NaN if a layer has no similarity."""
    if np.isnan(similarity).any():
        return float("nan")
    order = best_order(similarity)
    return float(np.mean(order == np.arange(len(order))))


def _assignment_row(similarity: Similarity, null: Float[np.ndarray, " draw"], level: float) -> Row:
    assignment, on_diagonal = best_assignment(similarity), _on_diagonal(similarity)
    mean, low, high = mean_and_range(null, level)
    return {
        "n_layers": len(similarity),
        "on_diagonal": on_diagonal,
        "null_on_diagonal": float(mean),
        "null_on_diagonal_low": float(low),
        "null_on_diagonal_high": float(high),
        "p_value": upper_p_value(on_diagonal, null),
        "total": assignment.total,
        "margin": assignment.margin,
        "diagonal_total": float(np.trace(similarity)),
        "is_aligned": bool(on_diagonal > high),
    }


def cell_rows(similarity: Similarity) -> Iterator[Row]:
    """Yield a row per pair of layers, numbered from 1, and whether the assignment matches them."""
    order = best_order(similarity)
    for layer, other in np.ndindex(*similarity.shape):
        yield {
            "layer": layer + 1,
            "other_layer": other + 1,
            "similarity": similarity[layer, other],
            "is_assigned": bool(order[layer] == other),
        }
