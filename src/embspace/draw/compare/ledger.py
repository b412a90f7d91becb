"""Draws what `measure_ledger` found: how many claims and numbers match, by section."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure
from embspace.draw.page.looks import VERDICTS
from embspace.draw.page.markdown import folded, interval, markdown_table, section
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.published.untrained import HOLDS, TRAINING, families, trained_share
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
VERDICT = ["verdict", "reason"]
VALUE_OF_CLAIM, VALUE_OF_NUMBER = "value of the statistic", "value of this model"
UNTRAINED = ["untrained_value", "untrained_verdict"]
RULED = ["null", "holds_if", *VERDICT, *UNTRAINED, "rests_on", "decided"]
# Of the thesis.
SUBJECTS = {
    "2.2": "embedding spaces",
    "2.3.1": "linked circles",
    "2.3.2": "cubes",
    "3.2.3": "parts of speech",
    "3.2.4": "sinusoidal positions",
    "3.2.6": "attention heads",
    "3.2.8": "order of tokens",
    "3.3.2": "number of weights",
    "4.2": "all learned embeddings",
    "4.2.1": "vocabulary",
    "4.2.2": "token embeddings",
    "4.2.3": "position embeddings",
    "4.2.4": "segment embeddings",
    "4.2.5": "tokens beside positions",
    "4.3": "words through the layers",
    "4.4.1": "sentences of one meaning",
    "4.4.2": "differences of sentences",
    "4.4.3": "clouds of texts",
    "4.5.1": "search",
    "5": "summary",
    "5.2": "cosines in general",
}
HATCHED = "differs"
CHANCE = 0.05  # of a rule whose null is true, at most
LIGHT = 1.3  # sum of red, green and blue from which on a color is light


def draw_ledger(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a bar for each section of the thesis or other source, and one a verdict on numbers."""
    ledger = results["csv"]
    ledger = ledger.assign(place=_places(ledger))
    is_claim = ledger["kind"] == "claim"
    claims, numbers = ledger[is_claim], ledger[~is_claim]
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_title(claims),
        subtitle=f"{label} · {counted(len(claims), 'claim')}, {counted(len(numbers), 'number')} · "
        "sections of Luisto 2024, then other sources · toys and references decide for all models",
        stage="measure_ledger",
    )
    gridspec = axes[0].get_gridspec()
    if gridspec is not None:
        gridspec.set_width_ratios([5, 3])
    _claims(axes[0], claims)
    _numbers(axes[1], numbers)
    legend_below(figure, axes[:1], ncols=3)
    return figure, _tables(ledger, results["rules"], label, digits)


def _title(claims: pd.DataFrame) -> str:
    """Return a sentence on how many claims have each verdict, and how many need training."""
    n = claims["verdict"].value_counts()
    others = [
        f"{n[verdict]} {look.name}"
        for verdict, look in VERDICTS.items()
        if verdict in n and verdict not in (*HOLDS, "differs")
    ]
    all_claims = f"Of {counted(len(claims), 'published claim')}"
    n_held, n_not = sum(n.get(verdict, 0) for verdict in HOLDS), n.get("differs", 0)
    held = f"{n_held} {'holds' if n_held == 1 else 'hold'}"
    failed = f"{n_not} {'does' if n_not == 1 else 'do'} not"
    rest = f" ({', '.join(others)})" if others else ""
    return f"{all_claims} {held} and {failed}{rest}{trained_share(claims)}"


def _claims(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a bar for each section, the first at the top, in parts that number their claims."""
    if rows.empty:
        ax.set_axis_off()
        return
    counts = rows.groupby(["place", "verdict"]).size().unstack(fill_value=0)
    counts = counts.loc[sorted(counts.index, key=_in_order, reverse=True)]
    left = pd.Series(0, index=counts.index)
    for verdict in (each for each in VERDICTS if each in counts):
        look = VERDICTS[verdict]
        hatch: dict[str, Any] = {"hatch": "///", "edgecolor": "white"} if verdict == HATCHED else {}
        names = [f"{place}  {SUBJECTS.get(place, '')}".strip() for place in counts.index]
        bars = ax.barh(
            names, counts[verdict], left=left, color=look.color, label=look.name, **hatch
        )
        words = [str(n) if n > 1 else "" for n in counts[verdict]]
        box: dict[str, Any] = {
            "boxstyle": "round,pad=0.25",
            "facecolor": look.color,
            "edgecolor": "none",
        }
        written = ax.bar_label(bars, words, label_type="center", fontsize=7, color=_ink(look.color))
        for text in (each for each in written if hatch and each.get_text()):
            text.set_bbox(box)
        left = left + counts[verdict]
    ax.set(title="Claims by section", xlabel="published claims")
    ax.grid(visible=False, axis="y")


def _ink(color: str) -> str:
    """Return white for words on a dark color, black on a light one."""
    return "white" if sum(to_rgb(color)) < LIGHT else "black"


def _numbers(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a bar for each verdict."""
    if rows.empty:
        ax.set_axis_off()
        return
    counts = rows["verdict"].value_counts()
    found = [each for each in reversed(VERDICTS) if each in counts]
    colors = [VERDICTS[each].color for each in found]
    bars = ax.barh([VERDICTS[each].name for each in found], counts[found], color=colors, height=0.5)
    ax.bar_label(bars, padding=2, fontsize=7)
    ax.set(title="Numbers by verdict", xlabel="published numbers", xmargin=0.15)
    ax.grid(visible=False, axis="y")


def _places(ledger: pd.DataFrame) -> pd.Series:
    """Return the section of the thesis, the first source; of others the last word of an author."""
    whose = ledger["source"].map(
        lambda source: re.split(r"[,(]| et al", str(source))[0].split()[-1]
    )
    is_thesis = ledger["source"].isin(ledger["source"].head(1))
    return ledger["section"].where(is_thesis).fillna(whose)


def _in_order(name: Any) -> tuple[list[int], str]:
    parts = str(name).split(".")
    if all(part.isdigit() for part in parts):
        return [int(part) for part in parts], ""
    return [10_000], str(name)  # after all sections


def _by_family(claims: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims of each question or section hold, and how many might by chance."""
    tested = claims["rests_on"].isin(["interval", "null", "interval and null"])
    counts = pd.DataFrame(
        {
            "family": families(claims),
            "claims": 1,
            "hold": claims["verdict"].isin(HOLDS),
            **{word: claims["training"].eq(word) for word in TRAINING},
            "by chance at most": CHANCE * tested,
        }
    )
    return counts.groupby("family", sort=False).sum().reset_index()


def _tables(ledger: pd.DataFrame, rules: pd.DataFrame, label: str, digits: int) -> str:
    ledger = ledger.astype({"page": "Int64"})  # with a row without one, decimals otherwise
    claims = ledger[ledger["kind"] == "claim"]
    others = ledger[ledger["kind"] != "claim"]
    shown = ["section", "page", "question", "statement", "statistic", "value", "low", "high"]
    differing = claims[claims["verdict"] == "differs"]
    ruled = ["section", "statement", "statistic", "value", "low", "high", "holds_if"]
    numbers = ["source", "section", "page", "statement", "published", "value", *VERDICT]
    return "\n".join(
        [
            f"# What was published, row by row, on {label}\n\nStage `measure_ledger`. Rows on "
            "toys, and on references such as the parameters of BERT, are the same for every model. "
            "Pages are those of the PDF file. A claim is decided by a rule on value, interval and "
            "null; a number matches if ours rounds to what is printed, and is restated if it is a "
            "setting or design of ours, of which nothing is measured.\n",
            section(
                "Claims that do not hold",
                "With the rule by which they would.",
                ledger_table(differing[ruled], digits),
            ),
            section(
                "By question",
                "Of the claims with an interval or null, 5 % may hold by chance.",
                markdown_table(_by_family(claims), digits),
            ),
            folded(
                section(
                    "Claims",
                    "Every rule stands in data/published. All of an interval must fit to match, "
                    "none of it to differ. `exact`: all there is was counted. `untrained`: by "
                    "the same rule at random weights. `decided`: when the rule was fixed.",
                    ledger_table(claims[[*shown, *RULED]], digits),
                )
                + "\n"
                + section(
                    "Claims that are asked in several ways",
                    "With each comparator, at each setting or by another rule.",
                    ledger_table(rules, digits),
                )
                + "\n"
                + section(
                    "Numbers, errors in the source and what is lost",
                    "Numbers of another model have no verdict.",
                    ledger_table(others[numbers], digits),
                )
            ),
        ]
    )


def ledger_table(rows: pd.DataFrame, digits: int) -> str:
    """Return rows of claims or numbers, each value with its interval, under a name that says whose.

    A row on toys or references has the value of these, as its statement says.
    """
    named = interval("value", VALUE_OF_CLAIM if "statistic" in rows else VALUE_OF_NUMBER)
    ends = {"low": "value_low", "high": "value_high"}
    return markdown_table(rows.rename(columns=ends).rename(columns=named), digits)


DRAWINGS = {"ledger": drawing_of(draw_ledger, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("ledger", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
