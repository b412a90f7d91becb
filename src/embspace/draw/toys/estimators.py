"""Figure and tables of `measure_estimators`: what estimators give where the truth is known."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("dimension.csv", "spectrum.csv")
CLOUDS = {"cube": "uniform in a cube", "sphere": "uniform on a sphere", "gaussian": "Gaussian"}
MARKERS = "os^vDPX*"
N_COLORS = 7  # of the style
# The others hide behind these: one is the logarithm of another, or in other units.
SHOWN = (
    "top_variance_share",
    "stable_rank",
    "effective_rank",
    "effective_rank_of_covariance",
    "participation_ratio",
    "debiased_participation_ratio",
)


def draw_estimators(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Estimated over true dimension of three clouds, and measures of a spectrum by sample size."""
    dimension, spectrum = results["dimension"], results["spectrum"]
    n_draws = int(dimension["n_draws"].iloc[0])
    figure, axes = new_figure(
        2,
        2,
        height_mm=2 * row_height_mm + 30,
        title="What do estimators of dimension give where the truth is known?",
        subtitle=f"{label} · {counted(int(dimension['n'].iloc[0]), 'vector')} of known dimension; "
        f"{counted(int(spectrum['dim'].iloc[0]), 'coordinate')} for the spectrum · mean, smallest "
        f"and largest of {counted(n_draws, 'cloud')}",
        stage="measure_estimators",
    )
    for ax, (cloud, words) in zip(axes, CLOUDS.items(), strict=False):
        rows = dimension[dimension["cloud"] == cloud]
        _lines(ax, rows, "true_dimension", rows["true_dimension"])
        ax.set(title=words, xlabel="true dimension", ylabel="estimated / true")
        ax.set_ylim(0.55, 1.15)
    shown = spectrum[spectrum["measure"].isin(SHOWN)]
    _lines(axes[3], shown, "n", shown["limit"])
    axes[3].set(
        title="spectrum of isotropic vectors",
        xlabel="vectors",
        ylabel="measured / of infinitely many",
    )
    axes[3].set_yscale("log")
    axes[3].set_ylim(0.05, 200)  # room for the legend
    axes[3].legend(fontsize=6, loc="upper right")
    legend_below(figure, axes[:1], ncols=3, fontsize=7)
    return figure, _tables(dimension, spectrum, label, digits)


def _lines(ax: Axes, rows: pd.DataFrame, x: str, truth: pd.Series) -> None:
    """One line a measure, in units of the truth."""
    shown = rows.assign(**{name: rows[name] / truth for name in ("mean", "smallest", "largest")})
    for number, (name, of_measure) in enumerate(shown.groupby("measure", sort=False)):
        color, words = f"C{number % N_COLORS}", str(name).replace("_", " ")
        style = "-" if number < N_COLORS else "--"
        places = of_measure[x]
        ax.vlines(places, of_measure["smallest"], of_measure["largest"], color=color, alpha=0.4)
        marker = MARKERS[number % len(MARKERS)]
        line: dict[str, Any] = {
            "color": color,
            "linestyle": style,
            "marker": marker,
            "markersize": 3,
        }
        ax.plot(places, of_measure["mean"], label=words, **line)
    ax.axhline(1, color="0.5", linewidth=0.8)
    ax.set_xscale("log")
    ax.minorticks_off()
    ticks = sorted(set(rows[x]))
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])


def _tables(dimension: pd.DataFrame, spectrum: pd.DataFrame, label: str, digits: int) -> str:
    places = ["cloud", "true_dimension", "n", "n_draws"]
    wide = dimension.pivot_table("mean", places, "measure", sort=False).reset_index()
    by_n = spectrum.pivot_table("mean", ["measure", "limit"], "n", sort=False).reset_index()
    by_n.columns = [name if isinstance(name, str) else f"n = {name:,}" for name in by_n.columns]
    named = by_n.assign(measure=by_n["measure"].str.replace("_", " "))
    dim = counted(int(spectrum["dim"].iloc[0]), "coordinate")
    return "\n".join(
        [
            f"# Estimators, {label}\n\nStage `measure_estimators`.\n",
            section(
                "Dimension of known clouds",
                "Mean over the clouds drawn. `embspace define` says what each measure is.",
                markdown_table(wide.assign(cloud=wide["cloud"].str.replace("_", " ")), digits),
            ),
            section(
                "Spectrum of isotropic Gaussian vectors, by how many there are",
                f"Mean over the clouds drawn, of {dim}; the limit is what infinitely many have.",
                markdown_table(named, digits),
            ),
        ]
    )
