"""Holds the figure of training to its tables: a panel for what there is, a line a seed."""

from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page.looks import PALETTE
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
    regression = [("logistic regression", None, None, None, version, *better) for version in texts]
    classes += [*hidden, *regression]
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


def draw(given: dict[str, pd.DataFrame], label: str = "a model") -> tuple[Figure, str]:
    return draw_training(given, label, **SETTINGS)


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_each_seed_is_a_line_in_each_panel_in_the_color_of_its_run() -> None:
    figure, _ = draw(results(), "a model of a rather long name")
    assert_words_fit(figure)
    panels = [ax for ax in figure.axes if ax.axison]
    for ax in panels:
        named = [line for line in ax.lines if line.get_label() == "a model of a rather long name"]
        assert len(named) >= len(SEEDS)
        assert {line.get_color() for line in named} == {PALETTE[0]}
        assert ax.get_xlim()[0] < 0  # so that the marks of step 0 are whole
    assert panels[1].get_yscale() == "log"
    said = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "1 run, 3 models" in said
    name = "A model of a rather long name"
    titles = [ax.get_title("left") for ax in panels]
    assert titles == [
        f"{name}:\n50 verbs without, 50 with an attractor",
        "Loss on held-out texts",
    ]


def test_runs_have_panels_of_their_own_and_losses_a_place_that_is_left() -> None:
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
    figure, text = draw(both, "all runs")
    assert_words_fit(figure)
    verbs = "50 verbs without, 50 with an attractor"
    assert [ax.get_title("left") for ax in figure.axes if ax.axison] == [
        *(f"RNA encoder:\n{verbs}", f"B:\n{verbs}"),
    ]
    assert "2 runs, 6 models" in " ".join(part.get_text() for part in figure.texts)
    one_grammar = both | {"agreement": both["agreement"].query("run == 'b'")}
    losses = draw(one_grammar, "all runs")[0].axes[1]
    assert losses.get_title("left") == "Loss on held-out texts"
    assert losses.lines[0].get_ydata()[0] == pytest.approx(1.5)  # 3 nats, of the bigram 2
    assert {"RNA encoder", "b"} <= {line.get_label() for line in losses.lines}
    assert "RNA encoder, texts as they are: of 3 seeds" in text


@pytest.mark.parametrize(("n_runs", "n_panels"), [(5, 6), (6, 6), (7, 6)])
def test_six_runs_have_panels_and_the_title_names_none_that_is_not_there(
    n_runs: int, n_panels: int
) -> None:
    given = results(classified=False)
    tables = {
        name: pd.concat([rows.assign(run=f"run {number}") for number in range(n_runs)])
        for name, rows in given.items()
    }
    rows = tables["agreement"]
    is_worst = (rows["run"] == f"run {n_runs - 1}") & (rows["attractors"] == "some")
    worst = {"accuracy": 0.2, "accuracy_low": 0.1, "accuracy_high": 0.3}
    changed = {name: rows[name].mask(is_worst, number) for name, number in worst.items()}
    figure, _ = draw(tables | {"agreement": rows.assign(**changed)}, "all runs")
    panels = [ax.get_title("left") for ax in figure.axes if ax.axison]
    assert len(panels) == n_panels
    assert ("Loss on held-out texts" in panels) == (n_runs == 5)
    letter = {5: " (e)", 6: " (f)", 7: ""}[n_runs]
    assert title_of(figure).endswith(f"one run {n_runs - 1} at 0.20{letter}")


def test_without_runs_nothing_is_drawn() -> None:
    figure, text = draw(dict.fromkeys(results(), pd.DataFrame()))
    assert title_of(figure) == "Nothing was trained"
    assert "None." in text


def test_the_title_says_from_which_step_on_verbs_agree() -> None:
    given = results()
    rows = given["agreement"]
    low = rows["accuracy_low"].mask((rows["step"] < 10) & (rows["attractors"] == "none"), 0.45)
    given["agreement"] = rows.assign(accuracy_low=low)
    start = (
        "Verbs without an attractor are right beyond chance from step 10 on in all models of a "
        "grammar; with an attractor, "
    )
    assert title_of(draw(given)[0]) == f"{start}at the end, too"
    low = low.mask((rows["seed"] == 0) & (rows["attractors"] == "some"), 0.45)
    given["agreement"] = rows.assign(accuracy_low=low)
    assert title_of(draw(given)[0]) == f"{start}not always"
    printed = [text.get_text() for text in draw(given)[0].axes[0].texts]
    assert "beyond chance\nfrom step 10 on" in printed
    is_worst = (rows["seed"] == 0) & (rows["attractors"] == "some")
    worst = {"accuracy": rows["accuracy"].mask(is_worst, 0.25)}
    worst |= {"accuracy_low": low, "accuracy_high": rows["accuracy_high"].mask(is_worst, 0.3)}
    title = title_of(draw(given | {"agreement": rows.assign(**worst)})[0])
    assert title == f"{start}one model ends below chance, at 0.25 (a)"
    two_runs = rows.assign(**worst, run=rows["seed"].map({0: "b_encoder"}).fillna("a_decoder"))
    two_runs = two_runs.sort_values("run", kind="stable")
    runs = {name: table.assign(run="a_decoder") for name, table in given.items()}
    title = title_of(draw(runs | {"agreement": two_runs})[0])
    assert title == f"{start}one b encoder ends below chance, at 0.25 (b)"
    low_end = {"accuracy": worst["accuracy"].mask(rows["attractors"] == "some", 0.3)}
    low_end["accuracy"] = low_end["accuracy"].mask(is_worst, 0.25)
    below = rows.assign(**low_end, accuracy_low=low, accuracy_high=0.4)
    title = title_of(draw(given | {"agreement": below})[0])
    assert title == f"{start}several below chance, one model at 0.25 (a)"
    low = low.mask((rows["seed"] == 0) & (rows["step"] == 100), 0.45)
    given["agreement"] = rows.assign(accuracy_low=low)
    assert title_of(draw(given)[0]).startswith(
        "Verbs without an attractor are right beyond chance in 2 of 3 models of a grammar"
    )


def test_without_verbs_the_title_holds_losses_or_classes_against_baselines() -> None:
    tables = results(classified=False, grammar=False)
    tables["held_out"]["loss"] = 1.5
    assert title_of(draw(tables)[0]) == "3 of 3 models end below the loss of every baseline"
    tables["held_out"].loc[tables["held_out"]["seed"] == 0, "loss"] = 2.5
    assert title_of(draw(tables)[0]).startswith("2 of 3 models")
    classes = results(grammar=False) | {"held_out": pd.DataFrame()}
    assert title_of(draw(classes)[0]) == (
        "0 of 3 models tell classes better than logistic regression"
    )
    panels = [ax.get_title("left") for ax in draw(classes)[0].axes if ax.axison]
    assert panels == ["A model:\nclasses of 80 texts"]


def test_panels_of_what_a_run_lacks_are_left_out() -> None:
    figure, text = draw(results(classified=False, grammar=False))
    assert_words_fit(figure)
    assert len(figure.axes) == 1
    assert "Classes" not in text
    assert "Agreement" not in text


def test_the_table_says_which_wins() -> None:
    _, text = draw(results())
    assert "of 3 seeds, 0 have a larger macro-F1 than the logistic regression, 3 a smaller" in text
    tables = results()
    tables["classification"]["macro_f1_less_regression_high"] = 0.1
    assert "0 have a larger macro-F1 than the logistic regression, 0 a smaller" in draw(tables)[1]
