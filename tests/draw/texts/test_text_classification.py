import numpy as np
import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.texts.text_classification import draw_text_classification
from embspace.measure.texts.text_classification import TEXT_CLASSIFICATION
from tests.analyses import as_drawn


def draw(rows: pd.DataFrame) -> tuple[str, str]:
    given = as_drawn(TEXT_CLASSIFICATION, {"csv": rows})
    return draw_text_classification(given, "a model", digits=2)


def table(difference: float = 0.1, models: bool = True) -> pd.DataFrame:
    keys: list[tuple[str, int | None, str]] = [("bag_of_words", None, "none")]
    if models:
        keys += [
            (kind, layer, weights)
            for weights in ("trained", "random")
            for kind in ("cls", "mean")
            for layer in range(3)
        ]
    rows = []
    for kind, layer, weights in keys:
        less = 0.0 if layer is None else difference
        value = 0.7 + less
        low, high = less - 0.05, less + 0.05
        chance = [0.5, 0.45, 0.55]
        rows.append(
            [kind, layer, weights, 440, 22, 0.9, value, value - 0.04, value + 0.04, *chance]
            + [less, low, high]
        )
    return pd.DataFrame(rows, columns=[*TEXT_CLASSIFICATION.tables["csv"].columns])


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.1, "more than"), (-0.1, "less than"), (0.02, "no clear difference from")],
)
def test_the_finding_says_whether_words_do_as_well(difference: float, verdict: str):
    share = f"{100 * (0.7 + difference):.0f} %"
    said = f"{share} of texts correctly: {verdict} words alone (70 %)"
    assert said in draw(table(difference=difference))[0]


@pytest.mark.parametrize(("at_random", "many"), [(0.5, "more"), (0.78, "no more")])
def test_the_finding_says_whether_random_weights_do_as_well(at_random: float, many: str):
    rows = table()
    rows.loc[rows["weights"] == "random", "accuracy"] = at_random
    finding, page = draw(rows)
    assert finding.endswith(f", {many} than with random weights ({100 * at_random:.0f} %)")
    assert says_nothing(finding) == (many == "no more")
    assert "The same at random weights." in page


def test_the_table_has_readers_words():
    _, text = draw(table())
    assert "words alone" in text
    assert "bag_of_words" not in text
    assert text.startswith("# Classification of texts by a model\n")


def test_a_model_that_reads_no_text_leaves_words_alone():
    finding, text = draw(table(models=False))
    assert finding == "Words alone label 70 % of texts correctly"
    assert "The model reads no text" in text


def test_the_vector_of_a_sentence_model_is_a_row():
    own = table().iloc[[1]].assign(features="sentence", layer=np.nan, accuracy=0.77)
    assert "sentence vector" in draw(pd.concat([table(), own]))[1]
