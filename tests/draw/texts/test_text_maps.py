from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from embspace.app.page.nothing import says_nothing
from embspace.draw.page.looks import corpus_looks
from embspace.draw.texts.text_maps import draw_text_maps
from embspace.project.text_maps import TEXT_MAPS, project_text_maps
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit
from tests.text_corpora import MAP_SETTINGS as SETTINGS
from tests.text_corpora import corpus, no_corpora, three_corpora

LAST = 1  # panel of the last space
LABEL = "a model of a long name"
LOOK: dict[str, Any] = {"method": "tsne", "row_height_mm": 50.0, "digits": 3}


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return project_text_maps(three_corpora(), **SETTINGS)


def draw(results: dict[str, Any]) -> tuple[Figure, str]:
    return draw_text_maps(as_drawn(TEXT_MAPS, results), LABEL, **LOOK)


def titled(results: dict[str, Any]) -> str:
    return draw(results)[0].get_suptitle().replace("\n", " ").strip()


def test_every_space_by_one_method_and_the_shares(results: dict[str, Any]):
    figure, text = draw(results)
    assert_words_fit(figure)
    assert figure.get_label() == "project_text_maps"
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    spaces = ["First token,\nraw", "Mean pooling,\ncentered, unit length"]
    assert [*filter(None, titles)] == [*spaces, "Neighbors of the same source, in all dimensions"]
    for title in ("## Neighbors of the same corpus", "## Quality of the maps", "<details>"):
        assert title in text


def test_the_subtitle_says_how_many_texts_of_each_corpus_and_which_are_hubs(results):
    words = " ".join(text.get_text() for text in draw(results)[0].texts).replace("\n", " ")
    assert " · 12 articles, 12 posts · " in words
    hubs = results["neighbors"].query("method == 'space' and map == 'two_sources'")
    most = hubs.loc[hubs["mean_k_occurrence"].idxmax()]
    assert f" nearest of {most['mean_k_occurrence']:.0f} texts on average" in words


def test_shares_are_promised_where_they_stand(results: dict[str, Any]):
    def said(results: dict[str, Any]) -> str:
        return " ".join(text.get_text() for text in draw(results)[0].texts).replace("\n", " ")

    assert "below a map, the share of the " in said(results)
    alone = maps_of_one(lambda n: f"subject {n % 3}")
    assert "below a map" not in said(alone)


def test_points_are_those_of_the_table_and_names_those_of_their_shares(results: dict[str, Any]):
    ax = draw(results)[0].axes[LAST]
    wanted = "map == 'two_sources' and pooling == 'mean' and method == 'tsne'"
    rows = results["parquet"].query(wanted)
    drawn = np.concatenate([part.get_offsets() for part in dots(ax)])
    assert sorted(map(tuple, drawn)) == sorted(
        map(tuple, rows[["x", "y"]].to_numpy(dtype=np.float64))
    )
    shares = results["neighbors"].query(wanted).set_index("corpus")["same_corpus_share"]
    words = {text.get_text() for text in ax.texts if text.get_text()}
    assert words == {f"{name} {100 * shares[name]:.0f} %" for name in shares.index}


def test_the_largest_corpus_lies_at_the_back_and_no_dot_is_larger_than_another(results):
    given = {name: table[table["map"] == "all_corpora"] for name, table in results.items()}
    parts = dots(draw(given)[0].axes[LAST])
    assert [len(part.get_offsets()) for part in parts] == [24, 16, 12]
    assert len({tuple(part.get_sizes()) for part in parts}) == 1


def test_a_corpus_has_its_color_in_dots_and_names(results: dict[str, Any]):
    ax = draw(results)[0].axes[0]
    looks = corpus_looks(["articles", "posts"])
    assert {to_hex(part.get_facecolor()[0]) for part in dots(ax)} == {
        look.color.lower() for look in looks.values()
    }
    for text in ax.texts:
        if text.get_text():
            assert text.get_color() == looks[text.get_text().split()[0]].color


def test_the_title_says_the_shares_of_the_corpus_that_differs_most(results: dict[str, Any]):
    table = results["neighbors"]
    known = table["method"].eq("space") & table["map"].eq("two_sources")
    known &= table["corpus"].eq("posts")
    by_mean = table["pooling"].eq("mean")
    band = {f"shuffled_same_corpus_share_{end}": x for end, x in (("low", 0.2), ("high", 0.3))}
    change = table.assign(same_corpus_share=0.5, chance_same_corpus_share=0.25, **band)
    change.loc[known & by_mean, "same_corpus_share"] = 0.9
    change.loc[known & ~by_mean, "same_corpus_share"] = 0.1
    given = results | {"neighbors": change}
    assert titled(given) == (
        "Of the texts nearest to posts by first token (raw), 10 % are posts, less than by chance; "
        "by mean pooling (centered, unit length): 90 %"
    )
    printed = {text.get_text() for text in draw(given)[0].axes[-1].texts}
    assert {"10 %", "90 %"} <= printed


def test_shares_and_chance_are_those_of_the_table(results: dict[str, Any]):
    ax = draw(results)[0].axes[-1]
    rows = results["neighbors"].query("map == 'two_sources'")
    lines = {line.get_label(): line for line in ax.lines}
    in_space = rows.query("method == 'space'").set_index("corpus")
    for name, own in in_space.groupby("corpus"):
        assert list(lines[name].get_xdata()) == own["same_corpus_share"].tolist()
    assert {*lines["chance"].get_xdata()} <= {*rows["chance_same_corpus_share"]}
    assert ax.get_yticklabels()[-1].get_text() == "Mean pooling,\ncentered, unit length"


def test_a_single_space_has_its_shares_once(results: dict[str, Any]):
    first = [*results["parquet"][["pooling", "preparation"]].iloc[0]]
    one = {
        name: table[(table[["pooling", "preparation"]] == first).all(axis=1)]
        for name, table in results.items()
    }
    beside = draw(one)[0].axes[-1]
    assert [label.get_text() for label in beside.get_yticklabels()] == ["First token,\nraw"]
    assert titled(one).endswith("by chance")


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
    assert sorted(len(part.get_offsets()) for part in drawn) == [6, 7, 7]
    assert len({tuple(part.get_facecolor()[0]) for part in drawn}) == 3


def test_rare_subjects_share_a_color_and_no_subject_is_one_of_them():
    subjects = [f"subject of a name that is rather long {n // 2}" for n in range(18)] + ["", "once"]
    figure, _ = draw(maps_of_one(subjects.__getitem__))
    assert_words_fit(figure)
    assert len(names(figure)) == 8
    assert names(figure)[-1] == "other texts"
    assert len({to_hex(part.get_facecolor()[0]) for part in dots(figure.axes[0])}) == 8


def test_texts_of_one_corpus_may_lie_by_their_documents():
    results = maps_of_one(lambda _: "", [f"d{number // 2}" for number in range(20)])
    table = results["neighbors"].assign(k=15, chance_same_document_share=0.04)
    table["chance_same_domain_share"] = 1.0
    table["chance_same_corpus_share"] = 1.0
    for share, end in (
        (0.06, "of all others 4 %, about as many as by chance"),
        (0.2, "others 4 %"),
    ):
        given = results | {"neighbors": table.assign(same_document_share=share)}
        figure, text = draw(given)
        assert_words_fit(figure)
        title = titled(given)
        said = "Of the 15 texts nearest to one on the map by mean pooling (centered, unit length), "
        assert title.startswith(f"{said}{100 * share:.0f} % are of its document, ")
        assert title.endswith(end) and says_nothing(title) == (share < 0.08)
        for ax in figure.axes:
            assert ax.get_title("left").endswith(f"nearest of its document: {100 * share:.0f} %")
        assert "## Neighbors of the same document" in text
        assert "same corpus" not in text and "same domain" not in text


def test_documents_of_one_text_have_no_neighbor_of_their_own():
    figure, text = draw(maps_of_one(lambda _: ""))
    assert len(figure.axes) == 2
    assert "document:" not in figure.axes[0].get_title("left")
    assert "chance of same document" not in text


def test_without_subjects_the_corpus_is_named():
    figure, _ = draw(maps_of_one(lambda _: ""))
    assert names(figure) == ["mine"]


def maps_of_one(
    subject: Callable[[int], str], documents: Sequence[str] = [f"d{n}" for n in range(20)]
) -> dict[str, Any]:
    """Maps of one corpus of twenty texts, each with its subject."""
    cloud = corpus([*documents], seed=0)
    cloud.windows["subject"] = [subject(number) for number in range(20)]
    return project_text_maps({"mine": cloud}, **SETTINGS)


def names(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts if text.get_text()]


def dots(ax: Axes) -> list[PathCollection]:
    return [part for part in ax.collections if isinstance(part, PathCollection)]
