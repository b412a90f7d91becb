"""Draws the paths of tokens that `measure_evolution` took: Luisto's figures 20 and 21."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat
from scipy.spatial.distance import cdist

from embspace.draw.page.canvas import (
    counted,
    join_panels,
    new_figure,
    percent,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, MODELS, Look, text_looks
from embspace.draw.page.saving import Results
from embspace.draw.words.evolution_tables import NO_TOKENS, path_tables

STAGE = "measure_evolution"
RANDOM = "random_weights_"
SHOWN, OTHER_VIEWS = "all_layers", ("all_layers", "without_last")
NAME = (0.0115, 0.042)  # width of a character and height of a line, as shares of a panel's
TIMES = 2.0  # a share; one draw of random weights that has less than so much more is alike
NOTHING = 0.01  # of the variance, a share that is next to nothing
CLOSE = 0.09  # between starts that share a name
HALO = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5}  # behind words on lines
LEAD = {"arrowstyle": "-", "color": "0.7", "linewidth": 0.6, "shrinkA": 1, "shrinkB": 3}


def draw_evolution(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the paths of a text's tokens, how much they share, and one word in all texts.

    Of texts and of followed words the first has a panel; the tables have all.
    """
    path, views = results["path"], results["views"]
    followed = paths_of_followed(path)
    parted = _parted(results["drift"], followed)
    figure, axes = new_figure(
        2,
        3,
        height_mm=height_mm,
        title=_finding(views),
        subtitle=f"{label} · {_population(path, views, has_distances=len(parted) > 0)}",
        stage=STAGE,
    )
    if path.empty:
        say_instead(axes, NO_TOKENS)
        return figure, path_tables(results, label, digits)
    first = path[(path["view"] == SHOWN) & (path["text"] == path["text"].iloc[0])]
    _paths(join_panels(axes[:3]), first, views)
    _shares(axes[3], views)
    if followed.empty:
        axes[4].remove()
    else:
        _one_word(axes[4], followed, views)
    if parted.empty:
        axes[5].remove()
    else:
        _distance(axes[5], parted, followed_word(followed))
    return figure, path_tables(results, label, digits)


def paths_of_followed(path: pd.DataFrame) -> pd.DataFrame:
    """Return the paths of the first followed word."""
    views = [view for view in path["view"].unique() if view not in OTHER_VIEWS]
    return path[path["view"] == views[0]] if views else path[:0]


def followed_word(followed: pd.DataFrame) -> str:
    """Return the followed word: the token, or the spelling of a word of several tokens."""
    tokens = followed["token"].unique()
    return str(tokens[0] if len(tokens) == 1 else followed["view"].iloc[0].replace("+", ", "))


def sentence_of(path: pd.DataFrame) -> str:
    """Return the tokens of a text in their order."""
    rows = path[path["view"] == SHOWN].drop_duplicates("position").sort_values("position")
    return " ".join(rows["token"])


def _finding(views: pd.DataFrame) -> str:
    """Return the title: the variance between layers, beside the same of random weights."""
    if views.empty:
        return "No token to follow through the layers"
    row = _between_layers(views)
    own, random = percent(row["value"]), percent(row["random_weights_value"])
    tokens = "of the variance of the followed tokens"
    if np.isnan(row["random_weights_value"]):
        no_more = ", no more than in paths turned at random"
        is_more = row["value"] > row["null_value_high"]
        return f"{own} {tokens} lies between layers{'' if is_more else no_more} (b)"
    if max(row["value"], row["random_weights_value"]) < NOTHING:
        beside = f"as with random weights: {own} and {random}"
        return f"Next to nothing {tokens} lies between layers, {beside} (b)"
    start, beside = f"{own} {tokens} lies between layers", f"{random} with random weights"
    if row["value"] <= row["null_value_high"]:
        return f"{start}, {beside}; no more than in paths turned at random (b)"
    if row["value"] <= row["random_weights_value"] < TIMES * row["value"]:
        return f"{start}, no more than with random weights: {random} (b)"
    return f"{start}, {beside} (b)"


def _between_layers(views: pd.DataFrame, space: str = "all", view: str = SHOWN) -> pd.Series:
    """Return the share of the variance that lies between means of layers, in all dimensions."""
    is_share = (views["quantity"] == "layer_share") & (views["space"] == space)
    return views[is_share & (views["view"] == view)].iloc[0]


def _shares(ax: Axes, views: pd.DataFrame) -> None:
    """Draw the share between layers beside random weights and paths turned at random."""
    row = _between_layers(views)
    known = [
        ("the model", row["value"], BLUE),
        ("random\nweights", row["random_weights_value"], GRAY),
        ("paths\nturned", row["null_value"], "0.75"),
    ]
    known = [entry for entry in known if np.isfinite(entry[1])]  # without random weights: two
    names, shares, colors = zip(*known, strict=True)
    for bar, color in zip(ax.barh(names, shares, height=0.6), colors, strict=True):
        bar.set(color=color)
    ends = row["null_value_low"], row["null_value_high"]
    last = len(known) - 1
    ax.plot(ends, [last, last], "|-", color=BLACK, lw=1, ms=6)
    for place, share in enumerate(shares):
        write_beside(ax, percent(share), (max(share, ends[-1]), place), (5, -3))
    ax.set(title="Between layers", xlabel="share of variance")
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))  # shares may be thousandths
    ax.invert_yaxis()
    ax.margins(x=0.25)
    ax.set_xlim(left=0)


def _population(path: pd.DataFrame, views: pd.DataFrame, *, has_distances: bool) -> str:
    if path.empty:
        return "no tokenizer, n = 0 tokens"
    texts = [(name, rows) for name, rows in path.groupby("text", sort=False)]
    said = ", ".join(f"“{name}”: {sentence_of(rows)}" for name, rows in texts[:2])
    n_tokens = path[path["view"] == SHOWN].groupby(["text", "position"]).ngroups
    return (
        f"{counted(len(texts), 'text')}, {counted(n_tokens, 'token')}: {said} · layers 0 "
        f"(embedding output) to {path['layer'].max()} · b: all dimensions, beside paths turned at "
        f"random{_of_followed(path, views)}"
        f"{' · d: of one word, over the mean distance of unlike tokens' if has_distances else ''}"
    )


def _of_followed(path: pd.DataFrame, views: pd.DataFrame) -> str:
    """Return the share between layers of the followed word, if any."""
    followed = paths_of_followed(path)
    if followed.empty:
        return ""
    row = _between_layers(views, view=str(followed["view"].iloc[0]))
    own, random = percent(row["value"]), percent(row["random_weights_value"])
    is_known = pd.notna(row["random_weights_value"])
    return f" · c: {own} lies between layers" + (f", with random weights {random}" * is_known)


def _variance(views: pd.DataFrame, view: str) -> tuple[float, float]:
    """Return the shares of the variance that the two components of a view explain."""
    rows = views[(views["view"] == view) & (views["quantity"] == "explained_variance")]
    shares = rows.set_index("space")["value"]
    return shares["component_1"], shares["component_2"]


def _label_components(ax: Axes, views: pd.DataFrame, view: str) -> None:
    first, second = _variance(views, view)
    ax.set_xlabel(f"component 1, {100 * first:.0f} % of variance")
    ax.set_ylabel(f"component 2, {100 * second:.0f} % of variance")


def _paths(ax: Axes, rows: pd.DataFrame, views: pd.DataFrame) -> None:
    """Draw every token's path with its layers as colored dots, and write the token at its start."""
    for _, path in rows.groupby("position", sort=False):
        _arrow(ax, path, GRAY)
    x, y = rows["component_1"], rows["component_2"]
    dots = ax.scatter(x, y, c=rows["layer"], cmap="viridis", s=14, zorder=3)
    bar = ax.figure.colorbar(dots, ax=ax, pad=0.01, aspect=30, label="layer")
    bar.locator = MaxNLocator(integer=True)
    _label_components(ax, views, SHOWN)
    share = percent(_between_layers(views, "both")["value"])
    ax.set_title(
        f"Tokens of “{rows['text'].iloc[0]}” in the plane of all texts: {share} lies between layers"
    )
    ax.margins(0.06, 0.1)
    _name_starts(ax, rows)


def _arrow(ax: Axes, path: pd.DataFrame, color: str, line: Any = "-") -> None:
    """Draw a path with a head where it ends."""
    x, y = (path[f"component_{number}"].to_numpy() for number in (1, 2))
    ax.plot(x, y, linestyle=line, color=color, linewidth=1, zorder=2)
    head = {"arrowstyle": "-|>", "color": color, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
    head |= {"linestyle": line}
    ax.annotate("", (x[-1], y[-1]), (x[-2], y[-2]), arrowprops=head)


def _name_starts(ax: Axes, rows: pd.DataFrame) -> None:
    """Write the tokens at the nearest free places beside the starts; far names have leads.

    Tokens that start close together share a name.
    """
    character, line = NAME
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    span = np.array([right - left, top - bottom])
    dots = np.concatenate([_points_along(path) for _, path in rows.groupby("position")]) / span
    starts = rows[rows["layer"] == rows["layer"].min()].sort_values("component_2")
    names: list[tuple[float, float, float]] = []  # left, right, height
    for token, x, y in _bundles(starts, span):
        width = character * (len(token) + 1)
        free = [
            (abs(dx) + 2 * abs(dy), x + dx, y + dy)
            for dy in np.arange(-6, 7) * line
            for dx in (0.008, -width, 0.05, -width - 0.05)
            if _is_free((x + dx, x + dx + width, y + dy), dots, names, line)
        ]
        _, at, height = min(free, default=(0.0, x + 0.008, y))
        names.append((at, at + width, height))
        start, place = (x * span[0], y * span[1]), (at * span[0], height * span[1])
        words = ax.annotate(token, start, place, arrowprops=LEAD)
        words.set(fontsize=7.5, fontweight="bold", va="center")
        words.set_parse_math(False)  # a token may be a dollar sign


def _bundles(starts: pd.DataFrame, span: np.ndarray) -> list[tuple[str, float, float]]:
    """Return tokens that start close together as a joint name, and the start of the first."""
    places = starts[["component_1", "component_2"]].to_numpy() / span
    bundle = np.arange(len(places))
    for one, other in zip(*np.nonzero(cdist(places, places) < CLOSE), strict=True):
        bundle[bundle == bundle[one]] = bundle[other]
    return [
        (" ".join(dict.fromkeys(rows["token"])), *places[bundle == number][0])
        for number, rows in starts.groupby(bundle, sort=False)
    ]


def _points_along(path: pd.DataFrame) -> Float[np.ndarray, "n 2"]:
    """Return points along a path, so close that no name fits between."""
    states = path[["component_1", "component_2"]].to_numpy()
    layers = np.linspace(0, len(states) - 1, 20 * len(states))
    return np.column_stack([np.interp(layers, np.arange(len(states)), x) for x in states.T])


def _is_free(
    box: tuple[float, float, float],
    dots: np.ndarray,
    names: list[tuple[float, float, float]],
    line: float,
) -> bool:
    left, right, height = box
    hit = (dots[:, 0] > left) & (dots[:, 0] < right) & (abs(dots[:, 1] - height) < line / 2)
    return not hit.any() and not any(
        a < right and b > left and abs(c - height) < line for a, b, c in names
    )


def _one_word(ax: Axes, followed: pd.DataFrame, views: pd.DataFrame) -> None:
    """Draw the paths of a word in all texts, and number the layers along the first."""
    looks, named = text_looks(followed["text"]), set[str]()
    for number, ((text, _), path) in enumerate(followed.groupby(["text", "position"], sort=False)):
        look = looks[str(text)]
        _arrow(ax, path, look.color, look.line)
        x, y = path["component_1"], path["component_2"]
        # A word of several tokens has several paths in a text, and one name.
        label = "" if look.name in named else look.name
        named.add(look.name)
        ax.plot(x, y, look.marker, color=look.color, ms=4, label=label)
        if number == 0:
            for layer, x, y in path[["layer", "component_1", "component_2"]].itertuples(False):
                place: dict[str, Any] = {"xytext": (0, 7), "textcoords": "offset points"}
                words = ax.annotate(f"{layer:.0f}", (x, y), fontsize=7, zorder=4, **place)
                words.set(ha="center", bbox=HALO)
    _label_components(ax, views, followed["view"].iloc[0])
    ax.set_title(f"“{followed_word(followed)}” by layer")
    ax.margins(0.12)
    ax.legend(title="text")


def _parted(drift: pd.DataFrame, followed: pd.DataFrame) -> pd.DataFrame:
    """Return how far apart the followed word is in two texts by layer, on average of all pairs."""
    names = {f"{weights}relative_distance": weights for weights in ("", RANDOM)}
    is_followed = drift["position"].isin(followed["position"])
    rows = drift[is_followed & drift["token"].isin(followed["token"])]
    return rows.groupby("layer")[[*names]].mean().rename(columns=names).dropna(subset="")


def _distance(ax: Axes, parted: pd.DataFrame, word: str) -> None:
    """Draw the distance of a word in two texts by layer, and that of random weights."""
    random = MODELS["random"]
    looks = {"": Look("the model", BLUE), RANDOM: random}
    for weights, look in looks.items():
        if parted[weights].isna().all():
            continue
        label = f"{look.name}, {parted[weights].iloc[-1]:.2f}"
        style: dict[str, Any] = {"marker": look.marker, "ls": look.line, "ms": 4}
        ax.plot(parted.index, parted[weights], color=look.color, label=label, **style)
    ax.set(title=f"“{word}” between texts", xlabel="layer", ylabel="relative distance")
    ax.set_ylim(0, 1.35 * parted.max().max())
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="upper left", handlelength=1.2)
