"""Figure and tables of `measure_training`: what the models of a run learn, seed by seed."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, shade
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import GRAY, seed_look
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("losses.csv", "held_out.csv", "agreement.csv", "classification.csv", "seeds.csv")
DrawPanel = Callable[[Axes, pd.DataFrame], None]
ASKED = {"masked_language_modeling": "masked tokens", "causal_language_modeling": "next tokens"}
BASELINES = {"unigram": "unigram", "bigram": "bigram", "place": "position"}
LEAST = 0.05  # of the largest value, that one has to change by to be worth a panel


def draw_training(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a panel for each of: held-out and training loss, agreement of verbs, classes."""
    panels = _panels(results)
    n_rows = -(-len(panels) // 2)
    figure, axes = new_figure(
        n_rows,
        min(2, len(panels)),
        height_mm=row_height_mm * n_rows + 30,
        title=_title(results),
        subtitle=_subtitle(results, label),
        stage="measure_training",
    )
    for ax, (panel, table) in zip(axes, panels, strict=False):
        panel(ax, table)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    legend_below(figure, axes, ncols=4)
    return figure, _tables(results, label, digits)


def _panels(results: Tables) -> list[tuple[DrawPanel, pd.DataFrame]]:
    losses = results["losses"]

    def held_out_loss(ax: Axes, rows: pd.DataFrame) -> None:
        _loss(ax, rows, losses[losses["phase"] == rows["phase"].iloc[0]])

    drawn = {"held_out": held_out_loss, "agreement": _agreement, "classification": _classes}
    panels: list[tuple[DrawPanel, pd.DataFrame]] = []
    for table, panel in drawn.items():
        of_none = results[table][results[table]["phase"].isna()]  # the logistic regression's
        for _, rows in results[table].groupby("phase", sort=False):
            panels.append((panel, pd.concat([rows, of_none])))
    return panels


def _subtitle(results: Tables, label: str) -> str:
    words = [label, counted(results["losses"]["seed"].nunique(), "seed")]
    for table, what in (("held_out", "token"), ("agreement", "verb"), ("classification", "text")):
        if len(results[table]):
            words.append(f"{counted(results[table]['n'].max(), f'held-out {what}')}")
    return " · ".join([*words, "bands: 95 % intervals over documents"])


def _title(results: Tables) -> str:
    """Return how the last checkpoint stands beside its baselines."""
    said = []
    if len(results["held_out"]):
        said.append(_of_loss(_last(results["held_out"])))
    if len(results["agreement"]):
        rows = _last(results["agreement"]).query("clause == 'main'")
        right = rows.groupby("attractors")["accuracy"].mean()
        if {"none", "some"} <= set(right.index):
            said.append(
                f"verbs agree in {right['none']:.0%} without attractors, "
                f"in {right['some']:.0%} with some"
            )
    if len(results["classification"]):
        said.append(_of_classes(_last(results["classification"])))
    return f"{said[0][0].upper()}{said[0][1:]}" + "".join(f"; {each}" for each in said[1:])


def _of_loss(rows: pd.DataFrame) -> str:
    """Return the loss of the seeds beside that of the best baseline."""
    levels = {words: rows[f"{name}_loss"].iloc[0] for name, words in BASELINES.items()}
    best = min(levels, key=lambda words: levels[words])
    n_below, n = int((rows["loss"] < levels[best]).sum()), len(rows)
    how = "below" if n_below == n else "not below" if not n_below else f"in {n_below} of {n} below"
    asked = ASKED[str(rows["objective"].iloc[0])]
    return (
        f"loss on {asked} ends at {rows['loss'].mean():.2f} nats, "
        f"{how} the {best} baseline's {levels[best]:.2f}"
    )


def _of_classes(rows: pd.DataFrame) -> str:
    """Return the accuracy of the seeds beside that of the logistic regression, on whole texts."""
    whole = rows[rows["texts"] == "as they are"]
    trained = whole[whole["classifier"] == "trained"]
    counts = whole.loc[whole["classifier"] != "trained", "accuracy"].mean()
    n_above = int((trained["accuracy_less_regression_low"] > 0).sum())
    n_below = int((trained["accuracy_less_regression_high"] < 0).sum())
    n = len(trained)
    how = f"better in {n_above} and worse in {n_below} of {counted(n, 'seed')}"
    return (
        f"classes are right in {trained['accuracy'].mean():.0%} of texts, by logistic regression "
        f"in {counts:.0%} ({how})"
    )


def _loss(ax: Axes, rows: pd.DataFrame, losses: pd.DataFrame) -> None:
    """Held-out loss by step, training loss thin beside it, and the levels of the baselines."""
    over_steps(ax, rows, "loss")
    for seed, of_seed in losses.groupby("seed", sort=False):
        line: dict[str, Any] = {
            "color": seed_look(int(str(seed))).color,
            "linewidth": 0.4,
            "alpha": 0.6,
        }
        ax.plot(of_seed["step"], of_seed["loss"], label="thin: training loss", **line)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_yticks([tick for tick in LOSS_TICKS if ax.get_ylim()[0] <= tick <= ax.get_ylim()[1]])
    asked = ASKED[str(rows["objective"].iloc[0])]
    ax.set(title=f"Held-out loss on {asked}", ylabel="Nats per token")
    levels = {words: rows[f"{name}_loss"].iloc[0] for name, words in BASELINES.items()}
    _baselines(ax, levels)
    show_steps(ax, rows)


LOSS_TICKS = (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10)
GAP = 0.06  # of a panel's height, between the names of two levels


def _baselines(ax: Axes, levels: dict[str, float]) -> None:
    """Draw levels, named beside the panel at the right."""
    for level in levels.values():
        ax.axhline(level, color=GRAY, linestyle="--", linewidth=0.8)
    to_axes = ax.transData + ax.transAxes.inverted()
    wanted = [to_axes.transform((1, level))[1] for level in levels.values()]
    for words, height in zip(levels, spread(wanted, GAP), strict=True):
        ax.text(1.02, height, words, transform=ax.transAxes, va="center", fontsize=7, color=GRAY)


def _agreement(ax: Axes, rows: pd.DataFrame) -> None:
    """Solid and filled without an attractor between subject and verb, dotted and hollow with."""
    looks = {"none": ("-", None, "no attractor"), "some": (":", "white", "attractors")}
    levels = {"chance level": 0.5}
    for attractors, (line, face, words) in looks.items():
        chosen = rows[(rows["clause"] == "main") & (rows["attractors"] == attractors)]
        over_steps(ax, chosen, "accuracy", line=line, face=face)
        levels |= {words: _last(chosen)["accuracy"].mean()} if len(chosen) else {}
    ax.set(title="Right form of a main verb preferred", ylabel="Share of verbs", ylim=(-0.02, 1.02))
    show_steps(ax, rows)
    _baselines(ax, {"chance level": levels.pop("chance level")})
    _named_ends(ax, levels)


def _named_ends(ax: Axes, heights: dict[str, float]) -> None:
    """Name lines beside the panel, at their last values, on a linear axis."""
    low, high = ax.get_ylim()
    wanted = [(height - low) / (high - low) for height in heights.values()]
    for words, height in zip(heights, spread(wanted, GAP), strict=True):
        ax.text(1.02, height, words, transform=ax.transAxes, va="center", fontsize=7)


def _classes(ax: Axes, rows: pd.DataFrame) -> None:
    """Accuracy by step, the level of the regression; with half hidden, crosses and a level."""
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
    ax.set(title="Classes of held-out texts", ylabel="Accuracy", ylim=(-0.02, 1.02))
    levels = {"most frequent\nclass": rows["null_accuracy"].iloc[0]}
    for of_texts, words in ((is_whole, "logistic\nregression"), (~is_whole, "same, half\nhidden")):
        found = rows.loc[~is_trained & of_texts, "accuracy"]
        levels |= {words: found.iloc[0]} if len(found) else {}
    _baselines(ax, levels)
    show_steps(ax, whole)


def over_steps(
    ax: Axes, rows: pd.DataFrame, quantity: str, *, line: str = "", face: str | None = None
) -> None:
    """Draw a line a seed over the steps, in its look, and its interval where it has one."""
    # A column that a logistic regression shares has its seeds as floats.
    for seed, of_seed in rows.groupby(rows["seed"].astype(int), sort=False):
        look = seed_look(int(str(seed)))
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 3.5}
        style |= {"markerfacecolor": face} if face else {"label": look.name}
        ax.plot(of_seed["step"], of_seed[quantity], line or look.line, **style)
        if f"{quantity}_low" in of_seed:
            shade(ax, of_seed, "step", quantity, color=look.color, alpha=0.2)


def moves(rows: pd.DataFrame, value: str, keys: Sequence[str]) -> bool:
    """Return whether a value changes over the steps enough for a panel, for any of `keys`."""
    by_step = rows.groupby([*keys, "step"])[value].mean().groupby(list(keys))
    largest = rows[value].abs().max()
    return bool(((by_step.max() - by_step.min()) > LEAST * largest).any())


def show_steps(ax: Axes, rows: pd.DataFrame) -> None:
    """Steps by logarithm, with a place for step 0, whose marks are whole."""
    ax.set_xscale("symlog", linthresh=1, linscale=0.5)
    ax.set_xlim(-0.3, rows["step"].max() * 1.3)
    ticks = [0, *(10**power for power in range(10) if 10**power <= rows["step"].max())]
    ax.set_xticks(ticks, map(short_step, ticks))
    ax.set_xlabel("Step")


def short_step(step: int) -> str:
    """As it is up to 1000, above as 10k or 1M."""
    thousands = f"{step // 1000}k" if step < 10**6 else f"{step // 10**6}M"
    return str(step) if step <= 1000 else thousands


def _tables(results: Tables, label: str, digits: int) -> str:
    sections = {
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
    text = []
    for table, (heading, words) in sections.items():
        if len(results[table]):
            last = _last(results[table]).dropna(axis="columns", how="all")
            named = last.rename(columns=lambda name: name.replace("place_", "position_"))
            text.append(section(heading, words, markdown_table(named, digits)))
    if len(results["classification"]):
        last = _last(results["classification"])
        shown = markdown_table(last, digits)
        text.append(section("Classes of held-out texts", _verdict(last), shown))
    seeds = results["seeds"]
    seeds = seeds.assign(of=seeds["of"].astype(str).str.replace("_", " "))
    spread_of = markdown_table(seeds, digits)
    words = "Of the last checkpoints; the standard deviation is that of a sample."
    first = section("How far seeds lie apart", words, spread_of)
    head = f"# Training of {label}\n\nStage `measure_training`.\n"
    return "\n".join([head, first, folded("\n".join(text))])


def _last(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of each phase's last checkpoint, and those of none."""
    last = rows.groupby("phase")["step"].transform("max")
    return rows[rows["step"].isna() | (rows["step"] == last)]


def _verdict(rows: pd.DataFrame) -> str:
    """Which wins, by the interval of the difference on the same documents."""
    sentences = []
    for texts, of_texts in rows.groupby("texts", sort=False):
        trained = of_texts[of_texts["classifier"] == "trained"]
        n_above = int((trained["macro_f1_less_regression_low"] > 0).sum())
        n_below = int((trained["macro_f1_less_regression_high"] < 0).sum())
        sentences.append(
            f"Texts {texts}: of {counted(len(trained), 'seed')}, {n_above} have a larger macro-F1 "
            f"than the logistic regression, {n_below} a smaller one, by the 95 % interval of the "
            "difference. Of the words "
            f"{of_texts['share_unknown'].iloc[0]:.1%} stand in no training text."
        )
    return " ".join(sentences)
