"""Figure and tables of `measure_tuning_words`: the words that the changes of tuning are read as."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, percent, say_instead
from embspace.draw.page.looks import BLUE, GRAY
from embspace.draw.page.markdown import for_readers, interval, markdown_table, section, tables_page
from embspace.draw.page.parameter_groups import GROUPS
from embspace.draw.page.run_tables import with_runs
from embspace.draw.page.saving import ALL_RUNS, Results, draw_and_save, drawing_of, functions_of
from embspace.files.tables import Tables
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
STAGE = "measure_tuning_words"
SHOWN = ("csv", "claims", "cards", "classes", "lists")
NONE = "no run tunes a base whose vocabulary has the words; `make all` trains `sentiment`"
READINGS = {"own": "as it is", "through_inner_map": "through the layer in front of it"}
HEADING = "Share of changed rows with words of sentiment"
OFFSET = 0.2  # of a seed from the middle of its row
TITLED = {
    group: f"attention {name}" if group.startswith("attention") else name
    for group, name in GROUPS.items()
}


def draw_tuning_words(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the shares of changes with words by run, group and layer; with tables."""
    tables = {name: with_runs(results[name], label) for name in SHOWN}
    shares = tables["csv"]
    runs = list(shares["run"].drop_duplicates())
    figure, axes = new_figure(
        max(1, len(runs)),
        1,
        height_mm=row_height_mm * len(runs) + 44,
        title=_title(tables),
        subtitle=_subtitle(tables),
        stage=STAGE,
    )
    title = "Words of sentiment in the changes of tuning"
    if not runs:
        say_instead(axes, NONE.replace("`", ""))
        return figure, tables_page(title, STAGE, f"None: {NONE}.\n")
    for ax, run in zip(axes, runs, strict=True):
        _dots(ax, shares[shares["run"] == run])
        ax.set_title(HEADING if len(runs) == 1 else f"{HEADING}: {run}")
    axes[-1].set_xlabel("share of rows")
    legend_below(figure, axes, ncols=2)
    return figure, tables_page(title, STAGE, *_tables(tables, digits))


def _n_tokens(lists: pd.DataFrame) -> int:
    return int(lists["n_tokens"].iloc[0])


def _title(tables: Tables) -> str:
    """Return the groups with words present, at the last layer and at earlier layers."""
    shares = tables["csv"]
    if shares.empty:
        return "No run tunes a base whose vocabulary has words of sentiment"
    last = shares["layer"].max()
    both = [shares[shares["layer"] == layer] for layer in (last - 1, last)]
    before, after = map(_present, both)
    said = "Tuning writes words of sentiment into"
    if not before and not after:
        return f"{said} no weights of the layers that it changes"
    n_groups = shares["group"].nunique()
    if not before or before == after:
        where = _listed(after or before, n_groups)
    else:
        where = f"{_listed(before, n_groups)} of layer {last - 1}, "
        where += f"in layer {last} into {_listed(after, n_groups) if after else 'none'}"
    pairs = zip(both, (before, after), strict=True)
    present = [rows[rows["group"].map(TITLED).isin(names)] for rows, names in pairs]
    least = pd.concat(present)["share"].min()
    return (
        f"{said} {where}: {percent(least)} of rows or more, random lists at most "
        f"{percent(_most_by_chance(shares))}"
    )


def _most_by_chance(shares: pd.DataFrame) -> float:
    """Return the upper end of random lists that is largest over groups, layers and seeds."""
    return float(shares["null_lists_high"].max())


def _present(shares: pd.DataFrame) -> list[str]:
    """Return the groups whose words are present in every run and seed."""
    named = shares.assign(found=_outcomes(shares))
    lacking = set(named.loc[named["found"] != "present", "group"])
    return [TITLED[group] for group in GROUPS if group in {*named["group"]} - lacking]


def _listed(groups: list[str], n_groups: int) -> str:
    if len(groups) == n_groups:
        return "all kinds of weights"
    return " and ".join(filter(None, (", ".join(groups[:-1]), groups[-1])))


def _subtitle(tables: Tables) -> str:
    shares = tables["csv"]
    if shares.empty:
        return "0 runs"
    lists = tables["lists"][tables["lists"]["is_measured"].astype(str) == "True"].iloc[0]
    row, runs = shares.iloc[0], shares["run"].unique()
    return (
        f"{counted(len(runs), 'run')} ({', '.join(runs)}), a base model tuned for "
        f"{' and '.join(shares['phase'].unique())}; a dot a seed · rows of tuned weights, "
        f"after less before: no other layers were tuned · share with {row['least_listed']} or more "
        f"of {lists['n_listed_tokens']} listed words among the {lists['n_tokens']} tokens of "
        "largest product with a row · the rule by layer was added after the results"
    )


def _dots(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the share of each seed as a dot, and the range of random lists as a bar."""
    order = [group for group in GROUPS if group in set(rows["group"])]
    layers = sorted(rows["layer"].unique())
    places = {
        pair: at for at, pair in enumerate((group, layer) for group in order for layer in layers)
    }
    seeds = sorted(rows["seed"].unique())
    by_chance = f"random lists of like words, 95 %: at most {percent(_most_by_chance(rows))}"
    for number, seed in enumerate(seeds):
        own = rows[rows["seed"] == seed]
        at = np.array([places[pair] for pair in zip(own["group"], own["layer"], strict=True)])
        at = at + OFFSET * (number - (len(seeds) - 1) / 2)
        wide: dict[str, Any] = {"color": GRAY, "alpha": 0.35, "linewidth": 4}
        ax.hlines(at, own["null_lists_low"], own["null_lists_high"], label=by_chance, **wide)
        ax.plot(own["share"], at, "o", color=BLUE, ms=4, label="a seed")
    names = [f"{GROUPS[group]}, layer {layer}" for group, layer in places]
    ax.set_yticks(range(len(places)), names, fontsize=7)
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_xlim(left=-0.01)
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    for edge in range(len(layers), len(places), len(layers)):
        ax.axhline(edge - 0.5, color="0.85", lw=0.6)


def _tables(tables: Tables, digits: int) -> list[str]:
    group = {"group": GROUPS}
    place = {"run": "run", "seed": "seed", "group": "changes of"}
    counts = {
        "share": "share above",
        "null_lists_high": "random lists, upper end",
        "mean_listed": "listed words",
    }
    note = (
        "All layers that were trained. Words are present where the share is above the range of "
        "random lists and the mean number of listed words above that of turned changes; absent "
        "where both are not; else the claim is undecided. The rule was fixed before. Absent means "
        "not found. The paper: one model, four changes of each group and layer, by eye."
    )
    columns = {**place, "claim": "the paper", **counts, "verdict": "verdict"}
    claims = for_readers(tables["claims"], columns, **group)
    parts = [section("What the paper says", note, markdown_table(claims, digits))]
    columns = {
        **{**place, "layer": "layer"},
        "n_vectors": "changes",
        "relative_change": "relative change",
        "share": "share above",
        **interval("null_lists", "random lists"),
        "p_value_lists": "p-value, lists",
        "mean_listed": "listed words",
        **interval("null_turned", "turned"),
        "p_value_turned": "p-value, turned",
    }
    columns["found"] = "words"
    shares = for_readers(tables["csv"].assign(found=_outcomes(tables["csv"])), columns, **group)
    note = (
        "Relative change: norm of the changes over that of the weights. Words: the same rule by "
        "layer; it was added after the results, upon a reader's objection. Rows: up to as many as "
        "there are changes, with signs exchanged, too."
    )
    parts.append(section("By layer", note, markdown_table(shares, digits)))
    columns = {**place, "layer": "layer", "n_listed": "listed words", "tokens": "strongest words"}
    cards = for_readers(tables["cards"], columns, **group)
    note = "Of each group and layer the change, or its negation, with the most listed words."
    parts.append(section("Changes as words", note, markdown_table(cards, digits)))
    columns = {"run": "run", "seed": "seed", "label": "class", "reading": "read"}
    columns |= {"polarity": "words", "n_listed": "listed words", "null_listed": "random vectors"}
    columns |= {"p_value": "p-value", "tokens": "strongest words"}
    classes = for_readers(tables["classes"], columns, reading=READINGS)
    note = (
        "The vector of each class in the last map, after less before, by itself and times the map "
        "in front of it; its negation is the other class."
    )
    parts.append(section("The classifier", note, markdown_table(classes, digits)))
    parts.append(_list(tables["lists"], digits))
    return parts


def _outcomes(shares: pd.DataFrame) -> list[str]:
    """Return for every layer whether the share is above both nulls, neither or one."""
    above = (shares["share"] > shares["null_lists_high"]).astype(int)
    above += (shares["mean_listed"] > shares["null_turned_high"]).astype(int)
    return [("absent", "undecided", "present")[n_nulls] for n_nulls in above]


def _list(lists: pd.DataFrame, digits: int) -> str:
    measured = lists["is_measured"].astype(str) == "True"
    columns = {"run": "run", "n_words": "words", "n_listed_tokens": "tokens"}
    columns |= {"n_missing": "not one token", "missing": "these"}
    note = "Words that the vocabulary has not as one token are left out."
    table = markdown_table(for_readers(lists[measured], columns), digits)
    return section("The list", note, table)


DRAWINGS = {"tuning_words": drawing_of(draw_tuning_words, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("tuning_words", DRAWINGS, ALL_RUNS, "all runs", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
