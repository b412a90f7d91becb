import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.words.probing import draw_probing
from embspace.measure.words.probing import PROBING
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

PROBES = ("logistic_regression", "one_hidden_layer", "gradient_boosting")


def accuracy() -> pd.DataFrame:
    facts = ("file", 1200, 900, 0.9, 0.88, 0.92, 0.34)
    rows = [("spelling", None, "none", "logistic_regression", "part_of_speech", *facts)]
    for probe in PROBES:
        for task in ("part_of_speech", "control"):
            rows.append(("input", None, "trained", probe, task, *facts))
            rows += [("hidden_state", layer, "trained", probe, task, *facts) for layer in range(3)]
        rows += [
            ("hidden_state", layer, "random", probe, "part_of_speech", *facts) for layer in range(3)
        ]
    return pd.DataFrame(rows, columns=[*PROBING.tables["accuracy"].columns])


def tokens() -> pd.DataFrame:
    rows = [("bear", "one_hidden_layer", 0.7, 0.2, 0.1), ("|", "one_hidden_layer", 0.1, 0.2, 0.7)]
    return pd.DataFrame(rows, columns=[*PROBING.tables["tokens"].columns])


def draw(table: pd.DataFrame, shown: pd.DataFrame) -> tuple[Figure, str]:
    results = as_drawn(PROBING, {"accuracy": table, "tokens": shown})
    settings = settings_of(draw_probing, digits=2)
    return draw_probing(results, "a model of a long name", **settings)


def test_points_by_space_and_each_line_is_named_once():
    figure, _ = draw(accuracy(), tokens())
    assert_words_fit(figure)
    ax = figure.axes[0]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["E", "0", "1", "2"]
    names = [text.get_text() for text in ax.texts if text.get_text() != "90.0 %"]
    assert len(names) == len(set(names)) == 3 + 2
    for line in ax.lines[2:]:
        assert list(line.get_ydata()) == [0.9] * 4
    words = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
    assert "1,200 words of one token" in words


def test_controls_are_a_band_from_their_lowest_to_their_highest_end():
    table = accuracy()
    table.loc[table["weights"] == "random", "accuracy_low"] = 0.3
    table.loc[table["task"] == "control", "accuracy_high"] = 0.4
    ends = table.loc[table["weights"] == "random", "accuracy_high"].max()
    band = draw(table, tokens())[0].axes[0].patches[0]
    assert band.get_y() == 0.3
    assert band.get_y() + band.get_height() == pytest.approx(ends)


def test_tokens_of_several_classes_have_their_cells():
    figure, _ = draw(accuracy(), tokens())
    cells = figure.axes[1]
    assert [text.get_text() for text in cells.texts] == ["70", "20", "10", "10", "20", "70"]
    assert [name.get_text() for name in cells.get_yticklabels()] == ["bear", "|"]
    none, _ = draw(accuracy(), tokens()[:0])
    assert "none of the tokens" in none.axes[1].texts[0].get_text()


def test_the_title_is_filled_from_the_first_probe():
    table = accuracy()
    shown = (table["probe"] == PROBES[0]) & (table["task"] == "part_of_speech")
    values = ["accuracy", "accuracy_low", "accuracy_high"]
    table.loc[shown & (table["features"] == "input"), values] = [0.5, 0.4, 0.6]
    trained = shown & (table["weights"] == "trained")
    table.loc[trained & (table["layer"] == 2), values] = [0.75, 0.7, 0.8]
    table.loc[table["weights"] == "random", values] = [0.35, 0.3, 0.4]
    figure, _ = draw(table, tokens())
    title = " ".join(figure.get_suptitle().split())
    said = (
        "Logistic regression reads the part of speech off every layer, 50.0 % right or more; off "
    )
    said += "spelling alone 90.0 %"
    assert title.endswith(f"{said}, which is no less")
    printed = {text.get_text() for text in figure.axes[0].texts}
    assert {"50.0 %", "spelling alone 90.0 %"} <= printed
    table.loc[table["features"] == "spelling", "accuracy_high"] = 0.3
    title = " ".join(draw(table, tokens())[0].get_suptitle().split())
    assert title.endswith(said)


def test_no_more_than_random_weights_is_said_to_be_no_more():
    table = accuracy()
    table.loc[table["weights"] == "random", "accuracy"] = 0.9
    title = " ".join(draw(table, tokens())[0].get_suptitle().split())
    said = "The part of speech is read off no layer better than with random weights: "
    assert title == f"{said}90.0 % right at most, 90.0 % there"


def test_tokens_are_in_a_table_of_their_own():
    _, text = draw(accuracy(), tokens())
    _, _, table = text.partition("## What the token embedding")
    assert "`bear`" in table
    assert "0.70" in table


def test_without_words_it_says_so():
    figure, text = draw(accuracy()[:0], tokens()[:0])
    assert_words_fit(figure)
    assert "too few" in figure.axes[0].texts[0].get_text()
    assert figure.get_suptitle().startswith("Too few words of one token")
    assert "0 words" not in " ".join(label.get_text() for label in figure.texts)
    assert "None." in text
