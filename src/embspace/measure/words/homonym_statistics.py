"""Measures homonyms: by word, over words, over layers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from threadpoolctl import threadpool_limits

from embspace.geometry.groups.contrast import GroupContrast, contrast_groups, relabelings
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.geometry.pairs.directions import cosine_matrix
from embspace.geometry.pairs.safe_ratio import mean_of_defined, ratio

# Preparation and quantity. A mean that is taken away changes no distance.
MEASURES = (("raw", "cosine"), ("centered", "cosine"), ("raw", "euclidean_distance"))
OVER_LAYERS = ("difference", "ratio", "relative_difference")
FIRST_LAYERS = (0, 1)  # of a drift: in layer 0 there is no context yet

DrawnValues = Float[np.ndarray, "_ _ _ _"]
"""By draw, weights, layer and measure; 1 for an irrelevant axis."""


@dataclass(frozen=True, eq=False)
class WordValues:
    """The measures by word. A draw shuffles the senses of the sentences; the first is unshuffled.

    Distances throughout, 1 - cosine for a cosine.
    """

    within: Float[np.ndarray, "word draw weights layer measure"]
    between: Float[np.ndarray, "word draw weights layer measure"]
    between_words: Float[np.ndarray, "word word weights layer measure"]
    """Mean distance of the occurrences of two different words."""
    accuracy: Float[np.ndarray, "word draw weights layer measure"]
    context_accuracy: Float[np.ndarray, "word draw weights layer measure"]
    """Accuracy of the mean state of the other tokens of the sentence."""
    bag_of_words_accuracy: Float[np.ndarray, "word draw 1 1 1"]
    """Accuracy of the cosine of the counts of the other tokens."""

    def as_they_are(self) -> "WordValues":
        """Without the draws at random."""
        shuffled = {name: x[:, :1] for name, x in vars(self).items() if name != "between_words"}
        return replace(self, **shuffled)


def distances_by_layer(
    x: Float[np.ndarray, "weights layer n dim"],
) -> Float[np.ndarray, "weights layer measure n n"]:
    """Return the distances of all pairs of rows, by each of `MEASURES`."""
    from scipy.spatial.distance import cdist

    distances = np.empty((*x.shape[:2], len(MEASURES), x.shape[2], x.shape[2]))
    for place in np.ndindex(x.shape[:2]):
        states = x[place]
        distances[place][0] = cosine_distances(states)
        distances[place][1] = cosine_distances(states - states.mean(axis=0))
        distances[place][2] = cdist(states, states)
    return distances


def cosine_distances(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n n"]:
    """1 - cosine, to twelve digits: 0 for equal rows, NaN for a row of zeros."""
    with threadpool_limits(1, user_api="blas"):
        return np.round(1 - cosine_matrix(x), 12)


def word_values(
    own: Float[np.ndarray, "weights layer n dim"],
    context: Float[np.ndarray, "weights layer n dim"],
    bag_of_words: Float[np.ndarray, "n id"],
    senses: pd.DataFrame,
    *,
    n_draws: int,
    generator: np.random.Generator,
) -> WordValues:
    """Return the values by word; `senses` has the `word` and `sense` of the arrays' rows."""
    distances, around = distances_by_layer(own), distances_by_layer(context)
    bags = cosine_distances(bag_of_words)[np.newaxis]
    shape = (1 + n_draws, *distances.shape[:3])
    contrasts: list[GroupContrast] = []
    contexts, bag_accuracies = [], []
    word = senses["word"].to_numpy()
    members = [np.flatnonzero(word == name) for name in senses["word"].unique()]
    for rows in members:
        sense = pd.factorize(senses["sense"].to_numpy()[rows])[0].astype(np.int64)
        group = relabelings(sense, n_draws, generator)
        contrasts.append(contrast_groups(_block(distances, rows), group))
        contexts.append(contrast_groups(_block(around, rows), group).accuracy.reshape(shape))
        bag_accuracies.append(contrast_groups(_block(bags, rows), group).accuracy)
    return WordValues(
        within=np.stack([contrast.within.reshape(shape) for contrast in contrasts]),
        between=np.stack([contrast.between.reshape(shape) for contrast in contrasts]),
        between_words=_between_words(distances, members),
        accuracy=np.stack([contrast.accuracy.reshape(shape) for contrast in contrasts]),
        context_accuracy=np.stack(contexts),
        bag_of_words_accuracy=np.stack(bag_accuracies)[..., np.newaxis, np.newaxis],
    )


def _block(
    distances: Float[np.ndarray, "*stack n n"], rows: Int[np.ndarray, " row"]
) -> Float[np.ndarray, "flat row row"]:
    chosen = distances[..., rows[:, np.newaxis], rows]
    return chosen.reshape(-1, len(rows), len(rows))


def _between_words(
    distances: Float[np.ndarray, "weights layer measure n n"],
    members: Sequence[Int[np.ndarray, " _"]],
) -> Float[np.ndarray, "word word weights layer measure"]:
    weights = np.zeros((len(members), distances.shape[-1]))
    for word, rows in enumerate(members):
        weights[word, rows] = 1 / len(rows)
    with threadpool_limits(1, user_api="blas"):
        means = weights @ distances @ weights.T
    return np.moveaxis(means, (-2, -1), (0, 1))


def over_words(values: WordValues, words: Int[np.ndarray, " word"]) -> dict[str, DrawnValues]:
    """Means over `words`, derived quantities, and slopes over the layers, by name.

    The `ratio` is between the means, between over within; `relative_difference` is over the mean
    distance of different words. A slope is of the least-squares line, per layer, from the first
    layer in the name on; the array of a slope has one layer.
    """
    within = mean_of_defined(values.within[words], axis=0)
    between = mean_of_defined(values.between[words], axis=0)
    pairs = values.between_words[words[:, np.newaxis], words][~np.eye(len(words), dtype=bool)]
    yardstick = np.broadcast_to(mean_of_defined(pairs, axis=0), within.shape)
    apart = values.between[words] - values.within[words]
    accuracy = mean_of_defined(values.accuracy[words], axis=0)
    context = mean_of_defined(values.context_accuracy[words], axis=0)
    bag = mean_of_defined(values.bag_of_words_accuracy[words], axis=0)
    means = {
        "within": within,
        "between": between,
        "between_words": yardstick,
        "difference": between - within,
        "ratio": ratio(between, within),
        "relative_difference": ratio(between - within, yardstick),
        "share_apart": mean_of_defined(np.where(np.isnan(apart), np.nan, apart > 0), axis=0),
        "accuracy": accuracy,
        "context_accuracy": context,
        "context_gain": accuracy - context,
        "bag_of_words_accuracy": bag,
        "bag_of_words_gain": accuracy - bag,
    }
    for name in OVER_LAYERS:
        for first in FIRST_LAYERS:
            means[slope_name(name, first)] = slope(means[name][..., first:, :])
    return means


def slope_name(name: str, first_layer: int) -> str:
    """The key of a slope in what `over_words` gives."""
    return f"{name}_slope_{first_layer}"


def slope(
    values: Float[np.ndarray, "draw weights layer measure"],
) -> Float[np.ndarray, "draw weights 1 measure"]:
    """Return the slope of the least-squares line through all layers; NaN for fewer than two."""
    layer = np.arange(values.shape[-2], dtype=np.float64)
    if len(layer) < 2:
        return np.full((*values.shape[:-2], 1, values.shape[-1]), np.nan)
    layer -= layer.mean()
    return np.einsum("l,dwlm->dwm", layer / (layer @ layer), values)[..., np.newaxis, :]


def intervals(
    values: WordValues, *, n_resamples: int, level: float, generator: np.random.Generator
) -> tuple[dict[str, DrawnValues], dict[str, DrawnValues], dict[str, DrawnValues]]:
    """Return lower and upper bounds of the values of `over_words`, by half-samples of the words.

    The third result has the deviations of the halves from all words, in the place of the draws.
    """
    true = values.as_they_are()
    n_words = len(true.within)
    whole = over_words(true, np.arange(n_words))

    def packed(words: Int[np.ndarray, " word"]) -> Float[np.ndarray, " value"]:
        return np.concatenate([x.ravel() for x in over_words(true, words).values()])

    interval = half_sample_interval(
        packed, n_words, n_resamples=n_resamples, level=level, generator=generator
    )
    ends = np.cumsum([x.size for x in whole.values()])[:-1]
    low, high, deviations = (
        {
            name: part.reshape(-1, *x.shape[1:])
            for (name, x), part in zip(whole.items(), np.split(array, ends, axis=-1), strict=True)
        }
        for array in interval
    )
    return low, high, deviations
