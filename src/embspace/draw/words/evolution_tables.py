"""Writes the tables of `measure_evolution` as Markdown."""

import pandas as pd

from embspace.draw.page.markdown import code, folded, interval, markdown_table, section
from embspace.draw.page.saving import Results

NO_TOKENS = "No tokenizer, so no text whose tokens could be followed"
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


def path_tables(results: Results, label: str, digits: int) -> str:
    """Return the drift at the last layer and, behind a fold, the variance of two components."""
    heading = _heading("The way of tokens", label)
    if results["path"].empty:
        return f"{heading}\n{NO_TOKENS}.\n"
    drift = results["drift"]
    last = drift[drift["layer"] == drift["layer"].max()]
    last = results.for_readers("drift", last.assign(token=last["token"].map(code)))
    first = section(
        "Drift",
        "Of tokens that two texts share, at the last layer. The relative distance is over the mean "
        "distance of different tokens of the first text.",
        markdown_table(last, digits),
    )
    shown = results["views"][results["views"]["quantity"] != "shared_energy"]
    return f"{heading}\n{first}\n{folded(_view_section(shown, digits))}"


def step_tables(steps: pd.DataFrame, layers: pd.DataFrame, label: str, digits: int) -> str:
    """Return the means at the last layer and, behind a fold, at all layers."""
    heading = _heading("Steps of tokens", label)
    if steps.empty:
        return f"{heading}\n{NO_TOKENS}.\n"
    rows = _layer_rows(steps, layers, digits)
    last = section(
        "The last layer",
        "Means over the tokens; of steps, the one that ends at the layer. Radial share: of the "
        "squared length, what lies along the state where the step begins.",
        markdown_table(rows[rows["layer"] == rows["layer"].max()], digits),
    )
    every = section("Each layer", "The same means.", markdown_table(rows, digits))
    return f"{heading}\n{last}\n{folded(every)}"


def shared_tables(results: dict[str, pd.DataFrame], label: str, digits: int) -> str:
    """Return the energy shared by whole ways and, behind a fold, by steps and components."""
    heading = _heading("Common to the steps of tokens", label)
    table = results["evolution/shared_steps"]
    if table.empty:
        return f"{heading}\n{NO_TOKENS}.\n"
    is_step = table["last_layer"] - table["first_layer"] == 1
    whole, single = (
        markdown_table(table.loc[chosen, [*SHARED]].rename(columns=SHARED), digits)
        for chosen in (~is_step, is_step)
    )
    note = (
        "Mean dot product of the displacements of two tokens of different ids between two layers, "
        "over the mean squared length: 0 for independent directions, 1 for equal displacements. "
        "Null: each path rotated at random. Cosine with the step before: of what each has in "
        "common."
    )
    views = results["evolution/views"]
    more = section("Each step", "The same for one step.", single)
    more += "\n" + _view_section(views[views["quantity"] == "shared_energy"], digits)
    return f"{heading}\n{section('From layer to layer', note, whole)}\n{folded(more)}"


def _heading(what: str, label: str) -> str:
    return f"# {what} through {label}\n\nStage `measure_evolution`.\n"


def _view_section(views: pd.DataFrame, digits: int) -> str:
    known = views.dropna(subset="value")
    named = {name: known[name].str.replace("_", " ") for name in ("view", "space", "quantity")}
    shown = known.assign(**named).rename(columns={"random_weights_value": "at random weights"})
    return section(
        "Two components",
        "Of each PCA, the share of the variance; of that, the share that lies between the means of "
        "the layers; and what the displacements from the first to the last layer share. Null: each "
        "token's path rotated at random.",
        markdown_table(shown, digits),
    )


def _layer_rows(steps: pd.DataFrame, layers: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Return a row per set of tokens and layer, with a column per quantity."""
    parts = []
    for name in layers["tokens"].unique():
        rows = layers[layers["tokens"] == name]
        for column, words in (("mean", ""), ("random_weights_mean", ", random weights")):
            means = rows.pivot(index="layer", columns="quantity", values=column)
            if means.notna().any(axis=None):
                parts.append(means.reset_index().assign(tokens=f"{name}{words}"))
    table = pd.concat(parts, ignore_index=True)
    scales = steps.drop_duplicates("layer").set_index("layer")
    random = table["tokens"].str.endswith(", random weights")
    given = table["layer"].map(scales["layer_norm_scale"])
    given = given.mask(random, table["layer"].map(scales["random_weights_layer_norm_scale"]))
    table["layer_norm_scale"] = given
    table["norm_change"] = table["norm_change"].round(digits) + 0.0  # no -0.000
    return table[["tokens", "layer", "norm", "layer_norm_scale", *BY_LAYER]]
