import pandas as pd
from matplotlib import rc_context

from embspace.compare.vocabularies import compare_vocabularies
from embspace.draw.compare.vocabularies import draw_vocabularies
from embspace.draw.page.canvas import use_style
from embspace.measure.learned.vocabulary_token_kinds import described_tokens
from embspace.models.spelling import Spelling
from tests.draw.fits import assert_words_fit

SETTINGS = {"height_mm": 60.0, "digits": 2}


def tokens(*words: str) -> pd.DataFrame:
    table = pd.DataFrame({"id": range(len(words)), "token": words, "kind": "other"})
    return described_tokens(table, Spelling("WordPiece", "continuation", "##", byte_level=False))


def test_a_bar_a_kind_and_definition():
    table = compare_vocabularies(tokens("the", "cat", "##ing"), tokens("the", "The"))
    figure, text = draw_vocabularies({"csv": table}, "one--two", **SETTINGS)
    assert_words_fit(figure)
    said = "\n".join(each.get_text() for each in figure.texts)
    assert "one: 3 tokens · two: 2 tokens" in said
    assert figure.get_suptitle().strip() == "one and two have 25 % of their tokens in common"
    as_listed = figure.axes[0].containers[0]
    kinds = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert kinds == ["all", "subword", "word"]
    # Of four strings one is common; of words the, cat, The one; no subword.
    assert [round(bar.get_height(), 3) for bar in as_listed] == [0.25, 0, 0.333]
    assert text.startswith("# Vocabularies of one and two\n")


def test_the_legend_stands_below_all_bars():
    table = compare_vocabularies(tokens("the", "cat"), tokens("the", "cat"))
    with rc_context():
        use_style()
        figure, _ = draw_vocabularies({"csv": table}, "one--two", **SETTINGS)
        assert_words_fit(figure)
    assert figure.get_suptitle().strip() == "one and two have the same vocabulary"
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 < figure.axes[0].get_window_extent().y0
    assert not legend.get_window_extent().overlaps(figure._supxlabel.get_window_extent())


def test_a_model_without_a_tokenizer_is_told():
    table = compare_vocabularies(tokens("the"), tokens("the")[:0])
    figure, text = draw_vocabularies({"csv": table}, "one--mute", **SETTINGS)
    assert_words_fit(figure)
    assert "no tokenizer" in figure.axes[0].texts[0].get_text()
    assert "None." in text
