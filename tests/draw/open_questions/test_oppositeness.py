import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from embspace.analysis import Outcome
from embspace.app.page.nothing import says_nothing
from embspace.draw.open_questions.oppositeness import draw_oppositeness
from embspace.measure.open_questions.oppositeness import OPPOSITENESS
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.opposites import vectors
from tests.measure.open_questions.test_oppositeness import measured

AUCS = ["auc", "auc_low", "auc_high", "random_weights_auc"]

CONF = "conf/measure/open_questions/oppositeness.yaml"


def drawn(x: np.ndarray) -> tuple[Figure, str]:
    return drawing(measured(x))


def drawing(given: Outcome) -> tuple[Figure, str]:
    results = as_drawn(OPPOSITENESS, given, **{CONF: read_yaml(ROOT / CONF)})
    return draw_oppositeness(results, "a model", **settings_of(draw_oppositeness))


@pytest.fixture(scope="module")
def alike() -> tuple[Figure, str]:
    return drawn(vectors(shared=1.0, against=0.3))


def test_title_and_tables_say_whether_opposites_are_freed(alike: tuple[Figure, str]):
    figure, text = alike
    assert "whatever is taken away; cosine" in " ".join(figure.get_suptitle().split())
    assert " ".join(text.split()).count("| not freed |") == 6  # three preparations of two spaces
    figure, text = drawn(vectors(shared=0.0, against=1.0))
    assert "Antonyms come apart at" in str(figure.get_suptitle())
    assert_words_fit(figure)


def test_title_says_where_antonyms_are_as_random_pairs():
    given = measured(vectors(shared=1.0, against=0.3))
    places = given["cosines"].assign(verdict="open", auc=0.45, auc_low=0.4, auc_high=0.55)

    def title(cosines: pd.DataFrame) -> str:
        return " ".join(drawing({**given, "cosines": cosines})[0].get_suptitle().split())

    none = title(places)
    assert none.startswith(
        "Antonyms are not surely more alike than random pairs, whatever is taken away; cosine does "
        "not tell them from synonyms (closest, adjectives: AUC 0.45, of words alone "
    )
    is_first = places.index == places.index[0]
    told = title(places.assign(auc_high=places["auc_high"].mask(is_first, 0.48)))
    start = "Antonyms are not surely more alike than random pairs, whatever is taken away; cosine "
    assert told.startswith(f"{start}tells them from synonyms no better than a classifier")
    assert not says_nothing(told)
    sure = title(places.assign(verdict=places["verdict"].mask(is_first, "not freed")))
    assert sure.startswith("Antonyms stay more alike than random pairs at ")


def test_whether_cosine_tells_is_of_the_part_of_speech_in_the_title():
    given = measured(vectors(shared=1.0, against=0.3))
    unsure = given["cosines"].assign(verdict="open", auc=0.52, auc_low=0.45, auc_high=0.58)
    verbs = unsure.assign(part_of_speech="verb", auc=0.3, auc_low=0.2, auc_high=0.4)
    classifiers = [given["classifiers"].assign(words_auc=0.5)]
    classifiers += [classifiers[0].assign(part_of_speech="verb")]
    cosines, by_part = pd.concat([unsure, verbs]), pd.concat(classifiers)
    title = drawing({**given, "cosines": cosines, "classifiers": by_part})[0].get_suptitle()
    said = "cosine does not tell them from synonyms (largest lead, adjectives: AUC 0.52, of words"
    assert said in " ".join(title.split())


def test_lines_are_the_tables_with_the_embeddings_in_front(alike: tuple[Figure, str]):
    above, below = alike[0].axes[:2]
    assert [ax.get_title("left").partition("\n")[0] for ax in (above, below)] == [
        "Adjectives, cosine",
        "Adjectives, AUC",
    ]
    title = " ".join(alike[0].get_suptitle().split())
    written = [text.get_text() for text in below.texts if text.get_text()[:2] in ("0.", "1.")]
    assert len(written) == 2 and all(number in title for number in written)
    named = {line.get_label(): line for line in above.lines}
    cosines = measured(vectors(shared=1.0, against=0.3))["cosines"]
    rows = cosines[cosines["preparation"] == "less_mean"]
    assert named["less the mean"].get_xdata().tolist() == [-1, 0]
    assert named["less the mean"].get_ydata() == pytest.approx(rows["difference"].to_numpy())
    assert {"cosine", "cosine, random weights"} <= {line.get_label() for line in below.lines}


def test_the_intervals_that_decide_are_said_and_shown(alike: tuple[Figure, str]):
    said = " ".join(" ".join(text.get_text() for text in alike[0].texts).split())
    assert "95 % over pairs, all layers at once (a: and preparations)" in said
    assert "antonyms - random pairs" in alike[1]


def test_bands_below_are_of_cosine_and_words_alone(alike: tuple[Figure, str]):
    below = alike[0].axes[1]
    named = {line.get_label(): line for line in below.lines}
    colors = {to_hex(band.get_facecolor()[0]) for band in below.collections}
    wanted = [named[name].get_color() for name in ("cosine", "classifier, words alone")]
    assert colors == {to_hex(color) for color in wanted}
    random = [named[f"{name}, random weights"] for name in ("cosine", "products")]
    assert random[0].get_linestyle() != random[1].get_linestyle()


def test_the_subtitle_says_where_products_are_surely_better():
    given = measured(vectors(shared=1.0, against=0.3))
    gains = [0.1, *[-0.1] * (len(given["classifiers"]) - 1)]
    figure, _ = drawing({**given, "classifiers": given["classifiers"].assign(gain_low=gains)})
    said = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert f"and of products, surely better at 1 of {len(gains)} places" in said


def test_without_any_auc_the_title_says_nothing_of_synonyms():
    given = measured(vectors(shared=1.0, against=0.3))
    cosines = given["cosines"].assign(**dict.fromkeys(AUCS, np.nan))
    figure, _ = drawing({**given, "cosines": cosines})
    title = " ".join(figure.get_suptitle().split())
    assert title.endswith("whatever is taken away")
    words = pd.concat([given["cosines"], cosines.assign(part_of_speech="noun")])
    classifiers = given["classifiers"].assign(part_of_speech="noun")
    for low, said in ((0.4, "does not tell them from synonyms"), (0.6, "at an AUC of at most")):
        known = words.assign(auc_low=words["auc_low"].where(words["auc"].isna(), low))
        known["auc_high"] = known["auc_high"].where(words["auc"].isna(), 0.9)
        figure, _ = drawing({**given, "cosines": known, "classifiers": classifiers})
        assert said in " ".join(figure.get_suptitle().split())
