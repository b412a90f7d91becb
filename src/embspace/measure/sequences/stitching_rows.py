"""Tables of stitched models: accuracy by layer, by ordered pair of seeds, and the claims."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.files.tables import Row
from embspace.geometry.inference.resampling import interval_bounds
from embspace.measure.sequences.sequence_intervals import class_means
from embspace.measure.sequences.sequence_texts import Sequences
from embspace.measure.sequences.stitching_pairs import (
    FREQUENT,
    IDENTITY,
    TRAINED,
    VOCABULARY,
    StitchedPair,
)

MATCHES, DIFFERS, UNDECIDED = "matches", "differs", "undecided"
MOST = 0.5
"""The share of a classifier's accuracy above chance that is more than the rest."""
DIGITS = 9  # a model that knows one class alone is at chance, not above it by 1e-16
RULES = {
    "above_random": (
        "stitched over the top layers, without training, models are better than random",
        "interval of the best upper layer above chance and above all random stitches",
    ),
    "recovers_most": (
        "stitched over the top layers, some reach most of the classifier's accuracy",
        "recovered > 0.5, as is its interval",
    ),
}
"""By column of the verdicts: the claim, and when a pair matches."""


def layer_rows(
    pairs: Sequence[StitchedPair], sequences: Sequences, **options: Any
) -> Iterator[Row]:
    """One row an ordered pair, layer and stitch; of random ones, mean and range of the draws."""
    sizes = _sizes(sequences)
    for pair in pairs:
        place = _place(pair)
        accuracies = {
            name: _document_shares(right, sequences).T for name, right in pair.right.items()
        }
        for name, values in accuracies.items():
            means, interval = class_means(values, sequences.stratum, **options)
            less = values - accuracies[VOCABULARY]
            less_means, less_interval = class_means(less, sequences.stratum, **options)
            for layer, accuracy in enumerate(means):
                row = {**place, "layer": layer, "stitch": name, **sizes, "accuracy": accuracy}
                row |= {"accuracy_low": interval.low[layer], "accuracy_high": interval.high[layer]}
                if name != VOCABULARY:
                    row["less_vocabulary"] = less_means[layer]
                    row["less_vocabulary_low"] = less_interval.low[layer]
                    row["less_vocabulary_high"] = less_interval.high[layer]
                yield row
        for kind, draws in pair.null.items():
            drawn = np.stack([right.mean(axis=1) for right in draws])
            for layer, draw_accuracies in enumerate(drawn.T):
                yield {
                    **place, "layer": layer, "stitch": kind, **sizes,
                    "n": sizes["n_documents"], "n_draws": len(drawn),
                    "accuracy": draw_accuracies.mean(), "accuracy_low": draw_accuracies.min(),
                    "accuracy_high": draw_accuracies.max(),
                }  # fmt: skip


def pair_rows(pairs: Sequence[StitchedPair], sequences: Sequences, **options: Any) -> Iterator[Row]:
    """A row per ordered pair: the best upper layer, the recovered accuracy, and the verdicts.

    Controls have no verdict.
    """
    chance = chance_of(sequences)
    nulls = [_best_of_null(pair) for pair in pairs]
    largest = max((null.max() for null in nulls if len(null)), default=float("nan"))
    for pair, null in zip(pairs, nulls, strict=True):
        by_layer = _document_shares(pair.right[VOCABULARY], sequences)
        best = best_layer(by_layer.mean(axis=1))
        unstitched = _document_shares(pair.unstitched[np.newaxis], sequences)[0]
        means, interval = class_means(
            np.stack([by_layer[best], unstitched], axis=1), sequences.stratum, **options
        )
        row: Row = {**_place(pair), "is_control": pair.is_control}
        row |= {**_sizes(sequences), "chance": chance, "best_layer": best}
        for number, name in enumerate(("accuracy", "unstitched_accuracy")):
            row[name] = means[number]
            row[f"{name}_low"], row[f"{name}_high"] = interval.low[number], interval.high[number]
        row |= _recovered(means, interval.deviations, chance, options["level"])
        row |= {
            **_explained(pair),
            **_at_its_best("frequent", pair.right[FREQUENT], sequences, options),
            **_at_its_best("identity", pair.right[IDENTITY], sequences, options),
        }
        if len(null):
            row |= _at_its_best("trained", pair.right[TRAINED], sequences, options)
            row |= {"null_accuracy": null.mean(), "null_accuracy_largest": null.max()}
            row |= {"null_accuracy_largest_of_all_pairs": largest}
            row["above_random"] = verdict(
                row["accuracy_low"], row["accuracy_high"],
                above=max(chance, largest), not_above=max(chance, null.mean()),
            )  # fmt: skip
            row["recovers_most"] = verdict(
                row["recovered_low"], row["recovered_high"], above=MOST, not_above=MOST
            )
        yield row


def claim_rows(pairs: pd.DataFrame) -> Iterator[Row]:
    """A row per claim and upper seed: matches if all pairs match, differs if all differ.

    The control is the upper seed above its own pretraining or base, with nearly equal spaces. If
    the control does not clearly recover most, no stitch could: `differs` becomes undecided.
    """
    is_control = pairs["is_control"].astype(bool)
    controls = pairs[is_control].set_index("upper_seed")
    for column, (claim, holds_if) in RULES.items():
        for seed, rows in pairs[~is_control].groupby("upper_seed"):
            n_matching = int((rows[column] == MATCHES).sum())
            n_differing = int((rows[column] == DIFFERS).sum())
            low = float(controls["recovered_low"].get(seed, nan))
            outcome = MATCHES if n_matching == len(rows) else UNDECIDED
            outcome = DIFFERS if n_differing == len(rows) and low > MOST else outcome
            yield {
                "claim": claim, "seed": seed, "n_pairs": len(rows), "n_matching": n_matching,
                "n_differing": n_differing,
                "control_recovered": float(controls["recovered"].get(seed, nan)),
                "control_recovered_low": low, "holds_if": holds_if, "verdict": outcome,
            }  # fmt: skip


def _place(pair: StitchedPair) -> Row:
    is_seed = isinstance(pair.lower, int)
    return {
        "upper_seed": pair.upper_seed,
        "lower_seed": pair.lower if is_seed else None,
        "lower_model": None if is_seed else pair.lower,
    }


def verdict(low: float, high: float, *, above: float, not_above: float) -> str:
    """Return whether an interval is all above `above`, in no part above `not_above`, or neither."""
    low, high, above, not_above = (round(bound, DIGITS) for bound in (low, high, above, not_above))
    if low > above:
        return MATCHES
    return DIFFERS if high <= not_above else UNDECIDED


def best_layer(accuracy: Float[np.ndarray, " layer"]) -> int:
    """Return the layer of the highest accuracy in the upper half, L/2..L; the first of equals."""
    first = len(accuracy) // 2
    return first + int(np.argmax(accuracy[first:]))


def chance_of(sequences: Sequences) -> float:
    """Return the share of the largest class among documents."""
    return float(np.bincount(sequences.stratum).max() / len(sequences.stratum))


def _best_of_null(pair: StitchedPair) -> Float[np.ndarray, " draw"]:
    """Return the accuracy of each random stitch at its own best upper layer."""
    drawn = [right.mean(axis=1) for draws in pair.null.values() for right in draws]
    return np.array([accuracies[best_layer(accuracies)] for accuracies in drawn])


def _at_its_best(
    name: str,
    right: Bool[np.ndarray, "layer text"],
    sequences: Sequences,
    options: Mapping[str, Any],
) -> Row:
    """Return the accuracy of a stitch at its best upper layer, with its interval."""
    by_layer = _document_shares(right, sequences)
    best = best_layer(by_layer.mean(axis=1))
    means, interval = class_means(by_layer[best][:, np.newaxis], sequences.stratum, **options)
    return {
        f"{name}_best_layer": best,
        f"{name}_accuracy": means[0],
        f"{name}_accuracy_low": interval.low[0],
        f"{name}_accuracy_high": interval.high[0],
    }


def _explained(pair: StitchedPair) -> Row:
    """Return the explained shares of embeddings, for all tokens and for frequent tokens."""
    return {
        "explained_share": pair.explained.share,
        "shuffled_explained_share": pair.explained.shuffled,
        "n_frequent_tokens": pair.frequent_explained.n_tokens,
        "frequent_explained_share": pair.frequent_explained.share,
        "shuffled_frequent_explained_share": pair.frequent_explained.shuffled,
    }


def _document_shares(
    right: Bool[np.ndarray, "layer text"], sequences: Sequences
) -> Float[np.ndarray, "layer document"]:
    """Return the share of right texts by document."""
    n = np.bincount(sequences.document)
    return np.stack([np.bincount(sequences.document, weights=layer) / n for layer in right])


def _recovered(
    means: Float[np.ndarray, " 2"],
    deviations: Float[np.ndarray, "draw 2"],
    chance: float,
    level: float,
) -> Row:
    """Return which part of the unstitched accuracy above chance the stitched one has.

    NaN if the classifier is not above chance.
    """
    value = _above(means, chance)
    drawn = _above(means + deviations, chance)
    low, high = interval_bounds(value, drawn - value, level=level)
    return {"recovered": float(value), "recovered_low": float(low), "recovered_high": float(high)}


def _above(accuracies: Float[np.ndarray, "*draw 2"], chance: float) -> Float[np.ndarray, "*draw"]:
    """Return the first accuracy above chance over the second, where that is above chance."""
    stitched, whole = (accuracies[..., number] - chance for number in (0, 1))
    shares = np.full(np.shape(whole), np.nan)
    return np.divide(stitched, whole, out=shares, where=whole > 0)


def _sizes(sequences: Sequences) -> Row:
    return {
        "n": len(sequences.label),
        "n_documents": len(sequences.stratum),
        "n_classes": len(sequences.classes),
    }
