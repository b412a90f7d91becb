"""Figure and tables of `measure_training`: what the models of a run learn, seed by seed."""

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, shade
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("losses.csv", "held_out.csv", "agreement.csv", "classification.csv", "seeds.csv")
DrawPanel = Callable[[Axes, pd.DataFrame], None]
ASKED = {"masked_language_modeling": "masked token", "causal_language_modeling": "next token"}


def draw_training(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """A panel for each of: training loss by phase, held-out loss and accuracy, verbs, classes."""
    panels = _panels(results)
    n_rows = (len(panels) + 1) // 2
    n_seeds = results["losses"]["seed"].nunique()
    figure, axes = new_figure(
        n_rows,
        2,
        height_mm=row_height_mm * n_rows + 15,
        title="What do the models learn, and when?",
        subtitle=f"{label} · one line a seed, {counted(n_seeds, 'seed')} · bands: 95 % intervals "
        "over held-out documents",
        stage="measure_training",
    )
    for ax, (panel, table) in zip(axes, panels, strict=False):
        panel(ax, table)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return figure, _tables(results, label, digits)


def _panels(results: Tables) -> list[tuple[DrawPanel, pd.DataFrame]]:
    drawn: dict[str, tuple[DrawPanel, ...]] = {
        "losses": (_training_loss,),
        "held_out": (_held_out_loss, _held_out_accuracy),
        "agreement": (_agreement,),
        "classification": (_class_accuracy, _class_macro_f1),
    }
    panels: list[tuple[DrawPanel, pd.DataFrame]] = []
    for table, functions in drawn.items():
        for _, rows in results[table].groupby("phase", sort=False):
            of_none = results[table][results[table]["phase"].isna()]  # the logistic regression's
            panels += [(panel, pd.concat([rows, of_none])) for panel in functions]
    return panels


def _training_loss(ax: Axes, rows: pd.DataFrame) -> None:
    for number, (seed, of_seed) in enumerate(rows.groupby("seed", sort=False)):
        ax.plot(of_seed["step"], of_seed["loss"], f"C{number}", linewidth=0.8, label=f"seed {seed}")
    ax.set(title=f"training loss, {rows['phase'].iloc[0]}", ylabel="nats", xlabel="step")
    ax.set_ylim(bottom=0)
    ax.legend()


def _held_out_loss(ax: Axes, rows: pd.DataFrame) -> None:
    asked = _beside_counts(ax, rows, "loss")
    ax.set(title=f"loss on held-out texts, {asked}", ylabel="nats")
    ax.set_ylim(bottom=0)


def _held_out_accuracy(ax: Axes, rows: pd.DataFrame) -> None:
    asked = _beside_counts(ax, rows, "accuracy")
    ax.set(title=f"{asked} guessed right", ylabel="share of tokens", ylim=(0, 1.02))


def _beside_counts(ax: Axes, rows: pd.DataFrame, quantity: str) -> str:
    """The models' lines and the levels of counts; what kind of token is asked for."""
    _with_bands(ax, rows, quantity)
    for name, style in {"unigram": "--", "bigram": ":", "place": "-."}.items():
        level = rows[f"{name}_{quantity}"].iloc[0]
        ax.axhline(level, color="0.4", linestyle=style, linewidth=1, label=name)
    ax.legend()
    return ASKED[str(rows["objective"].iloc[0])]


def _agreement(ax: Axes, rows: pd.DataFrame) -> None:
    kinds = {"none": "no attractor between", "some": "attractors between"}
    for number, (attractors, words) in enumerate(kinds.items()):
        chosen = rows[(rows["clause"] == "main") & (rows["attractors"] == attractors)]
        for place, (_, of_seed) in enumerate(chosen.groupby("seed", sort=False)):
            color, x = f"C{number}", of_seed["step"]
            ax.plot(x, of_seed["accuracy"], color, marker=".", label="" if place else words)
            shade(ax, of_seed, "step", "accuracy", color=color, alpha=0.2)
    ax.axhline(0.5, color="0.7", linewidth=1, label="a guess")
    ax.set(title="right form of a main verb preferred", ylabel="share of verbs")
    ax.set_ylim(0, 1.02)
    show_steps(ax, rows)
    ax.legend()


def _class_accuracy(ax: Axes, rows: pd.DataFrame) -> None:
    _scores(ax, rows, "accuracy")
    ax.axhline(rows["null_accuracy"].iloc[0], color="0.7", linewidth=1, label="commonest class")
    ax.set(title="classes of held-out texts", ylabel="accuracy")
    ax.legend()


def _class_macro_f1(ax: Axes, rows: pd.DataFrame) -> None:
    _scores(ax, rows, "macro_f1")
    ax.set(title="classes of held-out texts", ylabel="macro-F1")
    ax.legend()


def _scores(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """Lines over the steps, the regression's level; with half hidden, crosses and a dotted line."""
    is_trained, is_whole = rows["classifier"] == "trained", rows["texts"] == "as they are"
    _with_bands(ax, rows[is_trained & is_whole], quantity)
    for place, (_, row) in enumerate(rows[is_trained & ~is_whole].iterrows()):
        words = "" if place else "half of the sites hidden"
        ax.plot(row["step"], row[quantity], f"C{place}", marker="x", linestyle="", label=words)
    for style, of_texts, words in (("--", is_whole, ""), (":", ~is_whole, ", half hidden")):
        for level in rows.loc[~is_trained & of_texts, quantity]:
            label = f"logistic regression{words}"
            ax.axhline(level, color="0.4", linestyle=style, linewidth=1, label=label)
    ax.set_ylim(0, 1.02)


def _with_bands(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """A line and its interval a seed, over the steps."""
    # A column that a logistic regression shares has its seeds as floats.
    rows = rows.assign(seed=rows["seed"].astype(int))
    for number, (seed, of_seed) in enumerate(rows.groupby("seed", sort=False)):
        color, x = f"C{number}", of_seed["step"]
        ax.plot(x, of_seed[quantity], color, marker=".", label=f"seed {seed}")
        shade(ax, of_seed, "step", quantity, color=color, alpha=0.2)
    show_steps(ax, rows)


def show_steps(ax: Axes, rows: pd.DataFrame) -> None:
    """Steps by logarithm, with a place for step 0."""
    ax.set_xscale("symlog", linthresh=1, linscale=0.5)
    ax.set_xlim(0, rows["step"].max() * 1.1)
    ticks = [0, *(10**power for power in range(10) if 10**power <= rows["step"].max())]
    ax.set_xticks(ticks, map(_short, ticks))
    ax.set_xlabel("step")


def _short(step: int) -> str:
    """As it is up to 1000, above as 10k or 1M."""
    thousands = f"{step // 1000}k" if step < 10**6 else f"{step // 10**6}M"
    return str(step) if step <= 1000 else thousands


def _tables(results: Tables, label: str, digits: int) -> str:
    text = [f"# Training of {label}\n\nStage `measure_training`.\n"]
    sections = {
        "held_out": (
            "Held-out texts, the last checkpoint",
            "Losses in nats a token, with 95 % intervals over documents. The bigram sees the token "
            "before; a masked model also sees what follows. The place is a count of what stands at "
            "the same position of a window of the training texts.",
        ),
        "agreement": (
            "Agreement, the last checkpoint",
            "How often the right form of a verb is likelier than the wrong one, by its clause and "
            "whether there is an attractor, a noun of the other number, between subject and verb. "
            "Who takes the number of the nearest noun is right without attractors.",
        ),
    }
    for table, (heading, words) in sections.items():
        if len(results[table]):
            last = _last(results[table]).dropna(axis="columns", how="all")
            text.append(section(heading, words, markdown_table(last, digits)))
    if len(results["classification"]):
        last = _last(results["classification"])
        shown = markdown_table(last, digits)
        text.append(section("Classes of held-out texts", _verdict(last), shown))
    spread = markdown_table(results["seeds"], digits)
    words = "Of the last checkpoints; the standard deviation is that of a sample."
    text.append(section("How far seeds lie apart", words, spread))
    return "\n".join(text)


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
