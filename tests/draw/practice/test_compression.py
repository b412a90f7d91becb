from typing import Any

import pytest

from embspace.analysis import Outcome
from embspace.draw.practice.compression import CUT, draw_compression
from embspace.measure.practice.compression import COMPRESSION, measure_compression
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.practice.planted import corpus, topics

CONF = "conf/measure/practice/compression.yaml"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    unsearched = corpus(topics(dim=16, seed=1).states["mean"])
    corpora = {"ports": unsearched, "ships": topics(dim=16)}
    return measure_compression(corpora, **settings_of(measure_compression))


def drawn(given: Outcome) -> Any:
    results = as_drawn(COMPRESSION, given, **{CONF: read_yaml(ROOT / CONF)})
    return draw_compression(results, "a model", **settings_of(draw_compression))


def title(given: Outcome) -> str:
    return " ".join(drawn(given)[0].get_suptitle().split())


def test_points_are_the_table_of_the_corpus_with_search(outcome: Outcome):
    figure, _ = drawn(outcome)
    assert_words_fit(figure)
    table = outcome["csv"].query("corpus == 'ships' and task == 'search' and kind == 'pca'")
    lines = {bars.get_label(): bars[0] for bars in figure.axes[0].containers}
    assert list(lines["principal components"].get_xdata()) == table["bytes"].tolist()
    assert lines["principal components"].get_ydata() == pytest.approx(table["value"].to_numpy())
    assert len(figure.axes) == 3


def test_marks_of_what_is_not_surely_kept_are_hollow(outcome: Outcome):
    table = outcome["csv"].query("corpus == 'ships' and kind == 'pca'")
    for ax, task in zip(drawn(outcome)[0].axes, ("search", "labels", "neighbors"), strict=True):
        rows = table[table["task"] == task]
        kept_low = rows.set_index("bytes")["share_kept_low"]
        unsure = kept_low.index[~(kept_low > 1 - read_yaml(ROOT / CONF)["lost"])]
        hollow = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
        (drawn_hollow,) = (line for line in hollow if line.get_color() == CUT["pca"].color)
        assert list(drawn_hollow.get_xdata()) == sorted(unsure)


def test_the_title_names_the_smallest_setting(outcome: Outcome):
    least = outcome["smallest"].query("corpus == 'ships' and task == 'search'").iloc[0]
    assert title(outcome).startswith(f"{least['version']} is the smallest setting")
    assert f"{least['bytes']:.0f} of 64 bytes" in title(outcome)
    none = outcome["smallest"].assign(version="", bytes=float("nan"))
    assert title({**outcome, "smallest": none}) == (
        "No setting smaller than float32 surely keeps search"
    )
    assert title(COMPRESSION.empty()) == "Too few texts to compress"


def test_without_search_the_first_task_is_named(outcome: Outcome):
    ports = {name: table[table["corpus"] == "ports"] for name, table in outcome.items()}
    assert "keeps neighbors" in title(ports)
    assert len(drawn(ports)[0].axes) == 1


def test_the_title_says_by_panel_what_the_other_tasks_take(outcome: Outcome):
    least = outcome["smallest"].copy()
    own = least["corpus"] == "ships"
    for task, version in {"search": "int8", "labels": "", "neighbors": "float16"}.items():
        least.loc[own & (least["task"] == task), "version"] = version
    assert title({**outcome, "smallest": least}).endswith(
        " bytes a text; for labels (b) it is float32, for neighbors (c) it is float16"
    )
