from typing import Any

import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.page.looks import corpus_looks
from embspace.draw.texts.text_clouds import draw_text_clouds
from embspace.measure.texts.text_cloud_random import RANDOM_TEXTS
from embspace.measure.texts.text_clouds import TEXT_CLOUDS, measure_text_clouds
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.text_corpora import CLOUD_SETTINGS, CLOUDS_ALONE, no_corpora, three_corpora

LABEL = "a model of a long name"
SETTINGS = CLOUD_SETTINGS | CLOUDS_ALONE | {"quantiles": [0.25, 0.5, 0.75]}


def draw(results: dict[str, Any]):
    settings = settings_of(draw_text_clouds)
    return draw_text_clouds(as_drawn(TEXT_CLOUDS, results), LABEL, **settings)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return measure_text_clouds(three_corpora(), **SETTINGS)


@pytest.fixture(scope="module")
def drawn(results: dict[str, Any]):
    return draw(results)


def test_words_fit_and_say_who_was_left_out(drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    assert figure.get_label() == "measure_text_clouds"
    words = [text.get_text() for text in figure.texts]
    words = [text.replace("\n", " ") for text in words]
    assert any("posts: 16 vectors · left out, too few texts: notes" in text for text in words)
    assert any("sentences: 24 vectors of 12 documents" in text for text in words)


def test_lines_are_the_medians_of_the_table_with_the_middle_half(results, drawn):
    [ax] = drawn[0].axes
    rows = results["distributions"].query(
        "corpus == other_corpus and quantity == 'cosine' and pooling == 'mean'"
    )
    named = {str(line.get_label()).partition(",")[0]: line for line in ax.lines}
    for number, (corpus, own) in enumerate(rows.groupby("corpus", sort=False)):
        line = named[corpus_looks([str(corpus)])[str(corpus)].name]
        assert list(line.get_ydata()) == own["quantile_0.5"].tolist()
        band = ax.collections[number].get_paths()[0].vertices[:, 1]
        assert band.min() == own["quantile_0.25"].min()
        assert band.max() == own["quantile_0.75"].max()
    lengths = results["corpora"].set_index("corpus")["median_n_tokens"]
    words = [text.get_text() for text in ax.texts]
    assert f"posts, {lengths['posts']:.0f} tokens" in words


def test_the_title_says_which_layer_changes_most_and_the_panel_has_its_numbers(results):
    table = results["distributions"].copy()
    is_shown = (table["quantity"] == "cosine") & (table["corpus"] == table["other_corpus"])
    is_shown &= table["pooling"] == "mean"
    table.loc[is_shown, "quantile_0.5"] = 0.5
    where = is_shown & (table["corpus"] == "posts") & (table["layer"] == 1)
    for after in (0.25, 0.75):
        table.loc[where, "quantile_0.5"] = after
        figure, _ = draw(results | {"distributions": table})
        title = " ".join(figure.get_suptitle().split())
        numbers = ["0.50", f"{after:.2f}"]
        assert title == (
            f"Two posts have a median cosine of {numbers[0]} after layer 0, of {numbers[1]} after "
            "layer 1, the largest step"
        )
        assert {*numbers} <= {text.get_text() for text in figure.axes[0].texts}


def test_random_weights_are_drawn_and_the_title_says_whether_they_step(results):
    rows = [{"corpus": "articles", "layer": n, "n": 12, "quantile_0.5": 0.9} for n in (0, 1)]
    random = RANDOM_TEXTS.of(rows)
    figure, _ = draw(results | {"random": random})
    line = next(
        line for line in figure.axes[0].lines if line.get_label() == "random weights, articles"
    )
    assert list(line.get_ydata()) == [0.9, 0.9]
    assert figure.get_suptitle().split()[-4:] == ["random", "weights", "have", "none"]
    random.loc[1, "quantile_0.5"] = 0.5
    title = " ".join(draw(results | {"random": random})[0].get_suptitle().split())
    assert title.endswith("the largest step")


def test_where_random_weights_step_as_far_the_title_has_their_last_layer_beside_it(results):
    rows = [{"corpus": "articles", "layer": n, "n": 12, "quantile_0.5": 0.9 - n} for n in (0, 1)]
    random = RANDOM_TEXTS.of(rows).assign(**{"quantile_0.25": -0.2, "quantile_0.75": -0.05})
    table = results["distributions"].copy()
    is_last = (table["layer"] == 1) & (table["quantity"] == "cosine")
    shown = {"quantile_0.25": 0.6, "quantile_0.5": 0.71, "quantile_0.75": 0.8}
    table.loc[is_last, [*shown]] = [*shown.values()]
    figure, _ = draw(results | {"random": random, "distributions": table})
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert title == (
        "Two articles have a median cosine of 0.71 at the last layer, at random weights of -0.10"
    )
    assert not says_nothing(title)
    assert {"0.71", "-0.10"} <= {text.get_text() for text in figure.axes[0].texts}


@pytest.mark.parametrize(
    ("null", "is_alike"),
    [((0.65, 0.75, 0.85), True), ((0.75, 0.85, 0.95), False), ((0.72, 0.75, 0.9), False)],
)
def test_texts_are_as_alike_as_at_random_weights_if_medians_lie_in_both_middle_halves(
    results, null: tuple[float, float, float], is_alike: bool
):
    names = ["quantile_0.25", "quantile_0.5", "quantile_0.75"]
    rows = [
        {"corpus": "articles", "layer": n, "n": 12} | dict(zip(names, values, strict=True))
        for n, values in enumerate([(-0.4, -0.3, -0.2), null])
    ]
    table = results["distributions"].copy()
    is_last = (table["layer"] == 1) & (table["quantity"] == "cosine")
    table.loc[is_last, names] = [0.6, 0.71, 0.8]
    given = results | {"random": RANDOM_TEXTS.of(rows), "distributions": table}
    title = " ".join(draw(given)[0].get_suptitle().split())
    alike = "Two articles are as alike at the last layer as at random weights: median cosines 0.71"
    unlike = "Two articles have a median cosine of 0.71 at the last layer, at random weights of"
    assert title == (f"{alike} and {null[1]}" if is_alike else f"{unlike} {null[1]}")
    assert says_nothing(title) == is_alike


@pytest.mark.parametrize("from_file", [False, True])
def test_a_model_that_reads_no_text_says_so(from_file: bool):
    results = measure_text_clouds(no_corpora(), **SETTINGS)
    if from_file:  # where an empty word is missing
        results["corpora"] = results["corpora"].replace({"left_out": {"": None}})
        results = {name: pd.DataFrame(table) for name, table in results.items()}
    figure, text = draw(results)
    assert_words_fit(figure)
    assert "enough texts" in figure.axes[0].texts[0].get_text()
    assert "fewer than 8 documents" in text
