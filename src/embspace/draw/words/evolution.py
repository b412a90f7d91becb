"""Figure and tables of `measure_evolution`: Luisto's figures 20 to 22, and what stands beside."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead
from embspace.draw.words.evolution_tables import evolution_tables
from embspace.files.tables import Tables

RESULTS = ("path.csv", "views.csv", "steps.csv", "layers.csv", "shared_steps.csv", "drift.csv")
VIEWS = {"all_layers": "all layers", "without_last": "without the last"}
N_PATHS = 4  # panels
QUANTITIES = {  # the panels of one quantity by layer: title, label
    "euclidean_distance": ("Length of steps", "Euclidean distance"),
    "cosine": ("Cosines of states", "with the one before"),
    "step_cosine": ("Cosines of steps", "with the one before"),
    "norm": ("Norms of states", "Euclidean norm"),
    "radial_share": ("Radial share of steps", "of squared length"),
}
CHARACTER, LINE = 0.032, 0.06  # of a panel's width and height, for names in it
SPACES = {"both": "plane", "all": "full space"}
TOKEN, OTHER, CORPUS, RANDOM, START, MARKED = "C0", "C2", "C4", "0.45", "C1", "C3"


def draw_evolution(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Paths in two components; by layer the steps, norms, what steps share, and drift.

    Of views of words, those that have a panel are the first two; the tables have all.
    """
    empty = results["path"].empty
    figure, axes = new_figure(
        4,
        3,
        height_mm=height_mm,
        title="The way of tokens through the layers",
        subtitle=f"{label} · {'nothing to show' if empty else _population(results)}",
        stage="measure_evolution",
    )
    if empty:
        say_instead(axes, "no tokenizer, so no text whose tokens could be followed")
        return figure, evolution_tables(results, label, digits)
    views = results["path"].groupby("view", sort=False)
    for ax in axes[len(views) : N_PATHS]:
        ax.set_axis_off()
    for ax, (view, rows) in zip(axes[:N_PATHS], views, strict=False):
        _paths(ax, str(view), rows, results["views"])
    for ax, quantity in zip(axes[N_PATHS:], QUANTITIES, strict=False):
        _by_layer(ax, quantity, results)
    _shared(axes[9], results["shared_steps"])
    _spaces(axes[10], results["views"], list(results["path"]["view"].unique())[:N_PATHS])
    _drift(axes[11], results["drift"], results["path"])
    _legend(figure, results)
    return figure, evolution_tables(results, label, digits)


def _population(results: dict[str, pd.DataFrame]) -> str:
    steps = results["steps"]
    return (
        f"{counted(steps['text'].nunique(), 'text')}, "
        f"{counted(steps.groupby(['text', 'position']).ngroups, 'token')}, special ones included "
        "· layer 0: embedding output"
    )


def _paths(ax: Axes, view: str, rows: pd.DataFrame, views: pd.DataFrame) -> None:
    """One line a token, a dot where it starts; few tokens are named."""
    texts = list(rows["text"].unique())
    tokens = list(rows.groupby(["text", "position"], sort=False))
    for (text, _), path in tokens:
        color = TOKEN if text == texts[0] else OTHER
        style = "-" if text == texts[0] else "--"
        ax.plot(path["component_1"], path["component_2"], style, color=color, linewidth=0.7)
        start = path.iloc[0]
        place = start["component_1"], start["component_2"]
        ax.plot(*place, ".", color=START, markersize=4, zorder=3)
    variance = views[(views["view"] == view) & (views["quantity"] == "explained_variance")]
    share = variance.set_index("space")["value"]
    ax.set(
        title=f"Paths: {_name(view)}",
        xlabel=f"component 1, {100 * share['component_1']:.0f} % of variance",
        ylabel=f"component 2, {100 * share['component_2']:.0f} %",
    )
    ax.margins(0.15, 0.1)
    _name_starts(ax, rows[rows["layer"] == 0])


def _name(view: str) -> str:
    return VIEWS.get(view, view.replace("+", ", "))


def _name_starts(ax: Axes, starts: pd.DataFrame) -> None:
    """The tokens beside their dots, on either side; not where another dot or name would be hit."""
    width, height = np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    named = starts.drop_duplicates(["token", "position"])
    dots = named[["component_1", "component_2"]].to_numpy() / [width, height]
    names: list[tuple[float, float, float]] = []  # left, right, height
    for place in np.argsort(-named["token"].str.len(), kind="stable"):
        token, (x, y) = str(named["token"].iloc[place]), dots[place]
        others = [(a, a, b) for a, b in np.delete(dots, place, axis=0)]
        for side, toward in (("left", 1), ("right", -1)):
            left, right = sorted((x, x + toward * CHARACTER * (len(token) + 1)))
            if any(a < right and b > left and abs(c - y) < LINE for a, b, c in names + others):
                continue
            names.append((left, right, y))
            words = ax.annotate(
                token, (x * width, y * height), (3 * toward, 0), textcoords="offset points"
            )
            words.set(fontsize=6, horizontalalignment=side, verticalalignment="center")
            words.set_parse_math(False)  # a token may be a dollar sign
            break


def _by_layer(ax: Axes, quantity: str, results: dict[str, pd.DataFrame]) -> None:
    """A thin line a token of the first text, and the means."""
    first, *corpora = _sets(results)
    steps = results["steps"][results["steps"]["text"] == first]
    for _, path in steps.groupby("position"):
        ax.plot(path["layer"], path[quantity], color=TOKEN, linewidth=0.5, alpha=0.5)
    layers = results["layers"][results["layers"]["quantity"] == quantity]
    own = layers[layers["tokens"] == first]
    ax.plot(own["layer"], own["mean"], color=TOKEN, linewidth=1.8)
    ax.plot(own["layer"], own["random_weights_mean"], color=RANDOM, linestyle="--")
    for corpus in corpora:
        rows = layers[layers["tokens"] == corpus]
        ax.plot(rows["layer"], rows["mean"], color=CORPUS, marker=".")
    if quantity == "norm":
        scales = steps.drop_duplicates("layer")
        ax.plot(scales["layer"], scales["layer_norm_scale"], color="black", linestyle=":")
    title, words = QUANTITIES[quantity]
    ax.set(title=title, xlabel="layer", ylabel=words)
    if quantity in ("euclidean_distance", "norm", "radial_share"):
        ax.set_ylim(bottom=0)
    if quantity == "cosine":
        ax.ticklabel_format(useOffset=False)
        bottom = ax.get_ylim()[0]
        ax.set_ylim(bottom, 1 + min(0.02, 0.05 * (1 - bottom)))  # room above 1, as states turn
    _number_layers(ax, layers.dropna(subset=["mean"])["layer"])
    if quantity == "step_cosine":
        ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)


def _number_layers(ax: Axes, layers: pd.Series) -> None:
    """Number whole layers, and show points where a line would need a second layer."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if layers.nunique() == 1:
        ax.set_xticks(layers.unique())
        for line in ax.lines:
            line.set_marker(".")


def _sets(results: dict[str, pd.DataFrame]) -> list[str]:
    """The first text, and the corpora."""
    texts = list(results["steps"]["text"].unique())
    sets = results["layers"]["tokens"].unique()
    return [texts[0], *(name for name in sets if name not in texts)]


def _shared(ax: Axes, table: pd.DataFrame) -> None:
    """The energy that the steps of different tokens share, by the layer where they end."""
    steps = table[table["last_layer"] - table["first_layer"] == 1]
    for number, (_, rows) in enumerate(steps.groupby("tokens", sort=False)):
        at_large = rows["shared_energy_low"].notna().any()
        color = CORPUS if at_large else TOKEN if number == 0 else OTHER
        ax.plot(rows["last_layer"], rows["shared_energy"], color=color, marker=".")
        if at_large:
            ax.fill_between(
                rows["last_layer"],
                rows["shared_energy_low"],
                rows["shared_energy_high"],
                color=color,
                alpha=0.3,
            )
        if number == 0:
            bounds = rows["null_shared_energy_low"], rows["null_shared_energy_high"]
            ax.fill_between(rows["last_layer"], *bounds, color="0.8", zorder=1)
            random = rows["random_weights_shared_energy"]
            ax.plot(rows["last_layer"], random, color=RANDOM, linestyle="--")
    ax.set(title="Common to the steps", xlabel="layer", ylabel="shared energy")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _spaces(ax: Axes, views: pd.DataFrame, shown: list[str]) -> None:
    """The shared energy of the whole way, in the plane of each view and without projection."""
    rows = views[(views["quantity"] == "shared_energy") & views["space"].isin(SPACES)]
    rows = rows[rows["null_value"].notna() & rows["view"].isin(shown)]
    for place, row in enumerate(rows.to_dict(orient="records")):
        ax.plot(
            [row["null_value_low"], row["null_value_high"]], [place] * 2, color="0.8", linewidth=3
        )
        ax.plot(row["random_weights_value"], place, "x", color=RANDOM, markersize=4)
        ax.plot(row["value"], place, "o", color=TOKEN, markersize=4)
        name = f"{_name(row['view'])}: {SPACES[row['space']]}"
        ax.text(-1, place - 0.47, name, fontsize=5.5, va="center")
    ax.set(title="Common to the whole way", xlabel="shared energy", ylim=(len(rows) - 0.6, -0.9))
    ax.set(xlim=(-1.05, 1.05), yticks=[])


def _drift(ax: Axes, drift: pd.DataFrame, path: pd.DataFrame) -> None:
    """The relative distance of each token that two texts share, the first followed word marked."""
    if drift.empty:
        say_instead([ax], "no two texts to compare")
        return
    followed = list(path["view"].unique())[len(VIEWS) :]
    marked = path[path["view"].isin(followed[:1])][["text", "position"]].drop_duplicates()
    places = set(marked.itertuples(index=False, name=None))
    for (text, position, _), rows in drift.groupby(["first", "position", "second"], sort=False):
        stands_out = (text, position) in places
        random = rows["random_weights_relative_distance"]
        ax.plot(rows["layer"], random, "--", color=RANDOM, linewidth=0.6)
        ax.plot(
            rows["layer"],
            rows["relative_distance"],
            color=MARKED if stands_out else TOKEN,
            linewidth=1.8 if stands_out else 0.6,
            zorder=3 if stands_out else 2,
            label=rows["token"].iloc[0] if stands_out else None,
        )
    ax.set(title="Drift between the texts", xlabel="layer", ylabel="relative distance")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if ax.get_legend_handles_labels()[0]:
        ax.set_ylim(top=1.25 * ax.get_ylim()[1])  # the legend lies above
        ax.legend(loc="upper left", ncols=3, columnspacing=1)


def _legend(figure: Figure, results: dict[str, pd.DataFrame]) -> None:
    first, *corpora = _sets(results)
    others = [text for text in results["steps"]["text"].unique() if text != first]
    handles = [
        Line2D([], [], color=START, marker=".", linestyle="none", label="start of a path"),
        Line2D([], [], color=TOKEN, linewidth=0.6, label=f"a token of “{first}”"),
        Line2D([], [], color=TOKEN, linewidth=1.8, label="their mean"),
        *(Line2D([], [], color=OTHER, label=f"“{text}”") for text in others),
        *(
            Line2D([], [], color=CORPUS, marker=".", label=f"mean of {_n(results, name)}")
            for name in corpora
        ),
        Line2D([], [], color=RANDOM, linestyle="--", marker="x", label="random weights"),
        Patch(color="0.8", label="each path rotated by itself"),
    ]
    if results["steps"]["layer_norm_scale"].notna().any():
        words = "length that LayerNorm sets"
        handles.append(Line2D([], [], color="black", linestyle=":", label=words))
    figure.legend(handles=handles, loc="outside lower left", ncols=3)


def _n(results: dict[str, pd.DataFrame], name: str) -> str:
    layers = results["layers"]
    return f"{counted(layers.loc[layers['tokens'] == name, 'n'].max(), 'token')} of {name}"
