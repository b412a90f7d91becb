"""Stage `compare_model_parameter_alignment`: layers of two models, matched by their parameters."""

from pathlib import Path

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Table
from embspace.compare.both_models import NAMES, WEIGHTS, both_models
from embspace.errors import InputError
from embspace.files.tables import Row
from embspace.geometry.inference.holm import holm_p_values
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.parameters.alignment import (
    SameRows,
    Similarity,
    best_assignment,
    best_order,
    projected_same_rows,
    raw_same_rows,
    vocabulary_covariances,
)
from embspace.geometry.parameters.layer_order import share_in_order
from embspace.measure.parameters.parameter_alignment_rows import (
    RAW,
    LayerMap,
    cell_rows,
    layer_maps,
)
from embspace.measure.parameters.vocabulary_space import VocabularySpace, load_vocabulary_space
from embspace.measure.tables.nulls import mean_and_range
from embspace.models.parameters.groups import parameter_groups, require_same_tokens
from embspace.models.parameters.read import ModelParameters
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from embspace.settings.stage import run_stage
from embspace.settings.types import Share


def load_space(described: str, _: str) -> VocabularySpace:
    """Return the parameters of a model of conf/model, if the blocks are known."""
    name = Path(described).stem
    return load_vocabulary_space(name, describe_model(name, read_yaml(Path(described))))


MODEL_PARAMETER_ALIGNMENT = Analysis(
    noun="model_parameter_alignment",
    question="Which layers of two models of one vocabulary belong together by their parameters?",
    reads={**both_models("space", load_space, *WEIGHTS), "names": NAMES},
    tables={
        "csv": Table(
            {
                "group": "row",
                "space": "row",
                "layer": "row",
                "other_layer": "row",
                "similarity": "moment",
                "same_rows": "moment",
                "random_same_rows": "moment",
                "same_rows_deviations": "score",
                "is_same_rows": "trained_verdict",
                "is_assigned": "trained_verdict",
                "n_layers": "count",
                "n_other_layers": "count",
                "n_tokens": "count",
                "n_shuffles": "setting",
                "matches": "trained_verdict",
                "on_diagonal": "trained_verdict",
                "mean_similarity": "moment",
                "null_mean_similarity": "moment",
                "null_mean_similarity_low": "moment",
                "null_mean_similarity_high": "moment",
                "p_value": "p_value",
                "holm_p_value": "trained_statistic",
                "margin": "moment",
                "in_order": "trained_statistic",
                "null_in_order": "trained_statistic",
                "null_in_order_low": "trained_statistic",
                "null_in_order_high": "trained_statistic",
                "p_value_in_order": "trained_statistic",
                "holm_p_value_in_order": "trained_statistic",
                "is_above_dealt_rows": "trained_verdict",
                "is_in_order": "trained_verdict",
                "reason": "name",
            }
        )
    },
    verb="compare",
    over="compared",
)
IS_BEYOND = {"p_value": "is_above_dealt_rows", "p_value_in_order": "is_in_order"}


def compare_model_parameter_alignment(
    space: VocabularySpace,
    other_space: VocabularySpace,
    names: tuple[str, str],
    *,
    n_shuffles: PositiveInt,
    level: Share,
    least_deviations: PositiveFloat,
    seed: NonNegativeInt,
) -> Outcome:
    """Match the layers of two models through the shared vocabulary, and in raw space.

    One row per group of parameters, space and pair of layers; results on all layers of a group and
    space are repeated in every row.

    `vocabulary`: mean |r| of two layers' parameters of a group, r over the scores of tokens by both
    models' output embeddings (Dar et al. 2023, section 5). `raw`: r over the dimensions of the
    parameters themselves, the baseline, for models of one width. Every layer of the shallower model
    is matched with a layer of the deeper model, for the largest total. The null deals the rows of
    the second model anew to the layers. `is_above_dealt_rows`: the p-value of the mean similarity
    of the matches is at most 1 - `level` by the method of Holm (1979) over all groups and spaces of
    the pair. This rule replaced, with the results known, a comparison of single groups with the
    null's range, called aligned: dealt rows make all layers alike, layers alike to the whole second
    model are above dealt rows in any match, and one of twelve tests of random weights was above.

    `in_order`, the share of pairs of matches with the same order in both models, tells which layer
    is which, with a separate null; three layers have only six orders, and a single order is no
    evidence.

    `same_rows` comes first in a fine-tuned model, where row i of a layer is row i of the same layer
    before: the mean r of rows of equal number, beside the expected mean of rows in random order;
    `is_same_rows`: at least `least_deviations` standard deviations above, the exact deviations of
    random orders.

    Parameters are whole populations: no interval. Models with different tokens, or with unknown
    blocks, have a single row with the `reason`.
    """
    reason = _reason(space, other_space, names)
    rows: list[Row] = [{"reason": reason}] if reason else []
    if space.parameters is not None and other_space.parameters is not None and not reason:
        with threadpool_limits(1):  # the same sums on any number of cores
            maps = list(
                layer_maps(
                    space.parameters,
                    other_space.parameters,
                    n_shuffles=n_shuffles,
                    seed=seed,
                    names=(),
                    models=" and ".join(names),
                )
            )
        wholes = [_whole(layer_map, level) for layer_map in maps]
        for quantity, is_beyond in IS_BEYOND.items():
            p_values = np.array([whole[quantity] for whole in wholes], dtype=np.float64)
            for whole, p_value in zip(wholes, holm_p_values(p_values), strict=True):
                whole |= {f"holm_{quantity}": p_value, is_beyond: p_value <= 1 - level + 1e-12}
        for layer_map, whole in zip(maps, wholes, strict=True):
            whole["n_tokens"] = len(space.parameters.tokens)
            same = _same_rows(layer_map, space.parameters, other_space.parameters)
            rows += [
                {**whole, **cell, **_same_columns(same, cell, least_deviations)}
                for cell in cell_rows(layer_map.similarity)
            ]
    return {"csv": MODEL_PARAMETER_ALIGNMENT.tables["csv"].of(rows)}


def _same_rows(layer_map: LayerMap, one: ModelParameters, other: ModelParameters) -> SameRows:
    rows, others = (parameter_groups(model)[layer_map.group] for model in (one, other))
    if layer_map.space == RAW:
        return raw_same_rows(rows, others)
    covariances = vocabulary_covariances(one.output_embedding, other.output_embedding)
    return projected_same_rows(rows, others, covariances)


def _same_columns(same: SameRows, cell: Row, least_deviations: float) -> Row:
    """Return the columns of a pair of layers, numbered from 1 in cells."""
    place = (int(cell["layer"]) - 1, int(cell["other_layer"]) - 1)
    return {
        "same_rows": same.mean[place],
        "random_same_rows": same.at_random[place],
        "same_rows_deviations": same.deviations[place],
        "is_same_rows": bool(same.deviations[place] >= least_deviations),
    }


def _reason(one: VocabularySpace, other: VocabularySpace, names: tuple[str, str]) -> str:
    """Return why two models cannot be aligned; "" if they can."""
    for space, name in zip((one, other), names, strict=True):
        if space.parameters is None:
            kind = space.architecture or "vectors alone"
            return f"{name}: {kind} has no blocks whose parameters are known"
    assert one.parameters is not None and other.parameters is not None
    try:
        require_same_tokens(one.parameters.tokens, other.parameters.tokens, names)
    except InputError as error:
        return str(error)
    return ""


def _whole(layer_map: LayerMap, level: float) -> Row:
    """Return the results of all layers; NaN for draws that deal a layer constant rows only."""
    assignment = best_assignment(layer_map.similarity)
    n = min(layer_map.similarity.shape)
    row: Row = {
        "group": layer_map.group,
        "space": layer_map.space,
        "n_shuffles": len(layer_map.dealt),
        "n_layers": layer_map.similarity.shape[0],
        "n_other_layers": layer_map.similarity.shape[1],
        "matches": " ".join(str(layer + 1) if layer >= 0 else "-" for layer in assignment.order),
        "on_diagonal": _on_diagonal(assignment.order, layer_map.similarity),
        "margin": assignment.margin,
    }
    null = np.array([_mean_and_order(draw) for draw in layer_map.dealt])
    values = (assignment.total / n, share_in_order(assignment.order))
    names = (("mean_similarity", "p_value"), ("in_order", "p_value_in_order"))
    for (quantity, p_value), value, drawn in zip(names, values, null.T, strict=True):
        mean, low, high = mean_and_range(drawn, level)
        row |= {quantity: value, p_value: upper_p_value(value, drawn)}
        row |= {f"null_{quantity}": float(mean), f"null_{quantity}_low": float(low)}
        row |= {f"null_{quantity}_high": float(high)}
    return row


def _on_diagonal(order: np.ndarray, similarity: Similarity) -> float:
    """Return the share of layers matched with the layer of their number; NaN for unequal depths."""
    is_square = similarity.shape[0] == similarity.shape[1]
    return float((order == np.arange(len(order))).mean()) if is_square else float("nan")


def _mean_and_order(similarity: Similarity) -> tuple[float, float]:
    """Return the mean similarity of the matches, and the share of matches in order."""
    if np.isnan(similarity).any():
        return float("nan"), float("nan")
    order = best_order(similarity)
    return _total(similarity, order) / min(similarity.shape), share_in_order(order)


def _total(similarity: Similarity, order: np.ndarray) -> float:
    layers = np.flatnonzero(order >= 0)
    return float(similarity[layers, order[layers]].sum())


main = MODEL_PARAMETER_ALIGNMENT.main(compare_model_parameter_alignment)

if __name__ == "__main__":
    run_stage(main, compare_model_parameter_alignment, groups=("pair",))
