import pytest

from embspace.draw.page.canvas import use_style
from embspace.draw.page.maps.figure import draw_maps
from embspace.draw.page.maps.panels import panels_of_maps
from tests.draw.fits import assert_words_fit
from tests.draw.page.maps.results import results_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices


def draw(results, label="a model of a long name"):
    return draw_maps(
        results,
        label,
        method="a method",
        stage="project_pca",
        title="A finding",
        protocol="seed 0",
        panels=panels_of_maps(results),
        n_named=3,
        height_mm=175.0,
        digits=3,
    )


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices(), regimes_of(30, outlying=[0, 7]))


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


def test_every_map_has_its_quality_and_chance_in_words(results, drawn):
    titles = [ax.get_title(loc="left") for ax in drawn[0].axes[:4]]
    raw, centered = "Raw vectors", "Centered, at unit length"
    assert titles == [raw, centered, "All positions", "Structured positions"]
    for ax, (_, row) in zip(drawn[0].axes[:4], results["quality"].iterrows(), strict=True):
        words = ax.get_xlabel()
        recall, chance = row["neighbor_recall"], row["chance_neighbor_recall"]
        assert f"5 nearest neighbors kept: {100 * recall:.2g} % (chance {100 * chance:.2g} %)" in (
            words
        )
        trust = f"trustworthiness {row['trustworthiness']:.2f}, continuity {row['continuity']:.2f}"
        assert f"{trust} (chance {row['chance_trustworthiness']:.2f})" in words


def test_the_subtitle_says_how_many_there_are(drawn):
    words = " ".join(text.get_text() for text in drawn[0].texts)
    assert "a model of a long name · 120 tokens, 30 positions · seed 0" in words


def test_positions_that_are_left_out_are_marked(results, drawn):
    positional, structured = drawn[0].axes[2:4]
    rows = results["parquet"].query("cloud == 'positional' and id in [0, 7]")
    assert positional.collections[0].get_offsets()[:, 0].tolist() == rows["x"].tolist()
    assert len(structured.collections) == len(positional.collections) - 1
    (legend,) = drawn[0].legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words[-2:] == ["position embeddings", "positions not structured"]


def test_a_model_without_positions_shows_its_tokens():
    figure, text = draw(results_of({"input": random_matrices()["input"]}, regimes_of(0)), "tiny")
    assert "tiny has no learned positional table" in figure.axes[2].texts[0].get_text()
    assert "tiny has no learned positional table" in text
    assert "One-dimensionality" not in text


def test_a_model_without_structured_positions_says_so():
    figure, _ = draw(results_of(random_matrices(), regimes_of(30, unstructured=range(30))), "tiny")
    assert len(figure.axes[2].collections[0].get_offsets()) == 30
    assert "position" not in [ax.get_ylabel() for ax in figure.axes]  # no colors to explain
    assert "no structured positions" in [t.get_text() for ax in figure.axes for t in ax.texts]


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])


def test_the_words_below_a_map_end_above_the_title_below_them(results):
    use_style()
    parts = results["parquet"].astype({"x": float, "y": float})
    # Width by height, with which one layout alone lets them overlap.
    ratios = {"joint": 1.1, "joint_centered": 1.474, "positional": 1.0, "structured": 1.585}
    for cloud, ratio in ratios.items():
        of = parts["cloud"] == cloud
        for axis, width in (("x", ratio), ("y", 1.0)):
            values = parts.loc[of, axis]
            span = values.max() - values.min()
            parts.loc[of, axis] = width * (values - values.min()) / span
    figure, _ = draw(results | {"parquet": parts})
    figure.draw_without_rendering()
    joint, _, positional, _ = figure.axes[:4]
    words, title = joint.xaxis.label, positional._left_title
    assert words.get_window_extent().y0 > title.get_window_extent().y1
