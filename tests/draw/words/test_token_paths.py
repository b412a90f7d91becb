from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page.looks import NULLS, corpus_looks
from embspace.draw.words.evolution import sentence_of
from embspace.draw.words.token_paths import STEPS, defined, draw_token_paths
from tests.analyses import settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.words import evolved
from tests.draw.words.test_token_tracker import tables as tables  # a fixture
from tests.measure.words.test_evolution import measured, stimuli_of
from tests.measure.words.test_evolution import module as module  # a fixture

DRIFT, TRACKED = "evolution/drift", "token_tracker/layers"

FARTHER = "in two texts they end farther apart than untrained (a)"


def draw(results: dict[str, Any]) -> tuple[Figure, str]:
    return draw_token_paths(results, "a model of a long name", **settings_of(draw_token_paths))


@pytest.fixture(scope="module")
def results(module, tables) -> dict[str, pd.DataFrame]:
    evolution = measured(module, stimuli_of(1.0))
    names = ("path", "drift", "layers")
    return {f"evolution/{name}": evolution[name] for name in names} | {TRACKED: tables["layers"]}


@pytest.fixture(scope="module")
def figure(results) -> Figure:
    return draw(results)[0]


@pytest.mark.parametrize(
    ("width", "said"), [(0.0, "Layer 2 moves"), (9.0, "No layer clearly moves")]
)
def test_the_title_names_a_longest_step_and_the_printed_shares(results, width, said):
    layers = results["evolution/layers"].copy()
    layers["mean"] = layers["mean"].mask(layers["layer"] == 2, 7.5)
    layers = layers.assign(mean_low=layers["mean"] - width, mean_high=layers["mean"] + width)
    figure, _ = draw(results | {"evolution/layers": layers})
    assert_words_fit(figure)
    assert figure.axes[1].get_title("left") == f"{said} tokens most"
    assert evolved.title_of(figure) == (
        f"{said} tokens most (b); {FARTHER}; 0 % of content and 100 % of function words "
        "end nearest to their own token (d), untrained all"
    )
    printed = [text.get_text() for text in figure.axes[3].texts]
    assert {"content words 0 %", "function words 100 %"} <= {*printed}


@pytest.mark.parametrize(
    ("content", "function", "said"),
    [(0.5, 0.7, "more"), (0.3, 0.5, "fewer"), (0.5, 0.5, "50 and 50 %"), (0.3, 0.7, "30 and 70 %")],
)
def test_the_title_says_how_many_words_end_nearest_at_random_weights(
    results, content: float, function: float, said: str
):
    tracked = results[TRACKED].assign(value=0.4)
    tracked["value"] = tracked["value"].where(tracked["group"] == "content", 0.6)
    is_content = tracked["group"] == "content"
    tracked["random_weights_value"] = is_content.map({True: content, False: function})
    title = evolved.title_of(draw(results | {TRACKED: tracked})[0])
    assert title.endswith(f"untrained {said}")


def test_tokens_that_two_texts_share_are_named_and_the_followed_one_is_marked(figure, results):
    ax = figure.axes[0]
    drift = results[DRIFT]
    (marked,) = (line for line in ax.lines if line.get_label() == "mouse")
    assert np.array_equal(
        marked.get_ydata(), drift.loc[drift["token"] == "mouse", "relative_distance"]
    )
    assert len(ax.lines) == 2 * 6
    others = [line.get_linewidth() for line in ax.lines if line is not marked]
    assert marked.get_linewidth() > max(others)
    names = [text.get_text() for text in ax.texts]
    assert names.count("random weights") == 1
    last = drift[drift["layer"] == drift["layer"].max()].set_index("token")["relative_distance"]
    stayed = drift.groupby("token")["relative_distance"].mean().idxmin()
    assert {"mouse", last.idxmin(), last.idxmax(), stayed} | {"random weights"} == {*names}


@pytest.mark.parametrize("quantity", list(STEPS))
def test_means_by_layer_are_those_of_the_table(figure, results, quantity):
    ax = figure.axes[1 + list(STEPS).index(quantity)]
    rows = results["evolution/layers"].query("quantity == @quantity").dropna(subset="mean")
    rows = rows.set_index("tokens")
    random, first, corpus = ax.lines
    assert np.array_equal(first.get_ydata(), rows.loc["a", "mean"])
    assert np.array_equal(random.get_ydata(), rows.loc["a", "random_weights_mean"])
    assert random.get_color() == NULLS["random_initialization"].color
    assert np.array_equal(corpus.get_ydata(), rows.loc["some", "mean"])
    assert corpus.get_color() == corpus_looks(["some"])["some"].color


def test_the_title_says_where_tokens_drift_no_farther_than_at_random_weights(results):
    drift = results[DRIFT]
    given = drift.assign(random_weights_relative_distance=2 * drift["relative_distance"])
    title = evolved.title_of(draw(results | {DRIFT: given})[0])
    assert "in two texts they end no farther apart than untrained (a); " in title


def test_the_same_before_two_texts_differ_is_no_drift(results):
    causal = results[DRIFT].copy()
    same = causal["position"] <= 2
    causal.loc[same, ["relative_distance", "random_weights_relative_distance"]] = 3e-7
    assert defined(causal).equals(causal[~same])
    none = causal.assign(relative_distance=0.0, random_weights_relative_distance=0.0)
    figure, _ = draw(results | {DRIFT: none})
    assert figure.axes[0].texts[0].get_text() == "no token that two texts share"


def test_without_words_to_follow_the_panel_says_so(results):
    figure, text = draw(results | {TRACKED: results[TRACKED][:0]})
    assert_words_fit(figure)
    assert evolved.title_of(figure).endswith(
        " tokens most (b); in two texts they end farther apart than untrained (a)"
    )
    assert "No text with words of both lists" in figure.axes[3].texts[0].get_text()
    assert "length of a step" in text


def test_outputs_of_layers_are_drawn_where_the_sum_cannot_be_rebuilt(results):
    tracked = results[TRACKED]
    at_sum = tracked["point"] == "attention_sum"
    outputs = tracked[~at_sum & ~tracked["point"].isin(["normed_sum", "output"])]
    outputs = pd.concat([outputs, tracked[at_sum].assign(point="output")])
    drawn, expected = (draw(results | {TRACKED: table})[0].axes[3] for table in (outputs, tracked))
    for line, other in zip(drawn.lines, expected.lines, strict=True):
        assert line.get_xydata().tolist() == other.get_xydata().tolist()


def test_the_subtitle_has_the_texts_and_their_sizes(figure):
    words = evolved.words_of(figure)
    assert "a: “[CLS] the mouse . the " in words
    assert "30 tokens of as many texts" in words
    assert figure.get_label() == "measure_evolution"


def test_without_tokens_the_figure_says_why(results):
    evolved.assert_says_why_it_is_empty(draw, results)


def test_two_texts_of_equal_length_are_written_as_one(results):
    path = results["evolution/path"] if "evolution/path" in results else results["path"]
    texts = [rows for _, rows in path.groupby("text", sort=False)][:2]
    one, other = (sentence_of(rows).split() for rows in texts)
    figure, _ = draw(results)
    subtitle = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    differ = [f"[{a} → {b}]" for a, b in zip(one, other, strict=True) if a != b]
    assert differ and all(words in subtitle for words in differ)
