"""The example of Avery's token tracker, by the computation of his code and by that of the model."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from embspace.files.tables import Row
from embspace.models.stream.tracked_states import (
    TrackedStates,
    has_as_coded,
    tracked_states,
)
from embspace.models.stream.tracked_vocabulary import Positions, TrackedVocabulary
from embspace.models.windows import Window, cut_windows

PLACE = ["position", "token", "layer", "computation", "positions"]
LONGEST = 10**6  # tokens: the example is one window, whatever the model
# Which vocabularies each computation is compared with; the source has two with its own.
COMPARED: dict[str, tuple[Positions, ...]] = {
    "as_coded": ("first", "none"),
    "attention_sum": ("first", "own", "none"),
}


def source_table(
    module: Any, vocabulary: TrackedVocabulary, tokenizer: Any, text: str
) -> pd.DataFrame:
    """Return rank, cosine and nearest token by token, layer, computation and vocabulary.

    `as_coded` is left out for a model without a definition, vocabularies with positions for a model
    without a table of positions. Empty if the text does not fit into the model.
    """
    (window,) = cut_windows([text], tokenizer, window_length=LONGEST)
    if len(window.ids) > _room(module, vocabulary):
        return pd.DataFrame()
    rows = [
        row
        for states in tracked_states(module, window.ids, as_coded=has_as_coded(module))
        if states.point in COMPARED
        for row in _rows(states, window, vocabulary, tokenizer)
    ]
    return pd.DataFrame(rows).sort_values(PLACE, kind="stable").reset_index(drop=True)


def _room(module: Any, vocabulary: TrackedVocabulary) -> int:
    """Return how many tokens have a position."""
    if vocabulary.positional is not None:
        return len(vocabulary.positional)
    return int(getattr(module.config, "max_position_embeddings", LONGEST))


def _rows(
    states: TrackedStates, window: Window, vocabulary: TrackedVocabulary, tokenizer: Any
) -> Iterator[Row]:
    at = np.arange(len(window.ids))
    for positions in COMPARED[states.point]:
        if positions != "none" and vocabulary.positional is None:
            continue
        ranks = vocabulary.ranks(states.x, window.ids, at, positions=positions, k=1)
        names = tokenizer.convert_ids_to_tokens(window.ids.tolist())
        nearest = tokenizer.convert_ids_to_tokens(ranks.nearest[:, 0].tolist())
        for number in at:
            yield {
                "position": int(number),
                "token": names[number],
                "layer": states.layer,
                "computation": states.point,
                "positions": positions,
                "rank": ranks.rank[number],
                "cosine": ranks.cosine[number],
                "nearest_token": nearest[number],
                "nearest_cosine": ranks.nearest_value[number, 0],
            }
