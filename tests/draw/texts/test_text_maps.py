from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.texts.text_maps import draw_text_maps
from embspace.project.text_maps import TextMaps, project_text_maps
from tests.draw.fits import assert_words_fit
from tests.text_corpora import MAP_SETTINGS as SETTINGS
from tests.text_corpora import corpus, no_corpora, three_corpora

LABEL = "a model of a long name"
LOOK: dict[str, Any] = {"row_height_mm": 50.0, "digits": 3}


def results_of(found: TextMaps) -> dict[str, Any]:
    return {
        "parquet": found.coordinates,
        "quality": found.quality,
        "neighbors": found.neighbors,
    }


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return results_of(project_text_maps(three_corpora(), **SETTINGS))


def test_a_map_for_each_method_and_space(results: dict[str, Any]):
    figure, text = draw_text_maps(results, LABEL, row_height_mm=50.0, digits=3)
    assert_words_fit(figure)
    assert figure.get_supxlabel() == "project_text_maps"
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["PCA", "t-SNE", "UMAP"] * 4
    assert [figure.axes[place].get_ylabel() for place in (0, 3, 6, 9)] == [
        "two sources, n = 24\nfirst token\nraw",
        "two sources, n = 24\nmean\ncentered, unit length",
        "all corpora, n = 52\nfirst token\nraw",
        "all corpora, n = 52\nmean\ncentered, unit length",
    ]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["articles", "posts", "sentences"]
    for title in ("## Quality", "## What lies near what"):
        assert title in text


def test_points_and_trust_are_those_of_the_tables(results: dict[str, Any]):
    figure, _ = draw_text_maps(results, LABEL, row_height_mm=50.0, digits=3)
    ax = figure.axes[7]
    wanted = "map == 'all_corpora' and pooling == 'cls' and method == 'tsne'"
    rows = results["parquet"].query(wanted)
    drawn = np.concatenate([each.get_offsets() for each in ax.collections])
    assert sorted(map(tuple, drawn)) == sorted(
        map(tuple, rows[["x", "y"]].to_numpy(dtype=np.float64))
    )
    quality = results["quality"].query(wanted).iloc[0]
    assert f"T {quality['trustworthiness']:.2f}" in ax.texts[0].get_text()


def test_the_largest_corpus_lies_at_the_back(results: dict[str, Any]):
    figure, _ = draw_text_maps(results, LABEL, row_height_mm=50.0, digits=3)
    sizes = [len(each.get_offsets()) for each in figure.axes[6].collections]
    assert sizes == [24, 16, 12]


def test_equal_corpora_have_equal_dots(results: dict[str, Any]):
    figure, _ = draw_text_maps(results, LABEL, row_height_mm=50.0, digits=3)
    areas = [each.get_sizes().tolist() for each in figure.axes[0].collections]
    assert len(areas) == 2
    assert areas[0] == areas[1]


def test_a_model_that_reads_no_text_says_so():
    results = results_of(project_text_maps(no_corpora(), **SETTINGS))
    figure, text = draw_text_maps(results, LABEL, row_height_mm=50.0, digits=3)
    assert_words_fit(figure)
    assert "enough texts" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_a_single_corpus_is_colored_by_the_subjects_of_its_texts():
    figure, _ = draw_text_maps(maps_of_one(lambda n: f"subject {n % 3}"), LABEL, **LOOK)
    assert_words_fit(figure)
    assert legend(figure) == ["subject 0", "subject 1", "subject 2"]
    drawn = list(figure.axes[0].collections)
    assert sorted(len(each.get_offsets()) for each in drawn) == [6, 7, 7]
    assert len({tuple(each.get_facecolor()[0]) for each in drawn}) == 3


def test_rare_subjects_share_a_color_and_no_subject_is_one_of_them():
    names = [f"subject of a name that is rather long {n // 2}" for n in range(18)] + ["", "once"]
    figure, _ = draw_text_maps(maps_of_one(names.__getitem__), LABEL, **LOOK)
    assert_words_fit(figure)
    assert len(legend(figure)) == 8
    assert legend(figure)[-1] == "other texts"
    dots = figure.legends[0].get_lines()
    use_style()
    assert len({to_hex(each.get_color()) for each in dots}) == 8


def test_without_subjects_the_corpus_is_named():
    figure, _ = draw_text_maps(maps_of_one(lambda _: ""), LABEL, **LOOK)
    assert legend(figure) == ["mine"]


def maps_of_one(subject: Callable[[int], str]) -> dict[str, Any]:
    """Maps of one corpus of twenty texts, each with its subject."""
    cloud = corpus([f"d{number}" for number in range(20)], seed=0)
    cloud.windows["subject"] = [subject(number) for number in range(20)]
    return results_of(project_text_maps({"mine": cloud}, **SETTINGS))


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]
