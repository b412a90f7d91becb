"""Tells how many neighbors of a text share the label, from `measure_label_overlap`."""

from pathlib import Path

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted, sentence_case
from embspace.draw.page.looks import TEXT_POOLINGS, corpus_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.draw.texts.layer_lines import EMBEDDINGS
from embspace.settings.stage import StageConfig, run_stage

STAGE = "measure_label_overlap"
DRAWN_IN = "layer_choice"
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


def draw_label_overlap(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return where most neighbors of a text have its label, and the share at all layers."""
    return _finding(results["csv"]), _tables(results, label, digits)


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


def _tables(results: Results, label: str, digits: int) -> str:
    table = results["csv"]
    title = f"Labels among the neighbors of texts of {label}"
    if table.empty:
        return tables_page(title, STAGE, f"{NO_LABELS}.\n")
    parts = [
        section(
            f"{sentence_case(corpus_looks([str(corpus)])[str(corpus)].name)}: "
            f"{MEASURES[str(measure)]}",
            f"Of {counted(rows['n'].iloc[0], 'text')}; by chance {rows['chance'].iloc[0]:.3f}.",
            markdown_table(results.for_readers("csv", rows, pooling=EMBEDDINGS), digits),
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
