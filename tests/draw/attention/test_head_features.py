from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.attention.head_features import BY_REST, SHOWN, draw_head_features
from embspace.draw.attention.head_features import SETTINGS as MEASURED_WITH
from embspace.measure.attention.head_features import HEAD_FEATURES
from tests.analyses import as_drawn, settings_of
from tests.draw.attention.tables import COUNTS, SETTINGS, heads, offsets
from tests.draw.fits import assert_words_fit


def draw(given: dict[str, Any]) -> tuple[Figure, str]:
    settings = settings_of(draw_head_features)
    return draw_head_features(as_drawn(HEAD_FEATURES, given), "a model of a long name", **settings)


def results(undefined: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "heads": heads(undefined),
        "offsets": offsets(),
        "json": COUNTS,
        MEASURED_WITH: SETTINGS,
    }


def test_every_panel_shows_its_feature():
    figure, tables = draw(results())
    assert_words_fit(figure)
    panels = [ax for ax in figure.axes if ax.get_title("left") or ax.get_title()]
    assert len(panels) == len(SHOWN)
    expected = [(layer * 4 + head) / 100 for layer in (1, 2, 3) for head in (1, 2, 3, 4)]
    for ax, feature in zip(panels, SHOWN, strict=True):
        shown = np.ravel(ax.collections[0].get_array()) * (2 if feature in BY_REST else 1)
        assert shown.tolist() == expected
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("Half of the heads hold 80 % of their attention in 11 % of the tokens")
    assert "head 3.4 gives 16 % to the previous token" in title
    words = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "9 texts of 8 to 12 tokens from data/texts/tales.jsonl, which have 5 nouns" in words
    assert "Of 9 texts 9 end in a separator, 7 have punctuation" in tables
    assert "3.4" in tables


def test_heads_like_random_ones_are_said_to_be_and_none_is_named():
    given = results()
    given["heads"]["random_weights"] = given["heads"]["value"]
    given["json"] = COUNTS | {"n_nouns_with_article": 0}
    figure, _ = draw(given)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("Heads spread their attention as with random weights: half hold 80 %")
    assert "previous token" not in title
    words = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert "nouns with an article ·" not in words


def test_what_no_text_has_is_said_in_its_panel():
    figure, tables = draw(results(("separator_mass",)))
    said = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert len(said) == 1
    assert said[0].replace("\n", " ") == "no text has what this feature asks for"
    assert "mass to the separator" in tables


def test_a_model_that_reads_no_text_has_no_heads():
    empty = results() | {"heads": pd.DataFrame(columns=heads().columns), "json": {"n_texts": 0}}
    figure, tables = draw(empty)
    assert figure.get_suptitle().startswith("No heads")
    assert "The model reads no text, or gives no attention of every layer." in tables


def test_a_feature_that_is_alike_in_all_heads_is_said_and_not_drawn():
    found = results()
    table = found["heads"]
    alike = table["value"].mask(table["feature"] == "self_mass", 0.02 + table["value"] / 10_000)
    figure, _ = draw(found | {"heads": table.assign(value=alike)})
    (said,) = (text.get_text() for ax in figure.axes for text in ax.texts)
    assert said.replace("\n", " ").startswith("alike in all heads: 0.02001")
