from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure

from embspace.draw.page.looks import corpus_looks
from embspace.draw.texts import text_maps
from embspace.draw.texts.text_maps import draw_text_maps
from embspace.project.text_maps import TEXT_MAPS, project_text_maps
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit
from tests.text_corpora import MAP_SETTINGS as SETTINGS
from tests.text_corpora import corpus, no_corpora, three_corpora

FIRST = 3  # panel of a space, after one a method
LABEL = "a model of a long name"
LOOK: dict[str, Any] = {"method": "tsne", "row_height_mm": 50.0, "digits": 3}


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return project_text_maps(three_corpora(), **SETTINGS)


def draw(results: dict[str, Any]) -> tuple[Figure, str]:
    return draw_text_maps(as_drawn(TEXT_MAPS, results), LABEL, **LOOK)


def titled(results: dict[str, Any]) -> str:
    return draw(results)[0].get_suptitle().replace("\n", " ").strip()


def test_a_map_for_each_choice_of_texts_and_space(results: dict[str, Any]):
    figure, text = draw(results)
    assert_words_fit(figure)
    assert figure.get_label() == "project_text_maps"
    by_space = ["First token\nraw", "Mean pooling\ncentered, unit length"]
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert titles == ["PCA", "t-SNE", "UMAP", *by_space, "", "", "", ""]
    names = [figure.axes[place].get_ylabel() for place in (0, FIRST, FIRST + 2)]
    first, *others = "two sources\nfirst token, raw", "two sources\nt-SNE", "all corpora\nt-SNE"
    assert names == [first, *others]
    ticks = [text.get_text() for text in figure.axes[FIRST + 4].get_yticklabels()]
    assert ticks[:2] == ["two sources: articles", "two sources: posts"]
    for title in ("## Neighbors of the same corpus", "## Quality of the maps", "<details>"):
        assert title in text


def test_the_subtitle_says_how_many_texts_of_each_corpus(results: dict[str, Any]):
    words = " ".join(text.get_text() for text in draw(results)[0].texts).replace("\n", " ")
    assert "two sources: 12 articles, 12 posts" in words
    assert "all corpora: 12 articles, 24 sentences, 16 posts" in words
    assert "maps; below each" in words


def test_shares_are_promised_where_they_stand(results: dict[str, Any]):
    def said(results: dict[str, Any]) -> str:
        return " ".join(text.get_text() for text in draw(results)[0].texts).replace("\n", " ")

    assert "; below each, the share of the " in said(results)
    alone = maps_of_one(lambda n: f"subject {n % 3}")
    assert "contours of density" not in said(alone)  # of twenty texts
    assert "below each" not in said(alone)


def test_points_are_those_of_the_table_and_names_those_of_their_shares(results: dict[str, Any]):
    ax = draw(results)[0].axes[FIRST + 2]
    wanted = "map == 'all_corpora' and pooling == 'cls' and method == 'tsne'"
    rows = results["parquet"].query(wanted)
    drawn = np.concatenate([each.get_offsets() for each in dots(ax)])
    assert sorted(map(tuple, drawn)) == sorted(
        map(tuple, rows[["x", "y"]].to_numpy(dtype=np.float64))
    )
    shares = results["neighbors"].query(wanted).set_index("corpus")["same_corpus_share"]
    words = {text.get_text() for text in ax.texts if text.get_text()}
    assert words == {f"{name} {100 * shares[name]:.0f} %" for name in shares.index}


def test_the_first_row_has_every_method_side_by_side(results: dict[str, Any]):
    axes = draw(results)[0].axes
    for ax, method in zip(axes, ("pca", "tsne", "umap"), strict=False):
        wanted = f"map == 'two_sources' and pooling == 'cls' and method == '{method}'"
        rows = results["parquet"].query(wanted)
        drawn = np.concatenate([each.get_offsets() for each in dots(ax)])
        assert len(drawn) == 24
        assert np.allclose(np.sort(drawn, axis=0), np.sort(rows[["x", "y"]], axis=0))


def test_the_largest_corpus_lies_at_the_back_and_no_dot_is_larger_than_another(results):
    parts = dots(draw(results)[0].axes[FIRST + 2])
    assert [len(each.get_offsets()) for each in parts] == [24, 16, 12]
    assert len({tuple(each.get_sizes()) for each in parts}) == 1


def test_a_corpus_has_its_color_in_dots_and_names(results: dict[str, Any]):
    ax = draw(results)[0].axes[0]
    looks = corpus_looks(["articles", "posts"])
    assert {to_hex(each.get_facecolor()[0]) for each in dots(ax)} == {
        look.color.lower() for look in looks.values()
    }
    for text in ax.texts:
        if text.get_text():
            assert text.get_color() == looks[text.get_text().split()[0]].color


def test_contours_are_around_the_points(results: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_maps, "FEWEST", 10)
    ax = draw(results)[0].axes[0]
    lines = [each for each in ax.collections if isinstance(each, ContourSet)]
    assert len(lines) == 2
    assert all(len(path.vertices) for each in lines for path in each.get_paths()[:1])


def test_the_title_says_the_shares_of_the_corpus_that_differs_most(results: dict[str, Any]):
    table = results["neighbors"]
    known = table["method"].eq("space") & table["map"].eq("all_corpora")
    known &= table["corpus"].eq("posts")
    by_mean = table["pooling"].eq("mean")
    change = table.assign(same_corpus_share=0.5, chance_same_corpus_share=0.2)
    change.loc[known & by_mean, "same_corpus_share"] = 0.9
    change.loc[known & ~by_mean, "same_corpus_share"] = 0.1
    assert titled(results | {"neighbors": change}) == (
        "Of the texts nearest to posts, posts are 90 % by mean pooling (centered, unit length), "
        "but 10 % by first token (raw); chance 20 %"
    )
    change.loc[known & by_mean, "same_corpus_share"] = 0.05
    title = titled(results | {"neighbors": change})
    assert "articles" in title or "10 % by first token (raw), but 5 % by mean" in title


def test_shares_and_chance_are_those_of_the_table(results: dict[str, Any]):
    ax = draw(results)[0].axes[FIRST + 5]
    rows = results["neighbors"].query("pooling == 'mean'")
    in_space, *_, chance = ax.lines
    assert np.array_equal(
        in_space.get_xdata(), rows.query("method == 'space'")["same_corpus_share"]
    )
    assert np.array_equal(chance.get_xdata(), rows["chance_same_corpus_share"])


def test_a_model_that_reads_no_text_says_so():
    results = project_text_maps(no_corpora(), **SETTINGS)
    figure, text = draw(results)
    assert_words_fit(figure)
    assert "enough texts" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_a_single_corpus_is_colored_by_the_subjects_of_its_texts():
    figure, _ = draw(maps_of_one(lambda n: f"subject {n % 3}"))
    assert_words_fit(figure)
    assert figure.get_suptitle().strip() == "The texts of one corpus"
    assert names(figure) == ["subject 0", "subject 1", "subject 2"]
    drawn = dots(figure.axes[0])
    assert sorted(len(each.get_offsets()) for each in drawn) == [6, 7, 7]
    assert len({tuple(each.get_facecolor()[0]) for each in drawn}) == 3


def test_rare_subjects_share_a_color_and_no_subject_is_one_of_them():
    subjects = [f"subject of a name that is rather long {n // 2}" for n in range(18)] + ["", "once"]
    figure, _ = draw(maps_of_one(subjects.__getitem__))
    assert_words_fit(figure)
    assert len(names(figure)) == 8
    assert names(figure)[-1] == "other texts"
    assert len({to_hex(each.get_facecolor()[0]) for each in dots(figure.axes[0])}) == 8


def test_without_subjects_the_corpus_is_named():
    figure, _ = draw(maps_of_one(lambda _: ""))
    assert names(figure) == ["mine"]


def maps_of_one(subject: Callable[[int], str]) -> dict[str, Any]:
    """Maps of one corpus of twenty texts, each with its subject."""
    cloud = corpus([f"d{number}" for number in range(20)], seed=0)
    cloud.windows["subject"] = [subject(number) for number in range(20)]
    return project_text_maps({"mine": cloud}, **SETTINGS)


def names(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts if text.get_text()]


def dots(ax: Axes) -> list[PathCollection]:
    return [each for each in ax.collections if isinstance(each, PathCollection)]
