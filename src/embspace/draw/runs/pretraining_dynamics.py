"""Figure and table of `measure_pretraining_dynamics`: a model's layers over its training."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Drawing, draw_and_save, functions_of
from embspace.draw.runs.dynamics import Words, draw_over_training
from embspace.settings.stage import StageConfig, run_stage

RESULTS = ("csv", "claims.csv")


def draw_pretraining_dynamics(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    shown: list[str],
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row for each measure of `shown`: by layer and step, and the mean of the blocks.

    Drawn as `draw_dynamics` draws what we train ourselves; below the table stand the verdicts on
    what was claimed.
    """
    n_checkpoints = counted(results["csv"]["step"].nunique(), "checkpoint")
    n_tokens = counted(results["csv"]["n"].max() if len(results["csv"]) else 0, "token")
    words = Words(
        subtitle=f"{label} · {n_checkpoints} that its makers published · {n_tokens}, the same · "
        "right: mean of the blocks, without layer 0",
        heading=f"Pretraining dynamics of {label}",
        stage="measure_pretraining_dynamics",
        empty=f"{label}: too few documents",
    )
    figure, text = draw_over_training(results["csv"], words, shown, row_height_mm, digits)
    claims = results["claims"]
    return figure, text if claims.empty else f"{text}\n{_claims(claims, digits)}"


def _claims(table: pd.DataFrame, digits: int) -> str:
    shown = table.drop(columns="seed").assign(section=table["section"].astype(str))
    return section(
        "Claims on layers and training",
        "Razzhigaev et al. 2024 (arXiv 2311.05928), sections 4.1 to 4.3, asked of the model "
        "whatever its kind; `claimed_of` is the kind that they speak of. A claim depends on the "
        "rule where its verdict is another if the embeddings are one of the layers.",
        markdown_table(shown, digits),
    )


DRAWINGS = {"pretraining_dynamics": Drawing(draw_pretraining_dynamics, RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("pretraining_dynamics", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
