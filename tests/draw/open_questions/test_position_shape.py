import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.open_questions.position_shape import draw_position_shape
from embspace.draw.page.canvas import percent
from embspace.measure.open_questions.position_shape import POSITION_SHAPE
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.test_position_shape import measured, wave

CONF = "conf/measure/open_questions/position_shape.yaml"


def drawn(x: np.ndarray) -> tuple[Figure, str]:
    path = pd.DataFrame({"position": np.arange(len(x)), "component_1": x[:, 0]})
    further = {CONF: read_yaml(ROOT / CONF), "helix/path": path.assign(component_2=x[:, 1])}
    results = as_drawn(POSITION_SHAPE, measured(x), **further)
    return draw_position_shape(results, "a model", **settings_of(draw_position_shape))


@pytest.fixture(scope="module")
def once() -> tuple[Figure, str]:
    return drawn(wave(period=61.0, blur=0.0))


def test_title_says_which_loops_stand(once: tuple[Figure, str]):
    figure, text = once
    assert "of the positions outlast" in figure.get_suptitle()
    assert "| stands" in text
    assert_words_fit(figure)
    walk = np.random.default_rng(0).normal(size=(32, 12)).cumsum(axis=0).astype(np.float32)
    title = " ".join(drawn(walk)[0].get_suptitle().split())
    assert title.startswith("No loop stands: the longest-lived in ")


def test_panels_of_loops_say_what_the_longest_outlasts(once: tuple[Figure, str]):
    loops = measured(wave(period=61.0, blur=0.0))["loops"].query("rank == 1")
    for ax, (_, loop) in zip(once[0].axes[1:3], loops.iterrows(), strict=True):
        walks, stationary = (text.get_text() for text in ax.texts)
        assert walks == f"random walks, {percent(loop['shorter_random_walks'])} outlasted"
        assert f"{percent(loop['shorter_stationary'])} outlasted" in stationary


def test_loops_are_the_table(once: tuple[Figure, str]):
    loops = measured(wave(period=61.0, blur=0.0))["loops"].query("space == 'components'")
    assert once[0].axes[1].lines[-1].get_ydata() == pytest.approx(loops["length"].to_numpy())
