import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.page.maps.places import Place, kinds_on, name_outside, word_places


def clumps() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    centers = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], 40, axis=0)
    xy = centers + 0.1 * rng.normal(size=centers.shape)
    return pd.DataFrame(xy, columns=["x", "y"]).assign(
        space="input",
        id=np.arange(120),
        token=[*["here"] * 40, *["there"] * 40, *["12"] * 40],
        kind=["word"] * 80 + ["number"] * 40,
    )


def test_dense_places_of_words_are_named_after_the_tokens_there():
    places = {place.words: (round(place.x), round(place.y)) for place in word_places(clumps(), 9)}
    assert places["here, here, here"] == (0, 0)
    assert places["there, there, there"] == (10, 0)
    assert not any("12" in words for words in places)
    assert word_places(clumps()[:5], 9) == []


def test_a_kind_is_named_where_it_is_densest():
    places = {place.words: (round(place.x), round(place.y)) for place in kinds_on(clumps())}
    assert places["numbers"] == (0, 10)
    assert places["words"] in ((0, 0), (10, 0))
    few = clumps().assign(kind=["word"] * 110 + ["number"] * 10)
    assert "numbers" not in [place.words for place in kinds_on(few)]


def test_a_kind_is_named_in_its_continent_and_not_in_a_small_dense_clump():
    rng = np.random.default_rng(0)
    xy = np.concatenate([rng.normal(size=(3000, 2)), [6.0, 6.0] + 0.01 * rng.normal(size=(60, 2))])
    words = pd.DataFrame(xy, columns=["x", "y"]).assign(space="input", kind="word")
    (place,) = kinds_on(words)
    assert np.hypot(place.x, place.y) < 1


def test_names_stand_outside_of_the_map_and_apart():
    ax = Figure().subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    black = (0.0, 0.0, 0.0)
    places = [Place(x, 0.5, f"at {x}", black) for x in (0.1, 0.2, 0.3, 0.7, 0.8, 0.9)]
    name_outside(ax, places, is_led=True)
    beside = {
        side: [text for text in ax.texts if text.get_ha() == side] for side in ("left", "right")
    }
    assert {text.xyann[0] for text in beside["right"]} == {0}
    assert {text.xyann[0] for text in beside["left"]} == {1}
    for texts in beside.values():
        heights = sorted(text.xyann[1] for text in texts)
        assert min(np.diff(heights)) > 0.05
    assert all(text.arrow_patch for text in ax.texts)
