"""Figure and tables of `measure_layer_roles`: what blocks do with their input, by depth."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, join_panels, new_figure, say_instead, sentence_case
from embspace.draw.page.looks import BLACK, GRAY, VERDICTS, corpus_looks
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.own_texts import TEXTS_OF
from embspace.draw.page.saving import Results

# Statistic -> its name in a panel's title.
PANELS = {
    "row_entropy": "Row entropy / ln n",
    "value_entropy": "Entropy of values",
    "cosine_with_input": "Cosine with the input",
    "attention_added_over_stream": "Attention adds / stream",
    "mlp_added_over_stream": "MLP adds / stream",
    "self_mass": "Attention to itself",
    "cone_changed": "Cone index / n, change",
}
# The same by how the table of claims names it.
NAMES = {
    "row entropy": "row_entropy",
    "entropy of the histogram of attention's values": "value_entropy",
    "cosine of a block's output with its input": "cosine_with_input",
    "norm of what attention adds, over the stream's": "attention_added_over_stream",
    "norm of what the MLP adds, over the stream's": "mlp_added_over_stream",
    "mass of attention to the token itself": "self_mass",
    "change of the mean resultant length (cone index / n), absolute": "cone_changed",
}
N_COLUMNS = 3
NAMES_AT = -1.15  # where names of statistics end, to the left of the correlations
SIGNS = {"+": "rises", "-": "falls", "either": "either"}


def draw_layer_roles(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw each statistic by layer, beside random weights, and its rank correlation with depth."""
    layers, claims = results["csv"], results["claims"]
    n_rows = -(-(len(PANELS) + 1) // N_COLUMNS)
    figure, axes = new_figure(
        n_rows,
        N_COLUMNS,
        height_mm=row_height_mm * n_rows + 34,
        title=_title(claims, label),
        subtitle=_subtitle(layers, label),
        stage="measure_layer_roles",
    )
    heading = f"# Roles of the layers of {label}\n\nStage `measure_layer_roles`.\n"
    if layers.empty:
        reason = f"{label}: the blocks of its architecture cannot be rebuilt, or it read no text"
        say_instead(axes, reason)
        return figure, f"{heading}\n{reason}.\n"
    for ax, (statistic, words) in zip(axes, PANELS.items(), strict=False):
        _by_layer(ax, layers[layers["statistic"] == statistic], words)
    axes[len(PANELS) - 1].set_xlabel("Layer")
    _correlations(join_panels(axes[len(PANELS) :]), claims)
    _legend(figure, claims)
    return figure, "\n".join([heading, *_tables(layers, claims, digits)])


def _title(claims: pd.DataFrame, label: str) -> str:
    """Return how many statistics bear out each half of the claim."""
    if claims.empty:
        return f"What the layers of {label} do was not measured"
    said = []
    for claim, rows in claims.groupby("claim", sort=False):
        n = {verdict: int((rows["verdict"] == verdict).sum()) for verdict in ("matches", "differs")}
        others = len(rows) - sum(n.values())
        counts = f"of {len(rows)} statistics {n['matches']} for it, {n['differs']} against it"
        said.append(f"“{sentence_case(str(claim))}”: {counts}, {others} undecided")
    return "; ".join(said)


def _subtitle(layers: pd.DataFrame, label: str) -> str:
    if layers.empty:
        return label
    first = layers.iloc[0]
    corpus = corpus_looks([first["corpus"]])[first["corpus"]].name.removeprefix(TEXTS_OF)
    n = f"{count(first['n_texts'])} texts of {corpus}, {count(first['n_tokens'])} tokens"
    n_layers = count(layers["layer"].max())
    return (
        f"{label} · {n} · means of a text's tokens and heads · bands: 95 % intervals over texts · "
        f"h: the units are {n_layers} layers; for or against needs a correlation that is rare when "
        "they are in random order"
    )


def _by_layer(ax: Axes, rows: pd.DataFrame, words: str) -> None:
    x = rows["layer"]
    least, most = rows["random_weights_smallest"], rows["random_weights_largest"]
    ax.fill_between(x, least, most, color=GRAY, alpha=0.3, lw=0)
    ax.plot(x, rows["random_weights_mean"], color=GRAY, ls="--", lw=1)
    ax.fill_between(x, rows["low"], rows["high"], color=BLACK, alpha=0.2, lw=0)
    ax.plot(x, rows["value"], color=BLACK, marker="o", ms=3.5)
    ax.set(title=words)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=13, steps=[1, 2, 5, 10]))


def _correlations(ax: Axes, claims: pd.DataFrame) -> None:
    places = range(len(claims))[::-1]
    columns = ["value", "low", "high", "random_weights_smallest", "random_weights_largest"]
    numbers = claims[columns].to_numpy(dtype=float).tolist()
    for place, verdict, bounds, said, sign, p_value in zip(
        places,
        claims["verdict"],
        numbers,
        claims["statistic"],
        claims["expected_sign"],
        claims["p_value"],
        strict=True,
    ):
        value, low, high, least, most = bounds
        at = [place, place]
        ax.plot([least, most], at, color=GRAY, alpha=0.4, lw=6, solid_capstyle="butt")
        look = VERDICTS[str(verdict)]
        ax.plot([low, high], at, color=look.color, lw=1.2)
        ax.plot([value], [place], look.marker, color=look.color, ms=5)
        name = f"{PANELS[NAMES[str(said)]]} ({SIGNS[str(sign)]}, p {p_value:.2g})"
        ax.text(NAMES_AT, place, name, ha="right", va="center", fontsize=7)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.spines["bottom"].set_bounds(-1, 1)
    ax.axvline(0, color=GRAY, lw=0.6)
    ax.set(
        xlim=(-3.4, 1.08),
        xticks=[-1, -0.5, 0, 0.5, 1],
        title="Rank correlation with the layer",
    )
    ax.set_xlabel("Spearman's ρ", x=0.76)
    ax.grid(visible=False, axis="y")


def _legend(figure: Figure, claims: pd.DataFrame) -> None:
    handles = [
        Line2D([], [], color=BLACK, marker="o", ms=3.5, label="trained"),
        Line2D([], [], color=GRAY, ls="--", label="random weights, mean and range"),
    ]
    handles += [
        Line2D([], [], color=look.color, marker=look.marker, lw=1.2, label=f"h: {look.name}")
        for verdict, look in VERDICTS.items()
        if verdict in set(claims["verdict"])
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=3, fontsize=7)


def _tables(layers: pd.DataFrame, claims: pd.DataFrame, digits: int) -> list[str]:
    bounds = {"low": "value_low", "high": "value_high"}
    judged = claims.drop(columns=["n_texts", "seed"]).rename(columns=bounds)
    judgments = section(
        "The claims",
        "From the abstract of The geometry of BERT (arXiv 2502.12033); which statistics speak for "
        "them, and when, is ours: conf/measure/blocks/layer_roles.yaml. `value` is Spearman's "
        "correlation with the number of the layer, `p value` that of layers in random order.",
        markdown_table(judged, digits),
    )
    named = layers.assign(statistic=layers["statistic"].map(PANELS))
    wide = [
        section(words, note, markdown_table(_wide(named, column), digits))
        for column, words, note in (
            ("value", "By layer", "Mean over texts."),
            ("random_weights_mean", "By layer, random weights", "Mean of the models."),
        )
    ]
    return [judgments, *wide]


def _wide(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    wide = rows.pivot_table(column, ["statistic"], "layer", sort=False).reset_index()
    wide.columns = [name if isinstance(name, str) else f"layer {name}" for name in wide.columns]
    return wide
