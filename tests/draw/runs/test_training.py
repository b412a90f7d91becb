"""Holds the figure of training to its tables: a panel for what there is, a line a seed."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.page.looks import seed_look
from embspace.draw.runs.training import draw_training
from embspace.measure.runs.training import TRAINING
from tests.draw.fits import assert_words_fit

SETTINGS: dict[str, Any] = {"row_height_mm": 70.0, "digits": 3}
STEPS = (0, 1, 10, 100)
SEEDS = (0, 1, 2)


def results(*, classified: bool = True, grammar: bool = True) -> dict[str, pd.DataFrame]:
    phases = ["pretraining", *(["classification"] if classified else [])]
    losses = [(seed, p, step, 3 / step) for seed in SEEDS for p in phases for step in range(1, 101)]
    held_out = [
        (seed, "pretraining", step, "masked_language_modeling", 500, 20)
        + (3.0, 2.9, 3.1, 0.5, 0.4, 0.6, 3.3, None, None, None, 0.02, 3.4, 0.1, 2.0, 0.3, 2.9, 0.2)
        for seed in SEEDS
        for step in STEPS
    ]
    verbs = [
        (seed, "pretraining", step, *kind, 50, 20, 0.7, 0.6, 0.8, 0.5)
        for seed in SEEDS
        for step in STEPS
        for kind in (("all", "all"), ("main", "none"), ("main", "some"))
    ]
    scores = (80, 20, 0.8, 0.7, 0.9, 0.75, 0.6, 0.85)
    scores += (-0.1, -0.2, -0.05, -0.1, -0.2, -0.05, 0.02, 0.2)
    classes: list[Any] = [
        ("trained", seed, "classification", step, "as they are", *scores)
        for seed in SEEDS
        for step in STEPS
    ]
    hidden = [("trained", seed, "classification", 100, "half hidden", *scores) for seed in SEEDS]
    better = (80, 20, 0.95, 0.9, 1.0, 0.95, 0.9, 1.0, *[None] * 6, 0.02, 0.2)
    texts = ("as they are", "half hidden")
    of_counts = [("logistic regression", None, None, None, each, *better) for each in texts]
    classes += [*hidden, *of_counts]
    spread = [("pretraining", 100, "masked_language_modeling", "loss", 3, 3.0, 0.1, 2.9, 3.1)]
    rows: dict[str, list[Any]] = {
        "losses": losses,
        "held_out": held_out,
        "agreement": verbs if grammar else [],
        "classification": classes if classified else [],
        "seeds": spread,
    }
    columns = {name: [*table.columns] for name, table in TRAINING.tables.items()}
    return {name: pd.DataFrame(rows[name], columns=columns[name]) for name in rows}


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_each_seed_is_a_line_in_each_panel_in_its_look() -> None:
    figure, _ = draw_training(results(), "a model of a rather long name", **SETTINGS)
    assert_words_fit(figure)
    panels = [ax for ax in figure.axes if ax.axison]
    assert len(panels) == 3
    for ax in panels:
        named = [line for line in ax.lines if str(line.get_label()).startswith("seed")]
        assert [line.get_color() for line in named] == [seed_look(n).color for n in SEEDS]
        assert ax.get_xlim()[0] < 0  # so that the marks of step 0 are whole
    assert panels[0].get_yscale() == "log"
    said = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "1 run, 3 models" in said
    titles = [ax.get_title("left") for ax in panels]
    name = "a model of a rather long name"
    parts = ("500 masked tokens", "100 main verbs", "80 texts")
    assert titles == [f"A{name[1:]}: {part}" for part in parts]


def test_every_run_has_its_own_panels() -> None:
    one, other = results(), results(classified=False)
    both = {
        name: pd.concat(
            [
                rows.assign(run=run)
                for run, rows in (("rna_encoder", one[name]), ("b", other[name]))
                if len(rows)
            ]
        )
        for name in one
    }
    figure, text = draw_training(both, "all runs", **SETTINGS)
    assert_words_fit(figure)
    titles = [ax.get_title("left") for ax in figure.axes if ax.axison]
    tokens, verbs = "500 masked tokens", "100 main verbs"
    assert titles == [
        *(f"RNA encoder: {tokens}", f"B: {tokens}", f"RNA encoder: {verbs}", f"B: {verbs}"),
        "RNA encoder: 80 texts",
    ]
    assert "2 runs, 6 models" in " ".join(each.get_text() for each in figure.texts)
    assert "RNA encoder, texts as they are: of 3 seeds" in text
    thin = [line for line in figure.axes[1].lines if line.get_linewidth() == 0.4]
    assert len(thin) == len(SEEDS)  # of this run alone


def test_without_runs_nothing_is_drawn() -> None:
    empty = dict.fromkeys(results(), pd.DataFrame())
    figure, text = draw_training(empty, "all runs", **SETTINGS)
    assert title_of(figure) == "Nothing was trained"
    assert "None." in text


def test_the_title_holds_the_last_checkpoint_against_its_baselines() -> None:
    assert title_of(draw_training(results(), "a model", **SETTINGS)[0]) == (
        "Of the trained models 0 of 3 end below the loss of every baseline; 3 of 3 get verbs "
        "behind attractors right more often than by chance; 0 of 3 tell classes better than "
        "logistic regression"
    )
    found = results(classified=False, grammar=False)
    found["held_out"]["loss"] = 1.5
    said = title_of(draw_training(found, "a model", **SETTINGS)[0])
    assert said == "Of the trained models 3 of 3 end below the loss of every baseline"
    found["held_out"].loc[found["held_out"]["seed"] == 0, "loss"] = 2.5
    assert title_of(draw_training(found, "a", **SETTINGS)[0]).startswith(
        "Of the trained models 2 of 3"
    )


def test_baselines_stand_where_they_were_measured_and_are_named() -> None:
    ax = draw_training(results(), "a model", **SETTINGS)[0].axes[0]
    levels = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert {3.4, 2.0, 2.9} <= set(levels)
    assert [text.get_text() for text in ax.texts] == ["unigram", "bigram", "position"]


def test_half_hidden_texts_are_told_apart_from_whole_ones() -> None:
    figure, _ = draw_training(results(), "a model", **SETTINGS)
    ax = figure.axes[2]
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert [line.get_ydata()[0] for line in crosses] == [0.8] * 3
    words = [" ".join(text.get_text().split()) for text in ax.texts]
    assert words == ["most frequent class", "logistic regression", "same, half hidden"]


def test_panels_of_what_a_run_lacks_are_left_out() -> None:
    found = results(classified=False, grammar=False)
    figure, text = draw_training(found, "a model", **SETTINGS)
    assert_words_fit(figure)
    assert len(figure.axes) == 1
    assert "Classes" not in text
    assert "Agreement" not in text


def test_the_table_says_which_wins() -> None:
    _, text = draw_training(results(), "a model", **SETTINGS)
    assert "of 3 seeds, 0 have a larger macro-F1 than the logistic regression, 3 a smaller" in text
    found = results()
    found["classification"]["macro_f1_less_regression_high"] = 0.1
    _, text = draw_training(found, "a model", **SETTINGS)
    assert "0 have a larger macro-F1 than the logistic regression, 0 a smaller one" in text


def test_two_phases_of_language_modeling_are_two_panels() -> None:
    found = results(classified=False, grammar=False)
    again = found["held_out"].assign(phase="again", step=found["held_out"]["step"] * 2)
    found["held_out"] = pd.concat([found["held_out"], again], ignore_index=True)
    figure, text = draw_training(found, "a model", **SETTINGS)
    assert sum(ax.axison for ax in figure.axes) == 2
    assert "| again" in text
    assert "| pretraining" in text
