from typing import Any

import pytest
from matplotlib.figure import Figure

from embspace.analysis import Outcome
from embspace.draw.open_questions import opposite_texts
from embspace.draw.open_questions.opposite_texts import draw_opposite_texts
from embspace.measure.open_questions import opposite_texts_values
from embspace.measure.open_questions.opposite_texts import OPPOSITE_TEXTS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.test_opposite_texts import Judge, measured


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured()


def drawn(given: Outcome) -> tuple[Figure, Any]:
    results = as_drawn(OPPOSITE_TEXTS, given)
    return draw_opposite_texts(results, "a model", **settings_of(draw_opposite_texts))


def test_lines_are_the_steps_and_the_least_alike_sentence(outcome: Outcome):
    figure, _ = drawn(outcome)
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    rows = outcome["csv"].query("search == 'free'")
    assert lines["chosen from all words"].get_ydata() == pytest.approx(rows["cosine"].to_numpy())
    corpus = outcome["json"]["corpus_cosine"]
    named = f"least alike sentence of the corpora, {corpus:.2f}".replace("-", "−")
    assert list(lines[named].get_ydata()) == [corpus] * 2
    assert_words_fit(figure)


def test_the_line_of_opposites_is_the_rule(outcome: Outcome):
    lines = {line.get_label(): line for line in drawn(outcome)[0].axes[0].lines}
    assert opposite_texts.OPPOSITE == opposite_texts_values.OPPOSITE
    assert set(lines["bound of opposites, \N{MINUS SIGN}0.5"].get_ydata()) == {
        opposite_texts_values.OPPOSITE
    }


def test_title_says_how_far_and_what_is_not_checkable(outcome: Outcome):
    title = " ".join(drawn(outcome)[0].get_suptitle().split())
    assert title.startswith("No opposites: words chosen by a search lower the cosine to")
    assert "checkable" not in title
    yes = outcome["searches"].assign(
        finds_opposites=["yes", "not checkable", "not checkable", "no"]
    )
    title = " ".join(drawn({**outcome, "searches": yes})[0].get_suptitle().split())
    assert title.startswith("Opposites are found")
    assert title.endswith("whether texts are fluent is not checkable here")


def test_title_says_whether_random_weights_end_below_the_corpora_too(outcome: Outcome):
    below = outcome["searches"].assign(beyond_corpus_high=-0.1, finds_strangers="yes")
    title = " ".join(drawn({**outcome, "searches": below})[0].get_suptitle().split())
    corpus = f"{outcome['json']['corpus_cosine']:.2f}".replace("-", "−")
    assert title.endswith(
        f", below the least alike sentence ({corpus}); at random weights it ends "
        "below the least alike, too (dashed)"
    )
    title = " ".join(
        drawn({**outcome, "searches": below.assign(finds_strangers="no")})[0].get_suptitle().split()
    )
    assert title.endswith(f"({corpus})")


def test_the_tables_name_what_no_search_found(outcome: Outcome):
    texts = outcome["texts"].copy()
    texts["search"] = texts["search"].replace("", float("nan"))
    assert texts["search"].isna().any()
    _, text = drawn({**outcome, "texts": texts})
    assert "| none: the sentence |" in text and "nan" not in text
    assert "cosines are near 1" not in text


def test_one_sentence_and_its_texts_are_written(outcome: Outcome):
    figure, _ = drawn(outcome)
    words = [" ".join(part.get_text().split()) for part in figure.axes[1].texts]
    texts = outcome["texts"]
    shown = texts[(texts["sentence"] == texts.query("text in @words")["sentence"].iloc[0])]
    free = shown.query("search == 'free'").iloc[0]
    assert free["text"] in words
    assert f"Chosen from all words, cosine {free['own_cosine']:.2f}".replace("-", "−") in words


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(-0.2, -0.1, "below"), (-0.2, 0.1, "not surely below"), (0.1, 0.2, "above")],
)
def test_title_has_the_cosine_of_fluent_texts(low: float, high: float, said: str):
    heard = measured(Judge(), quantile=0.9, n_changes=1)
    table = heard["searches"].assign(beyond_corpus_low=low, beyond_corpus_high=high)
    smallest = table.set_index("search").loc["judged", "smallest"]
    title = " ".join(drawn({**heard, "searches": table})[0].get_suptitle().split())
    words = f"No opposites: fluent texts chosen by a search lower the cosine to {smallest:.2f}"
    mark = "," if said == "below" else ":"
    assert title.startswith(f"{words}{mark} {said} the least alike sentence (".replace("-", "−"))
    table = heard["searches"].assign(finds_opposites="yes")
    assert drawn({**heard, "searches": table})[0].get_suptitle().startswith("Opposites are found")
    table = table.assign(finds_opposites=["yes", "yes", "no", "no"])
    assert drawn({**heard, "searches": table})[0].get_suptitle().startswith("No fluent opposites")
