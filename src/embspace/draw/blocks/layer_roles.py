"""Figure and tables of `measure_layer_roles`: what blocks do with their input, by depth."""

from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, new_figure, say_instead
from embspace.draw.page.looks import BLACK, GRAY, VERDICTS, corpus_looks
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("csv", "claims.csv")
# Statistic -> its name in a panel's title.
PANELS = {
    "row_entropy": "Row entropy of attention / ln n",
    "value_entropy": "Entropy of attention's histogram",
    "cosine_with_input": "Cosine of output and input",
    "attention_added_over_stream": "Norm that attention adds / stream's",
    "mlp_added_over_stream": "Norm that the MLP adds / stream's",
    "self_mass": "Attention to the token itself",
    "cone_changed": "Change of cone index / n, absolute",
}
N_COLUMNS = 2
LINE = 28  # characters of a statistic's name beside its correlation


def draw_layer_roles(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
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
    for ax in axes[len(PANELS) - N_COLUMNS + 1 : len(PANELS)]:
        ax.set_xlabel("Layer")
    _correlations(axes[len(PANELS)], claims)
    for ax in axes[len(PANELS) + 1 :]:
        ax.set_axis_off()
    _legend(figure, claims)
    return figure, "\n".join([heading, *_tables(layers, claims, digits)])


def _title(claims: pd.DataFrame, label: str) -> str:
    """Return how many statistics bear out each half of the claim."""
    if claims.empty:
        return f"What the layers of {label} do was not measured"
    said = []
    for claim, rows in claims.groupby("claim", sort=False):
        n = {verdict: int((rows["verdict"] == verdict).sum()) for verdict in VERDICTS}
        others = ", ".join(
            f"{n[verdict]} {words}"
            for verdict, words in {"differs": "against", "undecided": "undecided"}.items()
            if n.get(verdict)
        )
        counts = f"{n['matches']} of {len(rows)} statistics for it"
        said.append(f"“{claim}”: {counts}{f', {others}' if others else ''}")
    words = "; ".join(said)
    return f"{words[0]}{words[1].upper()}{words[2:]}"


def _subtitle(layers: pd.DataFrame, label: str) -> str:
    if layers.empty:
        return label
    first = layers.iloc[0]
    corpus = corpus_looks([first["corpus"]])[first["corpus"]].name
    n = f"{count(first['n_texts'])} texts of {corpus}, {count(first['n_tokens'])} tokens"
    return f"{label} · {n} · means of a text's tokens and heads · bands: 95 % intervals over texts"


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
    for place, verdict, row in zip(places, claims["verdict"], numbers, strict=True):
        value, low, high, least, most = row
        at = [place, place]
        ax.plot([least, most], at, color=GRAY, alpha=0.4, lw=6, solid_capstyle="butt")
        look = VERDICTS[str(verdict)]
        ax.plot([low, high], at, color=look.color, lw=1.2)
        ax.plot([value], [place], look.marker, color=look.color, ms=5)
    names = [
        f"{fill(str(row.statistic), LINE)} ({row.expected_sign})" for row in claims.itertuples()
    ]
    ax.set_yticks(list(places), names, fontsize=5.5)
    ax.axvline(0, color=GRAY, lw=0.6)
    ax.set(xlim=(-1.08, 1.08), title="Rank correlation with the layer", xlabel="Spearman's ρ")
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
    found = section(
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
    return [found, *wide]


def _wide(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    wide = rows.pivot_table(column, ["statistic"], "layer", sort=False).reset_index()
    wide.columns = [name if isinstance(name, str) else f"layer {name}" for name in wide.columns]
    return wide
