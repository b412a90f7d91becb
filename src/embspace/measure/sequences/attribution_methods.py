"""Scores of the places of sequences: how much a classifier's answer rests on each, by method."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.attribution.rollout import attention_rollout
from embspace.measure.sequences.sequence_classifiers import (
    Encoded,
    batches,
    logits_of,
    with_hidden,
)
from embspace.measure.sequences.sequence_texts import Sequences
from embspace.models.stream.attention_maps import attention_maps
from embspace.scripts.words import words_in

Scores = Float[np.ndarray, "text place"]
METHODS = ("last_attention", "attention_rollout", "gradient_x_input", "occlusion")


def attributions(
    module: Any, encoded: Encoded, label: Int[np.ndarray, " text"]
) -> dict[str, Scores]:
    """Return the scores of all places by the methods of `METHODS`, for the class `label`.

    The first two ignore the class: the attention of the first token in the last layer, mean over
    heads, and through all layers (`attention_rollout`). The remaining methods use the logit of the
    class less the mean logit, invisible to softmax: the gradient at the token embedding times the
    embedding, and the fall of the logit when the place is hidden behind the mask token. A place
    against the class has a negative score.
    """
    last, rollout = _attention(module, encoded)
    return {
        "last_attention": last,
        "attention_rollout": rollout,
        "gradient_x_input": _gradient_x_input(module, encoded, label),
        "occlusion": _occlusion(module, encoded, label),
    }


def _attention(module: Any, encoded: Encoded) -> tuple[Scores, Scores]:
    last, rollout = [], []
    for ids, mask in batches(encoded.ids):
        maps = np.stack([layer.mean(dim=1).numpy() for layer in attention_maps(module, ids, mask)])
        last.append(maps[-1][:, 0, encoded.places])
        rollout.append(attention_rollout(maps)[:, 0, encoded.places])
    return np.concatenate(last).astype(np.float64), np.concatenate(rollout)


def _gradient_x_input(module: Any, encoded: Encoded, label: Int[np.ndarray, " text"]) -> Scores:
    import torch

    parts, done = [], 0
    for ids, mask in batches(encoded.ids):
        vectors = module.get_input_embeddings()(ids).detach().requires_grad_()
        logits = module(inputs_embeds=vectors, attention_mask=mask).logits
        logits = logits - logits.mean(dim=1, keepdim=True)
        classes = torch.from_numpy(label[done : done + len(ids)])
        # Sequences do not see each other, so the gradient of the sum has that of each.
        (gradient,) = torch.autograd.grad(logits.gather(1, classes[:, None]).sum(), vectors)
        parts.append((gradient * vectors).sum(dim=2).detach().numpy())
        done += len(ids)
    return np.concatenate(parts)[:, encoded.places].astype(np.float64)


def _occlusion(module: Any, encoded: Encoded, label: Int[np.ndarray, " text"]) -> Scores:
    n_texts, n_places = len(encoded.ids), len(encoded.places)
    rows = np.arange(n_texts)
    whole = logits_of(module, encoded.ids)[rows, label]
    scores = np.empty((n_texts, n_places))
    for place in range(n_places):
        hidden = np.zeros((n_texts, n_places), dtype=bool)
        hidden[:, place] = True
        scores[:, place] = whole - logits_of(module, with_hidden(encoded, hidden))[rows, label]
    return scores


def regression_scores(
    trained: pd.DataFrame, sequences: Sequences, *, inverse_regularization: float
) -> Float[np.ndarray, "text place"]:
    """Return the coefficients of a text's k-mers for the class, less the mean over classes.

    From the logistic regression on counts of k-mers in `measure_training`, learned from the same
    texts. A k-mer in no training text scores 0.
    """
    counts, regression = fitted_regression(trained, sequences.classes, inverse_regularization)
    coefficients = regression.coef_
    if len(coefficients) == 1:  # of two classes scikit-learn gives the second one's
        coefficients = np.concatenate([-coefficients, coefficients])
    coefficients = coefficients - coefficients.mean(axis=0)
    number = counts.vocabulary_
    scores = [
        [coefficients[label, number[word]] if word in number else 0.0 for word in text.split()]
        for text, label in zip(sequences.texts, sequences.label, strict=True)
    ]
    return np.array(scores, dtype=np.float64)


def fitted_regression(
    trained: pd.DataFrame, classes: list[str], inverse_regularization: float
) -> tuple[Any, Any]:
    """Return the counter of k-mers and the regression, learned from the texts of training."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = CountVectorizer(tokenizer=words_in, token_pattern=None)
    x = counts.fit_transform(trained["text"])
    regression = LogisticRegression(C=inverse_regularization, max_iter=1000)
    return counts, regression.fit(x, [classes.index(label) for label in trained["label"]])
