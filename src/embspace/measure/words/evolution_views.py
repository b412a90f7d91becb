"""Paths of tokens as two principal components show them, and how much of that is common."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.errors import InputError
from embspace.geometry.groups.paths import Paths, component_paths, layer_share
from embspace.geometry.groups.shared_direction import shared_energy
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.maps.pca import principal_components
from embspace.measure.tables.nulls import mean_and_range
from embspace.measure.words.evolution_paths import RANDOM, TRAINED, TokenPaths
from embspace.scripts.words import whole_word

COMPONENTS = ["component_1", "component_2"]
PATH_COLUMNS = ["view", "text", "position", "token", "layer", *COMPONENTS]
SPACES = ["component_1", "component_2", "both", "all"]  # "all": without a projection
QUANTITIES = ["explained_variance", "layer_share", "shared_energy"]
VIEW_COLUMNS = ["view", "space", "quantity", "n_paths", "n_states", "value", f"{RANDOM}value"]
VIEW_COLUMNS += ["null_value", "null_value_low", "null_value_high", "p_value"]


@dataclass(frozen=True, eq=False)
class View:
    """Some tokens in the first layers, of which a PCA is made."""

    name: str
    rows: Int[np.ndarray, " row"]
    n_layers: int

    def of(self, x: Paths) -> Float[np.ndarray, "first_layer some_token dim"]:
        """The states that the view shows."""
        return x[: self.n_layers, self.rows]


def views_of(
    texts: pd.DataFrame, tokens: pd.DataFrame, followed: list[list[str]], n_layers: int
) -> list[View]:
    """All tokens in all layers and without the last, then the tokens of each list of words.

    Raises:
        InputError: for a word that stands in no text.
    """
    every = np.arange(len(tokens))
    views = [View("all_layers", every, n_layers), View("without_last", every, n_layers - 1)]
    for words in followed:
        rows = np.unique(np.concatenate([tokens_of(word, texts, tokens) for word in words]))
        views.append(View("+".join(words), rows, n_layers))
    return [view for view in views if view.n_layers * len(view.rows) >= len(COMPONENTS)]


def tokens_of(word: str, texts: pd.DataFrame, tokens: pd.DataFrame) -> Int[np.ndarray, " row"]:
    """The rows of the tokens that spell the word, in all texts that have it."""
    pattern = whole_word(word)
    inside = np.zeros(len(tokens), dtype=bool)
    for window, text in enumerate(texts["text"]):
        for match in pattern.finditer(text):
            overlaps = (tokens["start"] < match.end()) & (tokens["end"] > match.start())
            inside |= (tokens["window"] == window) & overlaps & ~tokens["special"]
    if not inside.any():
        raise InputError(
            f"conf/measure/words/evolution.yaml: key 'followed': no text has the word '{word}'"
        )
    return np.flatnonzero(inside)


def path_table(view: View, paths: TokenPaths) -> pd.DataFrame:
    """The coordinates of each state of the view, token by token."""
    x = view.of(paths.states[TRAINED])
    layers, tokens, dim = x.shape
    found = principal_components(x.reshape(-1, dim), n_components=len(COMPONENTS))
    by_token = found.coordinates.reshape(layers, tokens, -1).swapaxes(0, 1)
    named = paths.tokens.iloc[np.repeat(view.rows, layers)]
    table = named[["text", "position", "token"]].reset_index(drop=True)
    table[COMPONENTS] = by_token.reshape(-1, len(COMPONENTS))
    return table.assign(view=view.name, layer=np.tile(np.arange(layers), tokens))[PATH_COLUMNS]


def shares_of(x: Paths, ids: Int[np.ndarray, " token"]) -> Float[np.ndarray, "space quantity"]:
    """Along each component, in both and in the whole space, how much is common to the tokens.

    Of the variance of the states: the space's share, and of that the share that lies between the
    means of the layers. Of the energy of the displacements from the first to the last layer: the
    share that tokens of different ids have in common.
    """
    scores, variances = component_paths(x, n_components=len(COMPONENTS))
    spaces = [scores[..., [0]], scores[..., [1]], scores, x.astype(np.float64)]
    explained = [*variances, variances.sum(), 1.0]
    common = [(layer_share(each), shared_energy(each[-1] - each[0], ids)) for each in spaces]
    return np.column_stack([explained, common])


def view_table(
    view: View, paths: TokenPaths, null: Float[np.ndarray, "draw space quantity"], level: float
) -> pd.DataFrame:
    """`shares_of` one view, beside those at random weights and those of rotated paths."""
    ids = paths.tokens["id"].to_numpy()[view.rows]
    found = {prefix: shares_of(view.of(x), ids) for prefix, x in paths.states.items()}
    mean, low, high = mean_and_range(null, level)
    p_values = [
        upper_p_value(value, null[:, *place]) for place, value in np.ndenumerate(found[TRAINED])
    ]
    table = pd.DataFrame(
        {
            "view": view.name,
            "space": np.repeat(SPACES, len(QUANTITIES)),
            "quantity": np.tile(QUANTITIES, len(SPACES)),
            "n_paths": len(view.rows),
            "n_states": len(view.rows) * view.n_layers,
            "value": found[TRAINED].ravel(),
            f"{RANDOM}value": found[RANDOM].ravel(),
            "null_value": mean.ravel(),
            "null_value_low": low.ravel(),
            "null_value_high": high.ravel(),
            "p_value": p_values,
        }
    )
    whole = (table["space"] == "all") & (table["quantity"] == "explained_variance")
    return table[~whole][VIEW_COLUMNS]
