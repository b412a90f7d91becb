from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context

from embspace.analysis import Outcome
from embspace.draw.page.canvas import percent, use_style
from embspace.draw.words.homonyms import MEASURED_WITH, draw_homonyms
from embspace.files.scalars import load_scalars, save_scalars
from embspace.measure.words.homonyms import HOMONYMS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.words.test_homonyms import SETTINGS as MEASURE
from tests.measure.words.test_homonyms import planted, without_tokens

SETTINGS = settings_of(draw_homonyms, n_words=50, n_listed=2, digits=3)


def results_of(outcome: Outcome, folder: Any) -> dict[str, Any]:
    """As they are read: NaN is null in JSON."""
    path = f"{folder}/scalars.json"
    save_scalars(outcome["json"], path)
    return outcome | {"json": load_scalars(path), MEASURED_WITH: MEASURE}


def draw(results: dict[str, Any], **change: Any):
    label = "a model of a long name"
    return draw_homonyms(as_drawn(HOMONYMS, results), label, **SETTINGS | change)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return results_of(planted().measured(), tmp_path_factory.mktemp("homonyms"))


@pytest.fixture(scope="module")
def drawn(results: dict[str, Any]):
    with rc_context():
        use_style()
        figure, text = draw(results)
        figure.canvas.draw()
    return figure, text


def rows_of(table: pd.DataFrame, preparation: str, quantity: str) -> pd.DataFrame:
    return table[(table["preparation"] == preparation) & (table["quantity"] == quantity)]


def lines_of(ax: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in ax.lines}


def named_with(name: str, shares: pd.Series) -> str:
    return f"{name}, {percent(shares.iloc[-1])}"


def test_lines_are_those_of_the_tables(results, drawn):
    first, third = (lines_of(ax) for ax in drawn[0].axes[:2])
    centered = rows_of(results["layers"], "centered", "cosine")
    assert list(first["centered cosine"].get_ydata()) == list(centered["difference"])
    random = list(centered["random_weights_difference"])
    assert list(first["random weights"].get_ydata()) == random
    recovery = rows_of(results["recovery"], "centered", "cosine")
    assert list(third[named_with("the word itself", recovery["accuracy"])].get_ydata()) == list(
        recovery["accuracy"]
    )
    assert list(
        third[named_with("mean of other tokens", recovery["context_accuracy"])].get_ydata()
    ) == list(recovery["context_accuracy"])
    assert list(third["chance level, 40 %"].get_ydata()) == pytest.approx([0.4, 0.4])
    bag = results["json"]["bag_of_words"]["accuracy"]
    assert list(third["counts of other tokens"].get_ydata()) == [bag, bag]


def test_the_title_says_from_which_layer_on_senses_lie_apart(results):
    layers = results["layers"].assign(difference_high=1.0)
    bounds = {"context_gain_low": 0.1, "context_gain_high": 0.4}
    recovery = results["recovery"].assign(accuracy=0.75, context_accuracy=0.5, **bounds)
    for lows, said in (
        ([-1.0, 0.1, 0.1], "On average senses lie apart from layer 1 on"),
        ([0.1, -1.0, 0.1], "On average senses lie apart from layer 2 on"),
        ([0.1, 0.1, -1.0], "On average senses do not surely lie apart at the last layer"),
    ):
        layers["difference_low"] = layers["layer"].map(dict(enumerate(lows)))
        given = results | {"layers": layers, "recovery": recovery}
        title = " ".join(draw(given)[0].get_suptitle().split())
        share = "75 % of sentences are nearest to one of the same sense, better than by the other"
        assert title == f"{said}; in the end {share} tokens"


@pytest.mark.parametrize(
    ("low", "high", "said"), [(-0.1, 0.1, "no better"), (-0.2, -0.1, "worse"), (0.1, 0.2, "better")]
)
def test_the_title_says_whether_the_word_tells_more_than_its_context(results, low, high, said):
    recovery = results["recovery"].assign(context_gain_low=low, context_gain_high=high)
    title = " ".join(draw(results | {"recovery": recovery})[0].get_suptitle().split())
    assert title.endswith(f"sense, {said} than by the other tokens")


def test_the_band_of_shuffled_senses_is_that_of_the_table(results, drawn):
    *_, band = drawn[0].axes[0].collections
    assert len(drawn[0].axes[0].collections) == 3
    heights = band.get_paths()[0].vertices[:, 1]
    rows = rows_of(results["layers"], "centered", "cosine")
    assert heights.min() == pytest.approx(rows["null_difference_low"].min())
    assert heights.max() == pytest.approx(rows["null_difference_high"].max())


def test_lines_are_named_at_their_ends(drawn):
    for ax in drawn[0].axes[:2]:
        named = [text.get_text() for text in ax.texts]
        lines = [name for name in lines_of(ax) if not name.startswith("_")]
        assert "random weights" in named and sorted(named) == sorted(lines)


def last_words(results) -> pd.DataFrame:
    words = rows_of(results["words"], "centered", "cosine")
    return words[words["layer"] == 2].sort_values("rank")


def names_on(ax) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_each_word_has_a_bar_and_its_senses_in_the_order_of_the_last_layer(results, drawn):
    ax, last = drawn[0].axes[2], last_words(results)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(list(last["difference"]))
    senses = last["senses"].str.replace("_", " ")
    assert names_on(ax) == list(last["word"] + ": " + senses)


@pytest.mark.parametrize(("sign", "room"), [(1, 0.08), (-1, 0.14)])
def test_a_bar_to_the_left_has_room_for_its_minus(results, sign: int, room: float):
    words = results["words"].assign(difference=sign * results["words"]["difference"].abs())
    ax = draw(results | {"words": words})[0].axes[2]
    ax.autoscale_view()
    ends = [bar.get_width() for bar in ax.patches]
    reach = max(0, *ends) - min(0, *ends)
    assert ax.margins()[0] == room
    assert ax.get_xlim()[0] == pytest.approx(min(0, *ends) - (sign < 0) * room * reach)


def test_of_many_words_both_ends_have_bars(results):
    ax = draw(results, n_words=3)[0].axes[2]
    last = last_words(results)["word"].tolist()
    assert [name.partition(":")[0] for name in names_on(ax)] == [*last[:2], last[-1]]
    assert "the 2 most and the 1 least apart, of 8" in (ax.get_title("left") or ax.get_title())


def test_words_fit_and_say_model_stimuli_and_n(drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    words = " ".join(text.get_text() for text in figure.texts)
    for part in ("a model of a long name", "homonyms", "8 words", "48 sentences"):
        assert part in words
    assert figure.get_label() == "measure_homonyms"


def test_the_tables_have_all_layers_and_the_words_at_both_ends(results, drawn):
    _, text = drawn
    for heading in ("Within and between senses", "Telling the sense", "Drift", "Words"):
        assert f"## {heading}" in text
    words = rows_of(results["words"], "centered", "cosine")
    last = words[words["layer"] == 2].sort_values("rank")["word"].tolist()
    listed = [word for word in last if f"| {word} " in text]
    assert listed == [*last[:2], *last[-2:]]
    assert "By chance 0.400; by counts of the other tokens 0.400" in text


def test_a_model_without_tokens_says_so(tmp_path):
    outcome = without_tokens(planted(4), range(24)).measured()
    figure, text = draw(results_of(outcome, tmp_path))
    assert "No word has tokens" in figure.axes[0].texts[0].get_text()
    assert not any(ax.lines for ax in figure.axes)
    assert text.count("None.") == 5
    assert "Lost: zzz, yyy, xxx, www." in text


def test_states_that_are_all_equal_are_drawn_without_a_crash(tmp_path):
    case = planted(4)
    case.states = {name: np.ones_like(x) for name, x in case.states.items()}
    figure, _ = draw(results_of(case.measured(), tmp_path))
    assert np.isnan([bar.get_width() for bar in figure.axes[2].patches]).all()
    assert {text.get_text() for text in figure.axes[2].texts} == {""}
