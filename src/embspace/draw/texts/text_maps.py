"""Figure and tables of `project_text_maps`: Luisto's figure 25, and whether to believe it."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, new_figure, say_instead, without_axes
from embspace.draw.page.looks import POOLINGS
from embspace.draw.page.maps import QUALITY, QUALITY_NOTE
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("parquet", "quality.csv", "neighbors.csv")
METHODS = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}
PREPARATIONS = {
    "raw": "raw",
    "unit_length": "unit length",
    "centered_unit_length": "centered, unit length",
}
LARGEST, SMALLEST = 6.0, 0.8  # area of a dot, in square points
INK = 1500.0  # square points of all dots of a kind, within these limits
MOST_SUBJECTS = 7  # of a single corpus, that have a color: as many as the style has
OTHERS = "other texts"
MOST_COLUMNS, LONGEST = 5, 18  # of the legend, and characters of a name in it
KEYS = ["map", "pooling", "preparation"]
OF_MAPS = {
    "map": "map",
    "pooling": "pooling",
    "preparation": "vectors",
    "method": "method",
    **QUALITY,
}
NEIGHBORS = {
    "map": "map",
    "pooling": "pooling",
    "preparation": "vectors",
    "method": "method",
    "corpus": "corpus",
    "n": "n",
    "same_corpus_share": "same corpus",
    "chance_same_corpus_share": "chance",
    "same_domain_share": "same domain",
    "chance_same_domain_share": "chance ",  # names of their own, which look the same
    "same_document_share": "same document",
    "chance_same_document_share": " chance",
    "mean_k_occurrence": "k-occurrence",
}


def draw_text_maps(
    results: dict[str, Any], label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """One row of maps a choice of texts, pooling and preparation, colored by corpus; tables.

    Texts of a single corpus are colored by their subject, where it is known of them.
    """
    coordinates, quality = results["parquet"], results["quality"]
    coordinates = coordinates.assign(kind=_kinds(coordinates))
    spaces = list(quality[KEYS].drop_duplicates().itertuples(index=False, name=None))
    n_rows = max(len(spaces), 1)
    figure, axes = new_figure(
        n_rows,
        len(METHODS),
        height_mm=row_height_mm * n_rows + 20,
        title="Collections of texts on a plane",
        subtitle=f"{label} · {_population(quality)}",
        stage="project_text_maps",
    )
    if not spaces:
        say_instead(axes, "no corpus has enough texts that this model reads")
        return figure, _tables(results, label, digits)
    colors = _colors(coordinates["kind"])
    for row, space in enumerate(spaces):
        own = axes[row * len(METHODS) : (row + 1) * len(METHODS)]
        for ax, (method, name) in zip(own, METHODS.items(), strict=True):
            points, judged = (_of_map(table, space, method) for table in (coordinates, quality))
            _map(ax, points, colors)
            ax.set_title(name, loc="left", pad=13)
            words = _trust(judged.iloc[0])
            ax.text(0, 1.01, words, transform=ax.transAxes, fontsize=6, color="0.3")
        own[0].set_ylabel(_row_name(space, int(judged["n"].iloc[0])), fontsize=7)
    dots = [Line2D([], [], color=each, linestyle="none", marker="o") for each in colors.values()]
    columns = min(len(colors), MOST_COLUMNS)
    names = [name if len(name) <= LONGEST else f"{name[:LONGEST]}…" for name in colors]
    figure.legend(dots, names, loc="outside lower left", ncols=columns, markerscale=0.8)
    return figure, _tables(results, label, digits)


def _row_name(space: tuple[str, str, str], n: int) -> str:
    name, pooling, preparation = space
    return (
        f"{name.replace('_', ' ')}, n = {count(n)}\n"
        f"{POOLINGS[pooling][0]}\n{PREPARATIONS[preparation]}"
    )


def _of_map(table: pd.DataFrame, space: tuple[str, str, str], method: str) -> pd.DataFrame:
    wanted = pd.Series([*space, method], index=[*KEYS, "method"])
    return table[(table[wanted.index] == wanted).all(axis=1)]


def _population(quality: pd.DataFrame) -> str:
    if quality.empty:
        return "nothing to show"
    return (
        f"states of layer {quality['layer'].iloc[0]} · T trustworthiness, "
        f"C continuity, R recall of the {quality['k'].max()} nearest; in brackets a random layout's"
    )


def _kinds(coordinates: pd.DataFrame) -> pd.Series:
    """Return each point's kind, which colors it: its corpus, or the subject where one is drawn."""
    subjects = coordinates["subject"]
    if coordinates["corpus"].nunique() > 1 or subjects.nunique() < 2:
        return coordinates["corpus"]
    frequent = subjects[subjects != ""].value_counts().index[:MOST_SUBJECTS]
    return subjects.where(subjects.isin(frequent), OTHERS)


def _colors(kinds: pd.Series) -> dict[str, str]:
    """A color of each kind, in the order of the points; gray for all others, which come last."""
    named = [kind for kind in dict.fromkeys(kinds) if kind != OTHERS]
    colors = {str(kind): f"C{number}" for number, kind in enumerate(named)}
    return colors | ({OTHERS: "0.75"} if OTHERS in set(kinds) else {})


def _map(ax: Axes, points: pd.DataFrame, colors: dict[str, str]) -> None:
    """The largest kind at the back and with the smallest dots; equal ones have equal dots."""
    sizes = points["kind"].value_counts().reindex(list(colors))
    for kind in sizes.dropna().sort_values(ascending=False, kind="stable").index:
        rows = points[points["kind"] == kind]
        area = min(max(INK / len(rows), SMALLEST), LARGEST)
        ax.scatter(
            rows["x"],
            rows["y"],
            s=area,
            color=colors[kind],
            linewidths=0,
            rasterized=True,
        )
    without_axes(ax)


def _trust(row: pd.Series) -> str:
    return (
        f"T {row['trustworthiness']:.2f} [{row['chance_trustworthiness']:.2f}]  "
        f"C {row['continuity']:.2f} [{row['chance_continuity']:.2f}]  "
        f"R {row['neighbor_recall']:.2f} [{row['chance_neighbor_recall']:.3f}]"
    )


def _tables(results: dict[str, Any], label: str, digits: int) -> str:
    quality, neighbors = results["quality"], results["neighbors"]
    return "\n".join(
        [
            f"# Maps of texts in {label}\n\nStage `project_text_maps`.\n",
            section(
                "Quality",
                QUALITY_NOTE,
                markdown_table(
                    quality.reindex(columns=[*OF_MAPS]).rename(columns=OF_MAPS), digits, ["chance"]
                ),
            ),
            section(
                "What lies near what",
                "The share of a vector's nearest that are of its own corpus, domain or document, "
                "in the space and in its maps; chance is any others. k-occurrence: how often a "
                "vector of the corpus is among the nearest, k on average; far more are hubs.",
                markdown_table(
                    neighbors.reindex(columns=[*NEIGHBORS]).rename(columns=NEIGHBORS), digits
                ),
            ),
        ]
    )
