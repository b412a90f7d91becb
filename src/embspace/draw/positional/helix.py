"""Figure and tables of `measure_helix`: Luisto's figure 19."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import absent, counted, new_figure, say_absent, say_instead
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("json", "path.csv", "periods.csv", "spectrum.csv", "one_dimensionality.csv")
COLORS = "viridis"
DEFINITIONS = {
    "winding_number": "turning angle about the axis",
    "spectrum": "peak of the spectrum",
    "thesis_text": "thesis's text: positions over whole turns",
    "notebook": "notebook: rows of its printed figure",
    "notebook_as_coded": "notebook: as its code stands",
}
PERIODS = {
    "definition": "definition",
    "first_position": "first",
    "last_position": "last",
    "n_turns": "turns",
    "period": "period",
    "coherence": "coherence",
    "null_coherence": "shuffled",
    "power_share": "share of power",
    "null_power_share": "shuffled ",  # a name of its own, which looks the same
}
REPRESENTATIONS = {"full_space": "full space", "components": "three components"}
ONE_DIMENSIONALITY = {
    "representation": "representation",
    "n": "n",
    "order_correlation": "order along the tree",
    "null_order_correlation_high": "shuffled, 97.5 %",
    "adjacent_neighbor_share": "two nearest are i±1",
    "null_adjacent_neighbor_share": "by chance",
}


def draw_helix(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    longest_period: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """The path in three components, along its axis, its turns and its spectrum."""
    path, periods = results["path"], results["periods"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title="The path of the positional embeddings in three principal components",
        subtitle=f"{label} · {_found(results)}",
        stage="measure_helix",
    )
    if path.empty:
        if results["json"].get("n_positions") == 0:
            say_absent(axes, label, "positional")
        else:
            say_instead(axes, "fewer than eight structured positions")
        return figure, _tables(results, label, digits)
    axes = [_in_space(figure, axes[0], path), *axes[1:]]
    points = axes[1].scatter(
        path["plane_x"], path["plane_y"], c=path["position"], cmap=COLORS, s=3, rasterized=True
    )
    axes[1].plot(path["plane_x"], path["plane_y"], color="0.7", linewidth=0.3, zorder=0)
    axes[1].set(xlabel="across the axis", ylabel="across", aspect="equal", title="along its axis")
    figure.colorbar(points, ax=axes[1], label="position", shrink=0.9)
    axes[2].plot(path["position"], path["turns"], color="C1")
    axes[2].set(xlabel="position", ylabel="turns since the first", title="turning")
    _spectrum(axes[3], results["spectrum"], periods, longest_period)
    return figure, _tables(results, label, digits)


def _found(results: dict[str, Any]) -> str:
    scalars = results["json"]
    if results["path"].empty:
        return "no path"
    row = results["periods"].set_index("definition").loc["winding_number"]
    share = sum(scalars[f"explained_variance_{number}"] for number in (1, 2, 3))
    return (
        f"{counted(scalars['n_structured'], 'structured position')}, {100 * share:.0f} % of their "
        f"variance · a turn in {row['period']:.2f} positions · coherence {row['coherence']:.3f} "
        f"(shuffled {row['null_coherence']:.3f})"
    )


def _in_space(figure: Figure, ax: Axes, path: pd.DataFrame) -> Axes:
    place = ax.get_subplotspec()
    ax.remove()
    space: Any = figure.add_subplot(place, projection="3d")
    columns = [path[f"component_{number}"] for number in (1, 2, 3)]
    space.plot(*columns, color="0.7", linewidth=0.4)
    space.scatter(*columns, c=path["position"], cmap=COLORS, s=3, rasterized=True)
    for axis, number in ((space.xaxis, 1), (space.yaxis, 2), (space.zaxis, 3)):
        axis.set_label_text(f"component {number}", fontsize=6)
        axis.set_tick_params(labelsize=5, pad=-2)
        axis.labelpad = -6
    space.set_title("three components")
    axes: Axes = space
    return axes


def _spectrum(
    ax: Axes, spectrum: pd.DataFrame, periods: pd.DataFrame, longest_period: float
) -> None:
    shown = spectrum[spectrum["frequency"] >= 1 / longest_period]
    ax.plot(1 / shown["frequency"], shown["power"], color="C1", zorder=3)
    found = periods.set_index("definition")["period"]
    for definition, name, color, style in (
        ("spectrum", "peak", "C0", "--"),
        ("winding_number", "turning angle", "C2", ":"),
    ):
        text = f"{name} {found[definition]:.2f}"
        ax.axvline(found[definition], color=color, linestyle=style, label=text)
    ax.set(
        xscale="log",
        xlabel="period (positions)",
        ylabel=f"share of power, of {len(spectrum)} bins",
        title="spectrum",
    )
    ax.set_xticks(_ticks(longest_period), [f"{tick:g}" for tick in _ticks(longest_period)])
    ax.minorticks_off()
    ax.set(xlim=(2, longest_period), ylim=(0, None))
    ax.legend(loc="upper right")


def _ticks(longest: float) -> Sequence[float]:
    return [tick for tick in (2, 3, 4, 5, 6, 8, 10, 20, 40, 60, 100, 200, 400) if tick <= longest]


def _tables(results: dict[str, Any], label: str, digits: int) -> str:
    heading = f"# The path of the positions of {label}\n\nStage `measure_helix`.\n"
    if results["path"].empty:
        has_none = results["json"].get("n_positions") == 0
        reason = absent(label, "positional") if has_none else "Too few structured positions."
        return f"{heading}\n{reason}\n"
    periods = results["periods"][[*PERIODS]].rename(columns=PERIODS)
    periods["definition"] = periods["definition"].map(DEFINITIONS)
    lines = results["one_dimensionality"][[*ONE_DIMENSIONALITY]]
    lines = lines.assign(representation=lines["representation"].map(REPRESENTATIONS))
    return "\n".join(
        [
            heading,
            section(
                "Period",
                "In positions. Coherence of the turning is 1 where all steps turn by one angle; "
                "the share of the power is that at the peak; beside each the mean of shuffled "
                "positions. Position and coordinate along the axis correlate by "
                f"{results['json']['advance']:.3f}.",
                markdown_table(periods, digits),
            ),
            section(
                "One-dimensionality",
                "Correlation of position with order along the minimum spanning tree, and share "
                "of positions whose two nearest are the next ones.",
                markdown_table(lines.rename(columns=ONE_DIMENSIONALITY), digits, ["by chance"]),
            ),
        ]
    )
