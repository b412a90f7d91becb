"""Figure and tables of `measure_parameter_alignment`: layers of seeds matched by parameters."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import BLUE, GRAY, VERMILION, Look
from embspace.draw.page.markdown import for_readers, interval, markdown_table, section, tables_page
from embspace.draw.page.parameter_groups import GROUPS
from embspace.draw.page.run_tables import with_runs
from embspace.draw.page.saving import ALL_RUNS, Results, draw_and_save, drawing_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
FURTHER_RESULTS = ("conf/measure/parameters/parameter_alignment.yaml",)
SETTINGS = FURTHER_RESULTS[0]
STAGE = "measure_parameter_alignment"
NONE = "no run was trained; `make all` trains some"
SPACES = {
    "vocabulary": Look("through the vocabulary", BLUE, "o", "-"),
    "raw": Look("in raw space", VERMILION, "s", "--"),
}
MOST = 0.5  # of pairs and groups that are aligned, beyond which a run is
ALL = 0.95  # of layers found, on average, beyond which they are
DODGE = 0.05  # rows between the points of two pairs of seeds


def draw_parameter_alignment(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the layers found in disguised copies by noise, and those matched in seeds by run."""
    assignments = with_runs(results["assignments"], label)
    planted = with_runs(results["planted"], label)
    figure, axes = new_figure(
        1,
        1 if planted.empty else 2,
        height_mm=height_mm,
        title=_title(assignments, planted),
        subtitle=_subtitle(assignments, planted, results[SETTINGS]["level"]),
        stage=STAGE,
    )
    title = "Layers of seeds matched by their parameters"
    if planted.empty:
        say_instead(axes, NONE.replace("`", ""))
        return figure, tables_page(title, STAGE, "None.\n")
    _copies(axes[0], planted)
    runs = list(planted["run"].drop_duplicates())
    _seeds(axes[1], assignments, runs)
    legend_below(figure, axes, ncols=4)
    return figure, tables_page(title, STAGE, *_tables(assignments, planted, digits))


def _last(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows after the last phase; what comes last in a table was trained most."""
    if table.empty:
        return table
    ends = table.groupby("run")[["phase", "step"]].transform("last")
    return table[(table["phase"] == ends["phase"]) & (table["step"] == ends["step"])]


def _is_true(column: pd.Series) -> pd.Series:
    return column.astype(str) == "True"


def _title(assignments: pd.DataFrame, planted: pd.DataFrame) -> str:
    if planted.empty:
        return "No run was trained"
    means = planted.groupby(["space", "noise"])["found"].mean()
    noise = means["vocabulary"].index[means["vocabulary"] > ALL]
    strong = "" if len(noise) == len(means["vocabulary"]) else " unless noise is strong"
    raw = means["raw"].max()
    is_chance = raw < 2 * planted["chance"].mean()
    said = (
        f"Copies' layers are found through the vocabulary{strong}, in raw space "
        f"{'by chance alone' if is_chance else 'too'}"
        if len(noise)
        else "Copies' layers are not found, even without noise"
    )
    rows = _last(assignments)
    apart = rows[rows["run"].isin(_trained_apart(assignments))]
    if apart.empty:
        return said
    aligned = _is_true(apart["is_aligned"]).groupby([apart["space"], apart["run"]]).mean()
    names = sorted(set(aligned.index[aligned > MOST].get_level_values("run")))
    if names:
        return f"{said}; seeds without a common base are aligned in {', '.join(names)}"
    most, untrained = (_shares(rows).max() for rows in (apart, assignments.query("step == 0")))
    return (
        f"{said}; seeds without a common base match in at most {percent(most)} of kinds of "
        f"weights (untrained {percent(untrained)})"
    )


def _shares(assignments: pd.DataFrame) -> pd.Series:
    """Return the share of kinds of weights that match beyond the null, of two seeds of a run."""
    keys = [assignments[key] for key in ("run", "space", "seed", "other_seed")]
    return _is_true(assignments["is_aligned"]).groupby(keys).mean()


def _trained_apart(assignments: pd.DataFrame) -> set[str]:
    """Return the runs with seeds that start at random, not from a common trained model."""
    if assignments.empty:
        return set()
    return set(assignments.loc[assignments["phase"] == "pretraining", "run"])


def _subtitle(assignments: pd.DataFrame, planted: pd.DataFrame, level: float) -> str:
    if planted.empty:
        return "0 runs"
    n_seeds = pd.concat([assignments["seed"], assignments["other_seed"]]).nunique()
    n_kinds = assignments.groupby("run")["group"].nunique().max() if len(assignments) else 0
    return (
        f"{counted(planted['run'].nunique(), 'run')} of up to {counted(n_seeds, 'seed')}, after "
        f"training · a: {planted['n_copies'].iloc[0]} copies, layers shuffled, space turned; thin "
        f"lines: runs · b: a point for two seeds: of up to {n_kinds} kinds of weights those with "
        f"more layers matched than in {50 * (1 + level):g} % of random matches; open: of one base"
    )


def _copies(ax: Axes, planted: pd.DataFrame) -> None:
    """Draw the share of layers found by noise: a thin line per run, a thick line for the mean."""
    for space, look in SPACES.items():
        rows = planted[planted["space"] == space]
        for _, run_rows in rows.groupby("run"):
            line = run_rows.groupby("noise")["found"].mean()
            ax.plot(line.index, line, color=look.color, lw=0.5, alpha=0.6)
        mean = rows.groupby("noise")["found"].mean()
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4}
        ax.plot(mean.index, mean, ls=look.line, label=look.name, **style)
    ax.axhline(planted["chance"].mean(), color=GRAY, ls=":", lw=1, label="chance")
    ax.set(title="Layers found in copies", xlabel="noise, multiple of the weights")
    ax.set_ylabel("share of layers")
    noise = sorted(set(planted["noise"]))
    ax.set_xscale("symlog", base=2, linthresh=1)
    ax.set_xticks(noise, [f"{value:g}" for value in noise], minor=False)
    ax.set_ylim(-0.03, 1.05)
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))


def _seeds(ax: Axes, assignments: pd.DataFrame, runs: list[str]) -> None:
    """Draw a row per run: for two seeds, the share of kinds of weights matched beyond the null.

    Open points: seeds from the same trained model; crosses: seeds before any training.
    """
    rows, apart = _last(assignments), _trained_apart(assignments)
    cross: dict[str, Any] = {
        "color": GRAY,
        "marker": "x",
        "ms": 3.5,
        "label": "untrained, above: vocabulary, below: raw",
    }
    for place, run in enumerate(runs):
        run_rows = rows[rows["run"] == run]
        if run_rows.empty:
            ax.text(0.02, place, "a single seed", va="center", fontsize=7, color=GRAY)
            continue
        for offset, (space, look) in zip((-0.2, 0.2), SPACES.items(), strict=True):
            style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 4}
            style |= {} if run in apart else {"mfc": "white"}
            at_start = assignments[(assignments["run"] == run) & (assignments["step"] == 0)]
            for table, marks, middle in (
                (run_rows, style, place + 0.7 * offset),
                (at_start, cross, place + 1.8 * offset),
            ):
                shares = _shares(table[table["space"] == space])
                heights = middle + DODGE * (np.arange(len(shares)) - (len(shares) - 1) / 2)
                ax.plot(shares, heights, ls="", **marks)
                if run in apart and 0 < shares.max() < 1:
                    place_of_most = (shares.max(), heights[shares.to_numpy().argmax()])
                    write_beside(ax, percent(shares.max()), place_of_most, (5, 0), va="center")
    pairs = rows.groupby("run")[["seed", "other_seed"]].apply(lambda own: len(own.value_counts()))
    names = [
        f"{run}\n({counted(pairs.get(run, 0), 'pair')}{'' if run in apart else ', one base'})"
        for run in runs
    ]
    ax.set_yticks(range(len(runs)), names)
    ax.grid(visible=False, axis="y")
    across: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "zorder": 0}
    ax.hlines(np.arange(1, len(runs)) - 0.5, 0, 1, color="0.85", lw=0.6, **across)
    ax.set(title="Kinds of weights beyond chance, two seeds", xlabel="share of kinds of weights")
    ax.set(xlim=(-0.03, 1.05), ylim=(len(runs) - 0.4, -0.6))
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))


def _tables(assignments: pd.DataFrame, planted: pd.DataFrame, digits: int) -> list[str]:
    words = {"group": {group: GROUPS.get(group, group) for group in assignments["group"]}}
    columns = {"run": "run", "phase": "phase", "step": "step", "seed": "seed"}
    columns |= {"other_seed": "other seed", "group": "parameters", "space": "space"}
    columns |= {
        **interval("on_diagonal", "matched with themselves"),
        **interval("null_on_diagonal", "rows dealt at random"),
        "p_value": "p-value",
        "total": "total",
        "diagonal_total": "total of the diagonal",
        "margin": "margin",
        "is_aligned": "aligned",
    }
    columns = {key: name for key, name in columns.items() if key in assignments}
    note = (
        "Share of layers that the best assignment matches with the layer of the same depth. "
        "Total: the sum of mean |r| over the layers that are matched; margin: by how much the "
        "second best assignment has less. Aligned: the share is above the range of the null, a "
        "rule that was fixed before. Two seeds that start from one base share all that was not "
        "trained."
    )
    last = for_readers(_last(assignments), columns, **words)
    after = section("After training", note, markdown_table(last, digits))
    note = (
        "Copies of the first seed at the end of its first phase: layers in random order, the "
        "space turned by a random orthogonal matrix, normal noise of so many root mean squares on "
        "each parameter. "
        "Share of layers found, and the range over copies; means over the groups of parameters."
    )
    keys = ["run", "space", "noise"]
    shares_found = ["found", "found_low", "found_high", "chance"]
    copies = planted.groupby(keys, sort=False)[shares_found].mean().reset_index()
    disguised = section("Disguised copies", note, markdown_table(copies, digits))
    keys = ["run", "phase", "step", "space"]
    numbers = assignments.assign(aligned=_is_true(assignments["is_aligned"]))
    shares = ["on_diagonal", "null_on_diagonal", "aligned"]
    every = numbers.groupby(keys, sort=False)[shares].mean().reset_index()
    every = every.rename(columns={"on_diagonal": "matched with themselves"})
    every = every.rename(columns={"null_on_diagonal": "rows dealt at random"})
    note = "Means over groups and pairs of seeds; aligned: the share of these."
    first = section("Before and after training", note, markdown_table(every, digits))
    return [first, disguised, after]


DRAWINGS = {"parameter_alignment": drawing_of(draw_parameter_alignment, TABLES, FURTHER_RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("parameter_alignment", DRAWINGS, ALL_RUNS, "all runs", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
