"""Figure and table of `measure_mean_embedding`: Luisto's figure 12 and table 3."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure
from embspace.draw.page.markdown import code, markdown_table, section

RESULTS = ("summary.csv", "histogram.csv", "tokens.csv")
QUANTITIES = {
    "euclidean_distance": "Euclidean distance to the mean",
    "dot_product": "dot product with the mean",
    "cosine": "cosine with the mean",
    "norm": "norm of the embedding itself",
}


def draw_mean_embedding(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_tokens: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Counts of each quantity over all tokens, its mean marked; the extreme tokens."""
    summary = results["summary"].set_index("quantity")
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title="The mean input embedding against all input embeddings",
        subtitle=f"{label} · raw learned matrix · {counted(summary['n'].iloc[0], 'token')}, "
        "special and unused ones included",
        stage="measure_mean_embedding",
    )
    for ax, (quantity, name) in zip(axes, QUANTITIES.items(), strict=True):
        rows = results["histogram"][results["histogram"]["quantity"] == quantity]
        edges = [*rows["bin_left"], rows["bin_right"].iloc[-1]]
        ax.stairs(rows["count"], edges, fill=True, color="C0", alpha=0.6)
        mean = float(summary["mean"][quantity])
        ax.axvline(mean, color="C1")
        ax.set_title(f"mean {mean:.3g}", loc="right", color="C1", fontsize=7)
        ax.set(xlabel=name, ylabel="tokens")
        ax.locator_params(axis="x", nbins=6)
    return figure, _table(results["tokens"], label, n_tokens, digits)


def _table(tokens: pd.DataFrame, label: str, n_tokens: int, digits: int) -> str:
    rows = tokens[tokens["rank"] <= n_tokens]
    shown = pd.DataFrame(
        {
            "extreme": rows["order"] + " " + rows["quantity"].str.replace("_", " "),
            "token": rows["token"].map(code),
            "Euclidean distance": rows["euclidean_distance"],
            "dot product": rows["dot_product"],
            "cosine": rows["cosine"],
            "norm": rows["norm"],
        }
    )
    return (
        f"# The mean input embedding of {label}\n\nStage `measure_mean_embedding`.\n\n"
        + section(
            "Extreme tokens",
            "Words of three or more Latin letters; distance, dot product and cosine to the mean of "
            "all input embeddings.",
            markdown_table(shown, digits),
        )
    )
