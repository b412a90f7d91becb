"""Holds the figure of queries and keys to its tables."""

from typing import Any

import numpy as np
import pytest

from embspace.draw.blocks.query_key_form import draw_query_key_form
from embspace.draw.page.saving import Results
from embspace.measure.blocks.query_key_form import QUERY_KEY_FORM
from embspace.measure.blocks.query_key_form_heads import LAYER_MEASURES
from embspace.measure.blocks.query_key_form_nulls import HEAD_MEASURES
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

KINDS = ("random_initialization", "shuffled_entries")
FACTS = {
    "known": True,
    "architecture": "BertModel",
    "n_layers": 3,
    "n_heads": 4,
    "n_key_heads": 4,
    "query_biases": True,
    "rotary_positions": False,
    "n_seeds": 5,
    "corpus": "posts",
    "n_texts": 60,
    "n_tokens": 1470,
}
RANGE = {"null_mean": 0.5, "null_smallest": 0.45, "null_largest": 0.55, "n_draws": 20}


def drawn(results: Results, label: str = "a model") -> Any:
    settings = settings_of(draw_query_key_form, most_lines=2)
    return draw_query_key_form(results, label, **settings)


def results(layer_value: float = 0.75, **facts: Any) -> Results:
    layers = (1, 2, 3)
    rng = np.random.default_rng(0)
    columns = [name for name in QUERY_KEY_FORM.tables["heads"].columns if "*" not in name]
    heads = [
        {"layer": layer, "head": head} | {name: rng.uniform(0.4, 0.7) for name in columns[2:]}
        for layer in layers
        for head in (1, 2, 3, 4)
    ]
    profiles = [
        {"part": "layer" if layer else "median_of_layers", "layer": layer, "measure": measure}
        | {"value": layer_value, "as_printed": 2 * layer_value - 1}
        for layer in (*layers, None)
        for measure in LAYER_MEASURES
    ]
    counts = {"n_below": int(layer_value < 0.45), "n_above": int(layer_value > 0.55)}
    counts["n_within"] = 1 - sum(counts.values())
    nulls = [
        {"part": row["part"], "layer": row["layer"], "measure": row["measure"], "null": null}
        | {"median": layer_value, "n": 1}
        | counts
        | RANGE
        for null in KINDS
        for row in profiles
    ]
    nulls += [
        {"part": "head", "layer": layer, "measure": measure, "null": null, "median": 0.6, "n": 4}
        | {"n_below": 0, "n_within": 1, "n_above": 3}
        | RANGE
        for null in KINDS
        for layer in layers
        for measure in HEAD_MEASURES
    ]
    ranks = [
        {"layer": layer, "weights": weights, "rank": rank, "n": 4}
        | {"singular_share": 0.5 / rank, "principal_angle": 10.0 * rank + layer}
        for weights in ("trained", *KINDS)
        for layer in layers
        for rank in (1, 2, 3)
    ]
    rows: dict[str, Any] = {"heads": heads, "profiles": profiles, "nulls": nulls, "ranks": ranks}
    tables = {name: QUERY_KEY_FORM.tables[name].of(given) for name, given in rows.items()}
    return as_drawn(QUERY_KEY_FORM, {**tables, "json": FACTS | facts})


def words_of(figure: Any) -> str:
    texts = [
        each.get_text() for each in (*figure.texts, *(t for a in figure.axes for t in a.texts))
    ]
    return " ".join(" ".join(texts).split())


def test_points_are_heads_and_the_line_is_the_layer():
    given = results()
    figure, _ = drawn(given, "a model of a long name")
    assert_words_fit(figure)
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    points, line = lines["single heads"], lines["all heads of a layer"]
    assert np.asarray(points.get_ydata()) == pytest.approx(given["heads"]["symmetry"])
    assert np.asarray(points.get_xdata()).round().tolist() == given["heads"]["layer"].tolist()
    assert np.asarray(line.get_ydata()) == pytest.approx(0.75)
    for ax in figure.axes[:6]:
        assert ax.get_title("left") and ax.get_xlabel() and ax.get_ylabel()


def test_lines_over_ranks_are_of_layers_at_equal_distances():
    figure, _ = drawn(results())
    for ax, column in ((figure.axes[2], "principal_angle"), (figure.axes[3], "singular_share")):
        assert [line.get_label() for line in ax.lines] == ["1", "3", "random"]
        rows = results()["ranks"].query("weights == 'trained' and layer == 3")
        assert np.asarray(ax.lines[1].get_ydata()) == pytest.approx(rows[column])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.75, "more symmetric than random ones: symmetry 0.75"),
        (0.5, "as symmetric as random ones: symmetry 0.50"),
        (0.2, "less symmetric than random ones: symmetry 0.20"),
    ],
)
def test_the_title_says_how_symmetric_layers_are(value: float, said: str):
    figure, _ = drawn(results(value))
    assert said in " ".join(figure.get_suptitle().split())


def test_the_subtitle_says_what_was_read():
    figure, _ = drawn(results(n_key_heads=2))
    words = words_of(figure)
    assert "3 layers of 4 heads with 2 keys" in words
    assert "1,470 tokens of 60 texts (posts)" in words


def test_what_is_not_defined_is_said():
    given = results(query_biases=False)
    given["heads"]["key_only_share"] = np.nan
    figure, _ = drawn(given)
    assert "queries have no bias" in words_of(figure)
    assert figure.axes[5].has_data()
    given["heads"]["mean_query_share"] = np.nan
    for facts, said in (
        ({"rotary_positions": True}, "positions are rotary"),
        ({"rotary_positions": False}, "no corpus of which a token was read"),
    ):
        given["json"].update(FACTS | facts)
        figure, text = drawn(given)
        assert said in words_of(figure)
        assert "key only" in text


@pytest.mark.parametrize(
    ("architecture", "said"),
    [
        ("OPTModel", "the attention of OPTModel is not rebuilt here"),
        (None, "vectors alone have no attention"),
    ],
)
def test_an_unknown_architecture_is_a_sentence(architecture: str | None, said: str):
    empty = QUERY_KEY_FORM.empty(known=False, architecture=architecture)
    figure, text = drawn(as_drawn(QUERY_KEY_FORM, empty))
    assert said in words_of(figure)
    assert said[1:] in text
    assert not any(ax.axison for ax in figure.axes)


def test_a_block_of_several_layers_is_no_layer():
    figure, _ = drawn(results(n_layers=1, n_uses=12))
    words = " ".join(words_of(figure).split())
    assert "1 block of 4 heads, used again in 12 layers" in words
    assert "in its one block" in words and "median layer" not in words
    assert_words_fit(figure)
