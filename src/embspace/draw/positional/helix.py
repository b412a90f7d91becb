"""Draws the figure and the tables of `measure_helix`, after Luisto's figure 19."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    HALO,
    absent,
    counted,
    join_panels,
    new_figure,
    say_absent,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import GRAY, SPACES
from embspace.draw.page.maps.quality import LINE_NOTE
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.nulls import NULLS, NULLS_NOTE, nulls_table
from embspace.draw.page.saving import Results
from embspace.draw.positional.helix_path import (
    along_axis,
    local_periods,
    most_even,
    peaks,
    seen_from_above,
)

COLORS = ListedColormap(colormaps["viridis"](np.linspace(0, 0.92, 256)))  # yellow is lost on white
PER_STEP = 12  # points of the drawn curve between two positions
BELOW = 0.45  # of the height of a path, for the legend below it
EDGE = 0.005  # share of the highest power at which the panel of the spectrum ends
DEFINITIONS = {
    "winding_number": "turning angle about the axis",
    "spectrum": "peak of the spectrum",
    "thesis_text": "thesis's text: positions over whole turns",
    "notebook": "notebook: rows of its printed figure",
    "notebook_as_coded": "notebook: as its code stands",
}
REPRESENTATIONS = {"full_space": "full space", "components": "three components"}


def draw_helix(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_shown: PositiveInt,
    n_local: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a stretch of the path, the turns along the axis, the local period and the spectrum.

    The stretch is of `n_shown` positions, where the path advances most evenly; a local period is
    over `n_local` successive steps.
    """
    path, periods = results["path"], results["periods"]
    local = local_periods(path, n_local)
    figure, axes = new_figure(
        2,
        3,
        height_mm=height_mm,
        title=_finding(periods, results["nulls"]),
        subtitle=f"{label} · {_protocol(results, local)}",
        stage="measure_helix",
    )
    text = _tables(results, label, digits)
    if path.empty:
        if results["json"].get("n_positions") == 0:
            say_absent(axes, label, "positional")
        else:
            say_instead(axes, "fewer than eight structured positions")
        return figure, text
    along = along_axis(path)
    stretch = most_even(path["position"], along, n_shown)
    _spring(figure, join_panels(axes[:3]), path[stretch], along[stretch])
    _unrolled(axes[3], path, along, stretch)
    _show_turns(axes[3], path, _strongest(results["nulls"]))
    _by_position(axes[4], local, _best_period(periods)["period"])
    _spectrum(axes[5], results["spectrum"], len(path))
    return figure, text


def _best_period(periods: pd.DataFrame) -> pd.Series:
    return periods[periods["definition"] == "winding_number"].iloc[0]


def _finding(periods: pd.DataFrame, nulls: pd.DataFrame) -> str:
    if periods.empty:
        return "There is no path of position embeddings to look at"
    row = _best_period(periods)
    n_turns, most = abs(row["n_turns"]), _strongest(nulls)
    if not n_turns > most["null_value_high"]:
        return "The path of the position embeddings winds no more than one that encodes nothing"
    return (
        f"The position embeddings wind {n_turns:.0f} times, {NULLS[most['null']]} "
        f"{most['null_value_high']:.0f} times at most"
    )


def _strongest(nulls: pd.DataFrame) -> pd.Series:
    """Return the null of which a draw has the most turns."""
    turns = nulls[nulls["measure"] == "n_turns"]
    return turns.iloc[int(turns["null_value_high"].argmax())]


def _protocol(results: Results, local: pd.DataFrame) -> str:
    scalars = results["json"]
    n = f"{counted(scalars['n_structured'], 'position')} like their neighbors"
    if (position := results["path"]["position"]).empty:
        return n
    nulls = results["nulls"].set_index(["measure", "null"])
    advance = nulls.loc[("rank_advance", "random_walk")]
    share = sum(scalars[f"explained_variance_{number}"] for number in (1, 2, 3))
    return (
        f"{n}, of {position.iloc[0]} to {position.iloc[-1]} · "
        f"3 principal components, {100 * share:.0f} % of variance · "
        f"axis: the line along which positions advance; rank correlation with it "
        f"{advance['value']:.2f}, of random walks {advance['null_value']:.2f} · a turn in "
        f"{local['period'].min():.1f} to {local['period'].max():.1f} positions"
    )


def _spring(figure: Figure, ax: Axes, path: pd.DataFrame, along: Float[np.ndarray, " n"]) -> None:
    """Draw a smooth curve through the positions, from above and the side, thin at the back."""
    from scipy.interpolate import CubicSpline

    order, position = np.arange(len(path)), path["position"].to_numpy(np.float64)
    points = np.column_stack([along, path["plane_x"], path["plane_y"]])
    fine = np.linspace(0, order[-1], PER_STEP * len(order))
    curve = CubicSpline(order, points)(fine)
    depth, seen = curve[:-1, 2], seen_from_above(curve)
    farthest_first = np.argsort(-depth, kind="stable")
    pieces = np.stack([seen[:-1], seen[1:]], axis=1)[farthest_first]
    width = 0.6 + 1.8 * (depth.max() - depth) / np.ptp(depth)
    look: dict[str, Any] = {"cmap": COLORS, "norm": Normalize(position[0], position[-1])}
    lines = LineCollection(
        [*pieces], linewidths=width[farthest_first], capstyle="round", rasterized=True, **look
    )
    lines.set_array(np.interp(fine[:-1], order, position)[farthest_first])
    ax.add_collection(lines)
    x, y = seen_from_above(points).T
    points_seen = ax.scatter(x, y, c=position, s=10, zorder=3, **look)
    figure.colorbar(points_seen, ax=ax, label="position", aspect=12, pad=0.01)
    ax.set(xticks=[], yticks=[], xlabel="along the axis (stretched)", ylabel="across the axis")
    n = counted(len(path), "successive position")
    ax.set_title(f"The {n} of the most even advance; curve interpolated, thin at the back")


def _unrolled(ax: Axes, path: pd.DataFrame, along: Float[np.ndarray, " n"], shown: slice) -> None:
    """Draw the way along the axis over the turns about it, and mark the stretch shown above."""
    ax.plot(path["turns"], along, color="0.65", linewidth=0.8)
    ax.plot(
        path["turns"][shown], along[shown], color=COLORS(0.5), linewidth=1.4, label="shown in a"
    )
    ax.set(xlabel="turns since the first position", ylabel="along the axis")


def _show_turns(ax: Axes, path: pd.DataFrame, most: pd.Series) -> None:
    """Print the turns of the whole path, and mark the most of what encodes nothing."""
    n_turns = float(path["turns"].iloc[-1])
    null = float(np.copysign(most["null_value_high"], n_turns))
    ax.axvline(
        null, color=GRAY, linestyle=":", linewidth=1, label=f"most by chance: {abs(null):.0f}"
    )
    ax.set_title(f"Whole path: {abs(n_turns):.0f} turns")
    low, high = ax.get_ylim()
    ax.set_ylim(low - BELOW * (high - low), high)
    ax.legend(loc="lower right", handlelength=1.1)  # beside the dotted line


def _by_position(ax: Axes, local: pd.DataFrame, period: float) -> None:
    ax.axhline(period, color=GRAY, linestyle="--", linewidth=1)
    ax.plot(local["position"], local["period"], color=SPACES["positional"].color)
    ax.set(xlabel="position", ylabel="positions per turn")
    ax.set_title(f"Local period (dashed: {period:.2f})")


def _spectrum(ax: Axes, spectrum: pd.DataFrame, n_positions: int) -> None:
    """Draw the range of periods with power, and name the highest peaks by periods."""
    shown = spectrum[spectrum["power"] >= EDGE * spectrum["power"].max()]
    shown = spectrum.loc[shown.index[0] : shown.index[-1]]
    period, power = 1 / shown["frequency"], shown["power"] / shown["power"].max()
    ax.plot(period, power, color=SPACES["positional"].color)
    highest = peaks(shown, 2 / n_positions)
    for place in highest:
        x, y = period.loc[place], power.loc[place]
        write_beside(ax, f"{x:.2f}", (x, y), (0, 2), ha="center", path_effects=HALO)
    ax.set(xlabel="positions per turn", ylabel="normalized power", ylim=(0, 1.12))
    ax.locator_params(axis="x", nbins=5, steps=[1, 2, 2.5, 5, 10])
    ax.set_title(_periods_said(sorted(period[highest])))


def _periods_said(periods: Sequence[float]) -> str:
    """Return how many periods have the highest power, with one or two by their length."""
    if len(periods) > 2:
        return f"{len(periods)} periods of high power"
    said = " and ".join(f"{period:.2f}" for period in periods)
    return f"{'One period' if len(periods) == 1 else 'Two periods'}: {said}"


def _tables(results: Results, label: str, digits: int) -> str:
    title = f"The path of the positions of {label}"
    if results["path"].empty:
        has_none = results["json"].get("n_positions") == 0
        reason = absent(label, "positional") if has_none else "Too few structured positions."
        return tables_page(title, "measure_helix", f"{reason}\n")
    periods = results.for_readers("periods", definition=DEFINITIONS)
    note = (
        "In positions. Coherence of the turning is 1 where all steps turn by one angle; "
        "the share of the power is that at the peak; beside each the mean of shuffled "
        "positions. Position and coordinate along the axis correlate by "
        f"{results['json']['advance']:.3f}."
    )
    period_section = section("Period", note, markdown_table(periods, digits))
    lines = results.for_readers("one_dimensionality", representation=REPRESENTATIONS)
    line_section = section(
        "One-dimensionality", LINE_NOTE, markdown_table(lines, digits, ["by chance"])
    )
    against = section("Against nulls", NULLS_NOTE, nulls_table(results["nulls"], digits))
    return tables_page(title, "measure_helix", f"{period_section}\n{line_section}\n{against}")
