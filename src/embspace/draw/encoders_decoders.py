"""Figure and table of `compare_encoders_decoders`: profiles of encoders beside decoders."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.canvas import new_figure, say_instead
from embspace.draw.markdown import markdown_table, section

RESULTS = ("csv",)
KINDS = {"encoder": "encoders", "decoder": "decoders"}
NAMES = {"top_variance_share": "top variance share", "two_nn": "TwoNN dimension"}
MARKERS = "os^vD*"


def draw_encoders_decoders(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row a measure, one column a kind of model; a line a model, the mean of the seeds."""
    table = results["csv"]
    measures = list(dict.fromkeys(table["measure"])) or list(NAMES)
    figure, axes = new_figure(
        len(measures),
        len(KINDS),
        height_mm=row_height_mm * len(measures) + 20,
        title="Do encoders and decoders differ over their layers?",
        subtitle="tokens as they are · bands: from the smallest to the largest seed, or the 95 % "
        "interval over texts",
        stage="compare_encoders_decoders",
        drawn_by="draw_compare",
    )
    heading = "# Encoders and decoders\n\nStage `compare_encoders_decoders`.\n"
    if table.empty:
        say_instead(axes, "nothing under `profiled` or `trained` in params.yaml")
        return figure, f"{heading}\nNone.\n"
    for row, measure in enumerate(measures):
        for column, (kind, words) in enumerate(KINDS.items()):
            ax = axes[row * len(KINDS) + column]
            rows = table[(table["measure"] == measure) & (table["kind"] == kind)]
            _lines(ax, rows)
            ax.set_title(words if row == 0 else "")
            ax.set_ylabel(NAMES.get(measure, measure.replace("_", " ")))
            ax.set_xlabel("layer / last layer" if row == len(measures) - 1 else "")
        pair = axes[row * len(KINDS) : (row + 1) * len(KINDS)]
        top = max(ax.get_ylim()[1] for ax in pair)
        for ax in pair:
            ax.set_ylim(0, top)
    wide = table.groupby(["measure", "kind", "name", "layer"], sort=False)["value"].mean()
    shown = wide.unstack("layer").reset_index()
    shown.columns = [each if isinstance(each, str) else f"layer {each}" for each in shown]
    shown = shown.assign(measure=shown["measure"].str.replace("_", " "))
    text = section("Mean over seeds", "", markdown_table(shown, digits))
    return figure, f"{heading}\n{text}"


def _lines(ax: Axes, rows: pd.DataFrame) -> None:
    for number, (name, of_name) in enumerate(rows.groupby("name", sort=False)):
        by_depth = of_name.groupby("depth")
        mean = by_depth["value"].mean()
        low = by_depth["low"].min().fillna(by_depth["value"].min())
        high = by_depth["high"].max().fillna(by_depth["value"].max())
        color = f"C{number}"
        ax.plot(mean.index, mean, color, marker=MARKERS[number % len(MARKERS)], ms=3, label=name)
        ax.fill_between(mean.index, low, high, color=color, alpha=0.2, linewidth=0)
    if len(rows):
        ax.legend(fontsize=6.5)
