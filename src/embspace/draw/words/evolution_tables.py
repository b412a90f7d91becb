"""Tables of `measure_evolution` as Markdown."""

import pandas as pd

from embspace.draw.page.markdown import code, interval, markdown_table, same, section

BY_LAYER = ["euclidean_distance", "cosine", "step_cosine", "radial_share", "norm_change"]
SHARED = {
    "tokens": "tokens",
    "first_layer": "from",
    "last_layer": "to",
    **interval("shared_energy", "shared energy"),
    "null_shared_energy_low": "null low",
    "null_shared_energy_high": "null high",
    "p_value": "p",
    "random_weights_shared_energy": "random weights",
    "mean_pair_cosine": "mean cosine",
    "previous_shared_cosine": "cosine with the step before",
}
DRIFT = {
    **same("first", "second", "token", "position"),
    "euclidean_distance": "distance",
    "cosine": "cosine",
    "relative_distance": "relative distance",
    "random_weights_relative_distance": "relative distance, random weights",
}


def evolution_tables(results: dict[str, pd.DataFrame], label: str, digits: int) -> str:
    """Quantities by layer, what steps share, what components show, and the drift at the end."""
    heading = f"# The way of tokens through {label}\n\nStage `measure_evolution`.\n"
    if results["path"].empty:
        return f"{heading}\nNo tokenizer.\n"
    return "\n".join(
        [
            heading,
            section(
                "By layer",
                "Means over the tokens; of steps, the one that ends at the layer. Radial share: "
                "of the squared length, what lies along the state where the step begins.",
                markdown_table(_layer_rows(results, digits), digits),
            ),
            section(
                "Common to the steps",
                "Mean dot product of the displacements of two tokens of different ids between two "
                "layers, over the mean squared length: 0 for independent directions, 1 for equal "
                "displacements. Null: each path rotated by itself. Cosine with the step before: "
                "of what each has in common.",
                markdown_table(results["shared_steps"][[*SHARED]].rename(columns=SHARED), digits),
            ),
            section(
                "Two components",
                "Of each PCA, the share of the variance; of that, the share that lies between the "
                "means of the layers; and what the displacements from the first to the last layer "
                "share. Null: each token's path rotated by itself.",
                markdown_table(_view_rows(results["views"]), digits),
            ),
            section(
                "Drift",
                "Of tokens that two texts share, at the last layer. The relative distance is over "
                "the mean distance of different tokens of the first text.",
                markdown_table(_drift_rows(results["drift"]), digits),
            ),
        ]
    )


def _layer_rows(results: dict[str, pd.DataFrame], digits: int) -> pd.DataFrame:
    """One row a set of tokens and layer, one column a quantity."""
    layers = results["layers"]
    parts = []
    for name in layers["tokens"].unique():
        rows = layers[layers["tokens"] == name]
        for column, words in (("mean", ""), ("random_weights_mean", ", random weights")):
            means = rows.pivot(index="layer", columns="quantity", values=column)
            if means.notna().any(axis=None):
                parts.append(means.reset_index().assign(tokens=f"{name}{words}"))
    table = pd.concat(parts, ignore_index=True)
    scales = results["steps"].drop_duplicates("layer").set_index("layer")
    random = table["tokens"].str.endswith(", random weights")
    given = table["layer"].map(scales["layer_norm_scale"])
    given = given.mask(random, table["layer"].map(scales["random_weights_layer_norm_scale"]))
    table["layer_norm_scale"] = given
    table["norm_change"] = table["norm_change"].round(digits) + 0.0  # no -0.000
    return table[["tokens", "layer", "norm", "layer_norm_scale", *BY_LAYER]]


def _view_rows(views: pd.DataFrame) -> pd.DataFrame:
    shown = views.dropna(subset="value")
    shown = shown.rename(columns={"random_weights_value": "at random weights"})
    return _words(shown, "view", "space", "quantity")


def _drift_rows(drift: pd.DataFrame) -> pd.DataFrame:
    last = drift[drift["layer"] == drift["layer"].max()]
    return last.assign(token=last["token"].map(code))[[*DRIFT]].rename(columns=DRIFT)


def _words(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    return table.assign(**{name: table[name].str.replace("_", " ") for name in columns})
