"""Statistics of what a block does to its input, by text and layer."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float

from embspace.geometry.attention.head_features import row_entropy, value_entropy
from embspace.geometry.measures.mean_direction import mean_resultant_length
from embspace.geometry.pairs.directions import norms, unit_rows
from embspace.measure.blocks.text_streams import TokenIds, text_streams
from embspace.models.stream.layer_stream import LayerStream

RoleStatistic = Literal[
    "row_entropy",
    "value_entropy",
    "cosine_with_input",
    "attention_added_over_stream",
    "mlp_added_over_stream",
    "self_mass",
    "cone_changed",
]
STATISTICS: tuple[RoleStatistic, ...] = get_args(RoleStatistic)
WORDS: dict[RoleStatistic, str] = {
    "row_entropy": "row entropy",
    "value_entropy": "entropy of the histogram of attention's values",
    "cosine_with_input": "cosine of a block's output with its input",
    "attention_added_over_stream": "norm of what attention adds, over the stream's",
    "mlp_added_over_stream": "norm of what the MLP adds, over the stream's",
    "self_mass": "mass of attention to the token itself",
    "cone_changed": "change of the mean resultant length (cone index / n), absolute",
}


def layer_statistics(
    module: Any, texts: Sequence[TokenIds], tokens_per_batch: int, device: str
) -> Float[np.ndarray, "text layer statistic"]:
    """Return the statistics of every text at every layer, 1..L, in the order of `STATISTICS`."""
    n_layers = int(module.config.num_hidden_layers)
    statistics = np.full((len(texts), n_layers, len(STATISTICS)), np.nan)
    for number, stream in text_streams(module, texts, tokens_per_batch, device):
        statistics[number, stream.layer - 1] = statistics_of(stream)
    return statistics


def statistics_of(stream: LayerStream) -> Float[np.ndarray, " statistic"]:
    """Return the statistics of a text's stream through a block; attention as means over heads.

    Norms of added vectors are relative to the norms of the stream before, mean over tokens. A
    decoder's queries see no later token, a local head's no far token: entropies are over visible
    keys.
    """
    maps = stream.attention.cpu().numpy()
    scores = stream.scores[0].cpu().numpy()  # what is masked is so for all heads
    seen = scores > np.finfo(scores.dtype).min
    places = ("input", "attention_added", "after_attention", "mlp_added", "output")
    before, attention_added, middle, mlp_added, after = (
        getattr(stream, place).cpu().numpy() for place in places
    )
    values: dict[RoleStatistic, float] = {
        "row_entropy": float(row_entropy(maps, seen).mean()),
        "value_entropy": float(value_entropy(maps, seen).mean()),
        "cosine_with_input": float((unit_rows(before) * unit_rows(after)).sum(axis=1).mean()),
        "attention_added_over_stream": float((norms(attention_added) / norms(before)).mean()),
        "mlp_added_over_stream": float((norms(mlp_added) / norms(middle)).mean()),
        "self_mass": float(np.diagonal(maps, axis1=1, axis2=2).mean()),
        "cone_changed": abs(mean_resultant_length(after) - mean_resultant_length(before)),
    }
    return np.array([values[statistic] for statistic in STATISTICS])
