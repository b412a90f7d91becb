import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.sentence_similarity import CLOUDS, draw_sentence_similarity
from embspace.measure.sentences.sentence_similarity import SENTENCE_SIMILARITY
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

QUANTILES = {"0.01": -2, "0.05": -1.5, "0.25": -1, "0.5": 0, "0.75": 1, "0.95": 1.5, "0.99": 2}


def pairs(n_pairs: int) -> pd.DataFrame:
    rows = [
        (corpus, pooling, layer, 15, rank, "a", f"b{rank}", 1 / (rank + layer), 1.0, 1.0)
        for corpus in ("few", "many")
        for pooling in POOLINGS
        for layer in range(3)
        for rank in range(1, n_pairs + 1)
    ]
    columns = ["corpus", "pooling", "layer", "n_pairs", "rank", "first", "second", "cosine"]
    columns += ["euclidean_distance", "unit_manhattan_distance"]
    return pd.DataFrame(rows, columns=columns)


def clouds(medians: tuple[float, ...] = (0.9, 0.8, 0.1)) -> pd.DataFrame:
    rows = [
        {"corpus": "many", "other_corpus": other, "quantity": quantity, "n": 12}
        | {"pooling": pooling, "layer": layer}
        | {f"quantile_{name}": median + 0.02 * step for name, step in QUANTILES.items()}
        for other in ("many", "few")
        for quantity in ("cosine", "norm")
        for pooling in POOLINGS
        for layer, median in enumerate(medians)
    ]
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame, distributions: pd.DataFrame) -> tuple[Figure, str]:
    use_style()
    results = as_drawn(SENTENCE_SIMILARITY, {"csv": table}, **{CLOUDS: distributions})
    settings = settings_of(draw_sentence_similarity, n_listed=1, digits=2)
    return draw_sentence_similarity(results, "a model of a long name", **settings)


@pytest.fixture(scope="module")
def drawn() -> tuple[Figure, str]:
    return draw(pairs(3), clouds())


def test_few_texts_have_a_line_a_pair(drawn):
    for ax in drawn[0].axes[:3]:
        assert len(ax.lines) == 3
        assert list(ax.lines[0].get_ydata()) == [1, 1 / 2, 1 / 3]


def test_many_texts_have_the_quantiles_of_all_pairs(drawn):
    for ax, look in zip(drawn[0].axes[3:], POOLINGS.values(), strict=True):
        median, top = ax.lines
        assert list(median.get_ydata()) == [0.9, 0.8, 0.1]
        assert list(top.get_ydata()) == [1, 1 / 2, 1 / 3]
        ends = [band.get_paths()[0].vertices[:, 1] for band in ax.collections]
        assert [each.max() for each in ends] == pytest.approx([0.94, 0.93, 0.92])
        assert [each.min() for each in ends] == pytest.approx([0.06, 0.07, 0.08])
        colors = {tuple(np.round(band.get_facecolor()[0][:3], 3)) for band in ax.collections}
        assert len(colors) == 1
        assert look.color


def test_n_stands_beside_each_row(drawn):
    assert "n = 15 pairs" in drawn[0].axes[0].get_ylabel()
    assert "n = 12 pairs" in drawn[0].axes[3].get_ylabel()


@pytest.mark.parametrize(
    ("medians", "words"),
    [
        ((0.9, 0.8, 0.1), ("spread out in layer 2", "from 0.80 at layer 1 to 0.10")),
        ((0.2, 0.9, 0.8), ("draw together in layer 1", "from 0.20 at layer 0 to 0.90")),
    ],
)
def test_the_title_says_where_the_cosines_change_most(
    medians: tuple[float, ...], words: tuple[str, str]
):
    title = " ".join(draw(pairs(3), clouds(medians))[0].get_suptitle().split())
    assert f"Texts {words[0]}: the median cosine of two texts goes {words[1]} (" in title


def test_the_title_claims_no_change_that_it_cannot_show():
    title = " ".join(draw(pairs(3), clouds((0.981, 0.9807, 0.979)))[0].get_suptitle().split())
    assert title.startswith("Texts neither draw together nor spread out: at most")
    assert "from 0.981 at layer 1 to 0.979 at layer 2" in title


def test_the_mean_of_one_corpus_is_no_mean():
    one = clouds().query("corpus == other_corpus")
    two = pd.concat([one, one.assign(corpus="few", other_corpus="few")])
    for table, is_said in ((one, False), (two, True)):
        assert ("mean of the corpora" in draw(pairs(3), table)[0].get_suptitle()) == is_said


def test_without_any_distribution_the_title_says_so():
    assert "Too few texts" in draw(pairs(3), clouds()[:0])[0].get_suptitle()


def test_a_result_without_any_pair_says_so():
    figure, text = draw(pairs(0), clouds()[:0])
    assert figure.axes[0].texts[0].get_text() == "no corpus with two texts"
    assert "No corpus has two texts" in text


def test_the_table_has_the_last_layer_of_each_corpus(drawn):
    before, _, after = drawn[1].partition("<details>")
    assert "## Few\n" in before
    assert "## Many, first token" in after
    assert "0.33" in before
    assert "0.50" not in drawn[1]


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])


def test_a_decoder_has_a_panel_of_its_last_token_in_the_place_of_the_first():
    figure, text = draw(
        *(
            pd.concat([table, table[table["pooling"] == "cls"].assign(pooling="last")])
            for table in (pairs(3), clouds())
        )
    )
    assert figure.axes[0].get_title(loc="left") == "Last token"
    assert len(figure.axes) == 6
    assert "first token" in text
    assert "last token" in text
