"""Figure of `measure_ledger`: how many numbers and claims of the thesis match, by section."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, counted, new_figure
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Drawing, draw_and_save, functions_of
from embspace.settings.stage import StageConfig, run_stage

RESULTS = ("csv",)
VERDICTS = {
    "matches": "C2",
    "differs": "C3",
    "cannot be had": "0.8",
    "slip": "C1",
    "lost in the source": "0.5",
}
KINDS = {"claim": "claims", "number": "numbers, slips and what is lost"}


def draw_ledger(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One bar a section of the thesis, one panel for claims and one for numbers."""
    ledger = results["csv"]
    decided = ledger["verdict"].isin(["matches", "differs"]).sum()
    figure, axes = new_figure(
        1,
        len(KINDS),
        height_mm=height_mm,
        title="What the thesis states, held against what is measured here",
        subtitle=f"{label} · Luisto 2024, on bert-base-cased · {counted(len(ledger), 'row')}, "
        f"{count(decided)} decided by this model's results",
        stage="measure_ledger",
    )
    is_claim = ledger["kind"] == "claim"
    for ax, chosen, words in zip(axes, (is_claim, ~is_claim), KINDS.values(), strict=True):
        _bars(ax, ledger[chosen])
        ax.set(title=words, xlabel="rows")
    axes[0].set_ylabel("section of the thesis")
    handles = {
        name: handle
        for ax in axes
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower left", ncols=len(VERDICTS))
    return figure, _tables(ledger, label, digits)


def _bars(ax: Axes, rows: pd.DataFrame) -> None:
    if rows.empty:
        ax.set_axis_off()
        return
    counts = rows.groupby(["section", "verdict"]).size().unstack(fill_value=0)
    counts = counts.loc[sorted(counts.index, key=_in_order, reverse=True)]
    left = pd.Series(0, index=counts.index)
    for verdict, color in VERDICTS.items():
        if verdict in counts:
            ax.barh(counts.index, counts[verdict], left=left, color=color, label=verdict)
            left = left + counts[verdict]


def _in_order(name: Any) -> tuple[int, ...]:
    return tuple(int(part) for part in str(name).split("."))


def _tables(ledger: pd.DataFrame, label: str, digits: int) -> str:
    claims = ledger[ledger["kind"] == "claim"]
    others = ledger[ledger["kind"] != "claim"]
    shown = ["section", "page", "question", "statement", "statistic", "value", "low", "high"]
    return "\n".join(
        [
            f"# The thesis, row by row, on {label}\n\nStage `measure_ledger`. Pages are those of "
            "the thesis's PDF file. A claim is decided by a rule on value, interval and null; a "
            "number matches if ours rounds to what is printed.\n",
            section(
                "Claims",
                "Every rule stands in data/published/luisto_thesis.yaml.",
                markdown_table(claims[[*shown, "null", "holds_if", "verdict", "reason"]], digits),
            ),
            section(
                "Numbers, slips and what is lost",
                "Numbers of another model have no verdict; the value is this model's.",
                markdown_table(
                    others[
                        ["section", "page", "statement", "published", "value", "verdict", "reason"]
                    ],
                    digits,
                ),
            ),
        ]
    )


DRAWINGS = {"ledger": Drawing(draw_ledger, RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("ledger", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
