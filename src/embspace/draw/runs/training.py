"""Draws figure and tables of `measure_training`: what the models of all runs learn, by seed."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
)
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import GRAY, seed_look
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import (
    last_rows,
    log_ticks,
    over_steps,
    show_steps,
    size_of,
    with_runs,
)
from embspace.files.tables import Tables

TABLES = ("losses", "held_out", "agreement", "classification", "seeds")
DrawPanel = Callable[[Axes, pd.DataFrame], str]
"""Draws a panel, and returns what a model was asked of, with the number of these."""
ASKED = {"masked_language_modeling": "masked tokens", "causal_language_modeling": "next tokens"}
BASELINES = {"unigram": "unigram", "bigram": "bigram", "place": "position"}
CHANCE = 0.5  # that the right form of a verb is preferred
N_COLUMNS = 2  # of panels


def draw_training(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw panels by run and phase: held-out and training loss, agreement of verbs, classes."""
    known = {name: with_runs(results[name], label) for name in TABLES if len(results[name])}
    panels = _panels(known)
    n_rows = max(-(-len(panels) // N_COLUMNS), 1)
    figure, axes = new_figure(
        n_rows,
        min(N_COLUMNS, max(len(panels), 1)),
        height_mm=row_height_mm * n_rows + 30,
        title=_title(known),
        subtitle=f"{size_of(known.get('losses', pd.DataFrame()))} · n of held-out texts in the "
        "titles · attractor: a noun of the other number before the verb · bands: 95 % intervals "
        "over documents",
        stage="measure_training",
    )
    if not panels:
        say_instead(axes, "nothing was trained")
    for ax, (panel, table) in zip(axes, panels, strict=False):
        asked = panel(ax, table)
        ax.set_title(sentence_case(f"{table['run'].iloc[0]}: {asked}"))
        ax.set_xlabel("step" if ax in axes[len(panels) - N_COLUMNS :] else "")
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    if panels:
        legend_below(figure, axes, ncols=5)
    return figure, _tables(known, digits)


def _panels(results: Tables) -> list[tuple[DrawPanel, pd.DataFrame]]:
    """Return how to draw each panel and from which rows, those of losses first."""

    def held_out_loss(ax: Axes, rows: pd.DataFrame) -> str:
        keys = ["run", "phase"]
        return _loss(ax, rows, results["losses"].merge(rows[keys].drop_duplicates(), on=keys))

    drawn = {"held_out": held_out_loss, "agreement": _agreement, "classification": _classes}
    panels: list[tuple[DrawPanel, pd.DataFrame]] = []
    for name, panel in drawn.items():
        table = results.get(name, pd.DataFrame(columns=["run", "phase"]))
        for (run, _), rows in table.groupby(["run", "phase"], sort=False):
            of_none = table[table["phase"].isna() & (table["run"] == run)]  # logistic regression
            panels.append((panel, pd.concat([rows, of_none])))
    return panels


def _title(results: Tables) -> str:
    """Return how many models end better than their baselines, in each thing that they learn."""
    last = {name: last_rows(table) for name, table in results.items() if name != "losses"}
    found: dict[str, pd.Series] = {}
    if "held_out" in last:
        rows = last["held_out"]
        best = rows[[f"{name}_loss" for name in BASELINES]].min(axis=1)
        found["end below the loss of every baseline"] = rows["loss"] < best
    if "agreement" in last:
        rows = last["agreement"].query("clause == 'main' and attractors == 'some'")
        is_learned = rows["accuracy_low"] > CHANCE
        found["get verbs behind attractors right more often than by chance"] = is_learned
    if "classification" in last:
        rows = last["classification"].query("classifier == 'trained' and texts == 'as they are'")
        is_better = rows["accuracy_less_regression_low"] > 0
        found["tell classes better than logistic regression"] = is_better
    said = [
        f"{is_so.sum()} of {len(is_so)} {words}" for words, is_so in found.items() if len(is_so)
    ]
    return f"Of the trained models {'; '.join(said)}" if said else "Nothing was trained"


def _loss(ax: Axes, rows: pd.DataFrame, losses: pd.DataFrame) -> str:
    """Draw held-out loss by step, training loss thin beside it, and the levels of baselines."""
    over_steps(ax, rows, "loss")
    for seed, of_seed in losses.groupby("seed", sort=False):
        line: dict[str, Any] = {
            "color": seed_look(int(str(seed))).color,
            "linewidth": 0.4,
            "alpha": 0.6,
        }
        ax.plot(of_seed["step"], of_seed["loss"], label="thin: training loss", **line)
    ax.set_yscale("log")
    log_ticks(ax.yaxis)
    ax.set_ylabel("loss (nats per token)")
    levels = {words: rows[f"{name}_loss"].iloc[0] for name, words in BASELINES.items()}
    _baselines(ax, levels)
    show_steps(ax, rows["step"])
    return f"{count(rows['n'].max())} {ASKED[str(rows['objective'].iloc[0])]}"


GAP = 0.11  # of a panel's height, that a line of a name takes


def _baselines(ax: Axes, levels: dict[str, float]) -> None:
    """Draw levels, with their names beside the panel at the right."""
    for level in levels.values():
        ax.axhline(level, color=GRAY, linestyle="--", linewidth=0.8)
    to_axes = ax.transData + ax.transAxes.inverted()
    wanted = [to_axes.transform((1, level))[1] for level in levels.values()]
    for words, height in zip(levels, spread(wanted, GAP), strict=True):
        ax.text(1.02, height, words, transform=ax.transAxes, va="center", fontsize=7, color=GRAY)


def _agreement(ax: Axes, rows: pd.DataFrame) -> str:
    """Draw the share of right verbs, dotted and hollow for verbs with an attractor before them."""
    looks = {"none": ("-", None, "no attractor"), "some": (":", "white", "attractors")}
    levels = {"chance level": CHANCE}
    for attractors, (line, face, words) in looks.items():
        chosen = rows[(rows["clause"] == "main") & (rows["attractors"] == attractors)]
        over_steps(ax, chosen, "accuracy", line=line, face=face)
        levels |= {words: last_rows(chosen)["accuracy"].mean()} if len(chosen) else {}
    ax.set(ylabel="share with right form", ylim=(-0.02, 1.02))
    show_steps(ax, rows["step"])
    _baselines(ax, {"chance level": levels.pop("chance level")})
    _named_ends(ax, levels)
    of_main = rows[(rows["clause"] == "main") & rows["attractors"].isin(looks)]
    return f"{count(of_main.groupby('attractors')['n'].max().sum())} main verbs"


def _named_ends(ax: Axes, heights: dict[str, float]) -> None:
    """Write the names of lines beside the panel, at their last values, on a linear axis."""
    low, high = ax.get_ylim()
    wanted = [(height - low) / (high - low) for height in heights.values()]
    for words, height in zip(heights, spread(wanted, GAP), strict=True):
        ax.text(1.02, height, words, transform=ax.transAxes, va="center", fontsize=7)


def _classes(ax: Axes, rows: pd.DataFrame) -> str:
    """Draw accuracy by step, crosses for texts half hidden, and the levels to compare with."""
    is_trained, is_whole = rows["classifier"] == "trained", rows["texts"] == "as they are"
    whole = rows[is_trained & is_whole]
    over_steps(ax, whole, "accuracy")
    for _, row in rows[is_trained & ~is_whole].iterrows():
        look: dict[str, Any] = {
            "color": seed_look(int(row["seed"])).color,
            "marker": "x",
            "linestyle": "",
        }
        ax.plot(row["step"], row["accuracy"], label="half of the text hidden", **look)
    ax.set(ylabel="accuracy of classes", ylim=(-0.02, 1.02))
    levels = {"most frequent class": rows["null_accuracy"].iloc[0]}
    for of_texts, words in ((is_whole, "logistic regression"), (~is_whole, "same, half hidden")):
        found = rows.loc[~is_trained & of_texts, "accuracy"]
        levels |= {words: found.iloc[0]} if len(found) else {}
    _baselines(ax, levels)
    show_steps(ax, whole["step"])
    return f"{count(rows['n'].max())} texts"


SECTIONS = {
    "held_out": (
        "Held-out texts, the last checkpoint",
        "Losses in nats per token, with 95 % intervals over documents. The bigram sees the "
        "token before; a masked model also sees what follows. The position baseline counts "
        "what stands at the same position of a window of the training texts.",
    ),
    "agreement": (
        "Agreement, the last checkpoint",
        "How often the right form of a verb is likelier than the wrong one, by its clause and "
        "whether there is an attractor, a noun of the other number, between subject and verb. "
        "Who takes the number of the nearest noun is right without attractors.",
    ),
}


def _tables(results: Tables, digits: int) -> str:
    """Return how far seeds lie apart; the last checkpoints of all runs are folded."""
    head = "# Training\n\nStage `measure_training`.\n"
    if not results:
        return f"{head}\nNone.\n"
    text = []
    for table, (heading, words) in SECTIONS.items():
        if table in results:
            last = last_rows(results[table]).dropna(axis="columns", how="all")
            named = last.rename(columns=lambda name: name.replace("place_", "position_"))
            text.append(section(heading, words, markdown_table(named, digits)))
    if "classification" in results:
        last = last_rows(results["classification"])
        shown = markdown_table(last, digits)
        text.append(section("Classes of held-out texts", _verdicts(last), shown))
    seeds = results["seeds"]
    seeds = seeds.assign(of=seeds["of"].astype(str).str.replace("_", " "))
    words = "Of the last checkpoints; the standard deviation is that of a sample."
    first = section("How far seeds lie apart", words, markdown_table(seeds, digits))
    return "\n".join([head, first, folded("\n".join(text))])


def _verdicts(rows: pd.DataFrame) -> str:
    """Return in how many seeds of a run the model is better than the logistic regression."""
    sentences = []
    for (run, texts), of_texts in rows.groupby(["run", "texts"], sort=False):
        trained = of_texts[of_texts["classifier"] == "trained"]
        n_above = int((trained["macro_f1_less_regression_low"] > 0).sum())
        n_below = int((trained["macro_f1_less_regression_high"] < 0).sum())
        sentences.append(
            f"{sentence_case(str(run))}, texts {texts}: of {counted(len(trained), 'seed')}, "
            f"{n_above} have a larger macro-F1 than the logistic regression, {n_below} a smaller "
            "one, by the 95 % interval of the difference. Of the words "
            f"{of_texts['share_unknown'].iloc[0]:.1%} stand in no training text."
        )
    return " ".join(sentences)
