"""Figure and tables of `measure_run_head_pairs`: the pairs of tokens that heads of runs relate."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import count, counted, legend_below, new_figure, say_instead
from embspace.draw.page.looks import BLUE, GRAY, VERMILION, Look
from embspace.draw.page.markdown import code, folded, markdown_table, section
from embspace.draw.page.run_tables import with_runs
from embspace.draw.page.saving import ALL_RUNS, Results, draw_and_save, drawing_of, functions_of
from embspace.files.tables import Tables
from embspace.settings.stage import StageConfig, run_stage

TABLES = Path(__file__).with_name("tables.yaml")
FURTHER_RESULTS = ("conf/measure/parameters/run_head_pairs.yaml",)
SETTINGS = FURTHER_RESULTS[0]
NONE = "no run with a vocabulary that is no language was trained; `make all` trains some"
FORMS = {"value_output": "W_VO", "query_key": "W_QK"}
LOOKS = {
    "value_output": Look("W_VO, trained", BLUE, "o", "-"),
    "query_key": Look("W_QK, trained", VERMILION, "s", "-"),
}
BEFORE = "before training"
BOTH = "n_above_null_and_anew"
CATEGORIES = {
    "equal": "same token",
    "part_of_speech": "part of speech",
    "topic": "topic",
    "same_number": "number",
    "stem": "stem",
    "place": "place",
    "near_place": "near places",
    "follows": "overlap",
    "precedes": "overlap, reversed",
    "amino_acid": "amino acid",
}
MEANINGS = {
    "equal": "a token with itself",
    "part_of_speech": "words of one part of speech",
    "topic": "words of one topic",
    "same_number": "words of one number",
    "stem": "singular and plural of one stem",
    "place": "variants of one place of the gene",
    "near_place": "k-mers of near places",
    "follows": "k-mers of which the second begins with the bases that the first ends with",
    "precedes": "k-mers of which the first begins with the bases that the second ends with",
    "amino_acid": "k-mers of different places that begin with one amino acid",
}
N_COLUMNS = 3
MEANS = {"share": "share", "permuted_mean": "permuted", "paired_anew_mean": "anew"}
MEANS |= {"shuffled_mean": "shuffled"}


def draw_run_head_pairs(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    n_cards: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row for each run: categories by layer of both forms, and heads beyond chance."""
    tables = {name: with_runs(results[name], label) for name in ("checkpoints", "shares", "pairs")}
    checkpoints = tables["checkpoints"]
    runs = list(checkpoints["run"].drop_duplicates())
    figure, axes = new_figure(
        max(1, len(runs)),
        N_COLUMNS if runs else 1,
        height_mm=row_height_mm * len(runs) + 45,
        title=_title(checkpoints),
        subtitle=_subtitle(checkpoints, results[SETTINGS]),
        stage="measure_run_head_pairs",
    )
    heading = "# Pairs of heads of runs\n\nStage `measure_run_head_pairs`.\n"
    if not runs:
        say_instead(axes, NONE)
        return figure, f"{heading}\nNone.\n"
    for number, run in enumerate(runs):
        row = axes[N_COLUMNS * number : N_COLUMNS * (number + 1)]
        shares = tables["shares"][tables["shares"]["run"] == run]
        _maps(row[:2], shares)
        row[0].set_ylabel(run)
        _counts(row[2], checkpoints[checkpoints["run"] == run])
    row[0].set_xlabel("layer")
    row[1].set_xlabel("layer")
    row[2].set_xlabel("heads, by seed")
    legend_below(figure, axes, ncols=3)
    return figure, f"{heading}\n{_text(tables, n_cards, digits)}"


def _ends(checkpoints: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows before any training and after all of it."""
    last = checkpoints.groupby("run")[["phase", "step"]].transform("last")
    is_last = (checkpoints["phase"] == last["phase"]) & (checkpoints["step"] == last["step"])
    return checkpoints[checkpoints["step"] == 0], checkpoints[is_last]


def _over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    keys = ["run", "form", "category"]
    return rows.groupby(keys, sort=False)[["n_above_null", BOTH, "n_heads"]].sum()


def _title(checkpoints: pd.DataFrame) -> str:
    if checkpoints.empty:
        return "No run with a vocabulary that is no language was trained"
    before, after = (_over_seeds(rows) for rows in _ends(checkpoints))
    if not after["n_above_null"].any():
        return "No head of a trained run relates tokens of one category beyond chance"
    rows = after.reset_index().assign(share=lambda each: each["n_above_null"] / each["n_heads"])
    best = rows.sort_values("share", ascending=False, kind="stable").iloc[0]
    run, form, category = (str(best[key]) for key in ("run", "form", "category"))
    n, of = int(best["n_above_null"]), int(best["n_heads"])
    most = int(before["n_above_null"].max()) if len(before) else 0
    return (
        f"{n} of {counted(of, 'head')} of the {run} prefer {MEANINGS[category]} by "
        f"{FORMS[form]}, more heads than any other pairs have; {int(best[BOTH])} of them "
        "also more than the same "
        "tokens paired at random, of the others this is not found; before training at most "
        f"{count(most)}"
    )


def _subtitle(checkpoints: pd.DataFrame, settings: dict[str, Any]) -> str:
    if checkpoints.empty:
        return "0 runs"
    n_tokens = sorted(int(each) for each in checkpoints["n_tokens"].unique())
    return (
        f"{counted(checkpoints['run'].nunique(), 'run')} of "
        f"{counted(checkpoints['seed'].nunique(), 'seed')}, "
        f"{count(checkpoints['n_heads'].max())} heads each, weights alone · "
        f"{count(settings['n_pairs'])} top pairs of a head among "
        f"{' or '.join(count(each) for each in n_tokens)} tokens that training has read "
        f"{settings['least_count']} times or more, a token with itself left out but in its own row "
        "· maps: share of pairs in the category, less that with the tokens of rows permuted, mean "
        "over heads and seeds after training, 0 or less the lightest · beyond chance: p ≤ "
        f"{settings['significance']:g} over all heads, {100 * settings['least_share']:g} % of the "
        f"pairs or more, and above {settings['n_shuffled_heads']} shuffled heads"
    )


def _maps(axes: Sequence[Axes], shares: pd.DataFrame) -> None:
    """Draw categories by layer; both forms have the same colors."""
    excess = shares.assign(excess=shares["share"] - shares["permuted_mean"])
    grids = {
        form: rows.groupby(["category", "layer"], sort=False)["excess"].mean().unstack()
        for form, rows in excess.groupby("form")
    }
    largest = max(grid.max().max() for grid in grids.values())
    for ax, (form, name) in zip(axes, FORMS.items(), strict=True):
        grid = grids[form].rename(index=CATEGORIES)
        look: dict[str, Any] = {"cmap": "mako_r", "linewidths": 0.3, "cbar": False}
        sns.heatmap(grid, ax=ax, vmin=0, vmax=max(largest, 1e-9), **look)
        ax.set(xlabel="", ylabel="", title=name)
        ax.tick_params(length=1.5, rotation=0)
        ax.tick_params(axis="y", labelsize=7)
    axes[1].set_yticks([])
    bar = axes[1].figure.colorbar(axes[1].collections[0], ax=axes[1], pad=0.03, aspect=14)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=1.5)


def _counts(ax: Axes, checkpoints: pd.DataFrame) -> None:
    """Draw how many heads of each seed are beyond chance, a line of points a category."""
    before, after = _ends(checkpoints)
    categories = list(checkpoints["category"].drop_duplicates())
    for offset, (form, look) in zip((-0.2, 0.2), LOOKS.items(), strict=True):
        for rows, color, name in ((before, GRAY, BEFORE), (after, look.color, look.name)):
            of_form = rows[rows["form"] == form]
            places = [categories.index(each) + offset for each in of_form["category"]]
            style: dict[str, Any] = {"color": color, "marker": look.marker, "ms": 3.5, "alpha": 0.8}
            shown = name if (rows is after or offset < 0) else None
            ax.plot(of_form["n_above_null"], places, ls="", label=shown, **style)
    ax.set_yticks(range(len(categories)), [CATEGORIES[each] for each in categories])
    ax.tick_params(axis="y", labelsize=7)
    ax.set_ylim(len(categories) - 0.5, -0.5)
    ax.set_xlim(-0.5, max(2, checkpoints["n_above_null"].max()) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.set_title("Beyond chance")


def _text(tables: Tables, n_cards: int, digits: int) -> str:
    before, after = _ends(tables["checkpoints"])
    note = (
        "Means over the heads and seeds of a run of the share of top pairs; `permuted` with the "
        "tokens of rows permuted, `anew` with a head's own rows and columns joined at random, "
        "`shuffled` of heads whose entries are in random order. `tokens`: those that have a value "
        "in the category. `heads`: beyond chance, of all seeds together. The p-value is over the "
        "heads of one form, category and seed, and not over these. `pairing, too`: those of them "
        "that have more such pairs than their own tokens paired anew, p-value of each head by "
        "itself; the others may only select tokens of the category."
    )
    parts = [section("After training", note, markdown_table(_by_category(after), digits))]
    cards = section(
        "Strongest heads",
        "Of each run, form and category the heads with the largest share among those beyond "
        "chance, with their first pairs: what is read and what is written for it, or what asks "
        "and what is asked.",
        markdown_table(_cards(tables, n_cards), digits),
    )
    parts += [folded(cards)]
    note = "The same of the seeds' random weights, which are another null."
    table = markdown_table(_by_category(before), digits)
    return "\n".join([*parts, folded(section("Before training", note, table))])


def _by_category(rows: pd.DataFrame) -> pd.DataFrame:
    found = []
    for (run, form, category), some in rows.groupby(["run", "form", "category"], sort=False):
        found.append(
            {
                "run": run,
                "form": FORMS[str(form)],
                "pairs": MEANINGS[str(category)],
                "tokens": int(some["n_words"].max()),
                **{name: some[column].mean() for column, name in MEANS.items()},
                "largest share": some["largest_share"].max(),
                "heads": f"{int(some['n_above_null'].sum())} of {int(some['n_heads'].sum())}",
                "pairing, too": int(some[BOTH].sum()),
            }
        )
    return pd.DataFrame(found)


def _cards(tables: Tables, n_cards: int) -> pd.DataFrame:
    shares, pairs = tables["shares"], tables["pairs"]
    above = shares[shares["above_null"].astype(str) == "True"]
    rows = []
    for (run, form, category), some in above.groupby(["run", "form", "category"], sort=False):
        for _, row in some.nlargest(n_cards, "share").iterrows():
            place = ["run", "form", "seed", "layer", "head"]
            listed = pairs[(pairs[place] == row[place]).all(axis=1)]
            rows.append(
                {
                    "run": run,
                    "form": FORMS[str(form)],
                    "pairs": MEANINGS[str(category)],
                    "seed": str(row["seed"]),
                    "head": f"{row['layer']}.{row['head']}",
                    "share": row["share"],
                    "p": row["p_value_over_heads"],
                    "anew p": row["paired_anew_p_value"],
                    "first pairs": ", ".join(
                        f"{code(str(one))} {code(str(other))}"
                        for one, other in zip(listed["row"], listed["column"], strict=True)
                    ),
                }
            )
    return pd.DataFrame(rows)


DRAWINGS = {"run_head_pairs": drawing_of(draw_run_head_pairs, TABLES, FURTHER_RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("run_head_pairs", DRAWINGS, ALL_RUNS, "all runs", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
