import pandas as pd
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


def test_points_by_space_and_each_name_once_in_the_legend():
    figure, _ = draw(accuracy(), tokens())
    assert_words_fit(figure)
    for ax in figure.axes[:3]:
        ticks = [tick.get_text() for tick in ax.get_xticklabels()]
        assert ticks == ["tokens", "0", "1", "2"]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(names) == len(set(names)) == 3 + 3
    words = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
    assert "1,200 words of one token" in words


def test_tokens_of_several_classes_have_their_cells():
    figure, _ = draw(accuracy(), tokens())
    cells, other = figure.axes[3:]
    assert [text.get_text() for text in cells.texts] == ["70", "20", "10", "10", "20", "70"]
    assert [name.get_text() for name in cells.get_yticklabels()] == ["bear", "|"]
    assert "none of the tokens" in other.texts[0].get_text()
    none, _ = draw(accuracy(), tokens()[:0])
    assert all("none of the tokens" in ax.texts[0].get_text() for ax in none.axes[3:])


def test_the_title_is_filled_from_the_first_probe():
    table = accuracy()
    shown = (table["probe"] == PROBES[0]) & (table["task"] == "part_of_speech")
    values = ["accuracy", "accuracy_low", "accuracy_high"]
    table.loc[shown & (table["features"] == "input"), values] = [0.5, 0.4, 0.6]
    trained = shown & (table["weights"] == "trained")
    table.loc[trained & (table["layer"] == 2), values] = [0.75, 0.7, 0.8]
    title = draw(table, tokens())[0].get_suptitle().replace("\n", " ")
    said = (
        "is right for 50.0 % from token embeddings, 75.0 % from the last layer; 90 % from spelling"
    )
    assert said in title


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
    assert "0 words" not in " ".join(each.get_text() for each in figure.texts)
    assert "None." in text
