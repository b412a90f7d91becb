"""The first token of sequences at every layer, of a seed's models and of random weights."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from embspace.measure.layers.layer_states import window_states
from embspace.measure.sequences.sequence_classifiers import (
    PRETRAINED,
    RANDOM,
    TRAINED,
    last_checkpoints,
    load_classifier,
)
from embspace.models.tokenizer import read_tokenizer
from embspace.models.weights import with_random_weights
from embspace.models.windows import cut_windows
from embspace.settings.run import Run

TOKENS_PER_BATCH = 8192


@dataclass(frozen=True, eq=False)
class FirstTokenStates:
    """A model's states of the first tokens of texts."""

    weights: str
    model_seed: int
    cls: Float[np.ndarray, "layer text dim"]


def states_of_seed(
    run: Run, root: str, number: int, texts: list[str], final_norm: str | None, n_random: int
) -> list[FirstTokenStates]:
    """Return the states of a run's seed: trained, and before learning classes.

    With the first seed come the states of `n_random` models with random weights. A text of several
    windows has the state of the first.
    """
    phases = list(run.phases)[-2:]
    last = phases[-1]  # a run that classifies ends with this; others are not asked
    states_of_models, seed = [], run.seeds[number]
    for phase in reversed(phases):
        checkpoint = last_checkpoints(root, run, phase)[number]
        module = load_classifier(run, checkpoint)
        base = module.base_model
        windows = cut_windows(texts, read_tokenizer(checkpoint.folder), run.window)
        first = [row for row, window in enumerate(windows) if not window.number]
        weights = TRAINED if phase == last else PRETRAINED
        models = [(weights, seed, base)]
        if not number and phase == last:
            models += [
                (RANDOM, random_seed, with_random_weights(base, random_seed))
                for random_seed in range(n_random)
            ]
        for kind, model_seed, model in models:
            states = window_states(model, windows, final_norm, TOKENS_PER_BATCH, "cpu")
            states_of_models.append(FirstTokenStates(kind, model_seed, states["cls"][:, first]))
    return states_of_models
