"""Draws the errors of estimators on clouds of known dimension, from `measure_estimators`."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, counted, new_figure
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "measure_estimators"
CLOUDS = {"cube": "uniform in a cube", "sphere": "uniform on a sphere", "gaussian": "Gaussian"}
NAMES = {
    "two_nn": "TwoNN",
    "two_nn_discarding": "TwoNN, largest ratios discarded",
    "two_nn_lowest_fifth_as_coded": "TwoNN, lowest fifth",
    "two_nn_maximum_likelihood": "TwoNN, maximum likelihood",
    "gride": "Gride",
    "mle_dimension": "MLE",
    "mean_local_dimension": "mean local dimension",
    "correlation_dimension": "correlation dimension",
    "rank_me": "RankMe",
    "iso_score": "IsoScore",
    "gride_plateau": "Gride, plateau",
    "abide": "ABIDE",
}
# The others are in the table: one is the logarithm of another, or in other units.
SHOWN = (
    "top_variance_share",
    "stable_rank",
    "effective_rank",
    "effective_rank_of_covariance",
    "participation_ratio",
    "debiased_participation_ratio",
)
WORST = 0.5  # deviation from which on the color is the strongest
RIGHT = 0.05  # deviation of a measure of the spectrum that is right
DARK = 0.32  # deviation from which on words are white


def draw_estimators(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw deviations from the true dimension, and from the true spectrum by sample size."""
    dimension, spectrum = results["dimension"], results["spectrum"]
    subtitle = (
        f"{label} · {counted(dimension['n'].iloc[0], 'vector')} of known dimension; "
        f"{counted(spectrum['dim'].iloc[0], 'coordinate')} for the spectrum · mean of "
        f"{counted(dimension['n_draws'].iloc[0], 'cloud')}"
    )
    figure, axes = new_figure(
        2,
        1,
        height_mm=height_mm,
        title=_finding(dimension, spectrum),
        subtitle=subtitle,
        stage=STAGE,
    )
    _dimensions(axes[0], dimension)
    _spectra(axes[1], spectrum)
    return figure, _tables(dimension, spectrum, label, digits)


def _finding(dimension: pd.DataFrame, spectrum: pd.DataFrame) -> str:
    """Return the title: deviations at the largest dimension, and what few vectors suffice for."""
    fewest = spectrum[spectrum["measure"].isin(SHOWN) & (spectrum["n"] == spectrum["n"].min())]
    right = fewest.loc[(fewest["mean"] / fewest["limit"] - 1).abs() < RIGHT, "measure"]
    names = [_name(str(name)) for name in right]
    few = "for few vectors, too (b)"
    also = f"; of the spectrum only the {names[0]} is right {few}" if len(names) == 1 else ""
    rows = dimension[dimension["cloud"].isin(CLOUDS)]
    largest = rows["true_dimension"].max()
    rows = rows[rows["true_dimension"] == largest]
    deviations = 100 * (rows["mean"] / largest - 1)
    low, high = deviations.min(), deviations.max()
    where = counted(largest, "dimension")
    if high < 0:
        return f"In {where}, all estimators of dimension fall short, by up to {-low:.0f} %{also}"
    return f"In {where}, estimators deviate by {_percentage(low)} to {_percentage(high)} %{also}"


def _dimensions(ax: Axes, dimension: pd.DataFrame) -> None:
    """Draw a row per estimator and a column per cloud and dimension."""
    rows = dimension[dimension["cloud"].isin(CLOUDS)]
    rows = rows.assign(deviation=rows["mean"] / rows["true_dimension"] - 1)
    table = rows.pivot_table(
        "deviation", "measure", ["cloud", "true_dimension"], sort=False, dropna=False
    )
    _heatmap(ax, table, (100 * table).map(_percentage))
    ax.set_xticklabels([str(dim) for dim in table.columns.get_level_values(1)], rotation=0)
    clouds = [str(cloud) for cloud in table.columns.get_level_values(0)]
    for cloud in dict.fromkeys(clouds):
        first, n = clouds.index(cloud), clouds.count(cloud)
        ax.axvline(first, color="white", linewidth=4)
        ax.text(first + n / 2, len(table) + 1.7, CLOUDS[cloud], ha="center", fontsize=7)
    ax.set_xlabel("true dimension", labelpad=16)
    ax.set_title("Estimated dimension: deviation from the truth in %")


def _percentage(value: float) -> str:
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def _spectra(ax: Axes, spectrum: pd.DataFrame) -> None:
    """Draw a row per measure and a column per number of vectors."""
    rows = spectrum[spectrum["measure"].isin(SHOWN)]
    rows = rows.assign(ratio=rows["mean"] / rows["limit"])
    table = rows.pivot_table("ratio", "measure", "n", sort=False)
    _heatmap(ax, table.apply(np.log10), table.map(_ratio))
    ax.set_xticklabels([count(int(n)) for n in table.columns], rotation=0)
    ax.set(xlabel="vectors")
    ax.set_title("Spectrum of isotropic vectors: value over that of infinitely many (1: right)")


def _ratio(value: float) -> str:
    """Return a ratio to two significant digits, the zeros at its end included."""
    return f"{value:#.2g}".rstrip(".")


def _heatmap(ax: Axes, colors: pd.DataFrame, numbers: pd.DataFrame) -> None:
    """Draw a heat map with colors about zero and the numbers in the cells."""
    import seaborn as sns

    look: dict[str, Any] = {"cmap": "vlag", "center": 0, "vmin": -WORST, "vmax": WORST}
    words: dict[str, Any] = {"annot": numbers, "fmt": "", "annot_kws": {"fontsize": 7}}
    sns.heatmap(colors, ax=ax, cbar=False, linewidths=0.5, **look, **words)
    values = colors.to_numpy(dtype=float)
    for value, text in zip(values[~np.isnan(values)], ax.texts, strict=True):
        text.set_color("white" if abs(value) > DARK else "black")
    ax.set_yticklabels([_name(str(name)) for name in colors.index], rotation=0)
    ax.set(ylabel="")
    ax.tick_params(length=0)


def _name(measure: str) -> str:
    return NAMES.get(measure, measure.replace("_", " "))


def _tables(dimension: pd.DataFrame, spectrum: pd.DataFrame, label: str, digits: int) -> str:
    places = ["cloud", "true_dimension", "n", "n_draws"]
    wide = dimension.pivot_table("mean", places, "measure", sort=False).reset_index()
    by_n = spectrum.pivot_table("mean", ["measure", "limit"], "n", sort=False).reset_index()
    by_n.columns = [name if isinstance(name, str) else f"n = {name:,}" for name in by_n.columns]
    named = by_n.assign(measure=[_name(name) for name in by_n["measure"]])
    wide = wide.rename(columns=NAMES)
    dim = counted(spectrum["dim"].iloc[0], "coordinate")
    first = section(
        "Dimension of known clouds",
        "Mean over the clouds drawn. `embspace define` says what each measure is.",
        markdown_table(wide.assign(cloud=wide["cloud"].str.replace("_", " ")), digits),
    )
    more = section(
        "Spectrum of isotropic Gaussian vectors, by how many there are",
        f"Mean over the clouds drawn, of {dim}; the limit is that of infinitely many.",
        markdown_table(named, digits),
    )
    return f"# Estimators, {label}\n\nStage `measure_estimators`.\n\n{first}\n{folded(more)}"
