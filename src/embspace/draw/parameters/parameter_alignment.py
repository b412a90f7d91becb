"""Figure and tables of `measure_parameter_alignment`: layers of seeds matched by parameters."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
    shade,
)
from embspace.draw.page.looks import BLUE, GRAY, VERMILION, Look
from embspace.draw.page.markdown import folded, for_readers, interval, markdown_table, section
from embspace.draw.page.parameter_groups import GROUPS
from embspace.draw.page.run_tables import with_runs
from embspace.draw.page.saving import ALL_RUNS, Results, draw_and_save, drawing_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
FURTHER_RESULTS = ("conf/measure/parameters/parameter_alignment.yaml",)
SETTINGS = FURTHER_RESULTS[0]
NONE = "no run was trained; `make all` trains some"
SPACES = {
    "vocabulary": Look("through the vocabulary", BLUE, "o", "-"),
    "raw": Look("in raw space", VERMILION, "s", "--"),
}
MAPS = {"vocabulary": "Vocabulary", "raw": "Raw space"}
N_COLUMNS = 4
MOST = 0.5  # of pairs and groups that are aligned, beyond which a run is


def draw_parameter_alignment(
    results: Results,
    label: str,
    *,
    shown: str,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row for each run: maps of two seeds, matches by group, and disguised copies.

    Maps are of the first two seeds after the last phase, of the parameters `shown`.
    """
    tables = {name: with_runs(results[name], label) for name in ("assignments", "similarity")}
    planted = with_runs(results["planted"], label)
    runs = list(planted["run"].drop_duplicates())
    figure, axes = new_figure(
        max(1, len(runs)),
        N_COLUMNS if runs else 1,
        height_mm=row_height_mm * len(runs) + 40,
        title=_title(tables["assignments"], planted),
        subtitle=_subtitle(tables["assignments"], planted, shown, results[SETTINGS]["level"]),
        stage="measure_parameter_alignment",
    )
    heading = "# Layers of seeds matched by their parameters\n\n"
    heading += "Stage `measure_parameter_alignment`.\n"
    if not runs:
        say_instead(axes, NONE)
        return figure, f"{heading}\nNone.\n"
    for number, run in enumerate(runs):
        row = axes[N_COLUMNS * number : N_COLUMNS * (number + 1)]
        of_run = {name: table[table["run"] == run] for name, table in tables.items()}
        _maps(row[:2], of_run["similarity"], shown, run)
        _matches(row[2], of_run["assignments"])
        _copies(row[3], planted[planted["run"] == run])
        row[2].set_title("Same layer")
        row[3].set_title("Copies")
    row[2].set_xlabel("share of layers")
    row[3].set_xlabel("noise")
    legend_below(figure, axes, ncols=5)
    return figure, f"{heading}\n{_text(tables['assignments'], planted, digits)}"


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
    exact = planted[planted["noise"] == planted["noise"].min()].groupby("space")["found"].mean()
    said = (
        f"Through the vocabulary, {percent(exact['vocabulary'])} of the layers of turned and "
        f"shuffled copies are found, in raw space {percent(exact['raw'])}"
    )
    rows = _last(assignments)
    if rows.empty:
        return said
    aligned = _is_true(rows["is_aligned"]).groupby([rows["space"], rows["run"]], sort=False).mean()
    of_space = {space: set(found["run"]) for space, found in _mostly(aligned).groupby("space")}
    found, raw = (of_space.get(space, set()) for space in ("vocabulary", "raw"))
    names = [
        f"{run} (in raw space, too)" if run in raw else str(run)
        for run in rows["run"].unique()
        if run in found
    ]
    return f"{said}; seeds are aligned in {', '.join(names) or 'no run'}"


def _mostly(aligned: pd.Series) -> pd.DataFrame:
    """The spaces and runs of which most groups and seeds are aligned."""
    return aligned[aligned > MOST].reset_index()


def _subtitle(assignments: pd.DataFrame, planted: pd.DataFrame, shown: str, level: float) -> str:
    if planted.empty:
        return "0 runs"
    n_seeds = pd.concat([assignments["seed"], assignments["other_seed"]]).nunique()
    copies = planted.iloc[0]
    return (
        f"{counted(planted['run'].nunique(), 'run')} of up to {counted(n_seeds, 'seed')}, after "
        f"training · maps: layers of the first seed, upwards, by those of the second, mean |r|, "
        f"lowest to highest, of "
        f"{GROUPS.get(shown, shown)}; squares: the assignment · same layer: share that is matched "
        "with itself, for each two seeds; gray: rows dealt to layers at random, "
        f"{percent(level)} · copies: share of layers found in {copies['n_copies']} that are "
        "shuffled and turned, by noise as a multiple of the parameters; bands: "
        f"{percent(level)} of copies, mean of groups"
    )


def _maps(axes: Sequence[Axes], similarity: pd.DataFrame, shown: str, run: str) -> None:
    import seaborn as sns

    rows = _last(similarity)
    rows = rows[rows["group"] == shown]
    if rows.empty:
        say_instead(axes, f"{run}: a single seed")
        return
    rows = rows.merge(rows[["seed", "other_seed"]].head(1), on=["seed", "other_seed"])
    for ax, space in zip(axes, SPACES, strict=True):
        of_space = rows[rows["space"] == space]
        values = of_space.pivot(index="layer", columns="other_layer", values="similarity")
        sns.heatmap(values, cmap="viridis", square=True, cbar=False, ax=ax)
        for _, cell in of_space[_is_true(of_space["is_assigned"])].iterrows():
            corner = (cell["other_layer"] - 1, cell["layer"] - 1)
            ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor="white", lw=1.4))
        ax.invert_yaxis()
        ax.tick_params(rotation=0)
        ax.set(xlabel="", ylabel="")
        low, high = values.min().min(), values.max().max()
        look: dict[str, Any] = {
            "rotation": 90,
            "fontsize": 7,
            "va": "center",
            "transform": ax.transAxes,
        }
        ax.text(1.04, 0.5, f"{low:.3f} to {high:.3f}", **look)
        ax.set_title(MAPS[space])
    axes[0].set_ylabel(run)


def _matches(ax: Axes, assignments: pd.DataFrame) -> None:
    """Draw a line of points a group, one for each two seeds, over the range of the null."""
    rows = _last(assignments)
    groups = list(rows["group"].drop_duplicates())
    for place, group in enumerate(groups):
        of_group = rows[rows["group"] == group]
        null = of_group[["null_on_diagonal_low", "null_on_diagonal_high"]].mean()
        ax.fill_betweenx([place - 0.4, place + 0.4], *null, color=GRAY, alpha=0.3, lw=0)
        for offset, (space, look) in zip((0.18, -0.18), SPACES.items(), strict=True):
            shares = of_group.loc[of_group["space"] == space, "on_diagonal"]
            style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 3.5}
            ax.plot(shares, [place + offset] * len(shares), ls="", label=look.name, **style)
    ax.set_yticks(range(len(groups)), [GROUPS.get(group, group) for group in groups])
    ax.set_xlim(-0.05, 1.05)
    ax.set_ylim(len(groups) - 0.5, -0.5)
    ax.tick_params(axis="y", labelsize=7)


def _copies(ax: Axes, planted: pd.DataFrame) -> None:
    columns = ["found", "found_low", "found_high"]
    for space, look in SPACES.items():
        rows = planted[planted["space"] == space].groupby("noise")[columns].mean().reset_index()
        ax.plot(
            rows["noise"], rows["found"], color=look.color, marker=look.marker, ms=3, ls=look.line
        )
        shade(ax, rows, "noise", "found", color=look.color, alpha=0.2)
    ax.axhline(planted["chance"].iloc[0], color=GRAY, ls=":", lw=1, label="chance")
    ax.set_ylim(-0.05, 1.05)
    ax.set_ylabel("share of layers")


def _text(assignments: pd.DataFrame, planted: pd.DataFrame, digits: int) -> str:
    words = {"group": {each: GROUPS.get(each, each) for each in assignments["group"]}}
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
    parts = [section("After training", note, markdown_table(last, digits))]
    note = (
        "Copies of the first seed at the end of its first phase: layers in random order, the "
        "space turned by a random orthogonal matrix, normal noise of so many root mean squares on "
        "each parameter. "
        "Share of layers found, and the range over copies; means over the groups of parameters."
    )
    keys = ["run", "space", "noise"]
    found = ["found", "found_low", "found_high", "chance"]
    copies = planted.groupby(keys, sort=False)[found].mean().reset_index()
    parts.append(folded(section("Disguised copies", note, markdown_table(copies, digits))))
    keys = ["run", "phase", "step", "space"]
    numbers = assignments.assign(aligned=_is_true(assignments["is_aligned"]))
    shares = ["on_diagonal", "null_on_diagonal", "aligned"]
    every = numbers.groupby(keys, sort=False)[shares].mean().reset_index()
    every = every.rename(columns={"on_diagonal": "matched with themselves"})
    every = every.rename(columns={"null_on_diagonal": "rows dealt at random"})
    note = "Means over groups and pairs of seeds; aligned: the share of these."
    parts.append(folded(section("Before and after training", note, markdown_table(every, digits))))
    return "\n".join(parts)


DRAWINGS = {"parameter_alignment": drawing_of(draw_parameter_alignment, TABLES, FURTHER_RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("parameter_alignment", DRAWINGS, ALL_RUNS, "all runs", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
