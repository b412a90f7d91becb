"""Tables of the ways of tokens through the layers, one row a fact."""

from dataclasses import dataclass, fields
from difflib import SequenceMatcher

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.groups.paths import PathSteps, path_steps
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.geometry.pairs.directions import cosine_matrix, norms
from embspace.geometry.pairs.safe_ratio import mean_of_defined
from embspace.measure.tables.deviations import ENDING, by_row, units_named

TRAINED, RANDOM = "", "random_weights_"  # of columns, by the weights that they are from
STEPS = [field.name for field in fields(PathSteps)]
QUANTITIES = ["norm", *STEPS]


@dataclass(frozen=True, eq=False)
class TokenPaths:
    """Tokens with the states in all layers, by the prefix of the weights."""

    tokens: pd.DataFrame
    """`text`, `position`, `id` and `token` of each, in the order of the states."""
    states: dict[str, Float[np.ndarray, "layer token dim"]]

    def of(self, rows: Int[np.ndarray, " row"]) -> "TokenPaths":
        """Return some of the tokens."""
        states = {prefix: x[:, rows] for prefix, x in self.states.items()}
        return TokenPaths(self.tokens.iloc[rows].reset_index(drop=True), states)

    def rows_by_text(self) -> dict[str, Int[np.ndarray, " row"]]:
        """Return the rows of the tokens of each text, in the order of the texts."""
        text = self.tokens["text"]
        return {str(name): np.flatnonzero(text == name) for name in text.unique()}

    def by_text(self) -> dict[str, "TokenPaths"]:
        """Return the tokens by text."""
        return {text: self.of(rows) for text, rows in self.rows_by_text().items()}


def quantities_of(
    x: Float[np.ndarray, "layer token dim"],
) -> dict[str, Float[np.ndarray, "layer token"]]:
    """Return norms by layer, and the fields of `PathSteps` for the steps there; NaN in layer 0."""
    steps, none = path_steps(x), np.full((1, x.shape[1]), np.nan)
    by_step = {name: np.concatenate([none, getattr(steps, name)]) for name in STEPS}
    return {"norm": np.stack([norms(states) for states in x]), **by_step}


def step_table(paths: TokenPaths, scales: dict[str, Float[np.ndarray, " layer"]]) -> pd.DataFrame:
    """Return a row for each token and layer; `scales` are LayerNorm's lengths, by layer."""
    quantities = {prefix: quantities_of(x) for prefix, x in paths.states.items()}
    parts = []
    for layer in range(len(paths.states[TRAINED])):
        part = paths.tokens[["text", "position", "token"]].assign(layer=layer)
        for prefix, values in quantities.items():
            for name, by_layer in values.items():
                part[prefix + name] = by_layer[layer]
            part[f"{prefix}layer_norm_scale"] = float(scales[prefix][layer])
        parts.append(part)
    return _token_by_token(parts)


def _token_by_token(layers: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of each token together, layer by layer."""
    return pd.concat(layers).sort_index(kind="stable").reset_index(drop=True)


def layer_table(name: str, paths: TokenPaths) -> pd.DataFrame:
    """Return mean and extremes over the tokens, a row per quantity and layer with values."""
    quantities = {prefix: quantities_of(x) for prefix, x in paths.states.items()}
    parts = []
    for quantity in QUANTITIES:
        values = {prefix: pd.DataFrame(own[quantity]) for prefix, own in quantities.items()}
        part = values[TRAINED].count(axis=1).rename("n").rename_axis("layer").reset_index()
        for prefix, by_layer in values.items():
            part[f"{prefix}mean"] = by_layer.mean(axis=1)
            part[f"{prefix}minimum"] = by_layer.min(axis=1)
            part[f"{prefix}maximum"] = by_layer.max(axis=1)
        parts.append(part.assign(tokens=name, quantity=quantity))
    table = pd.concat(parts, ignore_index=True)
    return table[table["n"] > 0].reset_index(drop=True)


def with_deviations(
    table: pd.DataFrame,
    paths: TokenPaths,
    *,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return the table of independent tokens, with intervals of means and halves' deviations."""
    quantities = quantities_of(paths.states[TRAINED])
    values = np.stack([quantities[name] for name in QUANTITIES])
    interval = half_sample_interval(
        lambda rows: mean_of_defined(values[..., rows], axis=-1),
        len(paths.tokens),
        n_resamples=n_resamples,
        level=level,
        generator=generator,
    )
    places = pd.MultiIndex.from_product([QUANTITIES, range(values.shape[1])])
    named = pd.MultiIndex.from_frame(table[["quantity", "layer"]])
    columns = {
        f"mean{end}": pd.Series(values, places).loc[named].to_numpy()
        for end, values in (
            ("_low", interval.low.ravel()),
            ("_high", interval.high.ravel()),
            (ENDING, by_row(interval.deviations)),
        )
    }
    return table.assign(**columns, **units_named(paths.tokens["text"]))


def aligned(first: pd.DataFrame, second: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the rows of the tokens common to two texts, in order."""
    matcher = SequenceMatcher(None, first["id"].tolist(), second["id"].tolist(), autojunk=False)
    return [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]


def rotation_groups(by_text: dict[str, TokenPaths]) -> Int[np.ndarray, " token"]:
    """Return the same number for a token of the first text and its twins in later texts."""
    first, *others = (paths.tokens for paths in by_text.values())
    groups = [np.arange(len(first))]
    for tokens in others:
        n_so_far = sum(map(len, groups))
        own = np.arange(n_so_far, n_so_far + len(tokens))
        for here, there in aligned(first, tokens):
            own[there] = here
        groups.append(own)
    return np.concatenate(groups)


def drift_table(first: TokenPaths, second: TokenPaths) -> pd.DataFrame:
    """Return how far apart the states of a common token are in two texts, by token and layer.

    `relative_distance` is over the mean distance of tokens of different ids in the first text.
    """
    parts = []
    pairs = np.array(aligned(first.tokens, second.tokens), dtype=np.int64).reshape(-1, 2)
    here, there = first.of(pairs[:, 0]), second.of(pairs[:, 1])
    for layer in range(len(first.states[TRAINED])):
        part = here.tokens[["token", "position"]].assign(
            first=here.tokens["text"],
            second=there.tokens["text"],
            second_position=there.tokens["position"],
            layer=layer,
        )
        for prefix in first.states:
            x, y = (paths.states[prefix][layer].astype(np.float64) for paths in (here, there))
            distance = norms(x - y)
            scale = mean_distance(first.states[prefix][layer], first.tokens["id"].to_numpy())
            part[f"{prefix}euclidean_distance"] = distance
            part[f"{prefix}cosine"] = np.diagonal(cosine_matrix(x, y))
            part[f"{prefix}relative_distance"] = distance / scale if scale else np.nan
        parts.append(part)
    return _token_by_token(parts)


def mean_distance(x: Float[np.ndarray, "token dim"], ids: Int[np.ndarray, " token"]) -> float:
    """Return the mean distance of two tokens of different ids; NaN without such."""
    from scipy.spatial.distance import pdist

    different = pdist(ids[:, np.newaxis].astype(np.float64)) > 0
    return float(pdist(x.astype(np.float64))[different].mean()) if different.any() else np.nan
