"""Figure and tables of `measure_training`: what the models of a run learn, seed by seed."""

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.canvas import counted, new_figure
from embspace.draw.markdown import markdown_table, section

RESULTS = ("losses.csv", "held_out.csv", "agreement.csv", "classification.csv")
Results = dict[str, pd.DataFrame]
Panel = Callable[[Axes, pd.DataFrame], None]
ASKED = {
    "masked_language_modelling": "masked token",
    "causal_language_modelling": "next token",
}


def draw_training(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
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
        drawn_by="draw_trained",
    )
    for ax, (panel, table) in zip(axes, panels, strict=False):
        panel(ax, table)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return figure, _tables(results, label, digits)


def _panels(results: Results) -> list[tuple[Panel, pd.DataFrame]]:
    panels: list[tuple[Panel, pd.DataFrame]] = [
        (_training_loss, rows) for _, rows in results["losses"].groupby("phase", sort=False)
    ]
    others: dict[str, tuple[Panel, ...]] = {
        "held_out": (_held_out_loss, _held_out_accuracy),
        "agreement": (_agreement,),
        "classification": (_classification,),
    }
    for table, drawn in others.items():
        if len(results[table]):
            panels += [(panel, results[table]) for panel in drawn]
    return panels


def _training_loss(ax: Axes, rows: pd.DataFrame) -> None:
    for number, (seed, of_seed) in enumerate(rows.groupby("seed", sort=False)):
        ax.plot(of_seed["step"], of_seed["loss"], f"C{number}", linewidth=0.8, label=f"seed {seed}")
    ax.set(title=f"training loss, {rows['phase'].iloc[0]}", ylabel="nats", xlabel="step")
    ax.set_ylim(bottom=0)
    ax.legend()


def _held_out_loss(ax: Axes, rows: pd.DataFrame) -> None:
    _with_bands(ax, rows, "loss")
    first = rows.iloc[0]
    ax.axhline(first["unigram_loss"], color="0.4", linestyle="--", linewidth=1, label="unigram")
    ax.axhline(first["bigram_loss"], color="0.4", linestyle=":", linewidth=1, label="bigram")
    asked = ASKED[str(first["objective"])]
    ax.set(title=f"loss on held-out texts, {asked}", ylabel="nats")
    ax.set_ylim(bottom=0)
    ax.legend()


def _held_out_accuracy(ax: Axes, rows: pd.DataFrame) -> None:
    _with_bands(ax, rows, "accuracy")
    first = rows.iloc[0]
    ax.axhline(first["unigram_accuracy"], color="0.4", linestyle="--", linewidth=1, label="unigram")
    ax.axhline(first["bigram_accuracy"], color="0.4", linestyle=":", linewidth=1, label="bigram")
    asked = ASKED[str(first["objective"])]
    ax.set(title=f"{asked} guessed right", ylabel="share of tokens", ylim=(0, 1.02))
    ax.legend()


def _agreement(ax: Axes, rows: pd.DataFrame) -> None:
    kinds = {"no attractor": rows["n_attractors"] == 0, "attractors": rows["n_attractors"] > 0}
    for number, (words, chosen) in enumerate(kinds.items()):
        of_kind = rows[chosen].assign(hits=rows["accuracy"] * rows["n"])
        sums = of_kind.groupby(["seed", "step"], sort=False)[["hits", "n"]].sum().reset_index()
        for place, (_, of_seed) in enumerate(sums.groupby("seed", sort=False)):
            share = of_seed["hits"] / of_seed["n"]
            ax.plot(of_seed["step"], share, f"C{number}", marker=".", label="" if place else words)
    ax.axhline(0.5, color="0.7", linewidth=1, label="chance")
    ax.set(title="right form of a verb likelier than the wrong", ylabel="share of verbs")
    ax.set_ylim(0.4, 1.02)
    _steps(ax, rows)
    ax.legend()


def _classification(ax: Axes, rows: pd.DataFrame) -> None:
    whole = rows[rows["texts"] == "as they are"]
    trained = whole[whole["classifier"] == "trained"]
    _with_bands(ax, trained, "accuracy")
    regression = whole[whole["classifier"] != "trained"]
    for _, row in regression.iterrows():
        ax.axhline(
            row["accuracy"], color="0.4", linestyle="--", linewidth=1, label="logistic regression"
        )
    ax.axhline(whole["null_accuracy"].iloc[0], color="0.7", linewidth=1, label="commonest class")
    ax.set(title="classes of held-out texts", ylabel="accuracy", ylim=(0, 1.02))
    ax.legend()


def _with_bands(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """A line and its interval a seed, over the steps."""
    # A column that a logistic regression shares has its seeds as floats.
    rows = rows.assign(seed=rows["seed"].astype(int))
    for number, (seed, of_seed) in enumerate(rows.groupby("seed", sort=False)):
        color, x = f"C{number}", of_seed["step"]
        ax.plot(x, of_seed[quantity], color, marker=".", label=f"seed {seed}")
        low, high = of_seed[f"{quantity}_low"], of_seed[f"{quantity}_high"]
        ax.fill_between(x, low, high, color=color, alpha=0.2, linewidth=0)
    _steps(ax, rows)


def _steps(ax: Axes, rows: pd.DataFrame) -> None:
    """Steps by logarithm, with a place for step 0."""
    ax.set_xscale("symlog", linthresh=1, linscale=0.5)
    ax.set_xlim(0, rows["step"].max() * 1.1)
    ticks = [0, *(10**power for power in range(6) if 10**power <= rows["step"].max())]
    ax.set_xticks(ticks, [str(each) for each in ticks])
    ax.set_xlabel("step")


def _tables(results: Results, label: str, digits: int) -> str:
    text = [f"# Training of {label}\n\nStage `measure_training`.\n"]
    held_out, classes = results["held_out"], results["classification"]
    if len(held_out):
        last = held_out[held_out["step"] == held_out["step"].max()]
        text.append(
            section(
                "Held-out texts, the last checkpoint",
                "Losses in nats a token, with 95 % intervals over documents.",
                markdown_table(last, digits),
            )
        )
    if len(results["agreement"]):
        table = results["agreement"]
        text.append(
            section(
                "Agreement, the last checkpoint",
                "How often the right form of a verb is likelier than the wrong one, by the number "
                "of nouns of the other number between the subject and the verb.",
                markdown_table(table[table["step"] == table["step"].max()], digits),
            )
        )
    if len(classes):
        last = classes[classes["step"].isna() | (classes["step"] == classes["step"].max())]
        text.append(
            section("Classes of held-out texts", _verdict(last), markdown_table(last, digits))
        )
    return "\n".join(text)


def _verdict(rows: pd.DataFrame) -> str:
    """Which wins, the trained models or the logistic regression, told by intervals."""
    sentences = []
    for texts, of_texts in rows.groupby("texts", sort=False):
        trained = of_texts[of_texts["classifier"] == "trained"]["macro_f1"]
        regression = of_texts[of_texts["classifier"] != "trained"].iloc[0]
        n_above = int((trained > regression["macro_f1_high"]).sum())
        n_below = int((trained < regression["macro_f1_low"]).sum())
        sentences.append(
            f"Texts {texts}: of {counted(len(trained), 'seed')}, {n_above} lie above the interval "
            f"of the logistic regression's macro-F1, {n_below} below it."
        )
    return " ".join(sentences)
