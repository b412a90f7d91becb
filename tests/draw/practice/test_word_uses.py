from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.practice.word_uses import NONE, draw_word_uses
from embspace.measure.practice.word_uses import WORD_USES
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

BEYOND = "two uses beyond chance and random weights"
WORDS = ["bank", "well", "tree", "stone"]


def tables(n_two: int = 2, *, is_told: bool = True) -> dict[str, Any]:
    verdicts = ["two uses"] * n_two + ["no second use"] * (len(WORDS) - n_two)
    verdicts = verdicts if is_told else ["not told"] * len(WORDS)
    words = [
        {
            "word": word,
            "rank": number,
            "n": 20,
            "smaller_share": 0.4,
            "separation": 0.5 - number / 9,
        }
        | {"null_separation_high": 0.3, "p_value": 0.001, "adjusted_p_value": 0.004}
        | {"random_weights_separation": 0.2, "random_weights_p_value": 0.6, "verdict": verdict}
        for number, (word, verdict) in enumerate(zip(WORDS, verdicts, strict=True))
    ]
    layers = [
        {
            "layer": layer,
            "tested": "yes" if layer == 1 else "no",
            "n_pairs": 24,
            "purity": purity,
            "purity_low": purity - 0.05,
        }
        | {"purity_high": purity + 0.05, "random_weights_purity": 0.54, "dealt_purity": 0.56}
        | {"dealt_purity_low": 0.54, "dealt_purity_high": 0.58, "told": 0.4}
        | {"random_weights_told": 0.0}
        for layer, purity in enumerate([0.55, 0.8, 0.7])
    ]
    uses = [
        {
            "number": 1,
            "use": use,
            "word": "bank",
            "n": 10,
            "words_near": near,
            "examples": "##t to a [bank] of mu ##d and … a [bank]",
        }
        for use, near in ((1, "river water"), (2, "money loan"))
    ]
    x = np.random.default_rng(0).normal(size=(20, 2))
    places = [
        {"number": 1, "occurrence": number, "word": "bank", "use": 1 + number % 2}
        | {"first": first + 5 * (number % 2), "second": second}
        for number, (first, second) in enumerate(x)
    ]
    made = {"csv": words, "layers": layers, "uses": uses, "places": places}
    about = {"corpus": "tales", "n_documents": 80, "n_words": 4}
    return {name: WORD_USES.tables[name].of(rows) for name, rows in made.items()} | {"json": about}


def drawn(given: dict[str, Any]) -> Any:
    return draw_word_uses(as_drawn(WORD_USES, given), "a model", **settings_of(draw_word_uses))


def title(given: dict[str, Any]) -> str:
    return " ".join(drawn(given)[0].get_suptitle().split())


def test_marks_are_the_numbers_of_the_tables():
    figure, text = drawn(tables())
    assert_words_fit(figure)
    known, words, word = figure.axes
    assert list(known.lines[0].get_ydata()) == [0.55, 0.8, 0.7]
    assert known.texts[0].get_text() == "0.80"
    filled = words.lines[2]
    assert sorted(filled.get_xdata()) == pytest.approx([0.5 - 1 / 9, 0.5])
    assert [label.get_text() for label in words.get_yticklabels()] == WORDS[::-1]
    assert [len(line.get_xdata()) for line in word.lines] == [10, 10]
    assert [part.get_text() for part in word.texts[:2]] == ["to a [bank] of mud"] * 2
    assert "money loan" in text and "a [bank]" in text


@pytest.mark.parametrize(
    ("given", "finding"),
    [
        (
            tables(),
            f"2 of 4 words have {BEYOND}: “bank”, “well”",
        ),
        (
            tables(1),
            f"1 of 4 words has {BEYOND}: “bank”",
        ),
        (tables(0), f"None of 4 words has {BEYOND}"),
        (
            tables(0, is_told=False),
            "Known uses of words are not told apart beyond random weights, so no word's uses are",
        ),
    ],
)
def test_the_title_says_how_many_words_have_two_uses(given: dict[str, Any], finding: str):
    assert title(given) == finding


def test_few_texts_have_a_sentence_instead():
    empty = WORD_USES.empty(corpus="", n_documents=0, n_words=0)
    assert title(empty) == NONE


def test_the_table_has_the_first_words_alone():
    many = tables()
    row = many["csv"].iloc[-1]
    rows = [*many["csv"].to_dict("records"), *[{**row, "rank": 9 + n} for n in range(40)]]
    many["csv"] = pd.DataFrame(rows)
    assert drawn(many)[1].count("| stone") == 22
