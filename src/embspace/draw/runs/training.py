"""Draws what the models of all runs learn, and when, from `measure_training`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from string import ascii_lowercase

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
    write_beside,
)
from embspace.draw.page.direct_labels import name_ends
from embspace.draw.page.looks import BLACK, GRAY, Line, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import (
    MODEL,
    last_rows,
    log_ticks,
    over_steps,
    run_looks,
    show_steps,
    size_of,
    with_runs,
)
from embspace.files.tables import Tables

STAGE = "measure_training"
TABLES = ("held_out", "agreement", "classification", "seeds")
BASELINES = ("unigram", "bigram", "place")
SUBJECTS = ("agreement", "held_out", "classification")  # the first that there is, is the title's
CHANCE = 0.5  # that the right form of a verb is preferred
MOST_PANELS, N_COLUMNS = 6, 2
LOSSES = "Loss on held-out texts"
GAP = 0.11  # of a panel's height, that a line of a name takes
DrawPanel = Callable[[Axes], None]


def draw_training(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw agreement of verbs by run, without any the accuracy of classes.

    A place that is left in the last row has the losses of all runs. A run has a color, and every
    seed a line.
    """
    known = {name: with_runs(results[name], label) for name in TABLES if len(results[name])}
    panels = _panels(known)
    n_rows = max(-(-len(panels) // N_COLUMNS), 1)
    figure, axes = new_figure(
        n_rows,
        min(N_COLUMNS, max(len(panels), 1)),
        height_mm=row_height_mm * n_rows + 30,
        title=_title(known, [*panels]),
        subtitle=f"{size_of(_models(known, [*panels]))} · a line a seed, dotted: with an "
        "attractor, a noun of the other number before the verb · bands: 95 % intervals over "
        "documents",
        stage=STAGE,
    )
    if not panels:
        say_instead(axes, "nothing was trained")
    for ax, (title, panel) in zip(axes, panels.items(), strict=False):
        panel(ax)
        ax.set_title(sentence_case(title))
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    if LOSSES in panels:
        legend_below(figure, axes, ncols=5)
    return figure, tables_page("Training", STAGE, *_tables(known, digits))


def _models(results: Tables, panels: Sequence[str]) -> pd.DataFrame:
    """Return the run and the seed of each drawn model; a logistic regression has no seed."""
    drawn = [_subject(results), *(["held_out"] if LOSSES in panels else [])]
    known = [results[name][MODEL] for name in drawn if name in results]
    models = pd.concat(known) if known else pd.DataFrame(columns=MODEL)
    return models.dropna().astype({"seed": int}).drop_duplicates()


def _panels(results: Tables) -> dict[str, DrawPanel]:
    """Return the panels' drawing functions by title: the title's runs, losses if there is room."""
    looks = run_looks(
        run for name in TABLES[:-1] if name in results for run in results[name]["run"]
    )
    panels: dict[str, DrawPanel] = {}
    drawn = {"agreement": _agreement, "classification": _classes}
    name = _subject(results)
    if name in drawn:
        for run, rows in results[name].groupby("run", sort=False):
            title = f"{run}:\n{_tested(name, rows)}"
            panels[title] = partial(drawn[name], rows=rows, look=looks[str(run)])
    panels = dict([*panels.items()][:MOST_PANELS])
    if "held_out" in results and (not panels or len(panels) % N_COLUMNS):
        panels[LOSSES] = partial(_losses, rows=results["held_out"], looks=looks)
    return panels


def _subject(results: Tables) -> str:
    """Return the table that the title is about; empty if there is none."""
    return next((name for name in SUBJECTS if name in results), "")


def _tested(name: str, rows: pd.DataFrame) -> str:
    if name == "classification":
        return f"classes of {count(rows['n'].max())} texts"
    sizes = rows[rows["clause"] == "main"].groupby("attractors")["n"].max()
    without, behind = (count(sizes.get(attractors, 0)) for attractors in ("none", "some"))
    return f"{without} verbs without, {behind} with an attractor"


def _title(results: Tables, panels: Sequence[str]) -> str:
    """Return from which step on verbs agree, or how many models end below every baseline."""
    if "agreement" in results:
        rows, said = results["agreement"], "Verbs without an attractor are right beyond chance"
        known, n = _all_since(rows), len(rows[MODEL].drop_duplicates())
        if len(known) == n:
            said = f"{said} from step {max(known)} on in all models of a grammar"
        else:
            said = f"{said} in {len(known)} of {counted(n, 'model')} of a grammar"
        return said + (_behind(rows, panels) if known else "")
    if "held_out" in results:
        last = last_rows(results["held_out"])
        best = last[[f"{name}_loss" for name in BASELINES]].min(axis="columns")
        is_below, models = last["loss"] < best, counted(len(last), "model")
        return f"{is_below.sum()} of {models} end below the loss of every baseline"
    if "classification" in results:
        last = last_rows(results["classification"])
        rows = last.query("classifier == 'trained' and texts == 'as they are'")
        is_better, models = rows["accuracy_less_regression_low"] > 0, counted(len(rows), "model")
        return f"{is_better.sum()} of {models} tell classes better than logistic regression"
    return "Nothing was trained"


def _all_since(agreement: pd.DataFrame) -> list[int]:
    """Return by model the step from which its verbs without an attractor agree, if any."""
    rows = agreement.query("clause == 'main' and attractors == 'none'")
    since = [_since(model_rows) for _, model_rows in rows.groupby(MODEL, sort=False)]
    return [step for step in since if step is not None]


def _since(rows: pd.DataFrame) -> int | None:
    """Return the step from which on the right form is surely preferred, if any."""
    rows = rows.sort_values("step")
    wrong = rows.loc[rows["accuracy_low"] <= CHANCE, "step"]
    right = rows.loc[rows["step"] > (wrong.max() if len(wrong) else -1), "step"]
    return int(right.min()) if len(right) else None


def _behind(agreement: pd.DataFrame, panels: Sequence[str]) -> str:
    """Return whether verbs behind an attractor agree at the end, too, and in which panel not."""
    last = last_rows(agreement).query("clause == 'main' and attractors == 'some'")
    if last.empty:
        return ""
    if (last["accuracy_low"] > CHANCE).all():
        return "; with an attractor, at the end, too"
    below = last[last["accuracy_high"] < CHANCE].sort_values("accuracy")
    if below.empty:
        return "; with an attractor, not always"
    worst, runs = below.iloc[0], [*dict.fromkeys(agreement["run"])]
    place = runs.index(worst["run"])
    has_panel = place < len(panels) - (LOSSES in panels)
    panel = f" ({ascii_lowercase[place]})" if has_panel and len(panels) > 1 else ""
    which = f"one {worst['run']}" if len(runs) > 1 else "one model"
    ends = f"{which} ends below chance," if len(below) == 1 else f"several below chance, {which}"
    return f"; with an attractor, {ends} at {worst['accuracy']:.2f}{panel}"


def _losses(ax: Axes, rows: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw the held-out loss of the runs over the loss of the run's best baseline."""
    best = rows[[f"{name}_loss" for name in BASELINES]].min(axis="columns")
    for run, run_rows in rows.assign(ratio=rows["loss"] / best).groupby("run", sort=False):
        for _, phase_rows in run_rows.groupby("phase", sort=False):
            over_steps(ax, phase_rows, "ratio", looks[str(run)])
    ax.set_yscale("log")
    log_ticks(ax.yaxis)
    ax.set_ylabel("loss over the best baseline's")
    _baselines(ax, {"best of unigram,\nbigram, position": 1.0})
    show_steps(ax, rows["step"])


def _baselines(ax: Axes, levels: dict[str, float]) -> None:
    """Draw levels, with their names beside the panel at the right."""
    for level in levels.values():
        ax.axhline(level, color=GRAY, linestyle="--", linewidth=0.8)
    name_ends(ax, [*levels], [*levels.values()], [GRAY] * len(levels), GAP)


def _agreement(ax: Axes, rows: pd.DataFrame, look: Look) -> None:
    """Draw the share of right verbs, dotted for verbs with an attractor before them."""
    looks: dict[str, tuple[Line, str]] = {
        "none": ("-", "no attractor"),
        "some": (":", "dotted: attractor"),
    }
    levels: dict[str, float] = {}
    for attractors, (line, words) in looks.items():
        chosen = rows[(rows["clause"] == "main") & (rows["attractors"] == attractors)]
        over_steps(ax, chosen, "accuracy", look._replace(line=line))
        last = last_rows(chosen)
        ends = sorted(last["accuracy"])  # the name is beside the seed in the middle
        levels |= {words: ends[len(ends) // 2]} if ends else {}
        for _, row in last[last["accuracy_high"] < CHANCE].nsmallest(1, "accuracy").iterrows():
            place = (row["step"], row["accuracy"])
            write_beside(ax, f"{row['accuracy']:.2f}", place, (5, -4))
    ax.set(ylabel="main verbs with right form", ylim=(-0.02, 1.02))
    ax.axhline(CHANCE, color=GRAY, linestyle="--", linewidth=0.8)
    show_steps(ax, rows["step"])
    if since := max(_all_since(rows), default=None):
        ax.axvline(since, color=BLACK, linewidth=0.6)
        write_beside(ax, f"beyond chance\nfrom step {since} on", (since, 0), (-3, 4), ha="right")
    levels["chance level"] = CHANCE
    colors = [BLACK] * (len(levels) - 1) + [GRAY]
    name_ends(ax, [*levels], [*levels.values()], colors, GAP)


def _classes(ax: Axes, rows: pd.DataFrame, look: Look) -> None:
    """Draw accuracy by step, and the levels to compare with."""
    is_trained, is_whole = rows["classifier"] == "trained", rows["texts"] == "as they are"
    over_steps(ax, rows[is_trained & is_whole], "accuracy", look)
    ax.set(ylabel="accuracy of classes", ylim=(-0.02, 1.02))
    levels = {"most frequent class": rows["null_accuracy"].iloc[0]}
    regression = rows.loc[~is_trained & is_whole, "accuracy"]
    levels |= {"logistic regression": regression.iloc[0]} if len(regression) else {}
    _baselines(ax, levels)
    show_steps(ax, rows.loc[is_trained & is_whole, "step"])


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


def _tables(results: Tables, digits: int) -> list[str]:
    """Return how far seeds lie apart, and the last checkpoints of all runs."""
    if not results:
        return ["None.\n"]
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
    ends = {"mean": "mean", "smallest": "mean_low", "largest": "mean_high"}
    columns = ["run", "of", "quantity", *ends, "standard_deviation", "n_seeds"]
    words = "Of the last checkpoints; the mean with the smallest and the largest of the seeds."
    shown = markdown_table(seeds[columns].rename(columns=ends), digits)
    return [section("How far seeds lie apart", words, shown), *text]


def _verdicts(rows: pd.DataFrame) -> str:
    """Return in how many seeds of a run the model is better than the logistic regression."""
    sentences = []
    for (run, texts), text_rows in rows.groupby(["run", "texts"], sort=False):
        trained = text_rows[text_rows["classifier"] == "trained"]
        n_above = int((trained["macro_f1_less_regression_low"] > 0).sum())
        n_below = int((trained["macro_f1_less_regression_high"] < 0).sum())
        sentences.append(
            f"{sentence_case(str(run))}, texts {texts}: of {counted(len(trained), 'seed')}, "
            f"{n_above} have a larger macro-F1 than the logistic regression, {n_below} a smaller "
            "one, by the 95 % interval of the difference. Of the words "
            f"{text_rows['share_unknown'].iloc[0]:.1%} stand in no training text."
        )
    return " ".join(sentences)
