"""Paths of tokens in two principal components, and the share common to all tokens."""

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
SPACES = ["component_1", "component_2", "both", "all"]  # "all": without a projection
QUANTITIES = ["explained_variance", "layer_share", "shared_energy"]


@dataclass(frozen=True, eq=False)
class View:
    """Some tokens in the first layers, for a PCA."""

    name: str
    rows: Int[np.ndarray, " row"]
    n_layers: int

    def of(self, x: Paths) -> Float[np.ndarray, "first_layer some_token dim"]:
        """Return the states in the view."""
        return x[: self.n_layers, self.rows]


def views_of(
    texts: pd.DataFrame, tokens: pd.DataFrame, followed: list[list[str]], n_layers: int
) -> list[View]:
    """Return all tokens in all layers and without the last, then the tokens of lists of words.

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
    """Return the rows of the tokens that spell the word, in all texts with the word."""
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
    """Return the coordinates of each state of the view, token by token."""
    x = view.of(paths.states[TRAINED])
    layers, tokens, dim = x.shape
    components = principal_components(x.reshape(-1, dim), n_components=len(COMPONENTS))
    by_token = components.coordinates.reshape(layers, tokens, -1).swapaxes(0, 1)
    named = paths.tokens.iloc[np.repeat(view.rows, layers)]
    table = named[["text", "position", "token"]].reset_index(drop=True)
    table[COMPONENTS] = by_token.reshape(-1, len(COMPONENTS))
    return table.assign(view=view.name, layer=np.tile(np.arange(layers), tokens))


def shares_of(x: Paths, ids: Int[np.ndarray, " token"]) -> Float[np.ndarray, "space quantity"]:
    """Return how much the tokens share along each component, in both, and in the whole space.

    First the space's share of the variance of the states, then the share of the space's variance
    between the means of the layers, last the share of the energy of the displacements from the
    first to the last layer that tokens of different ids have in common.
    """
    scores, variances = component_paths(x, n_components=len(COMPONENTS))
    spaces = [scores[..., [0]], scores[..., [1]], scores, x.astype(np.float64)]
    explained = [*variances, variances.sum(), 1.0]
    common = [(layer_share(path), shared_energy(path[-1] - path[0], ids)) for path in spaces]
    return np.column_stack([explained, common])


def view_table(
    view: View, paths: TokenPaths, null: Float[np.ndarray, "draw space quantity"], level: float
) -> pd.DataFrame:
    """Return `shares_of` one view, at random weights too, and of rotated paths."""
    ids = paths.tokens["id"].to_numpy()[view.rows]
    shares = {prefix: shares_of(view.of(x), ids) for prefix, x in paths.states.items()}
    mean, low, high = mean_and_range(null, level)
    p_values = [
        upper_p_value(value, null[:, *place]) for place, value in np.ndenumerate(shares[TRAINED])
    ]
    table = pd.DataFrame(
        {
            "view": view.name,
            "space": np.repeat(SPACES, len(QUANTITIES)),
            "quantity": np.tile(QUANTITIES, len(SPACES)),
            "n_paths": len(view.rows),
            "n_states": len(view.rows) * view.n_layers,
            "value": shares[TRAINED].ravel(),
            f"{RANDOM}value": shares[RANDOM].ravel(),
            "null_value": mean.ravel(),
            "null_value_low": low.ravel(),
            "null_value_high": high.ravel(),
            "p_value": p_values,
        }
    )
    whole = (table["space"] == "all") & (table["quantity"] == "explained_variance")
    return table[~whole]
