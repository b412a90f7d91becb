"""Draws how many neighbors of a text have its label, which `measure_label_overlap` measures."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import GRAY, OWN_VECTOR, TEXT_POOLINGS, corpus_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.draw.texts.layer_lines import draw_by_layer, draw_random_by_layer
from embspace.settings.stage import StageConfig, run_stage

STAGE = "measure_label_overlap"
TABLES = Path(__file__).with_name("tables.yaml")
MEASURES = {
    "label_overlap": "neighbors of one label",
    "balanced_label_overlap": "the same, labels alike",
}
NO_LABELS = (
    "No corpus that the model reads has enough labels and texts:\n"
    "see `fewest_documents`, `n_neighbors` and `left_out`\n"
    "in conf/measure/texts/label_overlap.yaml"
)


def draw_label_overlap(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the share of neighbors with the label by layer, one row a corpus."""
    table = results["csv"]
    corpora = list(dict.fromkeys(table["corpus"]))
    n_rows = max(len(corpora), 1)
    figure, axes = new_figure(
        n_rows,
        len(MEASURES),
        height_mm=row_height_mm * n_rows + 36,
        title=_finding(table),
        subtitle=f"{label} · {_population(table)}",
        stage=STAGE,
    )
    if not corpora:
        say_instead(axes, NO_LABELS)
        return figure, _tables(results, label, digits)
    places = [(corpus, measure) for corpus in corpora for measure in MEASURES]
    for ax, (corpus, measure) in zip(axes, places, strict=True):
        rows = table[(table["corpus"] == corpus) & (table["measure"] == measure)]
        _panel(ax, rows)
        name = sentence_case(corpus_looks(corpora)[corpus].name)
        ax.set(title=f"{name}: {MEASURES[measure]}", ylabel="share of neighbors")
    legend_below(figure, axes, ncols=3)
    return figure, _tables(results, label, digits)


def _best(table: pd.DataFrame) -> pd.DataFrame:
    """The layer and pooling of each corpus where most neighbors have the label."""
    rows = table[table["measure"] == "label_overlap"].dropna(subset=["value", "layer"])
    rows = rows.astype({"layer": int})
    return rows.loc[rows.groupby("corpus", sort=False)["value"].idxmax()]


def _finding(table: pd.DataFrame) -> str:
    best = _best(table)
    if best.empty:
        return "No labels to look for among neighbors"
    sentences = [
        f"{corpus_looks([corpus])[corpus].name}: at best {100 * value:.0f} % of a text's neighbors "
        f"have its label (layer {layer}, {TEXT_POOLINGS[pooling].name}), {100 * chance:.0f} % by "
        "chance"
        for corpus, value, layer, pooling, chance in best[
            ["corpus", "value", "layer", "pooling", "chance"]
        ].itertuples(index=False)
    ]
    return sentence_case("; ".join(sentences))


def _population(table: pd.DataFrame) -> str:
    if table.empty:
        return "no text, n = 0"
    first = table.drop_duplicates("corpus")
    names = corpus_looks(first["corpus"])
    texts = [
        f"{names[row['corpus']].name}: {counted(row['n'], 'text')} of {row['n_labels']} labels"
        for _, row in first.iterrows()
    ]
    bands = f"bands: {100 * table['level'].iloc[0]:g} % intervals over documents"
    return " · ".join([", ".join(texts), bands, "gray: chance, labels shuffled"])


def _panel(ax: Axes, rows: pd.DataFrame) -> None:
    named = rows.rename(columns={"low": "value_low", "high": "value_high"})
    for value in named.loc[named["pooling"] == "sentence", "value"]:
        ax.axhline(
            value, color="0.3", linestyle=OWN_VECTOR.line, linewidth=1, label=OWN_VECTOR.name
        )
    for pooling, look in TEXT_POOLINGS.items():
        layers = named[named["pooling"] == pooling].sort_values("layer")
        if layers.empty:
            continue
        draw_by_layer(ax, layers, "value", look)
        if layers["random_weights_value"].notna().any():
            at_random = layers[["layer", "random_weights_value"]]
            at_random = at_random.rename(columns={"random_weights_value": "value"})
            draw_random_by_layer(ax, at_random, "value", look)
    ax.axhline(rows["chance"].iloc[0], color=GRAY, linewidth=1, label="chance level")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("layer (0: embedding output)")


def _tables(results: Results, label: str, digits: int) -> str:
    table = results["csv"]
    title = f"Labels among the neighbors of texts of {label}"
    if table.empty:
        return tables_page(title, STAGE, f"{NO_LABELS}.\n")
    names = {name: look.name for name, look in TEXT_POOLINGS.items()}
    names["sentence"] = OWN_VECTOR.name
    parts = [
        section(
            f"{sentence_case(corpus_looks([str(corpus)])[str(corpus)].name)}: "
            f"{MEASURES[str(measure)]}",
            f"Of {counted(rows['n'].iloc[0], 'text')}; by chance {rows['chance'].iloc[0]:.3f}.",
            markdown_table(results.for_readers("csv", rows, pooling=names), digits),
        )
        for (corpus, measure), rows in table.groupby(["corpus", "measure"], sort=False)
    ]
    return tables_page(title, STAGE, *parts)


DRAWINGS = {"label_overlap": drawing_of(draw_label_overlap, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("label_overlap", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
