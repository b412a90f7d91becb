"""Draws what `measure_ledger` found: how many claims and numbers match, by section."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import HALO, counted, new_figure
from embspace.draw.page.looks import VERDICTS
from embspace.draw.page.markdown import folded, interval, markdown_table, section
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.draw.page.wording import listed
from embspace.published.untrained import ALSO_UNTRAINED, HOLDS, TRAINING, families
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
VERDICT = ["verdict", "reason"]
VALUE_OF_CLAIM, VALUE_OF_NUMBER = "value of the statistic", "value of this model"
UNTRAINED = ["untrained_value", "untrained_verdict"]
RULED = ["null", "holds_if", *VERDICT, *UNTRAINED, "rests_on", "decided"]
# Of the thesis.
SUBJECTS = {
    "2.2": "embedding spaces",
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
MOST_ALONE = 2  # claims of a section that has no bar of its own
HATCHES = {"holds, but also untrained": "....", "differs": "////", "depends on the rule": "xxxx"}
CHANCE = 0.05  # of a rule whose null is true, at most


def draw_ledger(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a bar for every section of the thesis or other source, and a bar for every verdict."""
    ledger = results["csv"]
    ledger = ledger.assign(place=_places(ledger))
    all_claims = ledger[ledger["kind"] == "claim"]
    # Toys, arithmetic and counts of tokens come out alike for every model.
    claims = all_claims[all_claims["about"] == "weights"]
    n_apart = len(all_claims) - len(claims)
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_title(claims),
        subtitle=f"{label} · {counted(len(claims), 'published claim')} on weights, "
        f"{n_apart} others left out · sections of Luisto 2024, then other sources · depends on the "
        "rule: an equally good rule has another verdict · a: colors of b",
        stage="measure_ledger",
    )
    _claims(axes[0], claims)
    _totals(axes[1], claims)
    return figure, _tables(ledger, results["rules"], label, digits)


def _title(claims: pd.DataFrame) -> str:
    """Return how many of the checkable claims match, and the ways of the rest."""
    n = claims["verdict"].value_counts().drop("not checkable", errors="ignore")
    held = n.get("matches", 0)
    said = f"{held} of {counted(n.sum(), 'checkable claim')} "
    said += "matches" if held == 1 else "match"
    ways = {"differs": "differ", ALSO_UNTRAINED: "also hold untrained"}
    others = [way for verdict, way in ways.items() if verdict in n]
    others += ["are not decided"] if set(n.index) - {"matches", *ways} else []
    return f"{said}; the others {listed(others, 'or')}" if others else said


def _claims(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a bar per section, the first at the top; its parts show numbers of claims.

    Claims that cannot be checked are left out, and sections of one or two claims have no bar.
    """
    counts = rows.groupby(["place", "verdict"]).size().unstack(fill_value=0)
    counts = counts.drop(columns="not checkable", errors="ignore")
    fewest = 1 + min(MOST_ALONE, counts.sum(axis=1).max() - 1)
    counts = counts[counts.sum(axis=1) >= fewest]
    if counts.empty:
        ax.set_axis_off()
        return
    counts = counts.loc[sorted(counts.index, key=_in_order, reverse=True)]
    names = [f"{place}  {SUBJECTS.get(place, '')}".strip() for place in counts.index]
    left = pd.Series(0, index=counts.index)
    for verdict in (name for name in VERDICTS if name in counts):
        bars = ax.barh(names, counts[verdict], left=left, label=VERDICTS[verdict].name)
        _look(bars, verdict)
        words = [str(n) if n else "" for n in counts[verdict]]
        ax.bar_label(bars, words, label_type="center", fontsize=7, path_effects=HALO)
        left = left + counts[verdict]
    which = f"sections of {fewest:.0f} or more" if fewest > 1 else "by section"
    ax.set(title=f"Checkable claims, {which}", xlabel="published claims")
    ax.grid(visible=False, axis="y")


def _look(bars: Iterable[Rectangle], verdict: str) -> None:
    for bar in bars:
        bar.set(facecolor=VERDICTS[verdict].color, edgecolor="white", linewidth=0.4)
        bar.set_hatch(HATCHES.get(verdict, ""))


def _totals(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a bar per verdict; the bars also name the parts of the sections."""
    counts = rows["verdict"].value_counts()
    for verdict in (name for name in VERDICTS if name in counts):
        bars = ax.barh([VERDICTS[verdict].name], counts[verdict], height=0.5)
        _look(bars, verdict)
        ax.bar_label(bars, padding=2, fontsize=7)
    if rows.empty:
        ax.set_axis_off()
    ax.invert_yaxis()
    n_checkable = (rows["verdict"] != "not checkable").sum()
    ax.set(title=f"All claims, {n_checkable} checkable", xlabel="published claims", xmargin=0.15)
    ax.grid(visible=False, axis="y")


def _places(ledger: pd.DataFrame) -> pd.Series:
    """Return the section of the thesis, the first source; of others author and year."""
    whose = ledger["source"].map(lambda source: _author_and_year(str(source)))
    is_thesis = ledger["source"].isin(ledger["source"].head(1))
    return ledger["section"].where(is_thesis).fillna(whose)


def _author_and_year(source: str) -> str:
    author = re.split(r"[,(]| et al", source)[0].split()[-1]
    return " ".join([author, *re.findall(r"\((\d{4})\)", source)[:1]])


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
                "Numbers of claims by verdict.",
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
    """Return a table of claims or numbers; the heading of the values says whose they are.

    Values have intervals. The value of a row on toys or references is the value of these, as the
    statement says.
    """
    named = interval("value", VALUE_OF_CLAIM if "statistic" in rows else VALUE_OF_NUMBER)
    ends = {"low": "value_low", "high": "value_high"}
    names = {**ends, "untrained_value": "random weights", "untrained_verdict": "verdict there"}
    return markdown_table(rows.rename(columns=names).rename(columns=named), digits)


DRAWINGS = {"ledger": drawing_of(draw_ledger, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("ledger", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))
