"""Stage `compare_model_parameter_alignment`: layers of two models, matched by their parameters."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.errors import InputError
from embspace.files.tables import Row, save_table
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
from embspace.geometry.parameters.layer_order import share_in_order
from embspace.measure.parameters.vocabulary_space import VocabularySpace, load_vocabulary_space
from embspace.measure.tables.nulls import mean_and_range
from embspace.models.parameters.groups import parameter_groups, require_same_tokens
from embspace.models.parameters.read import ModelParameters
from embspace.settings.model import describe_model
from embspace.settings.params import models_of
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

VOCABULARY, RAW = "vocabulary", "raw"
COLUMNS = ["group", "space", "layer", "other_layer", "similarity", "is_assigned"]
COLUMNS += ["n_layers", "n_other_layers", "n_tokens", "n_shuffles", "matches", "mean_similarity"]
COLUMNS += ["null_mean_similarity", "null_mean_similarity_low", "null_mean_similarity_high"]
COLUMNS += ["p_value", "margin", "in_order", "null_in_order", "null_in_order_low"]
COLUMNS += ["null_in_order_high", "p_value_in_order", "is_aligned", "reason"]


def compare_model_parameter_alignment(
    one: VocabularySpace,
    other: VocabularySpace,
    names: tuple[str, str],
    *,
    n_shuffles: PositiveInt,
    level: Share,
    seed: NonNegativeInt,
) -> pd.DataFrame:
    """Match the layers of two models through their vocabulary, and in raw space.

    One row a group of parameters, space and two layers, with what is found of all layers of the
    group and space in each of its rows.

    `vocabulary`: mean |r| of two layers' parameters of one group, r over the tokens that the output
    embeddings of each model project them to (Dar et al. 2023, section 5). `raw`: r over the
    dimensions of the parameters themselves, the baseline, for models of one width. Each layer of
    the shallower model is matched with one of the other, so that the total is largest. The null
    deals the rows of the other model to its layers anew. Fixed before looking: a group is aligned,
    `is_aligned`, where the mean similarity of the matches is above the null's range. `in_order`,
    the share of pairs of matches that stand in one order in both, has its own null beside it;
    three layers have six orders alone, so that one of them is no evidence.

    Parameters are whole populations: no interval. Models whose tokens differ, or whose blocks are
    not known, have a single row, with the `reason` in words.
    """
    reason = _reason(one, other, names)
    rows: list[Row] = [{"reason": reason}] if reason else []
    if one.parameters is not None and other.parameters is not None and not reason:
        for group, space, similarity, null in _maps(
            one.parameters, other.parameters, n_shuffles, seed
        ):
            whole: Row = {"group": group, "space": space, "n_tokens": len(one.parameters.tokens)}
            whole |= {"n_shuffles": n_shuffles, **_whole(similarity, null, level)}
            rows += [{**whole, **cell} for cell in _cells(similarity)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _reason(one: VocabularySpace, other: VocabularySpace, names: tuple[str, str]) -> str:
    """Return why two models cannot be aligned; "" if they can."""
    for each, name in zip((one, other), names, strict=True):
        if each.parameters is None:
            found = each.architecture or "vectors alone"
            return f"{name}: {found} has no blocks whose parameters are known"
    assert one.parameters is not None and other.parameters is not None
    try:
        require_same_tokens(one.parameters.tokens, other.parameters.tokens, names)
    except InputError as error:
        return str(error)
    return ""


def _maps(
    one: ModelParameters, other: ModelParameters, n_shuffles: int, seed: int
) -> Iterator[tuple[str, str, Similarity, list[Similarity]]]:
    """Yield the similarity of layers, and that of rows dealt anew, by group and space."""
    covariances = vocabulary_covariances(one.output_embedding, other.output_embedding)
    groups, others = parameter_groups(one), parameter_groups(other)
    for group, rows in groups.items():
        if group not in others:
            continue
        for space in (VOCABULARY, RAW):
            if space == VOCABULARY:
                means = projected_row_means(rows, others[group], covariances)
            elif _width(rows) == _width(others[group]):
                means = raw_row_means(rows, others[group])
            else:
                continue
            numbers = layer_numbers(others[group])
            stream = stream_of(np.random.default_rng(seed), group, space)
            dealt = [
                layer_similarity(means, stream.permutation(numbers)) for _ in range(n_shuffles)
            ]
            yield group, space, layer_similarity(means, numbers), dealt


def _width(rows: list[Rows]) -> int:
    return int(rows[0].shape[1])


def _whole(similarity: Similarity, null: list[Similarity], level: float) -> Row:
    found = best_assignment(similarity)
    n = min(similarity.shape)
    row: Row = {
        "n_layers": similarity.shape[0],
        "n_other_layers": similarity.shape[1],
        "matches": " ".join(str(each + 1) if each >= 0 else "-" for each in found.order),
        "margin": found.margin,
    }
    orders = [best_order(each) for each in null]
    totals = [_total(each, order) / n for each, order in zip(null, orders, strict=True)]
    for quantity, p_value, value, drawn in (
        ("mean_similarity", "p_value", found.total / n, np.array(totals)),
        (
            "in_order",
            "p_value_in_order",
            share_in_order(found.order),
            np.array([share_in_order(each) for each in orders]),
        ),
    ):
        mean, low, high = mean_and_range(drawn, level)
        row |= {quantity: value, p_value: upper_p_value(value, drawn)}
        row |= {f"null_{quantity}": float(mean), f"null_{quantity}_low": float(low)}
        row |= {f"null_{quantity}_high": float(high)}
    return row | {"is_aligned": row["mean_similarity"] > row["null_mean_similarity_high"]}


def _total(similarity: Similarity, order: np.ndarray) -> float:
    layers = np.flatnonzero(order >= 0)
    return float(similarity[layers, order[layers]].sum())


def _cells(similarity: Similarity) -> Iterator[Row]:
    order = best_order(similarity)
    for layer, other in np.ndindex(*similarity.shape):
        yield {
            "layer": layer + 1,
            "other_layer": other + 1,
            "similarity": similarity[layer, other],
            "is_assigned": bool(order[layer] == other),
        }


def _loaded(name: str) -> VocabularySpace:
    return load_vocabulary_space(
        name, describe_model(name, read_yaml(Path(f"conf/model/{name}.yaml")))
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    names = models_of(config.pair)
    one, other = map(_loaded, names)
    with threadpool_limits(1):  # the same sums on any number of cores
        table = compare_model_parameter_alignment(one, other, names, **config.settings)
    save_table(table, f"results/model_parameter_alignment/{config.pair}.csv")


if __name__ == "__main__":
    run_stage(main, compare_model_parameter_alignment, groups=("pair",))
