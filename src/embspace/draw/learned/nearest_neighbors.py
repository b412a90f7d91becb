"""Figure and tables of `measure_nearest_neighbors`: hubs, and how far the nearest neighbors are."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import count, legend_below, new_figure
from embspace.draw.page.looks import CLOUDS
from embspace.draw.page.markdown import DISTRIBUTION, code, markdown_table, same, section

RESULTS = ("summary.csv", "occurrence.csv", "hubs.csv")
SUMMARY = {**same("cloud", "quantity", "k"), **DISTRIBUTION, "skewness": "skewness"}


def draw_nearest_neighbors(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_hubs: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """How often vectors are among the nearest of others, and how near these are."""
    summary, occurrence = results["summary"], results["occurrence"]
    n = summary.groupby("cloud", sort=False)["n"].max()
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title="Nearest neighbors by Euclidean distance, and hubs",
        subtitle=f"{label} · exact, from all pairs · "
        + ", ".join(
            f"{count(n[cloud])} {CLOUDS[cloud][0]}" for cloud in n.index if "centered" not in cloud
        ),
        stage="measure_nearest_neighbors",
    )
    for cloud, rows in occurrence.groupby("cloud", sort=False):
        name, color, *_ = CLOUDS[str(cloud)]
        axes[0].plot(
            rows["k_occurrence"] + 1, rows["count"], ".", color=color, markersize=2, label=name
        )
    k = int(occurrence["k"].max())
    axes[0].set(
        xscale="log",
        yscale="log",
        xlabel=f"1 + times among the {k} nearest of others",
        ylabel="vectors",
    )
    legend_below(figure, axes[:1], ncols=2, markerscale=3)
    _distances(axes[1], summary[summary["quantity"] == "euclidean_distance"])
    return figure, _tables(results, label, n_hubs, digits)


def _distances(ax: Axes, rows: pd.DataFrame) -> None:
    """From the 5 % to the 95 % quantile, the median marked."""
    names = []
    for height, row in enumerate(rows.to_dict("records")):
        color = CLOUDS[row["cloud"]][1]
        ax.plot(
            [row["quantile_0.05"], row["quantile_0.95"]], [-height] * 2, color=color, linewidth=4
        )
        ax.plot(row["quantile_0.5"], -height, "|", color="white", markersize=6)
        names.append("nearest" if row["k"] == 1 else f"{row['k']}th")
    ax.set_yticks([-height for height in range(len(names))], names)
    ax.set(xlabel="Euclidean distance, 5 to 95 %", xlim=(0, None))


def _tables(results: dict[str, pd.DataFrame], label: str, n_hubs: int, digits: int) -> str:
    shown = results["summary"][[*SUMMARY]].rename(columns=SUMMARY)
    sections = [
        f"# Nearest neighbors in the clouds of {label}\n\nStage `measure_nearest_neighbors`.\n",
        section(
            "Distances and k-occurrences",
            "To the nearest and the last neighbor kept; how often a vector is among the k "
            "nearest of others. The skewness of the latter is the cloud's hubness.",
            markdown_table(shown, digits),
        ),
    ]
    for cloud, rows in results["hubs"].groupby("cloud", sort=False):
        first = rows[:n_hubs]
        table = pd.DataFrame(
            {
                "space": first["space"],
                "id": first["id"],
                "token": [code(token) if token else "" for token in first["token"].fillna("")],
                "k-occurrence": first["k_occurrence"],
            }
        )
        name = CLOUDS[str(cloud)][0]
        sections.append(
            section(f"Hubs: {name}", "The most frequent neighbors.", markdown_table(table, 0))
        )
    return "\n".join(sections)
