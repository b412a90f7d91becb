"""The default pooling of a query, and the allowed poolings."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.clouds.pooling import FIRST_LAST, SENTENCE, TOKEN_POOLINGS

WITHOUT_LAYER = (SENTENCE, FIRST_LAST)
Layers = Float[np.ndarray, "layer row dim"]


def allowed_poolings(tensors: Collection[str]) -> tuple[str, ...]:
    """The poolings of a file of hidden states by the names of its tensors."""
    return (*TOKEN_POOLINGS, FIRST_LAST, *((SENTENCE,) if SENTENCE in tensors else ()))


def default_pooling(states: Mapping[str, Layers], config: Callable[[], Any]) -> str:
    """The makers' own vector of a sentence model, the last token of a decoder, or else the mean.

    A decoder is recognized by the states of two texts with the same beginning, or else by the
    config, which is read only for this purpose. `states` are tensors (layer, row, dim) of texts by
    name.
    """
    if SENTENCE in states:
        return SENTENCE
    return "last" if _is_decoder(states, config) else "mean"


def _is_decoder(states: Mapping[str, Layers], config: Callable[[], Any]) -> bool:
    from embspace.measure.tables.shown_pooling import first_token_sees_no_other

    _, others = np.unique(states["mean"][-1], axis=0, return_index=True)  # one of equal texts
    seen = first_token_sees_no_other(states["cls"][[0, -1]][:, np.sort(others)])
    if seen is not None:
        return seen
    from transformers.models.auto import modeling_auto

    kind = getattr(config(), "model_type", "")
    causal = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    return kind in causal and kind not in modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
