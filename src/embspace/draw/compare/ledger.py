"""Figure of `measure_ledger`: how many numbers and claims of the thesis match, by section."""

import re
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, counted, legend_below, new_figure
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Drawing, draw_and_save, functions_of
from embspace.files.tables import Tables
from embspace.settings.stage import StageConfig, run_stage

RESULTS = ("csv",)
VERDICTS = {
    "matches": "C2",
    "differs": "C3",
    "depends on the rule": "C4",
    "undecided": "C5",
    "restated": "C0",
    "not checkable": "0.8",
    "error in the source": "C1",
    "lost in the source": "0.5",
}
VERDICT = ["verdict", "reason"]
RULED = ["null", "holds_if", *VERDICT, "rests_on", "decided"]
KINDS = {"claim": "claims", "number": "numbers and errors"}


def draw_ledger(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """One bar a section of the thesis or another source, a panel for claims, one for numbers."""
    ledger = results["csv"]
    ledger = ledger.assign(place=_places(ledger))
    decided = ledger["verdict"].isin(["matches", "differs"]).sum()
    figure, axes = new_figure(
        1,
        len(KINDS),
        height_mm=height_mm,
        title="What was published, held against what is measured here",
        subtitle=f"{label} · sections of Luisto 2024, then others · "
        f"{counted(len(ledger), 'row')}, {count(decided)} decided; toys and references decide "
        "for all models alike",
        stage="measure_ledger",
    )
    is_claim = ledger["kind"] == "claim"
    for ax, chosen, words in zip(axes, (is_claim, ~is_claim), KINDS.values(), strict=True):
        _bars(ax, ledger[chosen])
        ax.set(title=words, xlabel="rows")
    axes[0].set_ylabel("section")
    legend_below(figure, axes, ncols=4)
    return figure, _tables(ledger, label, digits)


def _bars(ax: Axes, rows: pd.DataFrame) -> None:
    if rows.empty:
        ax.set_axis_off()
        return
    counts = rows.groupby(["place", "verdict"]).size().unstack(fill_value=0)
    counts = counts.loc[sorted(counts.index, key=_in_order, reverse=True)]
    left = pd.Series(0, index=counts.index)
    for verdict, color in VERDICTS.items():
        if verdict in counts:
            ax.barh(counts.index, counts[verdict], left=left, color=color, label=verdict)
            left = left + counts[verdict]


def _places(ledger: pd.DataFrame) -> pd.Series:
    """Return the section of the thesis, the first source; of others the last word of an author."""
    whose = ledger["source"].map(
        lambda source: re.split(r"[,(]| et al", str(source))[0].split()[-1]
    )
    is_thesis = ledger["source"] == ledger["source"].iloc[0]
    return ledger["section"].where(is_thesis).fillna(whose)


def _in_order(name: Any) -> tuple[list[int], str]:
    parts = str(name).split(".")
    if all(part.isdigit() for part in parts):
        return [int(part) for part in parts], ""
    return [10_000], str(name)  # after all sections


def _tables(ledger: pd.DataFrame, label: str, digits: int) -> str:
    ledger = ledger.astype({"page": "Int64"})  # with a row without one, decimals otherwise
    claims = ledger[ledger["kind"] == "claim"]
    others = ledger[ledger["kind"] != "claim"]
    shown = ["section", "page", "question", "statement", "statistic", "value", "low", "high"]
    return "\n".join(
        [
            f"# What was published, row by row, on {label}\n\nStage `measure_ledger`. Rows on "
            "toys, and on references such as the parameters of BERT, are the same for every model. "
            "Pages are those of the PDF file. A claim is decided by a rule on value, interval and "
            "null; a number matches if ours rounds to what is printed, and is restated if it is a "
            "setting or design of ours, of which nothing is measured.\n",
            section(
                "Claims",
                "Every rule stands in data/published. All of an interval must fit to match, none "
                "of it to differ. `exact`: all there is was counted. `decided`: when the rule was "
                "fixed.",
                markdown_table(claims[[*shown, *RULED]], digits),
            ),
            section(
                "Numbers, errors in the source and what is lost",
                "Numbers of another model have no verdict; the value is this model's.",
                markdown_table(
                    others[
                        ["source", "section", "page", "statement", "published", "value", *VERDICT]
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
