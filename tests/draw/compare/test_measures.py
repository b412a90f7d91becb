import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context

from embspace.compare.measures import COLUMNS
from embspace.draw.compare.measures import draw_measures
from embspace.draw.page.canvas import use_style
from tests.draw.fits import assert_words_fit

SETTINGS = {"height_mm": 140.0, "profile_length": 3, "digits": 2}
VALUES = {"one": 0.5, "two": 0.25, "three": 0.125}


def rows(noun: str, name: str, group: str, places: list[float], quantity: str) -> pd.DataFrame:
    """All pairs of three models, the last of which ends a place before the others."""
    parts = []
    for one, other in (("one", "two"), ("one", "three"), ("two", "three")):
        value, of_other = np.full(len(places), VALUES[one]), np.full(len(places), VALUES[other])
        if other == "three" and len(places) > 1:
            of_other[-1] = np.nan
        table = pd.DataFrame({"at": places, "model_value": value, "other_model_value": of_other})
        table = table.assign(model=one, other_model=other, noun=noun, table=name)
        parts.append(table.assign(group=group, along="layer", quantity=quantity))
    return pd.concat(parts)


@pytest.fixture
def table() -> pd.DataFrame:
    parts = [
        rows("positions", "profiles", "", [1, 2, 3, 4], "mean"),
        rows("explained_variance", "curve", "input", [1, 2], "cumulative_explained_variance"),
        rows("explained_variance", "dimensions", "input", [0.5], "n_components"),
        rows("similarity", "summary", "input / norm", [np.nan], "mean"),
        *(
            rows("search", "search", f"texts / {name} / as_is", [0, 1, 2], "recall_at_1")
            for name in ("cls", "mean")
        ),
        *(
            rows("differences", "categories", f"{pooling} / {name}", [0, 1, 2], "consistency")
            for pooling in ("cls", "mean")
            for name in ("warm-cold", "funny-sad")
        ),
    ]
    found = pd.concat(parts, ignore_index=True)
    found["difference"] = found["model_value"] - found["other_model_value"]
    of_sentences = found["noun"].isin(["differences", "search"]) & found["difference"].notna()
    found.loc[of_sentences, "difference_low"] = found["difference"] - 0.1
    found.loc[of_sentences, "difference_high"] = found["difference"] + 0.2
    found.loc[of_sentences, "n_paired"] = 14
    return found.reindex(columns=COLUMNS)


def test_positions_of_all_models_share_an_axis(table: pd.DataFrame):
    figure, _ = draw_measures({"csv": table}, "one, two, three", **SETTINGS)
    assert_words_fit(figure)
    lines = figure.axes[0].lines
    assert [line.get_label() for line in lines] == ["one", "two", "three"]
    assert [list(line.get_xdata()) for line in lines] == [[1, 2, 3]] * 3
    assert list(lines[1].get_ydata()) == [0.25] * 3


def test_curves_are_as_long_as_each_model_has_them(table: pd.DataFrame):
    figure, _ = draw_measures({"csv": table}, "one, two, three", **SETTINGS)
    assert [len(line.get_xdata()) for line in figure.axes[1].lines] == [2, 2, 1]
    # No model has a positional matrix.
    assert "no model has such a matrix" in figure.axes[2].texts[0].get_text()


def test_paired_differences_are_of_the_last_common_layer(table: pd.DataFrame):
    figure, text = draw_measures({"csv": table}, "one, two, three", **SETTINGS)
    points = [line for line in figure.axes[3].lines if len(line.get_xdata()) == 2]
    assert list(points[0].get_xdata())[0] == pytest.approx(0.25)
    sentences = text.split("## Sentences: ")[1:]
    assert len(sentences) == 3
    assert "0.25 [0.15, 0.45]" in sentences[0]
    layers = [
        {line.split("|")[2].strip() for line in each.splitlines() if "warm-cold" in line}
        for each in sentences
    ]
    assert layers == [{"2"}, {"1"}, {"1"}]
    assert figure.axes[3].get_title() == "Differences of sentences,\nthe last layer that both have"
    labels = [text.get_text() for text in figure.axes[3].get_legend().get_texts()]
    assert [label.split(", ")[1] for label in labels] == ["layer 2", "layer 1", "layer 1"]


def test_other_measures_have_their_bounds_at_the_last_common_layer(table: pd.DataFrame):
    _, text = draw_measures({"csv": table}, "one, two, three", **SETTINGS)
    for pair, layer in zip(text.split("## Search: ")[1:], (2, 1, 1), strict=True):
        lines = [line for line in pair.partition("## ")[0].splitlines() if "as_is" in line]
        assert len(lines) == 1
        cells = [cell.strip() for cell in lines[0].split("|")]
        assert cells[1:4] == ["texts / mean / as_is", str(layer), "recall_at_1"]
        assert cells[-2] == "14"
    assert "0.25 [0.15, 0.45]" in text.split("## Search: one, two")[1].partition("## ")[0]


def test_the_legend_of_several_pairs_hides_no_point(table: pd.DataFrame):
    with rc_context():
        use_style()
        figure, _ = draw_measures({"csv": table}, "one, two, three", **SETTINGS)
        assert_words_fit(figure)
    ax = figure.axes[3]
    legend = ax.get_legend().get_window_extent()
    assert legend.y1 < ax.get_window_extent().y0
    assert figure.bbox.y0 < legend.y0
    assert legend.x1 < figure.bbox.x1


def test_one_layer_is_named_in_the_title(table: pd.DataFrame):
    pair = table[(table["model"] == "one") & (table["other_model"] == "three")]
    figure, _ = draw_measures({"csv": pair}, "one, three", **SETTINGS)
    assert_words_fit(figure)
    title = "Differences of sentences,\nlayer 1, the last that both have"
    assert figure.axes[3].get_title() == title


def test_with_one_model_it_says_what_is_needed():
    figure, text = draw_measures({"csv": pd.DataFrame(columns=COLUMNS)}, "one", **SETTINGS)
    assert_words_fit(figure)
    assert "two models" in figure.axes[0].texts[0].get_text()
    assert "##" not in text
