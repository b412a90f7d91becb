from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.difference_consistency import TABLE, draw_difference_consistency
from tests.draw.fits import assert_words_fit
from tests.draw.sentences.test_differences import measure, results_of
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import OFFSETS


def draw(categories: pd.DataFrame) -> tuple[Figure, str]:
    use_style()
    results = {TABLE: categories}
    return draw_difference_consistency(results, "a model of a long name", height_mm=150.0, digits=2)


@pytest.fixture(scope="module")
def categories(tmp_path_factory) -> Any:
    found = measure(planted(OFFSETS, 8, n_layers=3))
    return results_of(found, tmp_path_factory.mktemp("results"))["categories"]


@pytest.fixture(scope="module")
def drawn(categories) -> tuple[Figure, str]:
    return draw(categories)


def test_the_last_layer_is_shown_beside_its_own_null(categories, drawn):
    order = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    assert sorted(order) == sorted(OFFSETS)
    for ax, pooling in zip(drawn[0].axes, POOLINGS, strict=False):
        rows = categories[(categories["layer"] == 2) & (categories["pooling"] == pooling)]
        rows = rows.set_index("category").loc[order]
        random, all_pairs, different = ax.lines[:3]
        assert np.array_equal(random.get_xdata(), rows["random_weights_consistency"])
        assert np.array_equal(all_pairs.get_xdata(), rows["consistency"])
        assert np.array_equal(
            different.get_xdata(), rows["consistency_different_tokens"], equal_nan=True
        )
        null, interval = (np.array(each.get_segments())[:, :, 0] for each in ax.collections)
        assert np.allclose(null, rows.filter(regex="sign_flips_(low|high)$"))
        assert np.allclose(interval, rows[["consistency_low", "consistency_high"]])


def test_every_layer_of_every_pooling_is_in_its_heat_map(categories, drawn):
    order = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    for ax, pooling in zip(drawn[0].axes[3:6], POOLINGS, strict=True):
        rows = categories[categories["pooling"] == pooling]
        table = rows.pivot(index="category", columns="layer", values="consistency").loc[order]
        image = np.ma.filled(ax.collections[0].get_array().astype(float), np.nan)
        assert np.array_equal(image, table, equal_nan=True)


def test_the_title_counts_the_categories_beyond_the_null(categories, drawn):
    words = " ".join(drawn[0].get_suptitle().split())
    assert "than by chance (signs flipped) in " in words
    assert "of 5 categories" in words
    high = categories.filter(regex="sign_flips_high$").columns[0]
    title = draw(categories.assign(**{high: 2.0}))[0].get_suptitle()
    assert "in 0 of 5 categories" in " ".join(title.split())


def test_words_fit_and_n_is_in_the_subtitle(drawn):
    assert_words_fit(drawn[0])
    words = " ".join(" ".join(text.get_text() for text in drawn[0].texts).split())
    assert "5 categories, n = 8 pairs each" in words


def test_the_table_starts_with_the_shown_pooling(drawn):
    before, _, after = drawn[1].partition("<details>")
    assert before.count("| female-male ") == 1
    assert after.count("| female-male ") == 5
    assert "nan" not in drawn[1]


def test_a_model_that_read_nothing_says_so(categories):
    figure, text = draw(categories[:0])
    assert "no pairs of sentences" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_a_decoder_has_a_panel_of_its_last_token_in_the_place_of_the_first(categories):
    last = categories[categories["pooling"] == "cls"].assign(pooling="last")
    figure, text = draw(pd.concat([categories, last]))
    titles = [ax.get_title(loc="left") for ax in figure.axes[:3]]
    assert titles == ["Last token", "Mean pooling", "Maximum pooling"]
    assert text.index("Last token") < text.index("First token")
