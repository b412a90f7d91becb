import pandas as pd
from matplotlib import rc_context

from embspace.compare.vocabularies import VOCABULARIES, compare_vocabularies
from embspace.draw.compare.vocabularies import draw_vocabularies
from embspace.draw.page.canvas import use_style
from embspace.measure.learned.vocabulary_token_kinds import described_tokens
from embspace.models.spelling import Spelling
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit

SETTINGS = {"height_mm": 60.0, "digits": 2}


def tokens(*words: str) -> pd.DataFrame:
    table = pd.DataFrame({"id": range(len(words)), "token": words, "kind": "other"})
    return described_tokens(table, Spelling("WordPiece", "continuation", "##", byte_level=False))


def test_a_bar_a_kind_and_definition():
    outcome = compare_vocabularies(tokens("the", "cat", "##ing"), tokens("the", "The"))
    figure, text = draw_vocabularies(as_drawn(VOCABULARIES, outcome), "one--two", **SETTINGS)
    assert_words_fit(figure)
    said = "\n".join(each.get_text() for each in figure.texts)
    assert "one: 3 tokens · two: 2 tokens" in said
    assert " ".join(figure.get_suptitle().split()) == (
        "one and two share 25 % of their tokens as listed, 33 % as lower-case text"
    )
    counts, shares = figure.axes
    kinds = [label.get_text() for label in counts.get_yticklabels()]
    assert kinds == ["all tokens", "words", "word pieces"]
    # Of four strings one is common; of words the, cat, The one; no word piece.
    common, of_one, of_other = ([bar.get_width() for bar in each] for each in counts.containers)
    assert (common, of_one, of_other) == ([1, 1, 0], [2, 1, 1], [1, 1, 0])
    assert [text.get_text() for text in counts.texts] == ["1 of 4", "1 of 3", "0 of 1"]
    assert [text.get_text() for text in shares.texts][:4] == ["25 %", "25 %", "25 %", "33 %"]
    assert text.startswith("# Vocabularies of one and two\n")


def test_equal_vocabularies_have_their_kinds_alone():
    outcome = compare_vocabularies(tokens("the", "cat"), tokens("the", "cat"))
    figure, _ = draw_vocabularies(as_drawn(VOCABULARIES, outcome), "one--two", **SETTINGS)
    assert_words_fit(figure)
    assert figure.get_suptitle().strip() == "one and two have the same 2 tokens"
    (counts,) = figure.axes
    assert [text.get_text() for text in counts.texts] == ["2", "2"]
    assert not figure.legends


def test_the_legend_stands_below_all_bars():
    outcome = compare_vocabularies(tokens("the", "cat"), tokens("the", "dog"))
    with rc_context():
        use_style()
        figure, _ = draw_vocabularies(as_drawn(VOCABULARIES, outcome), "one--two", **SETTINGS)
        assert_words_fit(figure)
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 < figure.axes[0].get_window_extent().y0


def test_a_model_without_a_tokenizer_is_told():
    outcome = compare_vocabularies(tokens("the"), tokens("the")[:0])
    figure, text = draw_vocabularies(as_drawn(VOCABULARIES, outcome), "one--mute", **SETTINGS)
    assert_words_fit(figure)
    assert "no tokenizer" in figure.axes[0].texts[0].get_text()
    assert "None." in text
