import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.open_questions.vocabulary_clusters import (
    PARTS,
    _finding,
    draw_vocabulary_clusters,
)
from embspace.measure.open_questions.vocabulary_clusters import VOCABULARY_CLUSTERS
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.test_vocabulary_clusters import measured, tokens

CONF = "conf/measure/open_questions/vocabulary_clusters.yaml"


def drawn(x: np.ndarray) -> tuple[Figure, str]:
    outcome = measured(x, smallest=[16])
    results = as_drawn(VOCABULARY_CLUSTERS, outcome, **{CONF: read_yaml(ROOT / CONF)})
    settings = settings_of(draw_vocabulary_clusters, smallest=16)
    return draw_vocabulary_clusters(results, "a model", **settings)


@pytest.fixture(scope="module")
def planted() -> tuple[Figure, str]:
    return drawn(tokens(shift=1.0))


def test_title_names_the_kinds_of_the_parts_that_stand(planted: tuple[Figure, str]):
    figure, text = planted
    title = " ".join(str(figure.get_suptitle()).split())
    assert title.startswith("Parts of the cloud of tokens stand (a): a cluster with ")
    assert "% numbers" in title and "% words" in title
    assert "| yes" in text
    assert_words_fit(figure)
    none, _ = drawn(tokens(shift=0.0))
    assert none.get_suptitle().startswith("No clusters of ") and len(none.axes) == 1


def test_title_is_of_the_parts_that_the_plane_shows():
    parts, clouds = (
        measured(tokens(shift=1.0), smallest=[16])[name] for name in ("parts", "clouds")
    )
    smaller = parts.assign(smallest=8, kind_share=0.123)
    both = pd.concat([smaller, parts.assign(is_repeated="yes")])
    assert _finding(both, clouds, 0.9, 16) == _finding(parts, clouds, 0.9, 16)
    assert "12 %" in _finding(both, clouds, 0.9, 8)


def test_marks_are_the_shares_of_the_table(planted: tuple[Figure, str]):
    stability = next(ax for ax in planted[0].axes if ax.get_title("left").startswith("Stability"))
    line = next(line for line in stability.lines if line.get_label() == "smallest size 16")
    parts = measured(tokens(shift=1.0), smallest=[16])["parts"]
    assert line.get_ydata().tolist() == parts["matched"].tolist()
    assert line.get_xdata().tolist() == parts["n_tokens"].tolist()
    colored = {line.get_color(): line.get_ydata()[0] for line in stability.lines[1:]}
    for matched, color in zip(parts["matched"], PARTS, strict=False):
        assert colored[color] == matched  # as the plane's
    names = [text.get_text() for text in stability.get_legend().get_texts()]
    assert names[0] == "smallest size 16" and names[1].startswith("clouds: 0 of ")


def test_kinds_without_a_name_in_a_bar_are_in_the_legend(planted: tuple[Figure, str]):
    kinds = next(ax for ax in planted[0].axes if ax.get_title("left").startswith("Kinds of tokens"))
    assert kinds.get_title("left").endswith("in the clusters of a")
    # Words lie in the bar of numbers, too thin there for the name that other bars have.
    assert [text.get_text() for text in kinds.get_legend().get_texts()] == ["words"]
